/* SPDX-License-Identifier: BSD-2-Clause
 *
 * First the types that were made at run time, which are blocks themselves, and types of modules in
 * C as blocks refer to them; then all blocks.
 */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "native/collector/roots/piece_reader.h"

enum {
    WORD_BYTES = 8,
    GC_HEAD_BYTES = HPP_PYTHON_GC_HEAD_BYTES,
    MAX_HEAD_BYTES = 32,
    MAX_NAME_BYTES = 200,
    MAX_METATYPES = 16, /* from a type to `type` */
    SKIPPED_WORDS = 64, /* at the beginning of a block: one bit for each */
    DICT_KEYS = 32,
    DICT_VALUES = 40, /* of a dict that shares its keys, else 0 */
    SET_TABLE = 40,
    SET_SMALL_TABLE = 64,
    SET_SMALL_WORDS = 16,
    DEQUE_LEFT = 24, /* block, block on the right, index in each */
    DEQUE_FREE = 80, /* blocks */
    DEQUE_FREE_WORDS = 16,
    DEQUE_BLOCK_WORDS = 66,
    GENERATOR_FLAG = 3,   /* word of a generator in 3.9 */
    FRAME_STACK = 8,      /* words of a frame, up to 3.10: address of its stack, */
    FRAME_TOP = 9,        /* of the end of the used part, or 0, in 3.9, */
    FRAME_DEPTH = 10,     /* length of the used part, or -1, in 3.10 */
    CODE_FREE_FRAME = 16, /* word with the frame that the next call will use, up to 3.10 */
    TYPE_BASE = 256,
    MANAGED_DICT = -24, /* of attributes, before the object */
};

/* Bits of the flags of a type. */
enum {
    FLAG_MANAGED_WEAK = 1 << 3, /* since 3.12 */
    FLAG_MANAGED_DICT = 1 << 4, /* since 3.11 */
    FLAG_HEAP_TYPE = 1 << 9,
    FLAG_READY = 1 << 12,
    FLAG_GC = 1 << 14,
    FLAG_INT = 1 << 24,
    FLAG_LIST = 1 << 25,
    FLAG_BYTES = 1 << 27,
    FLAG_TEXT = 1 << 28,
    FLAG_DICT = 1 << 29,
};
#define FLAG_TYPE (UINT64_C(1) << 31)

#define NOT_A_TYPE UINT32_MAX

/* The beginning of a type. */
typedef union type_words {
    uint64_t words[52];
    unsigned char bytes[52 * WORD_BYTES];
} type_words;

/* ---- Memory ---- */

static uint64_t field(const type_words *type, size_t offset)
{
    return type->words[offset / WORD_BYTES];
}

uint64_t hpp__python_word(const hpp__python *p, uint64_t address)
{
    uint64_t word;
    return address % WORD_BYTES == 0 && hpp__image_read(p->image, &word, address, sizeof word)
               ? word
               : 0;
}

uint32_t hpp__python_block(const hpp__python *p, uint64_t object)
{
    uint32_t block = hpp__block_index_find(p->index, object);
    return block != HPP__NO_BLOCK && hpp__python_refers(p, object, block) ? block : HPP__NO_BLOCK;
}

static bool is_printable(unsigned char byte)
{
    return byte >= ' ' && byte != 0x7f;
}

/* Appends a text of C. Returns false if it is empty, too long, or not text. */
static bool read_c_text(const hpp__python *p, uint64_t address, hpp__text *out)
{
    return hpp__image_text(p->image, out, address, MAX_NAME_BYTES, is_printable);
}

/* Appends a character as UTF-8. */
static void add_character(hpp__text *out, uint32_t c)
{
    char bytes[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3f));
    }
    bytes[0] = (char)(firsts[n] | c);
    hpp__text_add(out, (hpf_str){bytes, n});
}

