/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions for the addresses of a profile of pprof (docs/formats/pprof.md).
 */
#ifndef HPFILE_PPROF_H
#define HPFILE_PPROF_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/stacks.h"

HPF_BEGIN_DECLS

/* Copies a profile, gzipped, with the functions and lines that `symbolise` finds for each address
 * without any; all else remains as it is. Errors: from the source, the sink and `symbolise`,
 * SYNTAX, LIMIT, MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_pprof_symbolise(hpf_source *source, hpf_symboliser *symbolise,
                                                    void *context, hpf_sink *sink, hpf_error *err);

/* Stacks as profile.proto of pprof (docs/formats/pprof.md), gzipped. */

/* A sample type, as pprof calls it. */
typedef struct hpf_pprof_type {
    const char *name;      /* "inuse_space" */
    hpf_str unit;          /* "bytes" */
    const double *amounts; /* by stack; rounded to whole numbers */
    double scale;          /* that amounts are multiplied by */
} hpf_pprof_type;

typedef struct hpf_pprof_profile {
    hpf_str program;      /* the file of the only mapping */
    uint64_t time_ns;     /* when it was taken, since 1970; 0: unknown */
    uint64_t duration_ns; /* 0: a moment, or unknown */
    const hpf_pprof_type *types;
    size_t n_types; /* at most 4 */
} hpf_pprof_profile;

/* Writes all stacks with an amount. Errors: MEMORY, from the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_pprof_write(const hpf_stacks *stacks,
                                                const hpf_pprof_profile *profile, hpf_sink *sink,
                                                hpf_error *err);

HPF_END_DECLS
#endif
