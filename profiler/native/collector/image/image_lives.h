/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lives of blocks in an image, and the memory of sampled blocks.
 *
 * Sampled blocks are in memory that the program shares with its copy. So what they contain is read
 * at once, while threads rest; later, it would be of another moment than the rest of the image.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_LIVES_H
#define HPP_NATIVE_COLLECTOR_IMAGE_IMAGE_LIVES_H

#include "hpfile/error.h"
#include "image.h"
#include "native/window/window_reader.h"

/* What sampled blocks contain. More is read from the copy when it is needed. */
enum { HPP__MAX_SHARED_BYTES = 256 << 20 };

typedef struct hpp__shared_piece {
    uint64_t address, n_bytes;
    uint64_t offset; /* in `bytes` */
} hpp__shared_piece;

typedef struct hpp__image_lives {
    hpp__image_life *lives; /* sorted by address */
    hpp__shared_piece *pieces;
    char *bytes;
    size_t n_lives, n_pieces, lives_capacity, pieces_capacity;
} hpp__image_lives;

/* Reads the lives of sampled blocks, and their memory, from the copy of a process: reading from the
 * process itself would be a use. The reader is of the window of the process, which has what
 * hpp__watched_pages_look saw just before. Does nothing if all blocks have lives. Errors: IO,
 * MEMORY. Call hpp__image_lives_finish in any case. */
hpf_status hpp__image_lives_stop(hpp__image_lives *lives, uint32_t process_id,
                                 const hpp__window_reader *reader, hpf_error *err);

/* Sorts them; if all blocks have lives, reads them from an image that has blocks. Errors: MEMORY.
 */
hpf_status hpp__image_lives_fill(hpp__image_lives *lives, const hpp__image *image,
                                 const hpp_window_head *head, hpf_error *err);

/* Replaces what of [address, address + n_bytes) is in sampled blocks. */
void hpp__image_lives_overlay(const hpp__image_lives *lives, void *memory, uint64_t address,
                              size_t n_bytes);

void hpp__image_lives_finish(hpp__image_lives *lives);

#endif
