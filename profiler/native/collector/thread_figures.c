/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread's name is read at its first census, and again at the 2nd, 4th, 8th and so on: many
 * threads set it some time after their first allocation.
 */
#include "thread_figures.h"

#include <string.h>

#include "base/array.h"

enum { NO_NAME = 0, MAX_NAMES = 512 }; /* all further names are none */

static uint32_t name_index(hpp__thread_figures *t, const char *text)
{
    for (size_t i = 1; i < t->n_names; i++) {
        if (strcmp(t->names[i].text, text) == 0) {
            return (uint32_t)i;
        }
    }
    if (t->n_names >= MAX_NAMES ||
        !HPF__ARRAY_RESERVE_ZEROED(t->names, t->names_capacity, t->n_names + 1)) {
        return NO_NAME;
    }
    memcpy(t->names[t->n_names].text, text, HPP__THREAD_NAME_BYTES);
    return (uint32_t)t->n_names++;
}

static void give_name(hpp__thread_figures *t, hpp__held_slot *slot, uint32_t process_id,
                      uint32_t thread_id)
{
    char text[HPP__THREAD_NAME_BYTES];
    if (thread_id != 0 && hpp__proc_thread_name(process_id, thread_id, text)) {
        uint32_t name = name_index(t, text);
        t->names[slot->name_index].n_threads--;
        t->names[name].n_threads++;
        slot->has_new_name |= slot->name_index != name;
        slot->name_index = name;
    }
}

static void count_slot(hpp__thread_figures *t, hpp__held_slot *slot, const hpp_window_slot *now,
                       uint64_t allocated_bytes, uint32_t process_id)
{
    uint64_t n_threads = atomic_load_explicit(&now->n_threads, memory_order_relaxed);
    uint32_t thread_id = atomic_load_explicit(&now->thread_id, memory_order_relaxed);
    if (n_threads != slot->n_threads) {
        t->names[NO_NAME].n_threads += n_threads - slot->n_threads;
        slot->n_threads = n_threads;
        slot->name_index = NO_NAME;
        slot->age = 0;
    }
    slot->age++;
    slot->thread_id = thread_id;
    bool is_power_of_two = (slot->age & (slot->age - 1)) == 0;
    if (process_id != 0 && is_power_of_two) {
        give_name(t, slot, process_id, thread_id);
    }
    t->names[slot->name_index].allocated_bytes += allocated_bytes - slot->counted_bytes;
    slot->counted_bytes = allocated_bytes;
}

void hpp__thread_figures_count(hpp__thread_figures *t, const hpp__window_reader *reader,
                               const hpp__window_sums *sums, uint32_t process_id)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(t->slots, t->slots_capacity, sums->n_slots) ||
        !HPF__ARRAY_RESERVE_ZEROED(t->names, t->names_capacity, 1)) {
        return;
    }
    t->n_names = t->n_names > 0 ? t->n_names : 1;
    t->n_slots = sums->n_slots;
    for (uint32_t i = 0; i < sums->n_slots; i++) {
        const hpp_window_slot *slot = hpp__window_reader_slot(reader, i);
        if (slot) {
            count_slot(t, &t->slots[i], slot, sums->allocated_bytes[i], process_id);
        }
    }
}

static int by_bytes(const void *a, const void *b)
{
    uint64_t left = ((const hpp__thread_name *)a)->allocated_bytes;
    uint64_t right = ((const hpp__thread_name *)b)->allocated_bytes;
    return (left < right) - (left > right);
}

size_t hpp__thread_figures_top(hpp__thread_figures *t, hpp_thread_figures *out, size_t n_most)
{
    size_t n = 0;
    HPF__ARRAY_SORT(t->names, t->n_names, by_bytes);
    for (size_t i = 0; i < t->n_names && n < n_most; i++) {
        const hpp__thread_name *name = &t->names[i];
        if (name->allocated_bytes > 0) {
            out[n++] = (hpp_thread_figures){hpf_str_of(name->text), name->n_threads,
                                            name->allocated_bytes};
        }
    }
    return n;
}

void hpp__thread_figures_finish(hpp__thread_figures *t)
{
    free(t->slots);
    free(t->names);
    *t = (hpp__thread_figures){0};
}
