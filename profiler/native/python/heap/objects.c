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
#include "references.h"
#include "values.h"

enum {
    WORD_BYTES = 8,
    GC_HEAD_BYTES = HPP_PYTHON_GC_HEAD_BYTES,
    MAX_HEAD_BYTES = 32,
    MAX_NAME_BYTES = 200,
    MAX_METATYPES = 16, /* from a type to `type` */
    TYPE_BASE = 256,
    MANAGED_DICT = -24, /* of attributes, before the object */
};

/* Bits of the flags of a type. */
enum {
    FLAG_INLINE_VALUES = 1 << 2, /* since 3.13 */
    FLAG_MANAGED_WEAK = 1 << 3,  /* since 3.12 */
    FLAG_MANAGED_DICT = 1 << 4,  /* since 3.11 */
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

static bool is_printable(unsigned char byte)
{
    return byte >= ' ' && byte != 0x7f;
}

/* Appends a text of C. Returns false if it is empty, too long, or not text. */
static bool read_c_text(const hpp__python *p, uint64_t address, hpp__text *out)
{
    return hpp__image_text(p->image, out, address, MAX_NAME_BYTES, is_printable);
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
        {"code", HPP__PYTHON_CODE},           {"module", HPP__PYTHON_MODULE},
        {"float", HPP__PYTHON_NUMBER},        {"complex", HPP__PYTHON_NUMBER},
        {"frozendict", HPP__PYTHON_DICT},     {"bytearray", HPP__PYTHON_BUFFER},
        {"array.array", HPP__PYTHON_BUFFER},  {"set", HPP__PYTHON_SET},
        {"frozenset", HPP__PYTHON_SET},       {"collections.deque", HPP__PYTHON_DEQUE},
        {"generator", HPP__PYTHON_GENERATOR}, {"coroutine", HPP__PYTHON_GENERATOR},
        {"frame", HPP__PYTHON_FRAME},         {"async_generator", HPP__PYTHON_GENERATOR},
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
    if (module && hpp__python_module_name(p, module, p->main, &whole) &&
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
    uint64_t item_bytes = field(words, HPP_PYTHON_TYPE_ITEM_BYTES);
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
            .item_bytes = item_bytes < UINT32_MAX ? (uint32_t)item_bytes : 0,
            .head_bytes =
                (flags & FLAG_GC ? GC_HEAD_BYTES : 0u) + (flags & managed ? 2u * WORD_BYTES : 0u),
            .weak_offset = weak_offset > -MAX_HEAD_BYTES - 1 && weak_offset < INT16_MAX
                               ? (int32_t)weak_offset
                               : 0,
            .dict_offset = has_managed_dict                             ? MANAGED_DICT
                           : dict_offset > 0 && dict_offset < INT16_MAX ? (int32_t)dict_offset
                                                                        : 0,
            .is_class = (flags & FLAG_HEAP_TYPE) != 0,
            .has_inline_values = p->offsets->minor >= 13 && flags & FLAG_INLINE_VALUES,
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

/* Types that are blocks are all known. */
uint32_t hpp__python_type_at(hpp__python *p, uint64_t address)
{
    const uint64_t *known = address ? hpp__map_find(&p->type_at, address) : NULL;
    uint32_t number = NOT_A_TYPE;
    if (known) {
        number = (uint32_t)*known;
    } else if (address % WORD_BYTES == 0) {
        const hpp__image_map *map = hpp__image_map_of(p->image, address);
        if (map && map->is_readable && !map->is_shared && (map->path[0] == '/' || p->has_older)) {
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
            uint32_t number = hpp__python_type_at(p, words[at + 1]);
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
    uint32_t number = hpp__python_type_at(p, word);
    if (number > 0 && p->types[number].kind == HPP__PYTHON_DICT &&
        dict == p->image->blocks[block].address + p->types[number].head_bytes) {
        uint32_t dict_type = dict_type_of(p, type, number);
        p->of_block[block] = dict_type ? dict_type : number;
    }
}

static bool classify(hpp__python *p, size_t i, const uint64_t *words, size_t n_words)
{
    uint64_t size_bytes = p->image->blocks[i].size_bytes;
    uint32_t number = type_of_words(p, words, n_words, size_bytes);
    if (number == 0 || p->of_block[i] & HPP__PYTHON_IS_PART) {
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
    return hpp__python_note_parts(p, &type, i, words, n_words);
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
                                ? hpp__piece_reader_head(&reader, i, &n_bytes)
                                : NULL;
        is_good = !words || classify(p, i, words, n_bytes / WORD_BYTES);
    }
    hpp__piece_reader_finish(&reader);
    return is_good;
}

/* ---- Life ---- */

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

/* Returns the dict of the modules of the first interpreter, the last one of the list; 0 if there is
 * none. */
static uint64_t find_modules(const hpp__python *p)
{
    enum { MOST_INTERPRETERS = 1000 };
    uint64_t interpreter = 0;
    uint64_t next = hpp__python_word(p, p->runtime + p->offsets->runtime_interpreters);
    for (int i = 0; next && i < MOST_INTERPRETERS; i++) {
        interpreter = next;
        next = hpp__python_word(p, interpreter + p->offsets->interpreter_next);
    }
    return hpp__python_word(p, interpreter + p->offsets->interpreter_modules);
}

/* Returns the dict of the module __main__; 0 if there is none. */
static uint64_t find_main(const hpp__python *p, uint64_t modules)
{
    uint64_t module = modules ? hpp__python_get(p, modules, "__main__") : 0;
    uint64_t dict = module ? hpp__python_word(p, module + HPP__PYTHON_MODULE_DICT) : 0;
    bool is_dict = dict && hpp__python_word(p, dict + HPP_PYTHON_OBJECT_TYPE) ==
                               hpp__python_word(p, modules + HPP_PYTHON_OBJECT_TYPE);
    return is_dict ? dict : 0; /* None: an interpreter that ends has removed the module */
}

void hpp__python_past_finish(hpp__python_past *past)
{
    hpp__text_finish(&past->main_name);
    hpp__text_finish(&past->names);
    free(past->modules);
    *past = (hpp__python_past){0};
}

bool hpp__python_init(hpp__python *p, const hpp__image *image, const hpp__block_index *index,
                      hpp__python_place place, bool with_owners, hpp__python_past *past)
{
    hpp__text found = {0};
    *p = (hpp__python){.image = image,
                       .index = index,
                       .offsets = hpp__python_offsets(place.version),
                       .runtime = place.runtime,
                       .with_owners = with_owners};
    if (!p->offsets) {
        return true;
    }
    p->arena = hpf_arena_create();
    if (!p->arena || !HPF__ARRAY_PUSH(p->types, p->n_types, p->types_capacity,
                                      ((hpp__python_type){.address = 0}))) {
        return false;
    }
    uint64_t modules = find_modules(p);
    p->has_older = modules && hpp__block_index_find(index, modules) == HPP__NO_BLOCK;
    uint64_t dict = find_main(p, modules);
    if (hpp__python_file_module(p, dict, &found)) {
        hpp__text_finish(&past->main_name);
        past->main_name = found;
    }
    p->is_ending = !dict && past->main;
    past->main = dict ? dict : past->main;
    p->main = past->main;
    if (past->main_name.length > 0) {
        p->main_name = hpf_arena_str(p->arena, hpp__text_str(&past->main_name));
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
    hpp__map_finish(&p->owners);
    hpp__map_finish(&p->used_parts);
    hpp__text_finish(&p->scratch);
    *p = (hpp__python){0};
}
