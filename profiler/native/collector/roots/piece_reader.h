/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the memory of an image in order, piece by piece, and skips private pages that were never
 * touched: a huge block may be larger than the memory of the machine. And reads texts.
 */
#ifndef HPP_NATIVE_COLLECTOR_ROOTS_PIECE_READER_H
#define HPP_NATIVE_COLLECTOR_ROOTS_PIECE_READER_H

#include "base/text.h"
#include "native/collector/image/image.h"

enum { HPP__PIECE_BYTES = 1 << 20, HPP__PIECE_PAGE_BYTES = 4096 };

typedef struct hpp__piece_reader {
    const hpp__image *image; /* borrowed */
    int pagemap;             /* -1: not needed yet, or not readable */
    unsigned char *bytes;
    uint64_t begin, end; /* addresses in `bytes` */
    /* The last piece that could not be read whole: its blocks are read alone. */
    uint64_t gap_begin, gap_end;
    uint64_t n_unread_bytes; /* that could not be read */
} hpp__piece_reader;

/* Returns false without memory. Call hpp__piece_reader_finish in any case. */
bool hpp__piece_reader_init(hpp__piece_reader *reader, const hpp__image *image);
void hpp__piece_reader_finish(hpp__piece_reader *reader);

/* Returns the memory at `address`, aligned as the address is, and stores how much of it there is,
 * up to `end`. Returns NULL if the next `*n_bytes` are untouched or unreadable: continue after
 * them. A new piece ends at `ahead` if it can be read: behind `end`, one piece serves small blocks
 * that are neighbours. */
const void *hpp__piece_reader_at(hpp__piece_reader *reader, uint64_t address, uint64_t end,
                                 uint64_t ahead, size_t *n_bytes);

/* Returns the memory of a block from `at` on, in the same way; blocks after it are read with it. */
const void *hpp__piece_reader_block(hpp__piece_reader *reader, size_t block, uint64_t at,
                                    size_t *n_bytes);

/* Returns the beginning of a block: all of it, or 4 KiB of a large one, which may have no
 * references further on. Returns NULL if it is untouched or unreadable. */
const void *hpp__piece_reader_head(hpp__piece_reader *reader, size_t block, size_t *n_bytes);

/* Returns how much memory the piece has from `memory` on, which one of the above returned. */
static inline size_t hpp__piece_reader_left(const hpp__piece_reader *reader, const void *memory)
{
    const unsigned char *first = reader->bytes + reader->begin % HPP__PIECE_PAGE_BYTES;
    return (size_t)(first + (reader->end - reader->begin) - (const unsigned char *)memory);
}

/* Copies memory: what the piece has, or the image. Returns false if it cannot be read. */
bool hpp__piece_reader_copy(const hpp__piece_reader *reader, void *out, uint64_t address,
                            size_t n_bytes);

/* Appends the text at an address, without its NUL. Returns false if it is empty, longer than about
 * `most_bytes`, or has a byte that is not `is_text`. */
bool hpp__image_text(const hpp__image *image, hpp__text *out, uint64_t address, size_t most_bytes,
                     bool (*is_text)(unsigned char byte));

#endif
