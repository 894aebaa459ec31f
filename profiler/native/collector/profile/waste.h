/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory of an image that does nothing for the program (hpfile/waste.h), by type and site.
 *
 * - Equal blocks have the same bytes and the same type. Blocks of more than 64 KiB are not
 *   compared, nor are those that are all zero; of Python only values are: objects have counts of
 *   references in them. They are compared by a hash of 64 bits.
 * - Containers of which less than half is used: of C++ and Rust by the words next to the address of
 *   the block (graph/room.h), in whatever block or variable these are. If several say different
 *   things, that which uses most counts: others are old copies.
 * - Blocks that are zero from before their middle to their end, if they were zero when they were
 *   allocated (calloc, mmap). Of others, of 256 KiB and more, only pages at the end count that were
 *   never touched.
 * - What malloc has added to sizes, if blocks have the headers of glibc's malloc.
 *
 * Each block is read once; those that refer to a container's block once more.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_WASTE_H
#define HPP_NATIVE_COLLECTOR_PROFILE_WASTE_H

#include "graph_heap.h"
#include "hpfile/waste.h"

/* All zero: it was not looked for. */
typedef struct hpp__waste {
    hpf_waste *rows; /* sorted; texts are the heap's, or in `texts` */
    size_t n_rows, capacity;
    hpf_arena *texts;
} hpp__waste;

/* Looks for the waste in an image, whose graph the heap presents; replaces what was there. Returns
 * false without memory; then there are no rows. */
bool hpp__waste_find(hpp__waste *waste, const hpp__graph_heap *heap, const hpp__image *image);
void hpp__waste_finish(hpp__waste *waste);

#endif
