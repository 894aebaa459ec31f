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

/* Notes the blocks that belong to an object. `words` are those at the beginning of its block.
 * Returns false without memory. */
bool hpp__python_note_parts(hpp__python *python, const hpp__python_type *type,
                            const uint64_t *words, size_t n_words);

/* Stores which part of a block has references: its first bytes, but not the words of which the bit
 * is set in `*skipped`. `words` are those at its beginning. */
uint64_t hpp__python_extent(const hpp__python *python, size_t block, const uint64_t *words,
                            size_t n_words, uint64_t *skipped);

#endif
