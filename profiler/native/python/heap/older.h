/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects of an interpreter that existed before it was profiled: census attach. They are no blocks,
 * but hold blocks that are newer. Each object is followed once, from the first root that leads to
 * it.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_OLDER_H
#define HPP_NATIVE_PYTHON_HEAP_OLDER_H

#include "objects.h"

typedef struct hpp__python_older {
    hpp__python *python; /* borrowed */
    hpp__map seen;
    uint64_t *waiting;
    size_t n_waiting, capacity;
} hpp__python_older;

/* Calls `found` with each block that an object leads to by objects that are no blocks. Returns
 * false without memory, or if `found` does. */
bool hpp__python_older_follow(hpp__python_older *older, uint64_t object,
                              bool (*found)(void *context, uint32_t block), void *context);

/* The same for a word of a block, which may be anything. An object does not hold its class. */
bool hpp__python_older_follow_word(hpp__python_older *older, uint64_t word,
                                   bool (*found)(void *context, uint32_t block), void *context);

/* Does not follow an object from now on. Returns false without memory. */
bool hpp__python_older_hide(hpp__python_older *older, uint64_t object);

void hpp__python_older_finish(hpp__python_older *older);

#endif
