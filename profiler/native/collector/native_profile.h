/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profile of one process: from what was sampled to the files that are written, and to the
 * figures of the end.
 *
 * Sampling and profiling are apart: a snapshot holds all that is taken at one moment, quickly and
 * in step with the clock; taking it into the profile finds names, which may take long, and writes.
 * So the two may run in different threads.
 *
 * Threads: one profile, one thread at a time.
 */
#ifndef HPP_NATIVE_PROFILE_H
#define HPP_NATIVE_PROFILE_H

#include "hpprof/collector_types.h"
#include "native_heap.h"
#include "core/output.h"

/* A moment of a process. Lines whose value is negative were not measured. */
typedef struct hpp__snapshot {
    double time_s;
    hpp__window_reader reader; /* refreshed at that moment */
    hpp__window_sums sums;
    double resident_bytes, profiler_bytes;
} hpp__snapshot;

typedef struct hpp__native_profile hpp__native_profile;

typedef struct hpp__native_profile_options {
    const hpp_options *profile; /* borrowed */
    hpp__names *names;          /* borrowed */
    uint32_t max_depth;
    uint32_t process_id;
    const char *base;         /* of the names of files; copied */
    const hpf_events *events; /* who else is told; may be NULL */
    void *events_context;
} hpp__native_profile_options;

/* Begins a profile of the window that `reader` reads, and makes its files. Errors: IO, MEMORY,
 * ARGUMENT for a profile that this heap cannot have. */
hpf_status hpp__native_profile_create(hpp__native_profile **out,
                                      const hpp__native_profile_options *options,
                                      const hpp__window_reader *reader, hpf_error *err);
void hpp__native_profile_destroy(hpp__native_profile *profile);

/* Takes a snapshot into the profile: a census, a sample. Times never decrease. */
void hpp__native_profile_take(hpp__native_profile *profile, const hpp__snapshot *snapshot);

/* Marks a moment, not before the last snapshot. */
void hpp__native_profile_mark(hpp__native_profile *profile, double time_s, hpf_str label);

/* Ends the profile with a last snapshot: closes its files and writes the report. What goes wrong is
 * in the figures. */
void hpp__native_profile_finish(hpp__native_profile *profile, const hpp__snapshot *last);

/* Removes the files, as if the profile had never been begun. */
void hpp__native_profile_discard(hpp__native_profile *profile);

/* Gives the files of a profile, which may have ended, another base; those that are not there do not
 * matter. */
void hpp__native_profile_rename_files(const char *base, const char *new_base);

/* The base of files that are yet to be made. Copied. */
void hpp__native_profile_set_base(hpp__native_profile *profile, const char *base);

/* What it knows: samples, peak, totals, and what went wrong. Other members are 0. */
const hpp_process_figures *hpp__native_profile_figures(const hpp__native_profile *profile);

/* The places with the most bytes, largest first, as of the peak or as of the last snapshot. Returns
 * how many; texts are borrowed from the profile. */
size_t hpp__native_profile_top(hpp__native_profile *profile, hpp_moment moment,
                               hpp_site_figures *out, size_t n_most);

/* Copies the options of a profile into `arena` and `*out`, with names of restrictions written as
 * names of functions are. Errors: UNSUPPORTED for what needs objects; MEMORY. */
hpf_status hpp__native_options(hpp_options *out, const hpp_options *profile, hpf_arena *arena,
                               hpf_error *err);

#endif