bool hpp__python_text(const hpp__python *p, uint64_t object, hpp__text *out)
{
    struct {
        uint64_t count, type, length, hash;
        uint32_t state;
    } head;
    unsigned char text[4 * MAX_NAME_BYTES];
    if (object % WORD_BYTES != 0 || !hpp__image_read(p->image, &head, object, sizeof head)) {
        return false;
    }
    uint32_t width = head.state >> HPP_PYTHON_TEXT_KIND_SHIFT & 7;
    uint64_t n = head.length < MAX_NAME_BYTES ? head.length : MAX_NAME_BYTES;
    bool is_ascii = (head.state & HPP_PYTHON_TEXT_ASCII) != 0;
    uint64_t at = object + (is_ascii ? p->offsets->ascii_bytes : p->offsets->compact_bytes);
    if (!(head.state & HPP_PYTHON_TEXT_COMPACT) || (width != 1 && width != 2 && width != 4) ||
        !hpp__image_read(p->image, text, at, (size_t)(n * width))) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t c = 0;
        memcpy(&c, text + i * width, width);
        bool is_valid = c < 0xd800 || (c > 0xdfff && c <= 0x10ffff);
        add_character(out, is_valid ? c : 0xfffd);
    }
    return true;
}

/* ---- Dicts ---- */

/* Where the entries of a dict are. */
typedef struct dict_entries {
    uint64_t begin;  /* of entries with a key and a value, in this order, at their ends */
    uint64_t values; /* 0: the entries have the values */
    uint64_t n;
    unsigned n_words; /* of an entry: with or without a hash */
} dict_entries;

uint64_t hpp__python_keys(const hpp__python *p, uint64_t dict)
{
    return hpp__python_word(p, dict + DICT_KEYS);
}

/* The entries are inside the block of the keys, whatever their number is said to be. */
static bool find_entries(const hpp__python *p, uint64_t dict, dict_entries *out)
{
    uint64_t keys = hpp__python_keys(p, dict);
    uint32_t block = hpp__block_index_find(p->index, keys);
    uint64_t head[5];
    uint64_t n_index_bytes;
    if (block == HPP__NO_BLOCK || !hpp__image_read(p->image, head, keys, sizeof head)) {
        return false;
    }
    out->values = hpp__python_word(p, dict + DICT_VALUES);
    out->values += out->values ? p->offsets->values : 0;
    if (p->offsets->minor < 11) {
        uint64_t size = head[1];
        n_index_bytes = size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8);
        out->n = head[4];
        out->n_words = 3;
    } else {
        const unsigned char *bytes = (const unsigned char *)&head[1];
        n_index_bytes = UINT64_C(1) << (bytes[1] & 63);
        out->n = head[3];
        out->n_words = bytes[2] == 0 ? 3 : 2;
    }
    uint64_t n_before = p->offsets->keys_bytes + n_index_bytes;
    uint64_t n_bytes = p->image->blocks[block].address + p->image->blocks[block].size_bytes - keys;
    out->begin = keys + n_before;
    return n_index_bytes <= n_bytes && n_before <= n_bytes &&
           out->n <= (n_bytes - n_before) / (out->n_words * WORD_BYTES);
}

bool hpp__python_each(const hpp__python *p, uint64_t dict, hpp__python_visit *visit, void *context)
{
    enum { PER_READ = 64 };
    dict_entries entries;
    if (!find_entries(p, dict, &entries)) {
        return false;
    }
    for (uint64_t i = 0; i < entries.n; i += PER_READ) {
        uint64_t words[3 * PER_READ], values[PER_READ];
        uint64_t left = entries.n - i;
        size_t n = left < PER_READ ? (size_t)left : PER_READ;
        uint64_t at = entries.begin + i * entries.n_words * WORD_BYTES;
        if (!hpp__image_read(p->image, words, at, n * entries.n_words * WORD_BYTES) ||
            (entries.values &&
             !hpp__image_read(p->image, values, entries.values + i * WORD_BYTES, n * WORD_BYTES))) {
            return false;
        }
        for (size_t k = 0; k < n; k++) {
            const uint64_t *end = words + (k + 1) * entries.n_words;
            uint64_t value = entries.values ? values[k] : end[-1];
            if (end[-2] && value && !visit(context, end[-2], value)) {
                return true;
            }
        }
    }
    return true;
}

