/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What threads allocate, by name. A slot of the window counts for the thread that holds it; names
 * are asked of the kernel while the thread lives. Threads that come and go between two censuses
 * have none, but their bytes are in the sum.
 */
#ifndef HPP_NATIVE_THREADS_H
#define HPP_NATIVE_THREADS_H

#include "hpprof/collector_types.h"
#include "proc.h"
#include "native/window/window_sums.h"

/* A slot as it was seen last. */
typedef struct hpp__held_slot {
    uint64_t n_threads;     /* that have held it */
    uint64_t counted_bytes; /* that are in the sum of some name */
    uint32_t name_index;
    uint32_t age; /* censuses that have seen this holder */
} hpp__held_slot;

typedef struct hpp__thread_name {
    char text[HPP__THREAD_NAME_BYTES];
    uint64_t n_threads, allocated_bytes;
} hpp__thread_name;

/* All zero is a process without threads. */
typedef struct hpp__native_threads {
    hpp__held_slot *slots;
    size_t slots_capacity, n_slots;
    hpp__thread_name *names; /* the first is that of threads without a name */
    size_t names_capacity, n_names;
} hpp__native_threads;

/* Gives what slots have counted since the last time to the names of their threads. `process_id` 0:
 * the process has ended, and no names can be asked for. */
void hpp__native_threads_count(hpp__native_threads *threads, const hpp__window_reader *reader,
                               const hpp__window_sums *sums, uint32_t process_id);

/* The names with the most bytes, largest first; texts are borrowed. Returns how many. */
size_t hpp__native_threads_top(hpp__native_threads *threads, hpp_thread_figures *out,
                               size_t n_most);

void hpp__native_threads_finish(hpp__native_threads *threads);

#endif
