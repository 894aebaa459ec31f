/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of threads. A thread that ends may still count: other destructors run after ours, and libc
 * frees what it kept for the thread. So its slot is given on only when the kernel no longer knows
 * the thread.
 */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

#include "process.h"
#include "stacks.h"
#include "ticks.h"

enum {
    SLOT_PAGES = sizeof(hpp_window_slot) / HPP_WINDOW_PAGE_BYTES,
    SHARED_SLOT = 0,
    SWEEP_EVERY = 64, /* new slots: then those of threads that vanished are looked for */
};
#define HOLDER_LEFT           0x80000000u
#define MAX_FIRST_STACK_BYTES ((uintptr_t)64 << 20)

extern void *__libc_stack_end;

_Thread_local hpp_thread *hpp__self HPP_INITIAL_EXEC;
_Thread_local hpp_thread *hpp__ready HPP_INITIAL_EXEC;
static _Thread_local volatile bool is_beginning HPP_INITIAL_EXEC;

static _Thread_local size_t created_stack_bytes HPP_INITIAL_EXEC;

static hpp_thread threads[HPP_MAX_SLOTS];

/* Who holds a slot: 0 or a thread id, with HOLDER_LEFT once that is ending. */
static _Atomic uint32_t holders[HPP_MAX_SLOTS];
static _Atomic uint32_t n_slots;

static pthread_key_t end_key;

/* ---- slots ----------------------------------------------------------------------------------- */

static hpp_window_slot *slot_at(uint32_t index)
{
    return hpp__window_at(
        atomic_load_explicit(&hpp__window->slot_pages[index], memory_order_relaxed));
}

static bool make_slot(uint32_t index)
{
    uint32_t page = hpp__window_pages(SLOT_PAGES);
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
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&holders[index], &nobody, thread_id)) {
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

/* `also_unsaid` looks at threads too that have not said that they leave: they may have been ended
 * by the bare system call. */
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

static uint32_t take_slot(uint32_t thread_id)
{
    uint32_t index = reuse_slot(thread_id, false);
    if (index == SHARED_SLOT && atomic_load(&n_slots) % SWEEP_EVERY == 0) {
        index = reuse_slot(thread_id, true);
    }
    return index != SHARED_SLOT ? index : add_slot(thread_id);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void leave(void *thread)
{
    hpp_thread *self = thread;
    hpp__ticks_stop(self);
    atomic_store(&self->slot->state, HPP_SLOT_LEFT);
    atomic_store(&holders[self->slot_index], self->thread_id | HOLDER_LEFT);
}

bool hpp__threads_start(void)
{
    if (pthread_key_create(&end_key, leave) != 0 || !make_slot(SHARED_SLOT)) {
        return false;
    }
    atomic_store(&n_slots, 1);
    atomic_store(&slot_at(SHARED_SLOT)->state, HPP_SLOT_LIVE);
    atomic_store(&hpp__window->head.n_slots, 1);
    return true;
}

/* glibc puts a thread's descriptor, to which the thread pointer points, at the upper end of its
 * stack: what lies between is less than a page. */
static void find_stack(hpp_thread *self)
{
    uintptr_t descriptor = (uintptr_t)__builtin_thread_pointer();
    struct rlimit limit = {0};
    self->stack_low = 0;
    self->stack_end = 0;
    if (created_stack_bytes > HPP_WINDOW_PAGE_BYTES) {
        self->stack_end = descriptor;
        self->stack_low = descriptor + HPP_WINDOW_PAGE_BYTES - created_stack_bytes;
    } else if ((long)self->thread_id == hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        /* The kernel maps nothing where the first stack may grow to. */
        hpp__syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
        uintptr_t n_bytes =
            limit.rlim_cur < MAX_FIRST_STACK_BYTES ? limit.rlim_cur : MAX_FIRST_STACK_BYTES;
        self->stack_end = (uintptr_t)__libc_stack_end;
        self->stack_low = self->stack_end - n_bytes;
    }
}

static hpp_thread *settle(uint32_t index, uint32_t thread_id)
{
    hpp_thread *self = &threads[index];
    self->slot_index = index;
    self->slot = slot_at(index);
    self->thread_id = thread_id;
    self->timer_id = 0;
    find_stack(self);
    hpp__stacks_forget(self);
    atomic_store(&self->slot->thread_id, thread_id);
    atomic_fetch_add(&self->slot->n_threads, 1);
    atomic_store(&self->slot->state, HPP_SLOT_LIVE);
    return self;
}

hpp_thread *hpp__thread_begin(void)
{
    if (is_beginning) {
        return NULL;
    }
    is_beginning = true;
    uint32_t thread_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t index = take_slot(thread_id);
    if (index != SHARED_SLOT) {
        hpp_thread *self = settle(index, thread_id);
        pthread_setspecific(end_key, self);
        hpp__self = self;
        hpp__thread_exit(self);
        hpp__ticks_start(self);
    }
    is_beginning = false;
    return hpp__self;
}

void hpp__thread_created(size_t stack_bytes)
{
    created_stack_bytes = stack_bytes;
    if (hpp__settings.tick_us != 0 && hpp__self == NULL) {
        hpp__thread_begin();
    }
}

hpp_thread *hpp__threads_forked(void)
{
    uint32_t own_index = hpp__self != NULL ? hpp__self->slot_index : SHARED_SLOT;
    /* The parent may have made slots since the fork. */
    uint32_t n = atomic_load(&n_slots);
    uint32_t n_copied = atomic_load(&hpp__window->head.n_slots);
    for (uint32_t i = n; i < n_copied && i < HPP_MAX_SLOTS; i++) {
        atomic_store(&hpp__window->slot_pages[i], 0);
    }
    for (uint32_t i = SHARED_SLOT + 1; i < n; i++) {
        atomic_store(&holders[i], i == own_index ? holders[i] : 0);
    }
    atomic_store(&hpp__window->head.n_slots, n);
    atomic_store(&slot_at(SHARED_SLOT)->state, HPP_SLOT_LIVE);
    if (hpp__self == NULL) {
        return hpp__thread_begin();
    }
    hpp__self->thread_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    hpp__self->timer_id = 0;
    atomic_store(&hpp__self->slot->thread_id, hpp__self->thread_id);
    atomic_store(&hpp__self->slot->n_threads, 1);
    atomic_store(&hpp__self->slot->state, HPP_SLOT_LIVE);
    atomic_store(&holders[own_index], hpp__self->thread_id);
    hpp__ticks_start(hpp__self);
    return hpp__self;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Two may want the same page at once: threads in slot 0, a signal handler and what it interrupted.
 * Then one page stays unused. */
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
    return cell != NULL ? cell : cell_in(thread->slot, site, hpp__window_pages(1));
}

hpp_window_cell *hpp__shared_cell(uint32_t site)
{
    hpp_window_slot *slot = slot_at(SHARED_SLOT);
    bool is_there = atomic_load(&slot->cell_pages[site / HPP_CELLS_PER_CHUNK]) != 0;
    return cell_in(slot, site, is_there ? 0 : hpp__window_reserved_page());
}
