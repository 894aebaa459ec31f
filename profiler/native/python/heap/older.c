/* SPDX-License-Identifier: BSD-2-Clause */
#include "older.h"

#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "values.h"

enum {
    WORD_BYTES = 8,
    MAX_OBJECTS = 1 << 22, /* that are followed in an image */
    MAX_WORDS = 1 << 20,   /* of one of them */
    HEAD_WORDS = 2,        /* reference count and type */
    LIST_ITEMS = 24,
    SET_MASK = 32,
    SET_TABLE = 40,
    DICT_VALUES = 40,
    MANAGED_DICT = -24, /* of attributes, before the object */
    VALUES_IN_3_11 = -32,
};

typedef struct walk {
    hpp__python_older *older;
    const hpp__python *python;
    bool (*found)(void *context, uint32_t block);
    void *context;
    bool is_good;
} walk;

/* Follows a word that may refer to a block or to an older object. */
static void see(walk *w, uint64_t word)
{
    hpp__python_older *o = w->older;
    word &= ~HPP_PYTHON_REFERENCE_TAGS;
    if (!w->is_good || word == 0 || word % WORD_BYTES != 0) {
        return;
    }
    uint32_t block = hpp__block_index_find(w->python->index, word);
    if (block != HPP__NO_BLOCK) {
        w->is_good = !hpp__python_refers(w->python, word, block) || w->found(w->context, block);
        return;
    }
    uint64_t type = hpp__python_word(w->python, word + HPP_PYTHON_OBJECT_TYPE);
    if (o->seen.n_keys < MAX_OBJECTS && hpp__python_type_at(o->python, type) != 0) {
        uint64_t *seen = hpp__map_add(&o->seen, word);
        bool is_new = seen && (*seen)++ == 0;
        w->is_good =
            seen && (!is_new || HPF__ARRAY_PUSH(o->waiting, o->n_waiting, o->capacity, word));
    }
}

static void see_words(walk *w, uint64_t address, uint64_t n)
{
    for (uint64_t i = 0; i < n && i < MAX_WORDS && w->is_good; i++) {
        see(w, hpp__python_word(w->python, address + i * WORD_BYTES));
    }
}

/* Follows the memory of a container. */
static void see_table(walk *w, uint64_t address, uint64_t n)
{
    if (hpp__block_index_find(w->python->index, address) != HPP__NO_BLOCK) {
        see(w, address);
    } else {
        see_words(w, address, n);
    }
}

static bool see_entry(void *context, uint64_t key, uint64_t value)
{
    see(context, key);
    see(context, value);
    return ((walk *)context)->is_good;
}

/* Its keys are a block or not; so are its values, if they are apart. */
static void see_dict(walk *w, uint64_t dict)
{
    see_table(w, hpp__python_keys(w->python, dict), 0);
    see_table(w, hpp__python_word(w->python, dict + DICT_VALUES), 0);
    hpp__python_each(w->python, dict, see_entry, w);
}

/* Follows the attributes of an instance: a dict, or values without one. */
static void see_attributes(walk *w, uint64_t object, const hpp__python_type *type)
{
    const hpp__python *p = w->python;
    if (type->dict_offset != 0) {
        uint64_t dict = hpp__python_word(p, object + (uint64_t)(int64_t)type->dict_offset);
        see(w, dict & 1 ? 0 : dict);
        if (dict & 1 && p->offsets->minor == 12) {
            see_table(w, dict + 1, hpp__python_values_in_use(p, dict + 1, 0));
        }
    }
    if (type->dict_offset == MANAGED_DICT && p->offsets->minor == 11) {
        uint64_t values = hpp__python_word(p, object + (uint64_t)VALUES_IN_3_11);
        see_table(w, values, hpp__python_values_in_use(p, values, 0));
    }
    if (type->has_inline_values) {
        uint64_t begin = object + type->basic_bytes;
        see_words(w, begin + p->offsets->values, hpp__python_values_in_use(p, begin, 0));
    }
}

static void see_parts(walk *w, uint64_t object, const hpp__python_type *type)
{
    const hpp__python *p = w->python;
    uint64_t length = hpp__python_word(p, object + HPP_PYTHON_OBJECT_LENGTH);
    uint64_t n_basic = type->basic_bytes / WORD_BYTES;
    switch (type->kind) {
    case HPP__PYTHON_DICT:
        see_dict(w, object);
        break;
    case HPP__PYTHON_LIST:
        see_table(w, hpp__python_word(p, object + LIST_ITEMS), length);
        break;
    case HPP__PYTHON_SET:
        see_table(w, hpp__python_word(p, object + SET_TABLE),
                  2 * (hpp__python_word(p, object + SET_MASK) + 1));
        break;
    case HPP__PYTHON_TYPE:
        see(w, hpp__python_word(p, object + HPP_PYTHON_TYPE_DICT));
        return;
    case HPP__PYTHON_TEXT:
    case HPP__PYTHON_NUMBER:
    case HPP__PYTHON_WEAK:
    case HPP__PYTHON_CODE:
        return;
    default:
        n_basic += hpf_str_is(type->name, "tuple") ? length : 0;
        see_words(w, object + HEAD_WORDS * WORD_BYTES, n_basic - HEAD_WORDS);
        break;
    }
    see_attributes(w, object, type);
}

bool hpp__python_older_follow(hpp__python_older *older, uint64_t object,
                              bool (*found)(void *context, uint32_t block), void *context)
{
    walk w = {older, older->python, found, context, true};
    see(&w, object);
    while (older->n_waiting > 0 && w.is_good) {
        uint64_t next = older->waiting[--older->n_waiting];
        uint64_t address = hpp__python_word(older->python, next + HPP_PYTHON_OBJECT_TYPE);
        uint32_t number = hpp__python_type_at(older->python, address); /* may move the types */
        hpp__python_type type = older->python->types[number];
        see_parts(&w, next, &type);
    }
    return w.is_good;
}

bool hpp__python_older_follow_word(hpp__python_older *older, uint64_t word,
                                   bool (*found)(void *context, uint32_t block), void *context)
{
    hpp__python *p = older->python;
    uint64_t address = hpp__python_word(p, (word & ~HPP_PYTHON_REFERENCE_TAGS) + WORD_BYTES);
    uint32_t type = hpp__python_type_at(p, address);
    bool is_older = type != 0 && p->types[type].kind != HPP__PYTHON_TYPE &&
                    hpp__block_index_find(p->index, word) == HPP__NO_BLOCK;
    return !is_older || hpp__python_older_follow(older, word, found, context);
}

bool hpp__python_older_hide(hpp__python_older *older, uint64_t object)
{
    uint64_t *seen = object ? hpp__map_add(&older->seen, object) : NULL;
    if (seen) {
        *seen = 1;
    }
    return seen || !object;
}

void hpp__python_older_finish(hpp__python_older *older)
{
    hpp__map_finish(&older->seen);
    free(older->waiting);
    *older = (hpp__python_older){0};
}