typedef struct dict_search {
    const hpp__python *python;
    const char *key;
    uint64_t value;
} dict_search;

static bool compare_key(void *context, uint64_t key, uint64_t value)
{
    dict_search *search = context;
    hpp__text text = {0};
    bool is_found = hpp__python_text(search->python, key, &text) &&
                    hpf_str_is(hpp__text_str(&text), search->key);
    search->value = is_found ? value : 0;
    hpp__text_finish(&text);
    return !is_found;
}

uint64_t hpp__python_get(const hpp__python *p, uint64_t dict, const char *key)
{
    dict_search search = {p, key, 0};
    return hpp__python_each(p, dict, compare_key, &search) ? search.value : 0;
}

/* ---- Types ---- */

static bool find_type(hpp__python *p, uint64_t address, unsigned depth, uint32_t *number);

/* Returns the kind of a type; a built-in type is known by its name. */
static hpp__python_kind kind_of(hpp__python *p, const type_words *type, hpf_str name,
                                unsigned depth)
{
    static const struct {
        const char *name;
        hpp__python_kind kind;
    } named[] = {
        {"code", HPP__PYTHON_CODE},
        {"module", HPP__PYTHON_MODULE},
        {"float", HPP__PYTHON_NUMBER},
        {"complex", HPP__PYTHON_NUMBER},
        {"bytearray", HPP__PYTHON_BUFFER},
        {"array.array", HPP__PYTHON_BUFFER},
        {"set", HPP__PYTHON_SET},
        {"frozenset", HPP__PYTHON_SET},
        {"collections.deque", HPP__PYTHON_DEQUE},
        {"generator", HPP__PYTHON_GENERATOR},
        {"coroutine", HPP__PYTHON_GENERATOR},
        {"frame", HPP__PYTHON_FRAME},
        {"async_generator", HPP__PYTHON_GENERATOR},
    };
    uint64_t flags = field(type, HPP_PYTHON_TYPE_FLAGS);
    bool is_class = (flags & FLAG_HEAP_TYPE) != 0;
    if (flags & FLAG_TYPE) {
        return HPP__PYTHON_TYPE;
    }
    if (flags & (FLAG_DICT | FLAG_LIST)) {
        return flags & FLAG_DICT ? HPP__PYTHON_DICT : HPP__PYTHON_LIST;
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        bool is_built_in = !is_class || strchr(named[i].name, '.');
        if (is_built_in && hpf_str_is(name, named[i].name)) {
            return named[i].kind;
        }
    }
    if (is_class) { /* may have attributes of its own */
        uint32_t base;
        uint64_t address = field(type, TYPE_BASE);
        hpp__python_kind kind =
            find_type(p, address, depth + 1, &base) ? p->types[base].kind : HPP__PYTHON_PLAIN;
        return kind == HPP__PYTHON_NUMBER || kind == HPP__PYTHON_TEXT ? HPP__PYTHON_PLAIN : kind;
    }
    if (flags & (FLAG_INT | FLAG_BYTES)) {
        return HPP__PYTHON_NUMBER;
    }
    return flags & FLAG_TEXT ? HPP__PYTHON_TEXT
           : hpf_str_begins(name, "weakref") || hpf_str_begins(name, "weakproxy") ||
                   hpf_str_begins(name, "weakcallable")
               ? HPP__PYTHON_WEAK
               : HPP__PYTHON_PLAIN;
}

