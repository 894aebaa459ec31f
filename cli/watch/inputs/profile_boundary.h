/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds where one profile ends and the next starts in a stream. `tail -F` sends a replaced file
 * right after the old one, and a FIFO does not separate its writers.
 *
 * A line that starts with `JOB "` after samples of a `.hp` profile starts another profile. An event
 * log or recording ends when its writer closes the stream.
 */
#ifndef CENSUS_WATCH_PROFILE_BOUNDARY_H
#define CENSUS_WATCH_PROFILE_BOUNDARY_H

#include <stdbool.h>
#include <stddef.h>

/* Start of a profile. Parts of it may have been passed to the old profile, as an incomplete line;
 * the new profile gets all of it. */
#define PROFILE_FIRST_WORD "JOB \""

/* All zero: the next byte starts a profile. */
typedef struct profile_boundary {
    bool has_begun;   /* a byte was read */
    bool is_log;      /* by the first byte */
    bool has_samples; /* a line started with B */
    /* How much of a newline and PROFILE_FIRST_WORD is at the end of the input, as if a newline
     * preceded the first byte. */
    size_t n_found;
} profile_boundary;

/* Notes the end of a writer: the next byte starts a line. Returns true if it also starts another
 * profile. */
bool profile_boundary_pause(profile_boundary *b);

/* Returns the number of bytes that belong to the profile, usually all. If `*is_another`, these end
 * in PROFILE_FIRST_WORD, which also starts the next profile; `b` then describes the next profile.
 */
size_t profile_boundary_find(profile_boundary *b, const char *bytes, size_t n_bytes,
                             bool *is_another);

#endif
