/* SPDX-License-Identifier: BSD-2-Clause
 *
 * gzip, xz and zstd behind one function: compressed bytes in, plain bytes out.
 */
#ifndef HPF_INFLATE_H
#define HPF_INFLATE_H

#include "hpfile/event.h"

typedef struct hpf__inflate hpf__inflate;

/* Bytes that hpf__inflate_create needs to see. */
#define HPF__MAGIC_BYTES 6

/* A decompressor for data that begins with `magic`; `*out` is NULL when it is not compressed. */
hpf_status hpf__inflate_create(hpf__inflate **out, hpf_str magic, hpf_error *err);
void hpf__inflate_destroy(hpf__inflate *inflate);

/* "gzip", "xz" or "zstd". */
const char *hpf__inflate_name(const hpf__inflate *inflate);

/* Takes bytes from the front of `*in` and writes at most `room` bytes to `out`. HPF_OK with
 * `*n_out` bytes, maybe 0 when more input is needed; HPF_END when `is_final` and all is out. Data
 * that stops short or is broken is HPF_ERR_SYNTAX. */
hpf_status hpf__inflate_step(hpf__inflate *inflate, hpf_str *in, bool is_final, char *out,
                             size_t room, size_t *n_out, hpf_error *err);

#endif
