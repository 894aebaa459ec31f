/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The latest sample of growing profiles for Prometheus, as OpenMetrics text (docs/fleet.md).
 *
 * The number of time series is bounded. A profile has a band of its own for a name that was among
 * the 20 largest when it was scraped, for the first 50 such names; all others are the band OTHER,
 * so that bands add up to the total. A name keeps its band as long as the profile exists.
 */
#ifndef CENSUS_WATCH_HTTP_METRICS_H
#define CENSUS_WATCH_HTTP_METRICS_H

#include "base/arena.h"
#include "hpfile/sink.h"
#include "hpprof/collector_types.h"

#include "watch/loop/watch.h"

#define HTTP_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

enum { HTTP_METRICS_MOST_BANDS = 50, HTTP_METRICS_LARGEST = 20 };

/* The bands of a profile. All zero: none yet. */
typedef struct http_metrics_bands {
    uint32_t epoch;    /* of the profile that the labels are of */
    hpf_arena *labels; /* owns the texts */
    hpf_str of[HTTP_METRICS_MOST_BANDS];
    size_t n;
} http_metrics_bands;

void http_metrics_bands_finish(http_metrics_bands *bands);

/* Labels of a process, among many; texts are borrowed until the scrape is written. */
typedef struct http_metrics_process {
    const char *profile, *program;
    uint32_t process_id;
} http_metrics_process;

/* One scrape. */
typedef struct http_metrics {
    struct metrics_profile *profiles;
    size_t n;
} http_metrics;

/* Reads the latest sample of a profile, and gives bands to its largest names. Profiles without a
 * sample, or not in bytes, are left out. Errors: MEMORY, from the survey. */
HPF_MUST_USE hpf_status http_metrics_add(http_metrics *m, const watched *profile,
                                         http_metrics_bands *bands, hpf_error *err);

/* Adds a profile that is left out otherwise, if its process was killed. Errors: MEMORY. */
HPF_MUST_USE hpf_status http_metrics_add_end(http_metrics *m, const watched *profile,
                                             hpf_error *err);

/* The same for a process: its latest sample, or who has killed it. */
HPF_MUST_USE hpf_status http_metrics_add_process(http_metrics *m,
                                                 const http_metrics_process *process,
                                                 const hpp_latest *latest,
                                                 http_metrics_bands *bands, hpf_error *err);
HPF_MUST_USE hpf_status http_metrics_add_killed(http_metrics *m,
                                                const http_metrics_process *process,
                                                const char *killer, hpf_error *err);

/* Writes all profiles that were added, and frees them. Does not finish the sink. */
void http_metrics_finish(http_metrics *m, hpf_sink *sink);

#endif
