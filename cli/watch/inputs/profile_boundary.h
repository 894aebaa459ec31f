/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where in a stream one profile ends and the next begins. `tail -F` sends a file that was replaced
 * right behind the one before, and a FIFO does not tell writers apart that come after each other.
 *
 * Behind the samples of a `.hp` profile, a line that begins with `JOB "` is the first of another.
 * An event log does not say: it ends when its writer goes.
 */
#ifndef CENSUS_WATCH_PROFILE_BOUNDARY_H
#define CENSUS_WATCH_PROFILE_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>

/* How a profile begins. Parts of it may have gone to the profile before, as a line that never
 * ended; the new one is given all of it. */
#define PROFILE_FIRST_WORD "JOB \""

/* All zero: the profile begins with the next byte. */
typedef struct profile_boundary {
    bool has_begun;   /* a byte came */
    bool is_log;      /* by the first one */
    bool has_samples; /* a line began with B */
    /* How much of a line feed and PROFILE_FIRST_WORD is at the end of what came, as if a line feed
     * were before the first byte. */
    size_t n_found;
} profile_boundary;

/* The writer has gone: the next byte begins a line, whatever was before it. True: it begins another
 * profile, too. */
bool profile_boundary_pause(profile_boundary *b);

/* How many of the bytes belong to the profile, all in most cases. With `*is_another`, these end in
 * PROFILE_FIRST_WORD, which belongs to the next profile as well as what comes behind it; `r` has
 * begun with that one. */
size_t profile_boundary_find(profile_boundary *b, const char *bytes, size_t n_bytes,
                             bool *is_another);

#endif
