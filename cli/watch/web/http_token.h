/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The secret that stands in the URL of the http view.
 */
#ifndef CENSUS_WATCH_HTTP_TOKEN_H
#define CENSUS_WATCH_HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/error.h"

enum {
    HTTP_TOKEN_BYTES = 16,
    HTTP_TOKEN_LENGTH = 2 * HTTP_TOKEN_BYTES, /* in lower case hexadecimal digits */
};

/* `n_bytes` random bytes, at most HTTP_TOKEN_BYTES, in hexadecimal digits, and a NUL. False, with
 * errno, when the system has none to give. */
bool http_make_secret(char *out, size_t n_bytes);

/* The token that stands in the file `path`, alone in its first line. A file that is not there is
 * made, for its owner only, with a new token; so the same URL can be used again. Errors: IO;
 * ARGUMENT when there is something else in it, or others may read it. */
HPF_MUST_USE hpf_status http_token_from_file(char out[HTTP_TOKEN_LENGTH + 1], const char *path,
                                             hpf_error *err);

#endif
