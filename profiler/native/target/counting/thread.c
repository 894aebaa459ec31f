/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of threads. A thread that ends may still count: other destructors run after ours, and libc
 * frees what it kept for the thread. So its slot is given on only when the kernel no longer knows
 * the thread.
 */
#include "thread.h"

#include <errno.h>

enum {
    SLOT_PAGES = sizeof(hpp_window_slot) / HPP_WINDOW_PAGE_BYTES,
    SHARED_SLOT = HPP_SHARED_SLOT,
    SWEEP_EVERY = 64, /* new slots: then slots of threads that vanished are looked for */
};
#define HOLDER_LEFT 0x80000000u

_Thread_local hpp_thread *hpp__self HPP_INITIAL_EXEC;
_Thread_local hpp_thread *hpp__ready HPP_INITIAL_EXEC;

static HPP_LARGE hpp_thread_part first_part;
_Atomic(hpp_thread_part *) hpp__thread_parts[HPP_MAX_THREAD_PARTS] = {&first_part};

/* Who holds a slot: 0 or a thread id, with HOLDER_LEFT once that is ending. */
static HPP_LARGE _Atomic uint32_t holders[HPP_MAX_SLOTS];
static _Atomic uint32_t n_slots;

static hpp_thread_part *part_of(uint32_t slot_index)
{
    return atomic_load_explicit(&hpp__thread_parts[slot_index / HPP_THREADS_PER_PART],
                                memory_order_acquire);
}

hpp_thread *hpp__thread_at(uint32_t slot_index)
{
    hpp_thread_part *part = part_of(slot_index);
    return part != NULL ? &part->threads[slot_index % HPP_THREADS_PER_PART]
                        : &first_part.threads[SHARED_SLOT];
}

hpp_thread_state *hpp__thread_state(const hpp_thread *thread)
{
    return &part_of(thread->slot_index)->states[thread->slot_index % HPP_THREADS_PER_PART];
}

hpp_window_slot *hpp__slot_at(uint32_t index)
{
    return hpp__window_at(
        atomic_load_explicit(&hpp__window->slot_pages[index], memory_order_relaxed));
}

/* Returns whether the part is there: another thread may map it at the same time. */
static bool make_part(_Atomic(hpp_thread_part *) *part)
{
    hpp_thread_part *none = NULL, *fresh = hpp__map(sizeof *fresh);
    if (fresh != NULL && !atomic_compare_exchange_strong(part, &none, fresh)) {
        hpp__unmap(fresh, sizeof *fresh);
    }
    return fresh != NULL;
}

static bool make_slot(uint32_t index)
{
    bool has_part =
        part_of(index) != NULL || make_part(&hpp__thread_parts[index / HPP_THREADS_PER_PART]);
    uint32_t page = has_part ? hpp__window_pages(SLOT_PAGES) : 0;
    if (page == 0) {
        return false;
    }
    atomic_store_explicit(&hpp__window->slot_pages[index], page, memory_order_release);
    return true;
}

/* Slots are made one at a time, so that the window's count never names one that is not there. */
static uint32_t add_slot(uint32_t thread_id)
{
    uint32_t index = atomic_load(&n_slots);
    for (; index < HPP_MAX_SLOTS; index++) {
        uint32_t free_slot = 0;
        if (atomic_compare_exchange_strong(&holders[index], &free_slot, thread_id)) {
            break;
        }
    }
    if (index == HPP_MAX_SLOTS || !make_slot(index)) {
        return SHARED_SLOT;
    }
    uint32_t n = atomic_load(&n_slots);
    while (n <= index && !atomic_compare_exchange_weak(&n_slots, &n, index + 1)) {
    }
    n = atomic_load(&hpp__window->head.n_slots);
    while (n <= index && !atomic_compare_exchange_weak(&hpp__window->head.n_slots, &n, index + 1)) {
    }
    return index;
}

static bool is_gone(uint32_t thread_id)
{
    long process = hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return hpp__syscall(SYS_tgkill, process, thread_id, 0, 0, 0, 0) == -ESRCH;
}

/* Returns a slot whose thread has ended. `also_unsaid` includes threads that ended by the bare
 * system call, without notice. */
