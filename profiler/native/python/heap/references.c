/* SPDX-License-Identifier: BSD-2-Clause */
#include "references.h"
#include "values.h"

#include <string.h>

enum {
    WORD_BYTES = 8,
    LENGTH = 2,         /* word of an object with items */
    SKIPPED_WORDS = 64, /* at the beginning of a block: one bit for each */
    SET_TABLE = 40,
    SET_SMALL_TABLE = 64,
    SET_SMALL_WORDS = 16,
    SET_ENTRY_WORDS = 2, /* an object and its hash */
    BUFFER_BYTES = 7,    /* word of a bytearray: its bytes object */
    DEQUE_LEFT = 24,     /* block, block on the right, index in each */
    DEQUE_FREE = 80,     /* blocks */
    DEQUE_FREE_WORDS = 16,
    DEQUE_BLOCK_WORDS = 66,
    GENERATOR_FLAG = 3,   /* word of a generator in 3.9 */
    FRAME_STACK = 8,      /* words of a frame, up to 3.10: address of its stack, */
    FRAME_TOP = 9,        /* of the end of the used part, or 0, in 3.9, */
    FRAME_DEPTH = 10,     /* length of the used part, or -1, in 3.10 */
    CODE_FREE_FRAME = 16, /* word with the frame that the next call will use, up to 3.10 */
    MANAGED_DICT = -24,   /* of attributes, before the object */
};

/* ---- Blocks of an object ---- */

/* Notes that the block at an address has references from there on, in `n_words` words at most.
 * Returns false without memory. */
static bool use_part(hpp__python *p, uint64_t address, uint64_t n_words)
{
    uint32_t block = hpp__block_index_find(p->index, address);
    if (block == HPP__NO_BLOCK || (p->of_block[block] & HPP__PYTHON_TYPE_MASK) != 0) {
        return true;
    }
    uint64_t begin = (address - p->image->blocks[block].address) / WORD_BYTES;
    uint64_t n_all = p->image->blocks[block].size_bytes / WORD_BYTES;
    uint64_t end = n_words < n_all - begin ? begin + n_words : n_all;
    uint64_t *part = end <= UINT32_MAX ? hpp__map_add(&p->used_parts, block + UINT64_C(1)) : NULL;
    if (part) {
        *part = begin << 32 | end;
    }
    return part || end > UINT32_MAX;
}

/* Marks the block at an address as a part of an object. What looks like an object there is none: an
 * item of a list that is a type, or what was in the block before. Since 3.13, a part may also be
 * inside an object. Returns false without memory. */
static bool mark_part(hpp__python *p, uint64_t address, uint64_t owner, uint32_t mark)
{
    uint32_t block = hpp__block_index_find(p->index, address);
    if (block == HPP__NO_BLOCK || block == hpp__block_index_find(p->index, owner)) {
        return true;
    }
    bool is_whole = p->offsets->minor < 13 || p->image->blocks[block].address == address;
    if (!is_whole && (p->of_block[block] & HPP__PYTHON_TYPE_MASK) != 0) {
        return true;
    }
    p->of_block[block] = (p->of_block[block] & ~HPP__PYTHON_TYPE_MASK) | HPP__PYTHON_IS_PART | mark;
    uint64_t *known = p->with_owners ? hpp__map_add(&p->owners, block + UINT64_C(1)) : NULL;
    if (known) {
        *known = owner;
    }
    return known || !p->with_owners;
}

/* Marks the block of the keys that the instances of a class share, unless a dict has marked it: the
 * allocator may have added to it what was there before. */
static void mark_shared_keys(hpp__python *p, uint64_t type)
{
    uint32_t block = hpp__block_index_find(p->index, hpp__python_shared_keys(p, type));
    if (block != HPP__NO_BLOCK && !(p->of_block[block] & HPP__PYTHON_IS_PART)) {
        p->of_block[block] = HPP__PYTHON_IS_PART | HPP__PYTHON_IS_KEYS;
    }
}

/* Marks the block of the values of a dict or an instance. */
static bool mark_values(hpp__python *p, uint64_t values, uint64_t owner, uint64_t n_used)
{
    return mark_part(p, values, owner, 0) &&
           use_part(p, values + p->offsets->values, hpp__python_values_in_use(p, values, n_used));
}

/* Counts the object at an address as a part of its only owner, without a type of its own. */
static void take_object(hpp__python *p, uint64_t object)
{
    uint32_t block = hpp__block_index_find(p->index, object);
    if (block != HPP__NO_BLOCK && p->image->blocks[block].address == object) {
        p->of_block[block] = HPP__PYTHON_IS_PART;
    }
}

