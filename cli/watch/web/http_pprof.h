/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The live heap of growing profiles for pprof: the stacks of their latest samples, added up.
 */
#ifndef CENSUS_WATCH_HTTP_PPROF_H
#define CENSUS_WATCH_HTTP_PPROF_H

#include "exchange/stacks.h"
#include "hpfile/sink.h"

#include "watch/loop/watch.h"

/* One profile for pprof. All zero: empty. */
typedef struct http_pprof {
    hpf_stacks *stacks;
    double *amounts; /* by stack */
    size_t n_amounts;
    hpf_survey *survey; /* of the first profile; borrowed until its profile changes */
    double time;        /* of its latest sample */
} http_pprof;

/* Adds the latest sample of a profile; profiles without a sample, or with another unit than the
 * first one, are left out. Errors: MEMORY, LIMIT, those of the survey. */
HPF_MUST_USE hpf_status http_pprof_add(http_pprof *p, const watched *profile, hpf_error *err);

/* Writes the profile, if there was a sample. Errors: END without one; MEMORY, those of the sink. */
HPF_MUST_USE hpf_status http_pprof_write(const http_pprof *p, hpf_sink *sink, hpf_error *err);
void http_pprof_finish(http_pprof *p);

#endif