static uint32_t reuse_slot(uint32_t thread_id, bool also_unsaid)
{
    uint32_t n = atomic_load(&n_slots);
    for (uint32_t i = SHARED_SLOT + 1; i < n; i++) {
        uint32_t holder = atomic_load_explicit(&holders[i], memory_order_relaxed);
        uint32_t held_by = holder & ~HOLDER_LEFT;
        bool is_candidate = also_unsaid || holder != held_by || held_by == 0;
        if (!is_candidate || (held_by != 0 && held_by != thread_id && !is_gone(held_by))) {
            continue;
        }
        if (atomic_load_explicit(&hpp__window->slot_pages[i], memory_order_acquire) != 0 &&
            atomic_compare_exchange_strong(&holders[i], &holder, thread_id)) {
            return i;
        }
    }
    return SHARED_SLOT;
}

uint32_t hpp__slot_take(uint32_t thread_id)
{
    uint32_t index = reuse_slot(thread_id, false);
    if (index == SHARED_SLOT && atomic_load(&n_slots) % SWEEP_EVERY == 0) {
        index = reuse_slot(thread_id, true);
    }
    return index != SHARED_SLOT ? index : add_slot(thread_id);
}

bool hpp__slots_start(void)
{
    if (!make_slot(SHARED_SLOT)) {
        return false;
    }
    atomic_store(&n_slots, 1);
    atomic_store(&hpp__slot_at(SHARED_SLOT)->state, HPP_SLOT_LIVE);
    atomic_store(&hpp__window->head.n_slots, 1);
    return true;
}

void hpp__slot_leave(uint32_t index, uint32_t thread_id)
{
    atomic_store(&hpp__slot_at(index)->state, HPP_SLOT_LEFT);
    atomic_store(&holders[index], thread_id | HOLDER_LEFT);
}

void hpp__slots_forked(uint32_t own_index, uint32_t thread_id)
{
    /* The parent may have made slots since the fork. */
    uint32_t n = atomic_load(&n_slots);
    uint32_t n_copied = atomic_load(&hpp__window->head.n_slots);
    for (uint32_t i = n; i < n_copied && i < HPP_MAX_SLOTS; i++) {
        atomic_store(&hpp__window->slot_pages[i], 0);
    }
    for (uint32_t i = SHARED_SLOT + 1; i < n; i++) {
        atomic_store(&holders[i], i == own_index ? thread_id : 0);
    }
    atomic_store(&hpp__window->head.n_slots, n);
    atomic_store(&hpp__slot_at(SHARED_SLOT)->state, HPP_SLOT_LIVE);
}

/* Returns the cell of a site. If two threads (in the shared slot), or a signal handler and the code
 * it interrupted, add the same chunk at once, one chunk stays unused. */
static hpp_window_cell *cell_in(hpp_window_slot *slot, uint32_t site, uint32_t fresh_page)
{
    _Atomic uint32_t *entry = &slot->cell_pages[site / HPP_CELLS_PER_CHUNK];
    uint32_t page = 0;
    if (atomic_compare_exchange_strong(entry, &page, fresh_page)) {
        page = fresh_page;
    }
    if (page == 0) {
        return NULL;
    }
    return (hpp_window_cell *)hpp__window_at(page) + site % HPP_CELLS_PER_CHUNK;
}

hpp_window_cell *hpp__thread_cell(hpp_thread *thread, uint32_t site)
{
    hpp_window_cell *cell = hpp__thread_old_cell(thread, site);
    return cell != NULL ? cell
                        : cell_in(thread->slot, site, hpp__window_pages(HPP_CELL_CHUNK_PAGES));
}

hpp_window_cell *hpp__shared_cell(uint32_t site)
{
    hpp_window_slot *slot = hpp__slot_at(SHARED_SLOT);
    bool is_there = atomic_load(&slot->cell_pages[site / HPP_CELLS_PER_CHUNK]) != 0;
    return cell_in(slot, site, is_there ? 0 : hpp__window_reserved_cells());
}

void hpp__thread_note(const hpp_thread *thread)
{
    hpp_thread_state *state = hpp__thread_state(thread);
    state->thread_pointer = hpp__thread_pointer();
    atomic_store(&state->thread_id, thread->thread_id);
}

HPP_ANY_STACK bool hpp__thread_ask(const hpp_thread *thread, int link, hpp_hello_kind kind,
                                   int patience_s)
{
    if (thread == NULL) {
        return hpp__window_ask(link, kind, patience_s);
    }
    hpp_thread_state *state = hpp__thread_state(thread);
    hpp__preserved_registers(state->registers);
    state->block = 0;
    atomic_store(&state->rest, HPP_REST_ASKS);
    bool is_answered = hpp__window_ask(link, kind, patience_s);
    atomic_store(&state->rest, 0);
    return is_answered;
}
