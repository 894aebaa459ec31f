/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the table of live blocks of a process.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_BLOCKS_H
#define HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_BLOCKS_H

#include "image.h"
#include "proc.h"
#include "native/window/window_reader.h"

/* Stores the blocks, sorted by address, in an array that the caller frees. Sizes are cut so that
 * blocks do not overlap. If the program goes on meanwhile, the reader may be refreshed. Errors: IO
 * if the memory cannot be read; MEMORY. */
hpf_status hpp__image_blocks(hpp__image_block **out, size_t *n, const hpp__proc_memory *memory,
                             hpp__window_reader *reader, hpf_error *err);

#endif