/* Replaces `out` by the name of a type: as in C, or "module.Class" of a class statement. */
static bool read_name(const hpp__python *p, uint64_t address, const type_words *type,
                      hpp__text *out)
{
    out->length = 0;
    if (!read_c_text(p, field(type, HPP_PYTHON_TYPE_NAME), out)) {
        return false;
    }
    bool is_class = (field(type, HPP_PYTHON_TYPE_FLAGS) & FLAG_HEAP_TYPE) != 0;
    if (!is_class || memchr(out->data, '.', out->length)) {
        return true;
    }
    hpp__text whole = {0};
    uint64_t module = hpp__python_get(p, field(type, HPP_PYTHON_TYPE_DICT), "__module__");
    uint64_t name = hpp__python_word(p, address + p->offsets->type_qualified_name);
    if (module && hpp__python_text(p, module, &whole) &&
        !hpf_str_is(hpp__text_str(&whole), "builtins")) {
        hpp__text_add(&whole, HPF_STR("."));
        if (hpp__python_text(p, name, &whole)) {
            out->length = 0;
            hpp__text_add(out, hpp__text_str(&whole));
        }
    }
    hpp__text_finish(&whole);
    return true;
}

static bool add_type(hpp__python *p, hpp__python_type type, hpf_str name, uint32_t *number)
{
    type.name = hpf_arena_str(p->arena, name);
    *number = (uint32_t)p->n_types;
    return type.name.data && p->n_types < HPP__PYTHON_TYPE_MASK &&
           HPF__ARRAY_PUSH(p->types, p->n_types, p->types_capacity, type);
}

/* Reads the type at an address, whose own type is known to be one of types. */
static bool read_type(hpp__python *p, uint64_t address, const type_words *words, unsigned depth,
                      uint32_t *number)
{
    uint64_t flags = field(words, HPP_PYTHON_TYPE_FLAGS);
    uint64_t basic_bytes = field(words, HPP_PYTHON_TYPE_BASIC_BYTES);
    hpp__text name = {0};
    bool is_type = flags & FLAG_READY && basic_bytes >= 2 * WORD_BYTES &&
                   basic_bytes < UINT32_MAX && read_name(p, address, words, &name);
    if (is_type) {
        int64_t dict_offset = (int64_t)field(words, HPP_PYTHON_TYPE_DICT_OFFSET);
        int64_t weak_offset = (int64_t)field(words, HPP_PYTHON_TYPE_WEAK_LIST_OFFSET);
        uint64_t managed = p->offsets->minor >= 12   ? FLAG_MANAGED_DICT | FLAG_MANAGED_WEAK
                           : p->offsets->minor == 11 ? FLAG_MANAGED_DICT
                                                     : 0;
        bool has_managed_dict = (flags & managed & FLAG_MANAGED_DICT) != 0;
        hpp__python_type type = {
            .address = address,
            .basic_bytes = basic_bytes,
            .head_bytes =
                (flags & FLAG_GC ? GC_HEAD_BYTES : 0u) + (flags & managed ? 2u * WORD_BYTES : 0u),
            .weak_offset = weak_offset > -MAX_HEAD_BYTES - 1 && weak_offset < INT16_MAX
                               ? (int32_t)weak_offset
                               : 0,
            .dict_offset = has_managed_dict                             ? MANAGED_DICT
                           : dict_offset > 0 && dict_offset < INT16_MAX ? (int32_t)dict_offset
                                                                        : 0,
            .is_class = (flags & FLAG_HEAP_TYPE) != 0,
        };
        type.kind = kind_of(p, words, hpp__text_str(&name), depth);
        is_type = add_type(p, type, hpp__text_str(&name), number);
    }
    hpp__text_finish(&name);
    return is_type;
}

/* Finds the type at an address: `type` itself, or one whose own type is a type. */
static bool find_type(hpp__python *p, uint64_t address, unsigned depth, uint32_t *number)
{
    uint64_t *known = address ? hpp__map_add(&p->type_at, address) : NULL;
    type_words words;
    uint32_t meta;
    if (!known || *known) {
        *number = known ? (uint32_t)*known : NOT_A_TYPE;
        return *number != NOT_A_TYPE;
    }
    *known = NOT_A_TYPE; /* while its own type is being found */
    bool is_type = depth < MAX_METATYPES && address % WORD_BYTES == 0 &&
                   hpp__image_read(p->image, &words, address, sizeof words) &&
                   find_type(p, field(&words, HPP_PYTHON_OBJECT_TYPE), depth + 1, &meta) &&
                   p->types[meta].kind == HPP__PYTHON_TYPE &&
                   read_type(p, address, &words, depth, number);
    known = hpp__map_add(&p->type_at, address); /* the map may have moved */
    if (known && is_type) {
        *known = *number;
    }
    return known && is_type;
}

