/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What objects of CPython contain: how full containers are, and the bytes of values that cannot
 * change, which are the same in all equal ones.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_CONTENTS_H
#define HPP_NATIVE_PYTHON_HEAP_CONTENTS_H

#include "model.h"

/* Bytes that a container has for its elements, and how many of these are in use. */
typedef struct hpp__room {
    uint64_t bytes, used_bytes;
} hpp__room;

/* Finds the room of a list, dict, set or bytearray. `words` are the first ones of the block of an
 * object. Returns false for other objects, and if it has no block for its elements. */
bool hpp__python_room(const hpp__python *python, size_t block, const uint64_t *words,
                      size_t n_words, hpp__room *out);

/* Finds the bytes [*begin, *end) of a block that make up the value of a str, bytes, int, float or
 * complex. Returns false for other objects. */
bool hpp__python_value(const hpp__python *python, size_t block, const uint64_t *words,
                       size_t n_words, uint64_t *begin, uint64_t *end);

/* Returns whether an object is a number that fits in a word: a float, or an int whose value, as
 * above, has `n_bytes`. */
bool hpp__python_is_word(const hpp__python *python, size_t block, uint64_t n_bytes);

#endif
