/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes one step for each line, and one for each byte only in lines that may match.
 */
#include "profile_boundary.h"

#include <string.h>

static const char word[] = PROFILE_FIRST_WORD;
enum { N_WORD = sizeof word - 1 };

static void begin(profile_boundary *b, char first)
{
    *b =
        (profile_boundary){.has_begun = true, .is_log = first == 'h' || first == 'C', .n_found = 1};
}

/* Reads the byte after a newline and `n_found` - 1 bytes of the word. Returns true if it completes
 * the word. */
static bool match(profile_boundary *b, char byte)
{
    b->has_samples |= b->n_found == 1 && byte == 'B';
    b->n_found = byte == word[b->n_found - 1] ? b->n_found + 1 : byte == '\n' ? 1 : 0;
    bool is_whole = b->n_found == N_WORD + 1;
    b->n_found = is_whole ? 0 : b->n_found;
    return is_whole;
}

size_t profile_boundary_find(profile_boundary *b, const char *bytes, size_t n_bytes,
                             bool *is_another)
{
    size_t at = 0;
    *is_another = false;
    if (!b->has_begun && n_bytes > 0) {
        begin(b, bytes[0]);
    }
    while (at < n_bytes && !b->is_log) {
        if (b->n_found == 0) {
            const char *feed = memchr(bytes + at, '\n', n_bytes - at);
            at = feed ? (size_t)(feed - bytes) + 1 : n_bytes;
            b->n_found = feed != NULL;
        } else if (match(b, bytes[at++]) && b->has_samples) {
            begin(b, word[0]);
            b->n_found = 0;
            *is_another = true;
            return at;
        }
    }
    return n_bytes;
}

bool profile_boundary_pause(profile_boundary *b)
{
    b->n_found = 1;
    return b->is_log;
}
