/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The collector: takes the profiles of programs that run with the preload library, of one program
 * and of all that it starts.
 *
 * The program counts in memory that it shares with the collector (its window) and never waits. The
 * collector samples, names and writes: for each process BASE.hp, BASE.lines, and BASE.eventlog
 * and BASE.prof when they are asked for. BASE is the one given for the first process, BASE.PID for
 * others. What a process becomes by exec is a process of its own and takes the name over: what it
 * was before is in BASE.1.hp, and so on, or forgotten when it was that for less than a second.
 *
 * The host starts the program with the variables of hpp_collector_variables in its environment,
 * waits until the collector's descriptor is readable, and calls hpp_collector_serve. It keeps its
 * own signals, its own loop, and the program's exit status.
 *
 * Breakdowns are those by stack, module, description ("function@file:line" of the place that asked
 * for memory) and kind (the call that was used), with restrictions by these. Others need to look
 * into objects: the embedding interface (hpprof/runtime.h) has them.
 *
 * Threads: one collector, one thread at a time.
 */
#ifndef HPPROF_COLLECTOR_H
#define HPPROF_COLLECTOR_H

#include "hpprof/collector_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpp_collector hpp_collector;

/* Makes a collector that waits for programs. Errors: MEMORY; IO; ARGUMENT for an expression that is
 * none; UNSUPPORTED for a profile that native programs cannot have. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_create(hpp_collector **out,
                                                     const hpp_collector_options *options,
                                                     hpf_error *err);
HPF_API void hpp_collector_destroy(hpp_collector *collector);

/* Says which process was started: its files are called BASE. */
HPF_API void hpp_collector_follow(hpp_collector *collector, long process_id);

/* The variables for the environment of a program whose process is `process_id`: CENSUS_RUN, and
 * LD_PRELOAD, whose value `preloaded` (NULL: none) is kept behind the library at `library`. */
enum { HPP_VARIABLE_BYTES = 512 };
typedef struct hpp_variables {
    char run[HPP_VARIABLE_BYTES]; /* "socket=..." */
    char preload[4096 + HPP_VARIABLE_BYTES];
} hpp_variables;
/* Errors: LIMIT when they are too long; ARGUMENT for a path that LD_PRELOAD cannot hold. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_variables(const hpp_collector *collector,
                                                        hpp_variables *out, long process_id,
                                                        const char *library, const char *preloaded,
                                                        hpf_error *err);

/* A descriptor that is readable when there is something to do; it stays the collector's. */
HPF_API int hpp_collector_fd(const hpp_collector *collector);

/* Does what there is to do: takes in new processes, takes censuses that are due, ends the profiles
 * of processes that have ended. Does not wait. Errors: IO when the collector itself cannot go on;
 * what goes wrong with one process is in its figures. */
HPF_API HPF_MUST_USE hpf_status hpp_collector_serve(hpp_collector *collector, hpf_error *err);

/* Processes that are being profiled now. */
HPF_API size_t hpp_collector_n_living(const hpp_collector *collector);

/* Of the process of that index, below hpp_collector_n_processes. False: it is forgotten, and has no
 * files. */
HPF_API bool hpp_collector_files(const hpp_collector *collector, size_t index,
                                 hpp_process_files *out);

/* Whether there are processes that may still hand in a window: a child that was just forked, say.
 * Looks at all processes, and finds also those that never will. */
HPF_API bool hpp_collector_expects_more(const hpp_collector *collector);

/* Ends all profiles. Processes that still run are sampled a last time, and left alone. What follows
 * below is known from then on, but for the number of processes, which until then counts those that
 * are forgotten too. */
HPF_API void hpp_collector_stop(hpp_collector *collector);

/* ---- What has been found, after hpp_collector_stop
 * ------------------------------------------------------------------------
 */

/* The processes in the order of their coming. The texts are borrowed until the collector is
 * destroyed. */
HPF_API size_t hpp_collector_n_processes(const hpp_collector *collector);
HPF_API void hpp_collector_figures(const hpp_collector *collector, size_t index,
                                   hpp_process_figures *out);

/* The places with the most live bytes in a process, largest first. Returns how many were written.
 * The texts are borrowed until the collector is destroyed. */
HPF_API size_t hpp_collector_top(hpp_collector *collector, size_t index, hpp_moment moment,
                                 hpp_site_figures *out, size_t n_most);

/* Stores what the threads of each name have allocated in a process, largest first. Returns how many
 * were written. The texts are borrowed until the collector is destroyed. */
HPF_API size_t hpp_collector_threads(hpp_collector *collector, size_t index,
                                     hpp_thread_figures *out, size_t n_most);

/* The first window that could not be taken, and why; NULL: none. */
HPF_API const hpf_error *hpp_collector_refused(const hpp_collector *collector);

/* Visits the object files in which addresses were found that no symbol covers. Returns what `visit`
 * returned. */
typedef int hpp_visit_unnamed(hpf_str path, uint64_t n_addresses, void *context);
HPF_API int hpp_collector_each_unnamed(hpp_collector *collector, hpp_visit_unnamed *visit,
                                       void *context);

/* Returns what this build lacks to name functions, to be followed by "not built in"; "" if nothing.
 */
HPF_API const char *hpp_collector_missing(void);

/* Time spent on finding names so far. */
HPF_API double hpp_collector_naming_s(const hpp_collector *collector);

/* ---- From another process ----------------------------------------------------------------------
 */

/* Marks this moment in the profile of a process that runs under a collector, whoever's. Labels are
 * cut at 119 bytes. Errors: IO, ARGUMENT: no such process, or it is not being profiled. */
HPF_API HPF_MUST_USE hpf_status hpp_mark_process(long process_id, hpf_str label, hpf_error *err);

/* ---- Before a program is started ---------------------------------------------------------------
 */

/* Whether the program at `path` can be profiled: an ELF file for this machine that uses the dynamic
 * loader of glibc and gains no privileges, or a script whose interpreter is one. Errors:
 * UNSUPPORTED with the reason; IO when it cannot be read. */
HPF_API HPF_MUST_USE hpf_status hpp_program_check(const char *path, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
