/* SPDX-License-Identifier: BSD-2-Clause */
#include "fields.h"

#include "hpfile/str.h"
#include "native/collector/roots/piece_reader.h"
#include "objects.h"
#include "references.h"

enum {
    WORD_BYTES = 8,
    MOST_NAMED = 1000, /* entries of a dict whose keys are names of fields */
    /* Offsets in objects. */
    CELL_CONTENTS = 16,
    DICT_KEYS = 32,
    DICT_VALUES = 40,
    LIST_ITEMS = 24,
    TYPE_MEMBERS = 240,
    TYPE_BASE = 256,
};

/* ---- Names ---- */

static uint32_t named(hpp__python_fields *f, hpf_str name)
{
    uint32_t number;
    bool is_new;
    return name.length > 0 && hpf__intern_add(f->names, name, &number, &is_new) == HPF_OK
               ? number | HPP__FIELD_IS_NAMED
               : HPP__FIELD_UNKNOWN;
}

static bool is_text(hpp__python *p, uint64_t object)
{
    uint64_t address = hpp__python_word(p, object + HPP_PYTHON_OBJECT_TYPE);
    uint32_t type = hpp__python_type_at(p, address); /* may move the types */
    return p->types[type].kind == HPP__PYTHON_TEXT;
}

/* Returns the field with the name that a str is, which need not be a block: some are variables of
 * the interpreter. */
static uint32_t named_by(hpp__python_fields *f, uint64_t text)
{
    uint64_t *known = text ? hpp__map_add(&f->texts, text) : NULL;
    if (known && *known == 0) {
        hpp__text name = {0};
        uint32_t field = is_text(f->python, text) && hpp__python_text(f->python, text, &name)
                             ? named(f, hpp__text_str(&name))
                             : HPP__FIELD_UNKNOWN;
        *known = field + UINT64_C(1);
        hpp__text_finish(&name);
    }
    return known ? (uint32_t)(*known - 1) : HPP__FIELD_UNKNOWN;
}

/* Returns the field of the value of an entry. */
static uint32_t value_of(hpp__python_fields *f, const hpp__python_entries *entries, uint64_t i)
{
    if (i >= entries->n) {
        return HPP__FIELD_UNKNOWN;
    }
    uint64_t key = entries->begin + ((i + 1) * entries->n_words - 2) * WORD_BYTES;
    uint32_t field = entries->n <= MOST_NAMED ? named_by(f, hpp__python_word(f->python, key))
                                              : HPP__FIELD_UNKNOWN;
    return field == HPP__FIELD_UNKNOWN ? (uint32_t)i : field;
}

/* Finds the keys that the instances of a class share. */
static bool find_cached_keys(const hpp__python *p, uint64_t class, hpp__python_entries *out)
{
    uint64_t keys = class ? hpp__python_shared_keys(p, class) : 0;
    return keys && hpp__python_entries_at(p, keys, out);
}

/* ---- Blocks that belong to an object ---- */

static void open_part(hpp__python_fields *f, size_t block)
{
    const hpp__python *p = f->python;
    const uint64_t *owner = hpp__map_find(&p->owners, block + UINT64_C(1));
    uint32_t of = owner ? hpp__block_index_find(p->index, *owner) : HPP__NO_BLOCK;
    const hpp__python_type *type = of == HPP__NO_BLOCK ? NULL : hpp__python_type_of(p, of);
    f->part = block;
    f->has_part = type != NULL;
    f->has_values = false;
    f->owner = type ? type->kind : HPP__PYTHON_PLAIN;
    f->entries = (hpp__python_entries){0};
    if (type && type->kind == HPP__PYTHON_LIST) {
        f->items = hpp__python_word(p, *owner + LIST_ITEMS);
    } else if (type && type->kind == HPP__PYTHON_DICT) {
        uint64_t values = hpp__python_word(p, *owner + DICT_VALUES);
        f->has_part = hpp__python_dict_entries(p, *owner, &f->entries);
        f->has_values = values && hpp__block_index_find(p->index, values) == block;
        f->entries.values = f->has_values ? values + p->offsets->values : 0;
    } else if (type) { /* attributes of an instance without a dict, in 3.11 and 3.12 */
        uint64_t words[8];
        const hpp__image_block *from = &p->image->blocks[of];
        size_t n = from->size_bytes < sizeof words ? (size_t)from->size_bytes / WORD_BYTES : 8;
        bool is_read = hpp__image_read(p->image, words, from->address, n * WORD_BYTES);
        uint64_t values = is_read ? hpp__python_values_without_dict(p, type, words, n) : 0;
        f->has_part = f->has_values = values && find_cached_keys(p, type->address, &f->entries);
        f->entries.values = values;
    }
}

static uint32_t field_of_part(hpp__python_fields *f, size_t block, uint64_t word)
{
    const uint64_t at = f->python->image->blocks[block].address + word * WORD_BYTES;
    if (!f->has_part || f->part != block) {
        open_part(f, block);
    }
    if (!f->has_part) {
        return (uint32_t)word;
    }
    if (f->owner == HPP__PYTHON_LIST) {
        return at >= f->items ? (uint32_t)((at - f->items) / WORD_BYTES) : HPP__FIELD_UNKNOWN;
    }
    if (f->has_values) {
        return at >= f->entries.values
                   ? value_of(f, &f->entries, (at - f->entries.values) / WORD_BYTES)
                   : HPP__FIELD_UNKNOWN;
    }
    if (f->entries.n_words == 0 || at < f->entries.begin) {
        return (uint32_t)word;
    }
    uint64_t i = (at - f->entries.begin) / WORD_BYTES;
    bool is_value = i % f->entries.n_words == f->entries.n_words - 1;
    return is_value ? value_of(f, &f->entries, i / f->entries.n_words) : named(f, HPF_STR("(key)"));
}

