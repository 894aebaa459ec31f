/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of a process that is being profiled.
 *
 * Threads: the profile and its remains belong to the queue's thread until the queue has stopped;
 * the rest, to the collector's, except what is atomic.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROCESS_STATE_H
#define HPP_NATIVE_COLLECTOR_PROCESS_STATE_H

#include <stdatomic.h>

#include "hpprof/collector_types.h"
#include "memory_guard.h"
#include "memory_watch.h"
#include "native/collector/image/freezer.h"
#include "native/collector/profile/profile.h"
#include "native/collector/profile/stack_costs.h"
#include "native/haskell/program.h"
#include "sample_queue.h"
#include "snapshot_callers.h"
#include "thread_figures.h"

enum { HPP__TOP_SITES = 16 };

/* The size of a window, which is sparse; larger ones are refused. */
#define HPP__WINDOW_BYTES (UINT64_C(4) << 30)

/* The results of a profile that has ended. */
typedef struct hpp__remains {
    hpf_arena *arena; /* owns the texts */
    hpp_process_figures figures;
    hpp_site_figures *sites[HPP_N_MOMENTS]; /* in the arena; by hpp_moment */
    size_t n_sites[HPP_N_MOMENTS];
} hpp__remains;

/* A reading of the clocks. */
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
    hpp__page_set pages;

    bool by_cpu_time;
    uint64_t rate_ticks, rate_cpu_ns; /* of samples, and the processor's time, at its last change */
    uint64_t interval_ns;
    uint64_t start_ns, start_cpu_ns;
    uint64_t next_cpu_ns;          /* when a census is due by processor time */
    hpp__clock_point before, last; /* the last two readings */
    double last_s;                 /* time of the last queued sample or mark */

    uint32_t era;             /* that the next census ends, from 1 */
    uint32_t n_marks;         /* marks of the window that were queued */
    uint64_t n_deaths;        /* of the window that were read */
    uint64_t n_thread_events; /* the same */
    uint64_t n_samples, n_missed;
    hpp__job *held;         /* a sample of a peak; NULL: none */
    uint32_t peak_number;   /* of the last peak that was read from the window */
    uint64_t largest_bytes; /* live in any sample so far */
    uint64_t peak_bytes;    /* of that one, with images; 0: there was none */
    double peak_s;
    bool has_started, has_ended, is_forgotten; /* has_started: the profile */
    bool is_first;                             /* of the run */
    /* Heap snapshots. */
    bool is_snapshot_wanted; /* by hpp__process_snapshot */
    hpp__snapshot_callers snapshot_callers;
    _Atomic bool is_snapshot_queued; /* until it is written */
    _Atomic bool is_snapshot_missed; /* its image was no use: another is wanted */
    uint64_t next_image_ns;          /* not before, so that pauses stay a small part of the time */
    uint64_t snapshot_bytes;         /* live in the last one */
    uint64_t near_bytes, near_ns;    /* with --snapshot oom: live in the sample before, and when */
    int n_better_snapshots;          /* of the same size that may replace it */
    uint64_t next_peak_ns;           /* the same for images of peaks */
    uint64_t peak_wait_ns;           /* how long the program has waited for these */
    uint64_t next_resident_ns;       /* the next look at the resident set, not before */
    /* Its command line, or the title that it gave itself; how many there were, up to this one; and
     * the largest sample that had it. */
    char title[128];
    uint32_t n_titles;
    uint64_t title_bytes;
    hpp__memory_guard guard;
    hpp__memory_watch memory;
    bool with_images, with_lives, logs_threads;
    bool is_haskell; /* a program of GHC, of which closures are to be counted */
    hpp__haskell_program haskell;
    bool wants_helper;                 /* it was asked for one */
    bool has_last_image;               /* the last sample has an image of its end */
    bool is_at_exit;                   /* it has asked for that image */
    int caller;                        /* the socket where it waits for that image; -1: none */
    bool is_leaving;                   /* there will be no image after that */
    bool (*is_hurried)(void *context); /* or NULL */
    void *is_hurried_context;
    hpp__freezer freezer;
    uint64_t n_images, n_missed_images;
    double image_pause_s,
        longest_pause_s;   /* that threads can have waited for images, and for one */
    size_t n_moving;       /* threads in the last image */
    hpf_error image_error; /* why an image was missed */
    hpp__thread_figures threads;

    hpf_arena *names_arena; /* bases; the collector's thread fills it */
    const char *base;       /* the current or next base of the files */
    /* Set by the queue's thread: its number in the recording, number of jobs that changed the
     * files, whether the last one is done, and whether that has been announced. */
    _Atomic uint64_t n_writes;
    _Atomic uint32_t number; /* in the recording */
    _Atomic bool is_complete, is_unused;
    void (*written)(void *context);
    void *written_context;
    hpp__queue *queue; /* borrowed */
    hpp__profile_options profile_options;
    hpp__profile *profile;
    hpp__shared_costs costs; /* without any, unless the options keep them */
    hpp__remains remains;
} hpp__process;

#endif
