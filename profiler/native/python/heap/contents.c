/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Source: Include/cpython/listobject.h, dictobject.h, setobject.h, bytearrayobject.h and
 * longintrepr.h, Include/internal/pycore_dict.h of CPython 3.9 to 3.15.
 */
#include "contents.h"

#include <string.h>

#include "hpfile/str.h"

enum {
    WORD_BYTES = 8,
    /* Words of an object. */
    LENGTH = 2, /* of a list, tuple, str, bytes; entries of a dict */
    LIST_ITEMS = 3,
    LIST_CAPACITY = 4,
    DICT_KEYS = 4,
    DICT_VALUES = 5, /* with keys that it shares */
    SET_USED = 3,
    SET_MASK = 4,
    SET_TABLE = 5,
    SET_ENTRY_WORDS = 2,
    BYTES_CAPACITY = 3, /* of a bytearray */
    BYTES_BLOCK = 4,    /* since 3.15, inside of a bytes object */
    DIGIT_BYTES = 4,    /* of an int */
};

/* Returns whether an address is in another block than that of the object. */
static bool is_apart(const hpp__python *p, uint64_t address, size_t block)
{
    uint32_t found = hpp__block_index_find(p->index, address);
    return found != HPP__NO_BLOCK && found != block;
}

static bool fill(hpp__room *out, uint64_t n, uint64_t n_used, uint64_t element_bytes)
{
    *out = (hpp__room){n * element_bytes, n_used * element_bytes};
    return n_used <= n && n < UINT32_MAX;
}

/* A table of keys has room for two thirds of its indices; entries that were deleted take room. */
static bool find_dict(const hpp__python *p, const uint64_t *object, hpp__room *out)
{
    uint64_t head[5];
    if (object[DICT_VALUES] != 0 ||
        !hpp__image_read(p->image, head, object[DICT_KEYS], sizeof head)) {
        return false;
    }
    bool has_texts_only = p->offsets->minor >= 11 && ((const unsigned char *)&head[1])[2] != 0;
    const uint64_t *counts = p->offsets->minor >= 11 ? &head[2] : &head[3]; /* free, taken */
    return counts[0] < UINT32_MAX && counts[1] < UINT32_MAX &&
           fill(out, counts[0] + counts[1], object[LENGTH],
                (has_texts_only ? 2 : 3) * (uint64_t)WORD_BYTES);
}

bool hpp__python_room(const hpp__python *p, size_t block, const uint64_t *words, size_t n_words,
                      hpp__room *out)
{
    enum { WORDS = 6 };
    const hpp__python_type *type = hpp__python_type_of(p, block);
    size_t first = type ? type->head_bytes / WORD_BYTES : 0;
    const uint64_t *object = words + first;
    if (!type || n_words < first + WORDS - (type->kind == HPP__PYTHON_LIST)) {
        return false;
    }
    switch (type->kind) {
    case HPP__PYTHON_LIST:
        return is_apart(p, object[LIST_ITEMS], block) &&
               fill(out, object[LIST_CAPACITY], object[LENGTH], WORD_BYTES);
    case HPP__PYTHON_DICT:
        return is_apart(p, object[DICT_KEYS], block) && find_dict(p, object, out);
    case HPP__PYTHON_SET:
        return is_apart(p, object[SET_TABLE], block) &&
               fill(out, object[SET_MASK] + 1, object[SET_USED],
                    SET_ENTRY_WORDS * (uint64_t)WORD_BYTES);
    case HPP__PYTHON_BUFFER:
        return hpf_str_is(type->name, "bytearray") && is_apart(p, object[BYTES_BLOCK], block) &&
               fill(out, object[BYTES_CAPACITY], object[LENGTH], 1);
    default:
        return false;
    }
}

bool hpp__python_value(const hpp__python *p, size_t block, const uint64_t *words, size_t n_words,
                       uint64_t *begin, uint64_t *end)
{
    const hpp__python_type *type = hpp__python_type_of(p, block);
    if (!type || type->head_bytes > 0 || n_words <= LENGTH) {
        return false;
    }
    uint64_t size_bytes = p->image->blocks[block].size_bytes, length = words[LENGTH];
    if (type->kind == HPP__PYTHON_TEXT && n_words > HPP_PYTHON_TEXT_STATE / WORD_BYTES) {
        hpp_python_text_form form =
            hpp__python_text_form((uint32_t)words[HPP_PYTHON_TEXT_STATE / WORD_BYTES]);
        *begin = form.is_ascii ? p->offsets->ascii_bytes : p->offsets->compact_bytes;
        *end = form.width > 0 && length < size_bytes ? *begin + length * form.width : 0;
    } else if (type->kind != HPP__PYTHON_NUMBER) {
        return false;
    } else if (hpf_str_is(type->name, "bytes")) {
        *begin = HPP_PYTHON_BYTES_DATA;
        *end = length < size_bytes ? *begin + length : 0;
    } else if (hpf_str_is(type->name, "int")) {
        int64_t n = (int64_t)length; /* up to 3.11, negative of a negative number */
        uint64_t n_digits = p->offsets->minor >= 12 ? length >> 3 : (uint64_t)(n < 0 ? -n : n);
        *begin = LENGTH * WORD_BYTES;
        *end = n_digits < size_bytes ? *begin + WORD_BYTES + n_digits * DIGIT_BYTES : 0;
    } else {
        *begin = LENGTH * WORD_BYTES;
        *end = type->basic_bytes;
    }
    return *begin <= *end && *end <= size_bytes;
}

bool hpp__python_is_word(const hpp__python *p, size_t block, uint64_t n_bytes)
{
    const uint64_t most_bytes = WORD_BYTES + 2 * DIGIT_BYTES; /* of two digits of 30 bits */
    const hpp__python_type *type = hpp__python_type_of(p, block);
    return type && (hpf_str_is(type->name, "float") ||
                    (hpf_str_is(type->name, "int") && n_bytes <= most_bytes));
}
