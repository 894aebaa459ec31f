/* SPDX-License-Identifier: BSD-2-Clause */
#include "thread_life.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "cpu_ticks.h"
#include "helper.h"
#include "native/target/counting/peak.h"
#include "native/target/counting/process_state.h"
#include "native/target/counting/stacks.h"

#define MAX_FIRST_STACK_BYTES ((uintptr_t)64 << 20)

extern void *__libc_stack_end;

static _Thread_local volatile bool is_beginning HPP_INITIAL_EXEC;
static _Thread_local size_t created_stack_bytes HPP_INITIAL_EXEC;

static pthread_key_t end_key;

/* Adds an event of the calling thread. */
static void note_event(const hpp_thread *self, bool is_end)
{
    hpp_window_head *head = &hpp__window->head;
    if (!hpp__settings.has_thread_events || !hpp__may_call(SYS_clock_gettime)) {
        return;
    }
    uint64_t n = atomic_load(&head->n_thread_events);
    do { /* an event without room is left out */
        if (n - atomic_load(&head->n_thread_events_read) >= HPP_MAX_THREAD_EVENTS) {
            return;
        }
    } while (!atomic_compare_exchange_weak(&head->n_thread_events, &n, n + 1));
    hpp_window_thread_event *event = &hpp__window->thread_events[n % HPP_MAX_THREAD_EVENTS];
    event->time_ns = hpp__system_ns();
    event->thread_id = self->thread_id;
    event->slot_index = self->slot_index;
    event->is_end = is_end;
    event->name[0] = '\0';
    if (is_end) {
        hpp__syscall(SYS_prctl, PR_GET_NAME, (long)event->name, 0, 0, 0, 0);
    }
    atomic_store_explicit(&event->number, n + 1, memory_order_release);
}

static void leave(void *thread)
{
    hpp_thread *self = thread;
    hpp__cpu_ticks_stop(self);
    hpp__peak_rise(self); /* its changes come to the total */
    note_event(self, true);
    hpp__slot_leave(self->slot_index, self->thread_id);
}

bool hpp__threads_start(void)
{
    return pthread_key_create(&end_key, leave) == 0 && hpp__slots_start();
}

/* Finds the bounds of the thread's stack. glibc puts the thread descriptor, which the thread
 * pointer points to, less than a page below the upper end of the stack. */
static void find_stack(hpp_thread *self)
{
    uintptr_t descriptor = hpp__thread_pointer();
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
    hpp_thread *self = hpp__thread_at(index);
    self->slot_index = index;
    self->slot = hpp__slot_at(index);
    self->thread_id = thread_id;
    self->ticks.timer_id = 0;
    self->new_samples.n = 0;
    find_stack(self);
    hpp__stacks_forget(self);
    hpp__thread_note(self);
    if (self->centres != NULL) {
        hpp__centres_forget(self->centres, self->stack_low, self->stack_end);
    }
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
    long thread_id = hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t index = thread_id > 0 ? hpp__slot_take((uint32_t)thread_id) : HPP_SHARED_SLOT;
    if (index != HPP_SHARED_SLOT) {
        hpp_thread *self = settle(index, (uint32_t)thread_id);
        pthread_setspecific(end_key, self);
        hpp__self = self;
        hpp__thread_exit(self);
        hpp__cpu_ticks_start(self);
        note_event(self, false);
    }
    is_beginning = false;
    return hpp__self;
}

void hpp__thread_created(size_t stack_bytes)
{
    created_stack_bytes = stack_bytes;
    bool is_wanted = hpp__cpu_ticks_are_wanted() || hpp__settings.has_thread_events;
    if (is_wanted && hpp__self == NULL) {
        hpp__thread_begin();
    }
}

hpp_thread *hpp__threads_forked(void)
{
    hpp_thread *self = hpp__self;
    uint32_t thread_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    hpp__cpu_ticks_forked();
    hpp__slots_forked(self != NULL ? self->slot_index : HPP_SHARED_SLOT, thread_id);
    if (self == NULL) {
        return hpp__thread_begin();
    }
    self->thread_id = thread_id;
    hpp__stacks_forked(self);
    hpp__thread_note(self);
    atomic_store(&self->slot->thread_id, thread_id);
    atomic_store(&self->slot->n_threads, 1);
    atomic_store(&self->slot->state, HPP_SLOT_LIVE);
    hpp__cpu_ticks_start(self);
    note_event(self, false);
    return self;
}
