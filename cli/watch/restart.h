/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where in a stream one profile ends and the next begins. `tail -F` sends a file that was replaced
 * right behind the one before, and a FIFO does not tell writers apart that come after each other.
 *
 * Behind the samples of a `.hp` profile, a line that begins with `JOB "` is the first of another.
 * An event log does not say: it ends when its writer goes.
 */
#ifndef CENSUS_WATCH_RESTART_H
#define CENSUS_WATCH_RESTART_H

#include <stdbool.h>
#include <stddef.h>

/* How a profile begins. Parts of it may have gone to the profile before, as a line that never
 * ended; the new one is given all of it. */
#define RESTART_WORD "JOB \""

/* All zero: the profile begins with the next byte. */
typedef struct restart {
    bool has_begun;   /* a byte came */
    bool is_log;      /* by the first one */
    bool has_samples; /* a line began with B */
    /* How much of a line feed and RESTART_WORD is at the end of what came, as if a line feed were
     * before the first byte. */
    size_t n_found;
} restart;

/* The writer has gone: the next byte begins a line, whatever was before it. True: it begins another
 * profile, too. */
bool restart_pause(restart *r);

/* How many of the bytes belong to the profile, all in most cases. With `*is_another`, these end in
 * RESTART_WORD, which belongs to the next profile as well as what comes behind it; `r` has begun
 * with that one. */
size_t restart_find(restart *r, const char *bytes, size_t n_bytes, bool *is_another);

#endif
