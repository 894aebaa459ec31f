/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The secret in the URL of the browser view.
 */
#ifndef CENSUS_WATCH_HTTP_TOKEN_H
#define CENSUS_WATCH_HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/error.h"

enum {
    HTTP_TOKEN_BYTES = 16,
    HTTP_TOKEN_LENGTH = 2 * HTTP_TOKEN_BYTES, /* in lower-case hexadecimal digits */
};

/* Writes `n_bytes` random bytes, at most HTTP_TOKEN_BYTES, as hexadecimal digits and a NUL. Returns
 * false with errno. */
bool http_make_secret(char *out, size_t n_bytes);

/* Reads the token from the first line of the file `path`. If the file does not exist, creates it
 * with a new token, readable only by its owner. Errors: IO; ARGUMENT if the content is invalid or
 * others can read the file. */
HPF_MUST_USE hpf_status http_token_from_file(char out[HTTP_TOKEN_LENGTH + 1], const char *path,
                                             hpf_error *err);

#endif
