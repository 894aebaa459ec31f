/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the resident set of a running process is made of, and whose blocks keep pages that are
 * nearly empty. Only /proc and the memory of the process are read; it need not stop.
 */
#ifndef HPP_NATIVE_COLLECTOR_IMAGE_RESIDENT_H
#define HPP_NATIVE_COLLECTOR_IMAGE_RESIDENT_H

#include "hpfile/resident.h"
#include "native/window/window_reader.h"

/* Of the blocks of a site, in ranges of a size that are resident, and of which less than
 * HPP__PINNED_PERCENT are live: the live bytes of the site in them, and its part of the rest. */
enum { HPP__PINNED_PERCENT = 10 };
typedef struct hpp__pinned {
    double live_bytes, other_bytes;
} hpp__pinned;

typedef struct hpp__pins {
    uint32_t site;
    hpp__pinned ranges[HPF_N_PINNED];
} hpp__pins;

typedef struct hpp__resident {
    /* The parts of the resident set, and of the proportional one, in which each of n processes that
     * share a page has an n-th of it. */
    double resident[HPF_N_RESIDENT_PARTS], proportional[HPF_N_RESIDENT_PARTS];
    double margin;           /* of the live blocks, 95 %; 0: all are known */
    double page_table_bytes; /* in addition */
    hpp__pins *pins;         /* of sites that have any */
    size_t n_pins;
} hpp__resident;

/* Which blocks are known. */
typedef struct hpp__known_blocks {
    double rate_bytes;   /* a sample (hpfile/margin.h), with this mean at first; 0: all */
    bool since_attached; /* only those from then on */
} hpp__known_blocks;

/* Looks at a process that may run. Returns NULL if its /proc cannot be read, or without memory. */
hpp__resident *hpp__resident_look(uint32_t process_id, const hpp__window_reader *reader,
                                  hpp__known_blocks known);
void hpp__resident_free(hpp__resident *resident);

#endif