uint64_t hpp__python_values_without_dict(const hpp__python *p, const hpp__python_type *type,
                                         const uint64_t *words, size_t n_words)
{
    size_t dict_word = (size_t)((int64_t)type->head_bytes + type->dict_offset) / WORD_BYTES;
    if (type->dict_offset != MANAGED_DICT || p->offsets->minor >= 13 || dict_word >= n_words) {
        return 0;
    }
    uint64_t word = words[p->offsets->minor == 11 ? 0 : dict_word];
    return p->offsets->minor == 11 ? word : word & 1 ? word + 1 : 0;
}

bool hpp__python_note_parts(hpp__python *p, const hpp__python_type *type, size_t block,
                            const uint64_t *words, size_t n_words)
{
    uint64_t owner = p->image->blocks[block].address + type->head_bytes;
    size_t first = type->head_bytes / WORD_BYTES;
    const uint64_t *object = words + first;
    size_t n_object = n_words > first ? n_words - first : 0;
    bool is_good = true;
    if (type->kind == HPP__PYTHON_CODE && p->offsets->minor < 11 && n_object > CODE_FREE_FRAME) {
        uint32_t frame = hpp__block_index_find(p->index, object[CODE_FREE_FRAME]);
        if (frame != HPP__NO_BLOCK) {
            p->of_block[frame] |= HPP__PYTHON_NO_EDGES;
        }
    }
    if (type->kind == HPP__PYTHON_TYPE) {
        mark_shared_keys(p, owner);
    }
    uint64_t values = hpp__python_values_without_dict(p, type, words, n_words);
    if (values) {
        is_good = mark_values(p, values, owner, 0);
    }
    if (type->kind == HPP__PYTHON_DICT && n_object > 5) {
        is_good = mark_part(p, object[4], owner, HPP__PYTHON_IS_KEYS) &&
                  (object[5] == 0 || mark_values(p, object[5], owner, object[2]));
    } else if (type->kind == HPP__PYTHON_LIST && n_object > 3) {
        is_good = mark_part(p, object[3], owner, 0) && use_part(p, object[3], object[2]);
    } else if (type->kind == HPP__PYTHON_BUFFER && n_object > 4) {
        /* The items of an array, the bytes of a bytearray: since 3.15 those of an object. */
        if (p->offsets->minor >= 15 && n_object > BUFFER_BYTES) {
            take_object(p, object[BUFFER_BYTES]);
        }
        is_good = use_part(p, object[3], 0) && use_part(p, object[4], 0);
    } else if (type->kind == HPP__PYTHON_SET && n_object > 5) {
        is_good = mark_part(p, object[SET_TABLE / WORD_BYTES], owner, HPP__PYTHON_IS_TABLE);
    } else if (type->kind == HPP__PYTHON_DEQUE && n_object > 6) {
        /* Blocks at the left and at the right, indices in them of the first and of the last. */
        const uint64_t *ends = object + DEQUE_LEFT / WORD_BYTES;
        uint64_t first_word = ends[2] + 1, n_left = DEQUE_BLOCK_WORDS - first_word;
        is_good = ends[2] >= DEQUE_BLOCK_WORDS || ends[3] >= DEQUE_BLOCK_WORDS ||
                  (use_part(p, ends[1], ends[3] + 2) &&
                   use_part(p, ends[0] + first_word * WORD_BYTES,
                            ends[0] == ends[1] ? ends[3] + 1 - ends[2] : n_left));
    }
    return is_good;
}

/* Finds the entries in a block that has the keys of a dict. */
static bool find_own_entries(const hpp__python *p, size_t block, const uint64_t *words,
                             size_t n_words, hpp__python_entries *out)
{
    const hpp__image_block *where = &p->image->blocks[block];
    return p->of_block[block] & HPP__PYTHON_IS_KEYS && n_words >= HPP__PYTHON_KEYS_WORDS &&
           hpp__python_parse_keys(p, words, where->address, where->size_bytes, out);
}

hpp__python_hashes hpp__python_find_hashes(const hpp__python *p, size_t block,
                                           const uint64_t *words, size_t n_words)
{
    enum { WITH_HASH = 3 };
    hpp__python_entries entries;
    if (p->of_block[block] & HPP__PYTHON_IS_TABLE) {
        return (hpp__python_hashes){1, SET_ENTRY_WORDS};
    }
    if (!find_own_entries(p, block, words, n_words, &entries) || entries.n_words != WITH_HASH) {
        return (hpp__python_hashes){0, 0};
    }
    uint64_t n_before = entries.begin - p->image->blocks[block].address;
    return (hpp__python_hashes){(uint32_t)(n_before / WORD_BYTES), WITH_HASH};
}

