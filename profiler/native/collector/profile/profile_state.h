/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a profile of one process consists of, for the files that implement profile.h:
 *
 *   profile_parts.c      its parts, titles and files
 *   profile_take.c       a snapshot becomes a sample
 *   profile_log.c        the event log
 *   profile_biography.c  lives, by era
 *   profile_finish.c     the end: reports and figures
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_PROFILE_STATE_H
#define HPP_NATIVE_COLLECTOR_PROFILE_PROFILE_STATE_H

#include "base/arena.h"
#include "core/marks.h"
#include "closure_heap.h"
#include "profile.h"
#include "recording.h"
#include "stack_costs.h"
#include "throw_log.h"

/* The live blocks of all groups at a moment. */
typedef struct hpp__alive_list {
    hpp__alive *groups;
    size_t n, capacity;
} hpp__alive_list;

/* The bands of the largest sample by type, retainer or use; none by another break-down. */
typedef struct hpp__peak_bands {
    hpf_breakdown by;
    hpp_band *bands;
    size_t n, capacity;
} hpp__peak_bands;

/* A thread that is in the event log. */
typedef struct hpp__logged_thread {
    uint32_t id; /* 0: none */
    char name[sizeof((hpp__thread_event *)0)->name];
} hpp__logged_thread;

/* What is in the event log already. */
typedef struct hpp__profile_log {
    hpf_stack_totals *totals; /* by id of the stack, as far as they are known */
    size_t n_totals;
    hpp__stack_ticks ticks;      /* of the last snapshot */
    uint64_t n_ticks;            /* of all */
    hpp__logged_thread *threads; /* by slot */
    size_t threads_capacity;
    uint64_t begin_ns; /* CLOCK_MONOTONIC when the profile was created */
} hpp__profile_log;

/* A census with a biography. */
typedef struct hpp__era {
    uint32_t number; /* of the window */
    uint64_t live_bytes;
    uint64_t watched_bytes; /* with objects: what all watched blocks represent */
    uint64_t inherited_bytes;
} hpp__era;

typedef struct hpp__profile_biography {
    hpp__life_sums lives;
    hpp__followed watch; /* with objects */
    hpp__era *eras;      /* by census of the engine */
    size_t eras_capacity;
    hpp__marks marks; /* to be written again */
    bool is_logged;   /* what a watched block stands for */
} hpp__profile_biography;

struct hpp__profile {
    const hpp_options *options;
    hpf_arena *arena;
    const char *base;           /* of file names */
    hpp__profile_options files; /* which ones; `base` is not used */
    bool has_log_file;
    uint32_t number; /* in the recording; 0: none, or it has ended */
    uint32_t last_number;
    int recorded_percent;      /* of the nearest limit, in the recording */
    const char *title;         /* that the process gave itself, at its end; or NULL */
    hpf_error recording_error; /* the first */
    char date[32];
    hpf_str *words; /* of the command, copies */
    size_t n_words, words_capacity;
    hpp__window_reader reader; /* as of the last snapshot */
    hpp__named_stacks stacks;
    hpp__named_stacks calls; /* with lines, for `costs` and the event log */
    hpp__site_heap heap;
    hpp__objects objects;
    hpp__closure_heap closures; /* with files.haskell */
    hpp_census *engine;
    hpp__output output;
    hpp__alive_list peak, last;
    hpp__peak_bands peak_bands[1 + HPP_MAX_FURTHER_BANDS];
    hpp__shared_costs *costs;
    hpp__throw_log throws;
    hpp__profile_log log;
    bool has_lives;
    hpp__profile_biography biography;
    hpf_error snapshot_error; /* the first of a heap snapshot */
    hpp_process_figures figures;
};

/* Returns the larger of a figure and what was measured, which is below 0 if it was not. */
static inline uint64_t hpp__larger(uint64_t known, double seen)
{
    return seen > (double)known ? (uint64_t)seen : known;
}

/* Returns whether the heap of the census is that of the sums of closures. */
static inline bool hpp__profile_sums_closures(const hpp__profile *p)
{
    return p->files.haskell && hpp__profile_counts_closures(p->options);
}

/* Returns the path of a file of the profile, in the arena; NULL without memory. */
const char *hpp__profile_path(const hpp__profile *p, const char *suffix);

/* Returns the name of the program. */
hpf_str hpp__profile_program(const hpp__profile *p);

/* Emits the titles of the profile. */
void hpp__profile_emit_headers(hpp__profile *p);