/* Reads `type`, the type of types and of itself. */
static bool find_type_of_types(hpp__python *p, uint64_t address)
{
    type_words words;
    uint32_t number;
    hpp__text name = {0};
    bool is_found = address && hpp__image_read(p->image, &words, address, sizeof words) &&
                    field(&words, HPP_PYTHON_OBJECT_TYPE) == address &&
                    read_c_text(p, field(&words, HPP_PYTHON_TYPE_NAME), &name) &&
                    hpf_str_is(hpp__text_str(&name), "type") &&
                    read_type(p, address, &words, 0, &number);
    uint64_t *known = is_found ? hpp__map_add(&p->type_at, address) : NULL;
    hpp__text_finish(&name);
    if (known) {
        *known = number;
    }
    return known != NULL;
}

/* Finds the classes among the blocks: types whose own types are known, from `type` on. */
static bool find_classes(hpp__python *p)
{
    const hpp__image *image = p->image;
    uint64_t *rest = NULL; /* addresses that may be of classes with a class of their own */
    size_t n_rest = 0, capacity = 0;
    bool is_good = true;
    for (size_t i = 0; i < image->n_blocks && is_good; i++) {
        uint64_t words[4];
        uint32_t number;
        const hpp__image_block *block = &image->blocks[i];
        if (block->size_bytes < GC_HEAD_BYTES + (uint64_t)p->offsets->type_bytes ||
            !hpp__image_read(image, words, block->address, sizeof words)) {
            continue;
        }
        uint64_t address = block->address + GC_HEAD_BYTES;
        const uint64_t *meta = words[3] ? hpp__map_find(&p->type_at, words[3]) : NULL;
        if (meta && *meta != NOT_A_TYPE) {
            find_type(p, address, 0, &number);
        } else if (hpp__block_index_find(p->index, words[3]) != HPP__NO_BLOCK) {
            is_good = HPF__ARRAY_PUSH(rest, n_rest, capacity, address);
        }
    }
    for (size_t i = 0; i < n_rest && is_good; i++) {
        uint32_t number;
        find_type(p, rest[i], 0, &number);
    }
    free(rest);
    return is_good;
}

/* ---- Blocks ---- */

/* Returns the number of the type at `address`, to which a block refers; 0 if there is none. Types
 * that are blocks are all known. */
static uint32_t type_at(hpp__python *p, uint64_t address)
{
    const uint64_t *known = address ? hpp__map_find(&p->type_at, address) : NULL;
    uint32_t number = NOT_A_TYPE;
    if (known) {
        number = (uint32_t)*known;
    } else if (address % WORD_BYTES == 0) {
        const hpp__image_map *map = hpp__image_map_of(p->image, address);
        if (map && map->is_readable && !map->is_shared && map->path[0] == '/') {
            find_type(p, address, 0, &number);
        }
    }
    return number == NOT_A_TYPE ? 0 : number;
}

static uint32_t type_of_words(hpp__python *p, const uint64_t *words, size_t n_words,
                              uint64_t size_bytes)
{
    for (uint32_t head = 0; head <= MAX_HEAD_BYTES; head += GC_HEAD_BYTES) {
        size_t at = head / WORD_BYTES;
        if (at + 1 < n_words && words[at] != 0) {
            uint32_t number = type_at(p, words[at + 1]);
            const hpp__python_type *type = &p->types[number];
            uint64_t least_bytes = type->kind == HPP__PYTHON_TEXT
                                       ? p->offsets->ascii_bytes /* if it is compact */
                                       : type->basic_bytes;
            if (number > 0 && type->head_bytes == head && least_bytes + head <= size_bytes) {
                return number;
            }
        }
    }
    return 0;
}