/* ---- References in a block ---- */

/* Returns a mask with bits [begin, end), as far as they fit. */
static uint64_t bits(size_t begin, uint64_t end)
{
    uint64_t below_end = end >= SKIPPED_WORDS ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return begin < end && begin < SKIPPED_WORDS ? below_end >> begin << begin : 0;
}

/* An object whose extent is looked for. */
typedef struct object_words {
    const hpp_python_offsets *offsets;
    uint64_t begin, end;   /* of the block: its address; bytes up to where references go */
    size_t first;          /* word of the block with which the object begins */
    const uint64_t *words; /* of the object */
    size_t n_words;        /* that are known */
    uint64_t skipped;      /* bits */
} object_words;

/* Skips words of an object. */
static void skip(object_words *o, size_t begin, size_t end)
{
    o->skipped |= bits(o->first + begin, o->first + end);
}

/* What the allocator has added to the size has what was there before. The block of an object may be
 * larger for other reasons. A class has room for one item more. */
static void limit_size(object_words *o, const hpp__python_type *type)
{
    enum { MOST_ADDED = 32 };
    uint64_t n_items = o->n_words > LENGTH ? o->words[LENGTH] : 0;
    uint64_t n_words =
        (type->basic_bytes + n_items * type->item_bytes + WORD_BYTES - 1) / WORD_BYTES;
    uint64_t n_bytes = (o->first + n_words) * WORD_BYTES;
    if (n_items < UINT32_MAX && n_bytes <= o->end &&
        o->end - n_bytes < MOST_ADDED + type->item_bytes) {
        o->end = n_bytes;
    }
}

/* Of the stack of a generator only what is in use counts, unless it runs. Then there are words with
 * undefined bytes: what coroutines alone use; a flag, in 3.9. */
static void limit_generator(object_words *o)
{
    bool has_frame = o->offsets->generator_frame != HPP_PYTHON_NONE;
    uint64_t frame = has_frame ? o->offsets->generator_frame : 0;
    size_t top = (size_t)(frame + o->offsets->frame_stack_top) / WORD_BYTES;
    uint64_t address = o->begin + o->first * WORD_BYTES + frame;
    uint64_t n_used = has_frame && o->n_words > top
                          ? hpp__python_words_in_use(o->offsets, address, o->words[top])
                          : UINT64_MAX;
    if (n_used < UINT32_MAX) {
        o->end = address - o->begin + o->offsets->frame_locals + n_used * WORD_BYTES;
    }
    size_t undefined = has_frame ? (size_t)frame / WORD_BYTES - 2 : GENERATOR_FLAG;
    if (has_frame || o->offsets->minor == 9) {
        skip(o, undefined, undefined + 1);
    }
}

/* The same of a frame that is an object, up to 3.10. Before its locals are numbers. */
static void limit_frame(object_words *o)
{
    if (o->offsets->minor >= 11 || o->n_words <= FRAME_DEPTH) {
        return;
    }
    skip(o, o->offsets->frame_instruction / WORD_BYTES, o->offsets->frame_locals / WORD_BYTES);
    int32_t depth = (int32_t)o->words[FRAME_DEPTH];
    uint64_t top = o->offsets->minor == 9 ? o->words[FRAME_TOP]
                   : depth < 0            ? 0
                                          : o->words[FRAME_STACK] + (uint64_t)depth * WORD_BYTES;
    o->end = top > o->begin ? top - o->begin : o->end;
}

/* Behind the basic bytes of an instance: four numbers of a byte, the attributes, and their order.
 * When the object has got a dict that keeps them, they are what they were. */
static void limit_inline_values(object_words *o, uint64_t basic_bytes)
{
    enum { CAPACITY = 0, IS_VALID = 3 };
    size_t word = (size_t)basic_bytes / WORD_BYTES;
    uint64_t n_before = o->first * WORD_BYTES + basic_bytes;
    unsigned char numbers[WORD_BYTES];
    if (word >= o->n_words) {
        return;
    }
    memcpy(numbers, &o->words[word], sizeof numbers);
    skip(o, word, word + 1);
    o->end =
        n_before + o->offsets->values + (numbers[IS_VALID] ? numbers[CAPACITY] * WORD_BYTES : 0);
}