/* ---- profile_take.c ---- */

/* Keeps the bands of a sample that is larger than all before. Returns whether it is. */
bool hpp__profile_note_peak(hpp__profile *p, const hpp_census_result *result);

/* Copies the live blocks of each group. */
void hpp__profile_keep_alive(hpp__alive_list *alive, const hpp__site_heap *heap);

/* Store in the figures what was allocated and freed: by all groups, or what is given. */
void hpp__profile_count_totals(hpp__profile *p);
void hpp__profile_note_totals(hpp__profile *p, hpp__costs all);

/* ---- profile_log.c ---- */

/* Returns whether the event log has the totals of each stack. The bands of a restricted
 * profile are only a part of the stacks. */
bool hpp__profile_logs_totals(const hpp__profile *p);

/* Returns whether the event log has the ticks of the time profile. */
bool hpp__profile_logs_ticks(const hpp__profile *p);

/* Returns whether the event log has the stacks with lines that allocated the blocks of each band.
 */
bool hpp__profile_logs_stacks(const hpp__profile *p);

/* Writes what the resident set is made of into the event log, if the snapshot says so, and keeps
 * the figures of the one in which allocators keep most. */
void hpp__profile_log_resident(hpp__profile *p, const hpp__process_sample *snapshot);

/* Writes where the closures of the open Haskell heap are. */
void hpp__profile_log_generations(hpp__profile *p, double time_s);

/* Notes in the event log and the figures that the mean between sampled blocks has grown; and once,
 * in the log, how many bytes a watched block of a biography stands for, if not all are watched. */
void hpp__profile_log_rate(hpp__profile *p, const hpp__process_sample *snapshot);

/* Writes the largest parts of the waste into the event log if it was found at this sample, by type,
 * and the heap was never larger. */
void hpp__profile_log_waste(hpp__profile *p, const hpp__process_sample *snapshot);

/* Writes live and resident bytes, and the bytes of the profiler. */
void hpp__profile_log_quantities(hpp__profile *p, const hpp__process_sample *snapshot,
                                 uint64_t live_bytes);

/* Writes the ticks since the last snapshot into the event log, with the time of this one. A program
 * may have stored any number of them: no more are written than there was time for. */
void hpp__profile_log_ticks(hpp__profile *p, const hpp__process_sample *snapshot);

/* Writes what each stack has allocated, and what of it was live in the largest sample, into the
 * event log. A snapshot of a peak has only the live amounts, which are no more than what was
 * allocated. */
void hpp__profile_log_totals(hpp__profile *p, double time_s, bool is_last);

/* Ends all threads in the event log. */
void hpp__profile_end_threads(hpp__profile *p, double time_s);

/* ---- recording ---- */

/* Writes what is new in the event log as a sample of the recording, if there is one. */
void hpp__profile_record(hpp__profile *p, const hpp_census_result *result,
                         uint64_t inherited_bytes);

/* Notes how close the process was to its limits at a sample, and writes it into the recording if it
 * has changed by two points. */
void hpp__profile_note_memory(hpp__profile *p, const hpf_memory *memory);

/* Writes that of the figures. */
void hpp__profile_record_memory(hpp__profile *p);

/* Writes the retainer sets, and what holds their members, into the recording, if there are any. */
void hpp__profile_record_sets(hpp__profile *p);

/* Ends the process in the recording, if there is one. The output is closed. */
void hpp__profile_end_recording(hpp__profile *p, double time_s, hpf_process_end how, int code);

/* Begins the process in the recording; with `end_s`, the time at which the program ended, after the
 * provisional log was ended. */
hpf_status hpp__profile_begin_recording(hpp__profile *p, const double *end_s, hpf_error *err);

/* ---- profile_biography.c ---- */

/* Sums the lives of an era when `live_bytes` were live. */
hpp_phase_bytes hpp__profile_add_lives(hpp__profile *p, uint32_t number, uint64_t live_bytes);

/* Keeps what the biography of this census needs at the end. */
void hpp__profile_keep_era(hpp__profile *p, const hpp__era *now);

/* Returns a result in which watched blocks stand for all. */
hpp_census_result hpp__profile_scale(hpp__profile *p, const hpp_census_result *result,
                                     const hpp__era *of);

/* Replaces the provisional heap profile, which stays if that fails. */
hpf_status hpp__profile_rewrite(hpp__profile *p, double end_s, hpf_error *err);

#endif