/* Returns the number of the type "dict of NAME" for the attributes of a type; 0 without memory. */
static uint32_t dict_type_of(hpp__python *p, uint32_t type, uint32_t dict)
{
    if (p->types[type].dict_type == 0) {
        uint32_t number;
        p->scratch.length = 0;
        hpp__text_add(&p->scratch, HPF_STR("dict of "));
        hpp__text_add(&p->scratch, p->types[type].name);
        if (!add_type(p, p->types[dict], hpp__text_str(&p->scratch), &number)) {
            return 0;
        }
        p->types[type].dict_type = number;
    }
    return p->types[type].dict_type;
}

/* Names the dict of the attributes of an object. It may come before the object or after it. */
static void name_dict_of(hpp__python *p, uint32_t type, uint64_t dict)
{
    uint32_t block = hpp__block_index_find(p->index, dict);
    uint64_t word = block == HPP__NO_BLOCK ? 0 : hpp__python_word(p, dict + WORD_BYTES);
    uint32_t number = type_at(p, word);
    if (number > 0 && p->types[number].kind == HPP__PYTHON_DICT &&
        dict == p->image->blocks[block].address + p->types[number].head_bytes) {
        uint32_t dict_type = dict_type_of(p, type, number);
        p->of_block[block] = dict_type ? dict_type : number;
    }
}

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

/* Marks the block at an address as a part of an object. */
static void mark_part(hpp__python *p, uint64_t address)
{
    uint32_t block = hpp__block_index_find(p->index, address);
    if (block != HPP__NO_BLOCK && (p->of_block[block] & HPP__PYTHON_TYPE_MASK) == 0) {
        p->of_block[block] |= HPP__PYTHON_IS_PART;
    }
}

