/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One interface to the decompressors of gzip, xz and zstd.
 */
#ifndef HPF_INFLATE_H
#define HPF_INFLATE_H

#include "hpfile/event.h"

typedef struct hpf__inflate hpf__inflate;

/* Bytes that hpf__inflate_create needs to see. */
#define HPF__MAGIC_BYTES 6

/* Creates a decompressor for data that begins with `magic`; `*out` is NULL if it is not compressed.
 */
hpf_status hpf__inflate_create(hpf__inflate **out, hpf_str magic, hpf_error *err);
void hpf__inflate_destroy(hpf__inflate *inflate);

/* "gzip", "xz" or "zstd". */
const char *hpf__inflate_name(const hpf__inflate *inflate);

/* Consumes bytes from the front of `*in` and writes at most `room` bytes to `out`. Returns HPF_OK
 * with `*n_out` bytes, 0 if more input is needed; HPF_END after the last byte if `is_final`;
 * HPF_ERR_SYNTAX for truncated or broken data. */
hpf_status hpf__inflate_step(hpf__inflate *inflate, hpf_str *in, bool is_final, char *out,
                             size_t room, size_t *n_out, hpf_error *err);

#endif
