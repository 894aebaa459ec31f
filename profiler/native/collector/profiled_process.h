/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A process that is being profiled: its window, its clock, its samples. Samples and marks go
 * through the queue to its profile, which names and writes.
 *
 * Threads: call the functions in the thread of the collector. The profile and its remains belong to
 * the queue's thread until the queue has stopped.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILED_PROCESS_H
#define HPP_NATIVE_COLLECTOR_PROFILED_PROCESS_H

#include "process_state.h"

/* Creates a process from the file descriptor of its window, which it checks and owns, and the
 * descriptor of the socket of its helper, or -1. `profile` is copied, with its base. Errors: IO;
 * UNSUPPORTED if it is not sealed memory; SYNTAX and VERSION if it is not a window; MEMORY. The
 * descriptors are closed then. */
hpf_status hpp__process_create(hpp__process **out, int window, int helper,
                               const hpp__profile_options *profile,
                               const hpp_collector_options *options, hpp__queue *queue,
                               hpf_error *err);

/* Starts the clock, and with `is_at_once` the profile. Otherwise that starts at the first sample,
 * mark or end: most children that run for a moment become another program, and leave no profile.
 * There is no image at the start, when the heap has nothing yet. */
void hpp__process_begin(hpp__process *process, bool is_at_once);

/* Frees a process, after the queue has stopped or before the profile has started. */
void hpp__process_destroy(hpp__process *process);

/* Takes a census after `n_intervals`, or checks whether one is due by processor time. */
void hpp__process_tick(hpp__process *process, uint64_t n_intervals);

/* Counts the samples of `n_intervals` as missed: there was no time for them. */
void hpp__process_miss(hpp__process *process, uint64_t n_intervals);

/* Takes a last image, if the profile needs images: the process is about to exit, and waits
 * (`is_at_exit`), or may be about to get a signal that ends it. Waits until earlier images have
 * been read, for `patience_ns` at most. Answers the program through the socket `caller` as soon as
 * it may exit; -1 is none. */
void hpp__process_leave(hpp__process *process, uint64_t patience_ns, bool is_at_exit, int caller);

/* Returns whether an image can be taken: fewer than the most are being read. */
bool hpp__process_has_room(hpp__process *process);

/* Takes no images any more, and waits until all have been read, for `patience_ns` at most. */
void hpp__process_close_images(hpp__process *process, uint64_t patience_ns);

/* Takes a census with an image, if there may be one now: the heap is about to shrink from a peak,
 * and the process waits. `caller` is answered as soon as it may go on; -1 is none. */
void hpp__process_peak(hpp__process *process, int caller);

/* Marks this moment. */
void hpp__process_mark(hpp__process *process, hpf_str label);

/* Uses a helper that the process has started: its socket. */
void hpp__process_helper(hpp__process *process, int helper);

/* Takes a census with a heap snapshot now, or with the next census for which that is possible, and
 * answers `caller`, of which it keeps a copy. */
void hpp__process_snapshot(hpp__process *process, int caller);

/* Returns whether the process has called exec since its window came. */
bool hpp__process_has_changed(const hpp__process *process);

/* Takes a last census and ends the profile, or, with `forget`, drops it and removes its files. The
 * window is unmapped then. */
void hpp__process_end(hpp__process *process, bool forget);

/* Renames its files, also after its end, so that another process can use their base. */
void hpp__process_rename(hpp__process *process, const char *base);

/* Returns how long it has been profiled. */
uint64_t hpp__process_age_ns(const hpp__process *process);

#endif