static bool classify(hpp__python *p, size_t i, const uint64_t *words, size_t n_words)
{
    uint64_t size_bytes = p->image->blocks[i].size_bytes;
    uint32_t number = type_of_words(p, words, n_words, size_bytes);
    if (number == 0) {
        return true;
    }
    if ((p->of_block[i] & HPP__PYTHON_TYPE_MASK) == 0) {
        p->of_block[i] |= number;
    }
    hpp__python_type type = p->types[number];
    size_t dict_word = (size_t)((int64_t)type.head_bytes + type.dict_offset) / WORD_BYTES;
    if (type.dict_offset != 0 && type.kind != HPP__PYTHON_MODULE && dict_word < n_words) {
        name_dict_of(p, number, words[dict_word]);
    }
    size_t first = type.head_bytes / WORD_BYTES;
    const uint64_t *object = words + first;
    size_t n_object = n_words > first ? n_words - first : 0;
    bool is_good = true;
    if (type.kind == HPP__PYTHON_CODE && p->offsets->minor < 11 && n_object > CODE_FREE_FRAME) {
        uint32_t frame = hpp__block_index_find(p->index, object[CODE_FREE_FRAME]);
        if (frame != HPP__NO_BLOCK) {
            p->of_block[frame] |= HPP__PYTHON_NO_EDGES;
        }
    }
    if (type.dict_offset == MANAGED_DICT && p->offsets->minor < 13 &&
        dict_word < n_words) { /* values without a dict */
        uint64_t word = words[p->offsets->minor == 11 ? 0 : dict_word];
        uint64_t values = p->offsets->minor == 11 ? word : word & 1 ? word + 1 : 0;
        mark_part(p, values);
        is_good = use_part(p, values, UINT32_MAX);
    }
    if (type.kind == HPP__PYTHON_DICT && n_object > 5) {
        mark_part(p, object[4]);
        mark_part(p, object[5]);
        is_good = use_part(p, object[5], UINT32_MAX);
    } else if (type.kind == HPP__PYTHON_LIST && n_object > 3) {
        mark_part(p, object[3]);
        is_good = use_part(p, object[3], object[2]);
    } else if (type.kind == HPP__PYTHON_BUFFER && n_object > 4) {
        /* The items of an array, the bytes of a bytearray. */
        is_good = use_part(p, object[3], 0) && use_part(p, object[4], 0);
    } else if (type.kind == HPP__PYTHON_SET && n_object > 5) {
        mark_part(p, object[SET_TABLE / WORD_BYTES]);
    } else if (type.kind == HPP__PYTHON_DEQUE && n_object > 6) {
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

static bool classify_all(hpp__python *p)
{
    const hpp__image *image = p->image;
    hpp__piece_reader reader;
    bool is_good = hpp__piece_reader_init(&reader, image);
    for (size_t i = 0; i < image->n_blocks && is_good; i++) {
        size_t n_bytes;
        const hpp__image_block *block = &image->blocks[i];
        const void *words = block->size_bytes >= 2 * WORD_BYTES
                                ? hpp__piece_reader_block(&reader, i, block->address, &n_bytes)
                                : NULL;
        is_good = !words || classify(p, i, words, n_bytes / WORD_BYTES);
    }
    hpp__piece_reader_finish(&reader);
    return is_good;
}

/* ---- References ---- */

/* Returns a mask with bits [begin, end), as far as they fit. */
static uint64_t bits(size_t begin, uint64_t end)
{
    uint64_t below_end = end >= SKIPPED_WORDS ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return begin < end && begin < SKIPPED_WORDS ? below_end >> begin << begin : 0;
}

uint64_t hpp__python_extent(const hpp__python *p, size_t block, const uint64_t *words,
                            size_t n_words, uint64_t *skipped)
{
    const hpp__python_type *type = hpp__python_type_of(p, block);
    uint64_t size_bytes = p->image->blocks[block].size_bytes;
    uint64_t end = size_bytes;
    *skipped = 0;
    if (p->of_block[block] & HPP__PYTHON_NO_EDGES) {
        return 0;
    }
    if (!type) {
        const uint64_t *part = hpp__map_find(&p->used_parts, block + UINT64_C(1));
        *skipped = part ? bits(0, *part >> 32) : 0;
        return part ? (uint32_t)*part * (uint64_t)WORD_BYTES : size_bytes;
    }
    size_t first = type->head_bytes / WORD_BYTES;
    const uint64_t *object = words + first;
    size_t n_known = n_words > first ? n_words - first : 0;
    if (first >= 2) {
        *skipped |= bits(first - 2, first); /* the collector's list of objects */
    }
    size_t weak = (size_t)((int64_t)type->head_bytes + type->weak_offset) / WORD_BYTES;
    if (type->weak_offset != 0) {
        *skipped |= bits(weak, weak + 1);
    }
    switch (type->kind) {
    case HPP__PYTHON_DICT: /* a class has the keys that its instances share */
        if (n_known > 5 && object[5] != 0) {
            *skipped |= bits(first + 4, first + 5);
        }
        break;
    case HPP__PYTHON_SET: { /* a small table stays as it was */
        uint64_t table = p->image->blocks[block].address + type->head_bytes + SET_SMALL_TABLE;
        size_t small = first + SET_SMALL_TABLE / WORD_BYTES;
        if (n_known > 5 && object[SET_TABLE / WORD_BYTES] != table) {
            *skipped |= bits(small, small + SET_SMALL_WORDS);
        }
        break;
    }
    case HPP__PYTHON_DEQUE:
        *skipped |= bits(first + DEQUE_FREE / WORD_BYTES,
                         first + DEQUE_FREE / WORD_BYTES + DEQUE_FREE_WORDS);
        break;
    case HPP__PYTHON_WEAK: /* its object, and the list of others */
        *skipped |= bits(first + 2, first + 3) | bits(first + 5, first + 7);
        break;
    case HPP__PYTHON_GENERATOR: { /* of its stack only what is in use, unless it runs */
        bool has_frame = p->offsets->generator_frame != HPP_PYTHON_NONE;
        uint64_t frame = has_frame ? p->offsets->generator_frame : 0;
        size_t top = (size_t)(frame + p->offsets->frame_stack_top) / WORD_BYTES;
        if (has_frame && n_known > top && (int32_t)object[top] >= 0) {
            end = frame + p->offsets->frame_locals + (uint32_t)object[top] * (uint64_t)WORD_BYTES;
            end += type->head_bytes;
        }
        /* Words with undefined bytes: what coroutines alone use; a flag, in 3.9. */
        size_t undefined = has_frame ? (size_t)frame / WORD_BYTES - 2 : GENERATOR_FLAG;
        if (has_frame || p->offsets->minor == 9) {
            *skipped |= bits(first + undefined, first + undefined + 1);
        }
        break;
    }
    case HPP__PYTHON_FRAME: /* the same, up to 3.10; before its locals are numbers */
        if (p->offsets->minor < 11 && n_known > FRAME_DEPTH) {
            *skipped |= bits(first + p->offsets->frame_instruction / WORD_BYTES,
                             first + p->offsets->frame_locals / WORD_BYTES);
            uint64_t top =
                p->offsets->minor == 9 ? object[FRAME_TOP]
                : (int32_t)object[FRAME_DEPTH] < 0
                    ? 0
                    : object[FRAME_STACK] + (uint32_t)object[FRAME_DEPTH] * (uint64_t)WORD_BYTES;
            uint64_t begin = p->image->blocks[block].address;
            end = top > begin ? top - begin : end;
        }
        break;
    case HPP__PYTHON_NUMBER:
        return 0;
    case HPP__PYTHON_TEXT: /* after length, hash and state: addresses of other forms, if any */
        *skipped |= bits(first + 2, first + 5);
        end = p->offsets->compact_bytes + (uint64_t)WORD_BYTES;
        break;
    case HPP__PYTHON_CODE: /* instructions have addresses in their caches */
        end = p->offsets->code_bytes;
        break;
    default:
        break;
    }
    return end < size_bytes ? end : size_bytes;
}

bool hpp__python_name_dict(hpp__python *p, uint64_t dict, hpf_str name)
{
    uint32_t block = hpp__python_block(p, dict), number;
    const hpp__python_type *type = block == HPP__NO_BLOCK ? NULL : hpp__python_type_of(p, block);
    if (!type || type->kind != HPP__PYTHON_DICT) {
        return true;
    }
    p->scratch.length = 0;
    hpp__text_add(&p->scratch, HPF_STR("dict of "));
    hpp__text_add(&p->scratch, name);
    if (!add_type(p, *type, hpp__text_str(&p->scratch), &number)) {
        return false;
    }
    p->of_block[block] = (p->of_block[block] & ~HPP__PYTHON_TYPE_MASK) | number;
    return true;
}

/* ---- Life ---- */

bool hpp__python_init(hpp__python *p, const hpp__image *image, const hpp__block_index *index,
                      hpp__python_place place)
{
    *p = (hpp__python){.image = image,
                       .index = index,
                       .offsets = hpp__python_offsets(place.version),
                       .runtime = place.runtime};
    if (!p->offsets) {
        return true;
    }
    p->arena = hpf_arena_create();
    if (!p->arena || !HPF__ARRAY_PUSH(p->types, p->n_types, p->types_capacity,
                                      ((hpp__python_type){.address = 0}))) {
        return false;
    }
    if (!find_type_of_types(p, place.type)) {
        return true;
    }
    p->of_block = calloc(image->n_blocks + 1, sizeof *p->of_block);
    return p->of_block && find_classes(p) && classify_all(p);
}

void hpp__python_finish(hpp__python *p)
{
    hpf_arena_destroy(p->arena);
    free(p->types);
    free(p->of_block);
    hpp__map_finish(&p->type_at);
    hpp__map_finish(&p->used_parts);
    hpp__text_finish(&p->scratch);
    *p = (hpp__python){0};
}
