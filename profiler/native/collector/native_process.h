/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A process that is being profiled: its window, its clock, and what is sampled of it. Samples and
 * marks go through the queue into its profile, which names and writes.
 *
 * Threads: everything from the thread of the collector. The profile and what is left of it belong
 * to the queue's thread until that has stopped.
 */
#ifndef HPP_NATIVE_PROCESS_H
#define HPP_NATIVE_PROCESS_H

#include <stdatomic.h>

#include "hpprof/collector_types.h"
#include "native_guard.h"
#include "native_profile.h"
#include "native_queue.h"
#include "native_threads.h"

enum { HPP__TOP_SITES = 16, HPP__TOP_THREADS = 16 };

/* What is left of a profile that has ended. */
typedef struct hpp__remains {
    hpf_arena *arena; /* owns the texts */
    hpp_process_figures figures;
    hpp_site_figures sites[2][HPP__TOP_SITES]; /* by hpp_moment */
    size_t n_sites[2];
} hpp__remains;

/* A look at the clocks. */
typedef struct hpp__clock_point {
    uint64_t ns; /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;
} hpp__clock_point;

typedef struct hpp__process {
    uint32_t process_id;
    int pidfd; /* -1: it has ended */
    hpp__program_id program;

    int window; /* the file */
    const void *bytes;
    hpp_window_head *control; /* the first page, writable */
    uint64_t size_bytes;
    hpp__window_reader reader;

    bool by_cpu_time;
    uint64_t interval_ns;
    uint64_t start_ns, start_cpu_ns;
    uint64_t next_cpu_ns;          /* when a census is due by processor time */
    hpp__clock_point before, last; /* the last two looks */
    double last_s;                 /* the time of what was queued last */

    uint32_t n_marks; /* of the window's that were taken */
    uint64_t n_samples, n_missed;
    bool has_ended, is_forgotten;
    hpp__native_guard guard;
    hpp__native_threads threads;

    hpf_arena *names_arena; /* bases; the collector's thread fills it */
    const char *base;       /* the one that the files have, or are about to have */
    /* By the queue's thread, for the collector's: jobs done to the files; and that was the last. */
    _Atomic uint64_t n_writes;
    _Atomic bool is_complete;
    void (*written)(void *context);
    void *written_context;
    hpp__queue *queue; /* borrowed */
    hpp__native_profile_options profile_options;
    hpp__native_profile *profile;
    hpp__remains remains;
} hpp__process;

/* Takes over the file descriptor of a window, after a look at it. `profile` is copied, with its
 * base. Errors: IO; UNSUPPORTED when it is no sealed memory; SYNTAX and VERSION when it is no
 * window; MEMORY. The descriptor is closed then. */
hpf_status hpp__process_create(hpp__process **out, int window,
                               const hpp__native_profile_options *profile,
                               const hpp_collector_options *options, hpp__queue *queue,
                               hpf_error *err);

/* Begins its profile: from now on, its base is in use. Errors: MEMORY. */
hpf_status hpp__process_begin(hpp__process *process, hpf_error *err);

/* When the queue has stopped, or when the profile has not begun. */
void hpp__process_destroy(hpp__process *process);

/* The interval has passed so many times: takes a census, or looks whether one is due by processor
 * time. */
void hpp__process_tick(hpp__process *process, uint64_t n_intervals);

/* Marks this moment. */
void hpp__process_mark(hpp__process *process, hpf_str label);

/* Whether the process runs another program than when its window came. */
bool hpp__process_has_changed(const hpp__process *process);

/* Takes a last census and ends the profile, or forgets it and removes its files. The window is
 * given back when that is done. */
void hpp__process_end(hpp__process *process, bool forget);

/* Gives its files another base, also when it has ended: another needs the one it has. */
void hpp__process_rename(hpp__process *process, const char *base);

/* How long it has been profiled. */
uint64_t hpp__process_age_ns(const hpp__process *process);

#endif
