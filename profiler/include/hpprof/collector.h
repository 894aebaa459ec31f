/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collector: takes profiles of a program that runs with the preload library, and of all
 * programs that it starts.
 *
 * The program counts in memory that it shares with the collector (its window), and never waits for
 * it. The collector samples, names functions and writes: a recording of all processes, and for each
 * process BASE.hp, BASE.eventlog and BASE.prof, as the options say. Processes after the first have
 * BASE.PID instead of BASE. A program that replaces another by exec gets its file names; the
 * profile of the earlier program becomes BASE.1.hp, and so on, and is dropped if it ran for less
 * than a second.
 *
 * The caller starts the program with the variables of hpp_collector_variables in its environment,
 * waits until the collector's descriptor is readable, and calls hpp_collector_serve. Signals, event
 * loop and the program's exit status stay with the caller.
 *
 * Breakdowns and restrictions: by stack, module, description ("function@file:line" of the
 * allocation), type, kind (the allocating call), biography and retainer set; not both of the last.
 *
 * Threads: use a collector in one thread at a time.
 */
#ifndef HPPROF_COLLECTOR_H
#define HPPROF_COLLECTOR_H

#include "hpprof/collector_types.h"

HPF_BEGIN_DECLS

typedef struct hpp_collector hpp_collector;

/* Creates a collector that waits for programs. Errors: MEMORY; IO; ARGUMENT for an invalid regular
 * expression; UNSUPPORTED for a profile that needs to visit objects. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_create(hpp_collector **out,
                                                     const hpp_collector_options *options,
                                                     hpf_error *err);
HPF_API void hpp_collector_destroy(hpp_collector *collector);

/* Sets the first process, whose files are named BASE. */
HPF_API void hpp_collector_follow(hpp_collector *collector, long process_id);

/* The same for a process that will be attached to: it may be in another network name space, where
 * the collector waits for it then. With `forgets_ended`, one process after the other can be
 * attached to; call hpp_collector_serve in between. Errors: IO. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_expect(hpp_collector *collector, long process_id,
                                                     hpf_error *err);

/* The environment variables of a profiled program: CENSUS_RUN and LD_PRELOAD. */
enum { HPP_VARIABLE_BYTES = 512 };
typedef struct hpp_variables {
    char run[HPP_VARIABLE_BYTES]; /* "socket=..." */
    char preload[4096 + HPP_VARIABLE_BYTES];
} hpp_variables;
/* Stores the variables for process `process_id`; they must be the last entries of its environment,
 * in this order, after one of LD_PRELOAD if there is one. LD_PRELOAD is the preload library at path
 * `library`, followed by `preloaded` unless that is NULL. Errors: LIMIT if they are too long;
 * ARGUMENT for a path that LD_PRELOAD cannot contain. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_variables(const hpp_collector *collector,
                                                        hpp_variables *out, long process_id,
                                                        const char *library, const char *preloaded,
                                                        hpf_error *err);

/* Returns a descriptor that is readable when hpp_collector_serve has work; do not close it. */
HPF_API int hpp_collector_fd(const hpp_collector *collector);

/* Accepts new processes, takes censuses that are due, and completes the profiles of processes that
 * have ended. Does not wait. Errors: IO if the collector cannot continue; errors of one process are
 * in its figures. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_serve(hpp_collector *collector, hpf_error *err);

/* Returns the number of processes that are being profiled now. */
HPF_API size_t hpp_collector_n_living(const hpp_collector *collector);

/* Stores the files of a process; `index` is less than hpp_collector_n_processes. Returns false if
 * its profile was dropped. */
HPF_API bool hpp_collector_files(const hpp_collector *collector, size_t index,
                                 hpp_process_files *out);

/* Visits what the stacks of all processes that run have cost by their latest samples, one process
 * after the other; with `process_id`, those of this one only. Returns whether there are any such
 * processes; `visit` may be NULL. Needs `keeps_costs`. */
HPF_API bool hpp_collector_costs(const hpp_collector *collector, uint32_t process_id,
                                 hpp_visit_costs *visit, void *context);

/* Visits all processes that run and have a sample. Needs `keeps_latest`. */
HPF_API void hpp_collector_latest(const hpp_collector *collector, hpp_visit_latest *visit,
                                  void *context);

/* Returns the nanoseconds of processor time between two ticks; 0 if there are no ticks. */
HPF_API uint64_t hpp_collector_tick_ns(const hpp_collector *collector);

/* Returns whether a process may still connect, such as a child that was just forked. Searches all
 * processes, and also counts processes that never will. */
HPF_API bool hpp_collector_expects_more(const hpp_collector *collector);

/* Takes a last image of each process, if its profile needs images: it will be detached from
 * (`detaches`: no image follows), or be sent a signal that may end it. Waits for two seconds at
 * most until earlier images have been read, and serves meanwhile. */
