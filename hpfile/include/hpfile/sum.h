/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The sum of profiles on one clock. All profiles are read side by side, once. A sample of the sum
 * takes the samples that are less than a fourth of an interval apart, at most one of each profile.
 * Profiles that have none in it count with their last one, until they end.
 *
 * Memory: bands, and a few samples of each profile; files are open only while they are read.
 */
#ifndef HPFILE_SUM_H
#define HPFILE_SUM_H

#include "hpfile/event.h"

HPF_BEGIN_DECLS

typedef struct hpf_sum hpf_sum;

typedef struct hpf_sum_options {
    size_t size;           /* of the struct (version.h) */
    double interval;       /* between samples; 0: the shortest at each time */
    size_t max_name_bytes; /* as in hpf_reader_options */
    /* Times of event logs are those of the mutator. Errors: UNSUPPORTED for pipes. */
    bool uses_mutator_clock;
    const char *temporary_dir; /* as in hpf_source_options */
    const char *process;       /* as in hpf_source_options */
    hpf_symboliser *symbolise; /* as in hpf_reader_options */
    void *symbolise_context;
    void (*warning)(const char *path, const hpf_error *warning); /* may be NULL */
} hpf_sum_options;

/* Creates a sum of at most `n` profiles. `options` are borrowed. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_sum_create(hpf_sum **out, size_t n,
                                               const hpf_sum_options *options, hpf_error *err);
HPF_API void hpf_sum_destroy(hpf_sum *sum);

/* Adds a profile, and reads its first samples. Its bands are its names, or one band with the name
 * `band`; NULL: names. `path` is borrowed. Errors: those of opening and reading; UNSUPPORTED for
 * another unit than that of the first profile. */
HPF_API HPF_MUST_USE hpf_status hpf_sum_add(hpf_sum *sum, const char *path, const char *band,
                                            hpf_error *err);

/* Returns a header of the first profile; empty if it has none. */
HPF_API hpf_str hpf_sum_header(const hpf_sum *sum, hpf_header which);

/* Moves profiles as far apart as their dates, with `per_second` units of time in a second. Errors:
 * UNSUPPORTED for one without a date. */
HPF_API HPF_MUST_USE hpf_status hpf_sum_shift_by_date(hpf_sum *sum, double per_second,
                                                      hpf_error *err);

/* Emits names, samples and, if `events` accepts marks, the marks of the first profile; no headers.
 * Errors: those of reading and of the consumer. */
HPF_API HPF_MUST_USE hpf_status hpf_sum_emit(hpf_sum *sum, const hpf_events *events, void *context,
                                             hpf_error *err);

/* Returns the path of the profile with the last error; NULL: the error was in the consumer. */
HPF_API const char *hpf_sum_failed(const hpf_sum *sum);

HPF_END_DECLS
#endif
