/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profile of one process: turns samples into files, and into figures at the end.
 *
 * Sampling is separate: a snapshot holds all values of one moment, and is taken quickly and on
 * time. Adding it to the profile looks up names, which may take long, and writes. The two may run
 * in different threads.
 *
 * A biography is provisional while the process runs: its samples are written again at the end.
 *
 * Threads: use a profile in one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_PROFILE_H
#define HPP_NATIVE_COLLECTOR_PROFILE_PROFILE_H

#include "hpprof/collector_types.h"
#include "native/collector/image/image.h"
#include "native/collector/image/resident.h"
#include "native/haskell/program.h"
#include "objects.h"
#include "core/output.h"

/* The state of a process at one moment. A negative value was not measured. */
typedef struct hpp__process_sample {
    double time_s;
    hpp__window_reader reader; /* refreshed at that moment */
    hpp__window_sums sums;
    uint32_t era; /* that ends with this census */
    double resident_bytes, profiler_bytes;
    hpf_memory memory;
    bool is_peak;             /* only the live amounts are known */
    bool is_of_row;           /* of a process that will be a row only: is counted, and dropped */
    hpp_window_death *deaths; /* since the snapshot before; owned */
    size_t n_deaths;
    hpp__image *image;  /* owned; NULL: there is none */
    bool keeps_objects; /* write the objects of the image, in place of an older heap snapshot */
    bool is_written;    /* stored by hpp__profile_take: they were */
    bool is_unsettled;  /* stored by hpp__profile_take: the image shows no moment at which the
                           closures of its Haskell heap are known */
    hpp__resident *resident; /* owned; NULL: not looked at */
    /* Of the last one: the largest total that the program has noted and no sample has, 0: none; it
     * has no image, though samples of the process have one. */
    uint64_t peak_bytes;
    double peak_s;
    bool lacks_image;
} hpp__process_sample;

/* What is new of a thread. Its name may be empty. */
typedef struct hpp__thread_event {
    uint32_t slot_index, thread_id;
    bool begins, ends;
    char name[sizeof((hpp_window_thread_event *)0)->name];
} hpp__thread_event;

/* The process with the largest sample so far. */
typedef struct hpp__largest {
    uint64_t live_bytes;
    uint32_t process_id;
    size_t order; /* of the processes, in which the collector has heard of them */
} hpp__largest;

typedef struct hpp__profile hpp__profile;

typedef struct hpp__profile_options {
    const hpp_options *profile; /* borrowed; with_eventlog also if there is a recording */
    hpp__names *names;          /* borrowed */
    const hpp__retainer_sites *retainer_sites; /* borrowed; may be NULL */
    uint32_t max_depth;
    bool skips_none; /* stacks have all frames, the innermost one names them */
    uint32_t process_id;
    const char *base;              /* of file names; copied */
    bool without_hp, without_prof; /* only what the recording has */
    bool without_eventlog;
    struct hpp__recording *recording; /* borrowed; may be NULL */
    /* For the recording: the parent of the process, when the run began (CLOCK_MONOTONIC; 0: with
     * the process), and when the process did. */
    uint32_t parent_id;
    uint64_t run_start_ns;
    double start_s;
    bool is_attached;         /* it was running already */
    bool keeps_rate;          /* whatever the samples of its blocks cost */
    const hpf_events *events; /* more callbacks; may be NULL */
    void *events_context;
    void (*print)(void *context, hpf_str line); /* -xc; may be NULL */
    void *print_context;
    /* How the Haskell heap is laid out, which a profile by closure type counts; NULL: there is
     * none, or it is not known. */
    const hpp_haskell_layout *haskell;
    struct hpp__memory_look *memory_look; /* of all processes; borrowed */
    struct hpp__largest *largest;         /* of all processes; borrowed */
    size_t order;                         /* as in it */
    hpp__other_programs *other_programs;  /* of all processes; borrowed */
    struct hpp__shared_costs *costs;      /* replaced at each snapshot, borrowed; may be NULL */
    struct hpp__shared_costs *latest;     /* the same, for its sample */
} hpp__profile_options;

/* Creates a profile of the window of `reader`, and its files. Errors: IO, MEMORY, ARGUMENT for
 * options that this heap does not support. */
hpf_status hpp__profile_create(hpp__profile **out, const hpp__profile_options *options,
                               const hpp__window_reader *reader, hpf_error *err);
void hpp__profile_destroy(hpp__profile *profile);

/* Returns whether the censuses of a profile need images. */
bool hpp__profile_needs_images(const hpp_options *profile);

/* Returns whether they need images of programs with a Haskell heap: by closure type (-hT), together
 * with other properties of sums at most. */
bool hpp__profile_counts_closures(const hpp_options *profile);

/* Returns whether images show the closures of such a heap: in their censuses, or in heap snapshots.
 */
bool hpp__profile_has_closures(const hpp_options *profile);

/* Returns whether the event log has the threads of the program. */
bool hpp__profile_logs_threads(const hpp_options *profile);

/* Adds a snapshot to the profile: takes a census and writes a sample, unless the census needs an
 * image that the snapshot does not have. Closes the image. Times must not decrease. */
void hpp__profile_take(hpp__profile *profile, hpp__process_sample *snapshot);

/* Writes what is new of a thread into the event log. */
void hpp__profile_thread(hpp__profile *profile, double time_s, const hpp__thread_event *event);

/* Adds a mark, not before the last snapshot. */
void hpp__profile_mark(hpp__profile *profile, double time_s, hpf_str label);

/* Ends the profile with a last snapshot: completes its files and writes the report. `title` is the
 * command line, or the title that the process gave itself. `wait_status` is that of the process as
 * of waitpid, or one of these. Errors are in the figures. */
enum { HPP__STATUS_RUNS = -1, HPP__STATUS_UNKNOWN = -2 };
void hpp__profile_finish(hpp__profile *profile, hpp__process_sample *last, const char *title,
                         int wait_status);

/* Removes the files; a recording keeps the process. `now_s` is its time. */
void hpp__profile_discard(hpp__profile *profile, double now_s);

/* Renames the files of a profile, which may have ended; ignores missing ones. */
void hpp__profile_rename_files(const hpp__profile_options *options, const char *base,
                               const char *new_base);

/* Sets the base of files that are created later. Copies it. */
void hpp__profile_set_base(hpp__profile *profile, const char *base);

/* Returns the number of the process in the recording; 0 without one. */
uint32_t hpp__profile_number(const hpp__profile *profile);

/* Returns the figures that the profile has: samples, peak, totals, errors. Other members are 0. */
const hpp_process_figures *hpp__profile_figures(const hpp__profile *profile);

/* Stores the allocation sites with the most live or lost bytes at a moment, largest first. Returns
 * their number; texts are borrowed from the profile. */
size_t hpp__profile_top(hpp__profile *profile, hpp_moment moment, hpp_site_figures *out,
                        size_t n_most);

#endif
