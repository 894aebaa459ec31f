/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One step for each line, and for each byte of a line only where it may be the one.
 */
#include "restart.h"

#include <string.h>

static const char word[] = RESTART_WORD;
enum { N_WORD = sizeof word - 1 };

static void begin(restart *r, char first)
{
    *r = (restart){.has_begun = true, .is_log = first == 'h', .n_found = 1};
}

/* Takes the byte behind a line feed and `n_found` - 1 bytes of the word. True: it was the last. */
static bool match(restart *r, char byte)
{
    r->has_samples |= r->n_found == 1 && byte == 'B';
    r->n_found = byte == word[r->n_found - 1] ? r->n_found + 1 : byte == '\n' ? 1 : 0;
    bool is_whole = r->n_found == N_WORD + 1;
    r->n_found = is_whole ? 0 : r->n_found;
    return is_whole;
}

size_t restart_find(restart *r, const char *bytes, size_t n_bytes, bool *is_another)
{
    size_t at = 0;
    *is_another = false;
    if (!r->has_begun && n_bytes > 0) {
        begin(r, bytes[0]);
    }
    while (at < n_bytes && !r->is_log) {
        if (r->n_found == 0) {
            const char *feed = memchr(bytes + at, '\n', n_bytes - at);
            at = feed ? (size_t)(feed - bytes) + 1 : n_bytes;
            r->n_found = feed != NULL;
        } else if (match(r, bytes[at++]) && r->has_samples) {
            begin(r, word[0]);
            r->n_found = 0;
            *is_another = true;
            return at;
        }
    }
    return n_bytes;
}

bool restart_pause(restart *r)
{
    r->n_found = 1;
    return r->is_log;
}