/* ---- Objects ---- */

static bool is_printable(unsigned char byte)
{
    return byte > ' ' && byte < 0x7f;
}

static uint64_t member_key(uint32_t type, uint64_t offset)
{
    return (uint64_t)type << 32 | offset;
}

/* Notes the members in C of a type, `__slots__` among them, and of the types that it inherits from.
 * All have a key; that of the offset 0 says that they were read. */
static void read_members(hpp__python_fields *f, uint32_t type)
{
    enum { NAME, KIND, OFFSET, FLAGS, DOC, N_WORDS, MOST = 64, MOST_BASES = 16, NAME_BYTES = 200 };
    const hpp__python *p = f->python;
    uint64_t class = p->types[type].address;
    hpp__text name = {0};
    uint64_t *known = hpp__map_add(&f->members, member_key(type, 0));
    if (known) {
        *known = 1;
    }
    for (int base = 0; class && base < MOST_BASES; base++) {
        uint64_t at = hpp__python_word(p, class + TYPE_MEMBERS), words[N_WORDS];
        for (int i = 0; at && i < MOST; i++, at += sizeof words) {
            if (!hpp__image_read(p->image, words, at, sizeof words) || words[NAME] == 0) {
                break;
            }
            name.length = 0;
            known = words[OFFSET] > 0 && words[OFFSET] < p->types[type].basic_bytes &&
                            hpp__image_text(p->image, &name, words[NAME], NAME_BYTES, is_printable)
                        ? hpp__map_add(&f->members, member_key(type, words[OFFSET]))
                        : NULL;
            if (known && *known == 0) {
                *known = named(f, hpp__text_str(&name)) + UINT64_C(1);
            }
        }
        class = hpp__python_word(p, class + TYPE_BASE);
    }
    hpp__text_finish(&name);
}

static uint32_t find_member(hpp__python_fields *f, uint32_t type, uint64_t offset)
{
    if (!hpp__map_find(&f->members, member_key(type, 0))) {
        read_members(f, type);
    }
    const uint64_t *known = hpp__map_find(&f->members, member_key(type, offset));
    return known ? (uint32_t)(*known - 1) : HPP__FIELD_UNKNOWN;
}

/* Returns the name of a field that is not an attribute; empty for others. */
static hpf_str own_name(const hpp__python_type *type, int64_t offset)
{
    bool is_dict = type->kind == HPP__PYTHON_DICT;
    bool has_dict = type->dict_offset != 0 && offset == type->dict_offset;
    return offset == HPP_PYTHON_OBJECT_TYPE                            ? HPF_STR("__class__")
           : has_dict                                                  ? HPF_STR("__dict__")
           : is_dict && offset == DICT_KEYS                            ? HPF_STR("(keys)")
           : is_dict && offset == DICT_VALUES                          ? HPF_STR("(values)")
           : type->kind == HPP__PYTHON_LIST && offset == LIST_ITEMS    ? HPF_STR("(items)")
           : hpf_str_is(type->name, "cell") && offset == CELL_CONTENTS ? HPF_STR("cell_contents")
           : type->kind == HPP__PYTHON_MODULE && offset == HPP__PYTHON_MODULE_DICT
               ? HPF_STR("__dict__")
               : HPF_STR("");
}

static uint32_t field_of_object(hpp__python_fields *f, size_t block, uint64_t word)
{
    const hpp__python *p = f->python;
    const hpp__python_type *type = hpp__python_type_of(p, block);
    int64_t offset = (int64_t)(word * WORD_BYTES) - type->head_bytes;
    bool is_first_dict = p->offsets->minor == 11 && word == 0 && type->dict_offset < 0;
    uint32_t field = named(f, is_first_dict ? HPF_STR("__dict__") : own_name(type, offset));
    if (field != HPP__FIELD_UNKNOWN || offset < 0) {
        return field;
    }
    uint64_t place = (uint64_t)offset, inline_values = type->basic_bytes + p->offsets->values;
    if (type->has_inline_values && place >= inline_values) {
        hpp__python_entries entries;
        return find_cached_keys(p, type->address, &entries)
                   ? value_of(f, &entries, (place - inline_values) / WORD_BYTES)
                   : HPP__FIELD_UNKNOWN;
    }
    if (hpf_str_is(type->name, "tuple") && place >= type->basic_bytes) {
        return (uint32_t)((place - type->basic_bytes) / WORD_BYTES); /* since 3.14, after a hash */
    }
    field = find_member(f, p->of_block[block] & HPP__PYTHON_TYPE_MASK, place);
    return field == HPP__FIELD_UNKNOWN ? (uint32_t)word : field;
}

uint32_t hpp__python_field(hpp__python_fields *f, size_t block, uint64_t word)
{
    return hpp__python_type_of(f->python, block) ? field_of_object(f, block, word)
                                                 : field_of_part(f, block, word);
}

void hpp__python_fields_finish(hpp__python_fields *f)
{
    hpp__map_finish(&f->texts);
    hpp__map_finish(&f->members);
    *f = (hpp__python_fields){0};
}
