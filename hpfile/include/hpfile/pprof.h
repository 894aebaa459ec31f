/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions for the addresses of a profile of pprof (docs/formats/pprof.md).
 */
#ifndef HPFILE_PPROF_H
#define HPFILE_PPROF_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

HPF_BEGIN_DECLS

/* Copies a profile, gzipped, with the functions and lines that `symbolise` finds for each address
 * without any; all else remains as it is. Errors: from the source, the sink and `symbolise`,
 * SYNTAX, LIMIT, MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_pprof_symbolise(hpf_source *source, hpf_symboliser *symbolise,
                                                    void *context, hpf_sink *sink, hpf_error *err);

HPF_END_DECLS
#endif