HPF_API void hpp_collector_prepare_end(hpp_collector *collector, bool detaches);

/* Ends all profiles. Takes a last sample of processes that still run, and does not stop them. The
 * results below are valid after this call; until then the number of processes includes dropped
 * ones. */
HPF_API void hpp_collector_stop(hpp_collector *collector);

/* The same, but waits for the files of the profiles for `limit_ms` at most. Returns whether they
 * are complete; if not, call it again. */
HPF_API bool hpp_collector_stop_within(hpp_collector *collector, uint32_t limit_ms);

/* Makes the files complete sooner: samples that wait are left out, except the last one of each
 * process, and sites that have no name yet stay unknown. */
HPF_API void hpp_collector_hurry(hpp_collector *collector);

/* ---- Results, after hpp_collector_stop ---------------------------------------------------------
 */

/* Return the number of processes, and the figures of one, in the order in which they connected. The
 * texts are valid until the collector is destroyed. */
HPF_API size_t hpp_collector_n_processes(const hpp_collector *collector);
HPF_API void hpp_collector_figures(const hpp_collector *collector, size_t index,
                                   hpp_process_figures *out);

/* Stores the allocation sites with the most live bytes in a process, largest first. Returns their
 * number, at most `n_most`. The texts are valid until the collector is destroyed. */
HPF_API size_t hpp_collector_top(hpp_collector *collector, size_t index, hpp_moment moment,
                                 hpp_site_figures *out, size_t n_most);

/* Stores the bytes that the threads of each name have allocated in a process, largest first.
 * Returns the number of names, at most `n_most`. The texts are valid until the collector is
 * destroyed. */
HPF_API size_t hpp_collector_threads(hpp_collector *collector, size_t index,
                                     hpp_thread_figures *out, size_t n_most);

/* Returns why the first window was refused; NULL if none was. */
HPF_API const hpf_error *hpp_collector_refused(const hpp_collector *collector);

/* Visits the object files with addresses that no symbol covers. Returns the value of the last
 * visit. */
typedef int hpp_visit_unnamed(hpf_str path, uint64_t n_addresses, void *context);
HPF_API int hpp_collector_each_unnamed(hpp_collector *collector, hpp_visit_unnamed *visit,
                                       void *context);

/* Returns what this build lacks to name functions, to be followed by "not built in"; "" if nothing.
 */
HPF_API const char *hpp_collector_missing(void);

/* ---- From another process ----------------------------------------------------------------------
 */

/* Marks this moment in the profile of a process under any collector. Labels are cut at 119 bytes.
 * Errors: IO, ARGUMENT if there is no such process, or it is not being profiled. */
HPF_API HPF_MUST_USE hpf_status hpp_mark_process(long process_id, hpf_str label, hpf_error *err);

/* Writes a heap snapshot of a process, which its collector takes at once, or with its next sample
 * if it is still busy with another. Returns when the file is there. Same errors; IO also if the
 * process ends before, and after a minute if it needs memory of a program that waits. */
HPF_API HPF_MUST_USE hpf_status hpp_snapshot_process(long process_id, hpf_error *err);

/* ---- A program that runs already ---------------------------------------------------------------
 */

typedef struct hpp_attached {
    long process_id;
    uint64_t detach_at; /* address of a function in it */
} hpp_attached;

/* Loads the preload library at path `library` into a process, which then connects to the collector
 * of `settings` (hpp_variables.run). Errors: ARGUMENT if there is no such process; UNSUPPORTED if
 * it cannot be profiled; IO if it may not be stopped, or fails to load the library. */
HPF_API HPF_MUST_USE hpf_status hpp_attach(hpp_attached *out, long process_id, const char *library,
                                           const char *settings, hpf_error *err);

/* Makes the process call its own allocator again. The library stays loaded. Does nothing if the
 * process has ended or has called exec. Serves the collector until a thread of the process can be
 * stopped: one that waits for the collector, as at its exit, cannot. Errors: as above. */
HPF_API HPF_MUST_USE hpf_status hpp_detach(const hpp_attached *attached, hpp_collector *collector,
                                           hpf_error *err);

/* ---- Before a program is started ---------------------------------------------------------------
 */

/* Checks that the program at `path` can be profiled: an ELF file for this machine that uses the
 * dynamic loader of glibc, gains no privileges and has no sanitizer, or a script whose interpreter
 * is one. Errors: UNSUPPORTED with the reason; IO if it cannot be read. */
HPF_API HPF_MUST_USE hpf_status hpp_program_check(const char *path, hpf_error *err);

/* Returns whether a program has a sanitizer, or a library in `preloaded` (NULL: none) is one: it
 * should be run without the preload library. */
HPF_API bool hpp_program_has_sanitizer(const char *path, const char *preloaded);

HPF_END_DECLS
#endif
