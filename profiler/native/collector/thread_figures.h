/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes that threads allocate, by name. A slot of the window belongs to one thread at a time;
 * names are read from the kernel while the thread lives. Threads that start and end between two
 * censuses have no name, but their bytes are counted.
 */
#ifndef HPP_NATIVE_COLLECTOR_THREAD_FIGURES_H
#define HPP_NATIVE_COLLECTOR_THREAD_FIGURES_H

#include "hpprof/collector_types.h"
#include "native/collector/image/proc.h"
#include "native/window/window_sums.h"

/* A slot at the last census. */
typedef struct hpp__held_slot {
    uint64_t n_threads;     /* that have held it */
    uint64_t counted_bytes; /* already added to a name */
    uint32_t name_index;
    uint32_t age; /* censuses with the same thread */
    uint32_t thread_id;
    bool has_new_name;
} hpp__held_slot;

typedef struct hpp__thread_name {
    char text[HPP__THREAD_NAME_BYTES];
    uint64_t n_threads, allocated_bytes;
} hpp__thread_name;

/* All zero is a process without threads. */
typedef struct hpp__thread_figures {
    hpp__held_slot *slots;
    size_t slots_capacity, n_slots;
    hpp__thread_name *names; /* the first is for threads without a name */
    size_t names_capacity, n_names;
} hpp__thread_figures;

/* Adds the bytes of slots since the last call to the names of their threads. `process_id` 0: the
 * process has ended, and no names can be read. */
void hpp__thread_figures_count(hpp__thread_figures *threads, const hpp__window_reader *reader,
                               const hpp__window_sums *sums, uint32_t process_id);

/* Stores the names with the most bytes, largest first, with borrowed texts. Returns their number.
 */
size_t hpp__thread_figures_top(hpp__thread_figures *threads, hpp_thread_figures *out,
                               size_t n_most);

void hpp__thread_figures_finish(hpp__thread_figures *threads);

#endif
