/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which words of the blocks of CPython are references that its garbage collector would follow.
 *
 * In most objects, all words that point to an object are. The exceptions are here, by the kind of
 * the type, in two steps. While objects are found, those with blocks of their own, such as the
 * items of a list, note which blocks these are, and which of their words are in use. When the graph
 * is made, each block has an extent, up to which its references go, and words before that are none:
 * the collector's list of objects, weak references, keys that the instances of a class share, free
 * slots of a set, what a stack has left above its top.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_REFERENCES_H
#define HPP_NATIVE_PYTHON_HEAP_REFERENCES_H

#include "model.h"

/* Notes the blocks that belong to the object in a block. `words` are those at its beginning.
 * Returns false without memory. */
bool hpp__python_note_parts(hpp__python *python, const hpp__python_type *type, size_t block,
                            const uint64_t *words, size_t n_words);

/* Returns the address of the attributes of an object that has no dict yet, in 3.11 and 3.12; 0 for
 * others. `words` are those of its block. */
uint64_t hpp__python_values_without_dict(const hpp__python *python, const hpp__python_type *type,
                                         const uint64_t *words, size_t n_words);

/* The words of a block that are hashes, not references: that of a number may be an address, such as
 * one that id() has returned. From `first` on each one of `stride` words; 0: there are none.
 * Found by the words at the beginning of the block. */
typedef struct hpp__python_hashes {
    uint32_t first, stride;
} hpp__python_hashes;
hpp__python_hashes hpp__python_find_hashes(const hpp__python *python, size_t block,
                                           const uint64_t *words, size_t n_words);

static inline bool hpp__python_is_hash(hpp__python_hashes hashes, uint64_t word)
{
    return hashes.stride > 0 && word >= hashes.first && (word - hashes.first) % hashes.stride == 0;
}

/* Stores which part of a block has references: its first bytes, but not the words of which the bit
 * is set in `*skipped`. `words` are those at its beginning. */
uint64_t hpp__python_extent(const hpp__python *python, size_t block, const uint64_t *words,
                            size_t n_words, uint64_t *skipped);

#endif