/* Returns whether the letters of a text follow its head at once, without further addresses. */
static bool is_compact_ascii(const object_words *o)
{
    const size_t state = HPP_PYTHON_TEXT_STATE / WORD_BYTES;
    hpp_python_text_form form = {0};
    if (o->n_words > state) {
        form = hpp__python_text_form((uint32_t)o->words[state]);
    }
    return form.is_ascii && form.width > 0;
}

static void limit_references(object_words *o, hpp__python_kind kind)
{
    const size_t small = SET_SMALL_TABLE / WORD_BYTES, is_free = DEQUE_FREE / WORD_BYTES;
    const size_t number = o->offsets->code_first_traceable / WORD_BYTES;
    switch (kind) {
    case HPP__PYTHON_DICT: /* a class has the keys that its instances share */
        if (o->n_words > 5 && o->words[5] != 0) {
            skip(o, 4, 5);
        }
        break;
    case HPP__PYTHON_SET: /* a small table stays as it was */
        if (o->n_words > 5 && o->words[SET_TABLE / WORD_BYTES] !=
                                  o->begin + o->first * WORD_BYTES + SET_SMALL_TABLE) {
            skip(o, small, small + SET_SMALL_WORDS);
        }
        for (size_t i = 1; i < SET_SMALL_WORDS; i += SET_ENTRY_WORDS) {
            skip(o, small + i, small + i + 1); /* hashes */
        }
        break;
    case HPP__PYTHON_DEQUE:
        skip(o, is_free, is_free + DEQUE_FREE_WORDS);
        break;
    case HPP__PYTHON_WEAK: /* its object, and the list of others */
        skip(o, 2, 3);
        skip(o, 5, 7);
        break;
    case HPP__PYTHON_GENERATOR:
        limit_generator(o);
        break;
    case HPP__PYTHON_FRAME:
        limit_frame(o);
        break;
    case HPP__PYTHON_NUMBER:
        o->end = 0;
        break;
    case HPP__PYTHON_TEXT: /* after length, hash and state: addresses of other forms, if any */
        skip(o, 2, 5);
        o->end = is_compact_ascii(o) ? o->offsets->ascii_bytes
                                     : o->offsets->compact_bytes + (uint64_t)WORD_BYTES;
        break;
    case HPP__PYTHON_CODE: /* instructions have addresses in their caches */
        o->end = o->offsets->code_bytes;
        /* Numbers, with undefined bytes: half a word; since 3.14, one more before it. */
        skip(o, number - (o->offsets->minor >= 14), number + 1);
        break;
    default:
        break;
    }
}

/* Of a block that is no object. */
static uint64_t extent_of_part(const hpp__python *p, size_t block, const uint64_t *words,
                               size_t n_words, uint64_t *skipped)
{
    hpp__python_entries entries;
    if (find_own_entries(p, block, words, n_words, &entries)) {
        return entries.begin - p->image->blocks[block].address +
               entries.n * entries.n_words * WORD_BYTES;
    }
    const uint64_t *part = hpp__map_find(&p->used_parts, block + UINT64_C(1));
    *skipped = part ? bits(0, *part >> 32) : 0;
    return part ? (uint32_t)*part * (uint64_t)WORD_BYTES : p->image->blocks[block].size_bytes;
}

uint64_t hpp__python_extent(const hpp__python *p, size_t block, const uint64_t *words,
                            size_t n_words, uint64_t *skipped)
{
    const hpp__python_type *type = hpp__python_type_of(p, block);
    const hpp__image_block *where = &p->image->blocks[block];
    *skipped = 0;
    if (p->of_block[block] & HPP__PYTHON_NO_EDGES) {
        return 0;
    }
    if (!type) {
        return extent_of_part(p, block, words, n_words, skipped);
    }
    size_t first = type->head_bytes / WORD_BYTES;
    object_words o = {.offsets = p->offsets,
                      .begin = where->address,
                      .end = where->size_bytes,
                      .first = first,
                      .words = words + first,
                      .n_words = n_words > first ? n_words - first : 0};
    limit_size(&o, type);
    o.skipped = first >= 2 ? bits(first - 2, first) : 0; /* the collector's list of objects */
    size_t weak = (size_t)((int64_t)type->head_bytes + type->weak_offset) / WORD_BYTES;
    o.skipped |= type->weak_offset != 0 ? bits(weak, weak + 1) : 0;
    if (type->has_inline_values) {
        limit_inline_values(&o, type->basic_bytes);
    }
    limit_references(&o, type->kind);
    *skipped = o.skipped;
    return o.end < where->size_bytes ? o.end : where->size_bytes;
}
