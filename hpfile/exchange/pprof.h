/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the reader and the writers of pprof have in common.
 */
#ifndef HPF_PPROF_H
#define HPF_PPROF_H

#include "hpfile/sink.h"
#include "hpfile/str.h"

/* Writes the bytes of a profile, compressed. Errors: MEMORY, from the sink. */
hpf_status hpf__pprof_write_gzip(hpf_str bytes, hpf_sink *sink, hpf_error *err);

#endif
