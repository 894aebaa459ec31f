/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Start, fork and exit of the profiled process. See process.h.
 */
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "native/target/counting/blocks.h"
#include "native/target/lives/exact.h"
#include "cpu_ticks.h"
#include "entry.h"
#include "environment.h"
#include "helper.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/counting/mapped_pages.h"
#include "native/target/counting/peak.h"
#include "native/target/counting/stacks.h"
#include "native/target/counting/process_state.h"
#include "native/target/counting/rate.h"
#include "native/target/lives/sampler.h"
#include "thread_life.h"
#include "native/window/platform.h"
#include "native/window/trie.h"
#include "native/window/window_writer.h"

/* The phase, and in the upper bits the id of the thread that is changing it. */
enum {
    PHASE_UNSTARTED,
    PHASE_CHANGING,
    PHASE_ON,  /* and not alive: this is a forked child */
    PHASE_OFF, /* for good */
    PHASE_BITS = 2,
    PHASE_MASK = (1 << PHASE_BITS) - 1,
};
static _Atomic uint32_t current_phase;

enum { LEAVE_PATIENCE_S = 20 };

static const char *given_settings; /* of census_attach; NULL: the environment has them */

static bool is_wanted(void)
{
    long process_id = hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return given_settings != NULL || hpp__settings.has_children ||
           process_id == (long)hpp__settings.root_id;
}

/* Returns a number of /proc/self/status, or 0. It has a buffer of its own, as a signal handler on a
 * small stack may end the process. */
static uint64_t own_status(const char *name)
{
    static char text[4096];
    uint64_t number = 0;
    long file = hpp__syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/status", O_RDONLY | O_CLOEXEC,
                             0, 0, 0);
    long n = file < 0 ? 0 : hpp__syscall(SYS_read, file, (long)text, sizeof(text) - 1, 0, 0, 0);
    if (file >= 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    }
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, name);
    for (at = at != NULL ? at + strlen(name) : ""; *at != '\0' && *at != '\n'; at++) {
        number = *at >= '0' && *at <= '9' ? number * 10 + (uint64_t)(*at - '0') : number;
    }
    return number;
}

/* A tracer would see the signals of ticks. Census itself is one while it attaches. */
static void see_tracer(void)
{
    hpp__cpu_ticks_are_over =
        hpp__cpu_ticks_are_wanted() && !hpp__is_attached && own_status("\nTracerPid:") != 0;
    if (hpp__cpu_ticks_are_over) {
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_TRACED);
    }
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The bounds of this library and of its data, by the linker. */
extern const char __ehdr_start[] HPP_HIDDEN;
extern const char _edata[] HPP_HIDDEN;
extern const char _end[] HPP_HIDDEN;

/* A program that is attached to calls the functions of libc for limits. */
static void follow_limits(void)
{
    if (!hpp__is_attached) {
        hpp__limits_start((uintptr_t)_end - (uintptr_t)__ehdr_start,
                          (uintptr_t)_end - (uintptr_t)_edata);
    }
}

/* Starts the helper, and tells the collector under which filter of system calls it is, and where
 * the list of the library's mappings is. It lacks
 * the twins of watched blocks, and the shadow of a program of census cc that was attached to. */
static int start_helper(void)
{
    bool is_whole = !hpp__is_attached && hpp__settings.biography_bytes == 0;
    atomic_store(&hpp__window->head.own_maps, is_whole ? (uintptr_t)&hpp__own_maps : 0);
    long mode = hpp__syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0);
    atomic_store(&hpp__window->head.seccomp_mode, mode < 0 ? -1 : (int32_t)mode);
    return hpp__helper_start();
}

/* Gives the window to the collector, with the socket of a helper if images are wanted. */
static bool hand_in(int link, int window)
{
    atomic_store(&hpp__window->head.thread_parts, (uintptr_t)hpp__thread_parts);
    int helper = hpp__settings.has_images ? start_helper() : -HPP_NO_HELPER_WANTED;
    atomic_store(&hpp__window->head.helper_error, helper < 0 ? -helper : 0);
    atomic_store(&hpp__window->head.taken_bytes, (uintptr_t)hpp__taken_bytes);
    return hpp__window_hand_in(link, window, helper);
}

void hpp__process_start_helper(void)
{
    int link = hpp__window_connect(hpp__settings.socket_name);
    int helper = link >= 0 ? start_helper() : link;
    atomic_store(&hpp__window->head.helper_error, helper < 0 ? -helper : 0);
    if (helper >= 0) {
        hpp__window_send_helper(link, helper);
    } else if (link >= 0) {
        hpp__syscall(SYS_close, link, 0, 0, 0, 0, 0);
    }
}

/* Until the collector knows this process. */
static void set_small(uint64_t n_bytes)
{
    atomic_store(&hpp__window->head.small_bytes, n_bytes);
    atomic_store(&hpp__window->head.started_small_bytes, n_bytes);
}

static bool start(void)
{
    if (!hpp__settings_read(given_settings)) {
        return false;
    }
    if (given_settings == NULL) {
        hpp__environment_take();
    }
    if (!is_wanted() || !hpp__alive_page_map()) {
        return false;
    }
    int link = hpp__window_connect(hpp__settings.socket_name);
    if (link < 0) {
        return false;
    }
    follow_limits();
    const char *reason;
    hpp__window_name(hpp__settings.socket_name);
    hpp__window_owner(&hpp__alive_page.has_own_window);
    int file = hpp__window_make(&reason, hpp__settings.window_bytes);
    if (file < 0) {
        hpp__window_excuse(link, reason);
        return false;
    }
    hpp__next_allocator_find();
    hpp__window->head.tick_us = hpp__settings.tick_us;
    bool is_first = hpp__window->head.process_id == hpp__settings.root_id;
    set_small(is_first ? 0 : hpp__settings.small_bytes); /* what the first one becomes counts */
    see_tracer();
    if (hpp__next_allocator_is_hidden()) {
        atomic_fetch_or(&hpp__window->head.events, HPP_EVENT_OWN_MALLOC);
    }
    hpp__peak_start(0);
    hpp__command_copy(hpp__window->head.command, sizeof(hpp__window->head.command));
    bool has_slot = hpp__threads_start();
    hpp__sampler_start();
    hpp__rate_start();
    return hand_in(link, file) && has_slot;
}

/* ---- fork ------------------------------------------------------------------------------------ */

/* The inherited blocks, and the last site that one had. */
typedef struct inheritance {
    uint64_t live_bytes;
    uint32_t site, inherited_site;
} inheritance;

/* Gives a block the site of its stack for inherited blocks. Without room, it keeps its own. */
static void count_inherited(uintptr_t address, hpp_block block, void *context)
{
    hpp_thread *self = hpp__self;
    inheritance *all = context;
    if (all->site != block.site) {
        uint32_t site =
            block.site >= HPP_FIRST_SITE ? hpp__trie_site_with(block.site, HPP_CALL_INHERITED) : 0;
        all->site = block.site;
        all->inherited_site = site != 0 ? site : block.site;
    }
    hpp__blocks_set_site((const void *)address, all->inherited_site);
    hpp_window_cell *cell = self != NULL ? hpp__thread_cell(self, all->inherited_site) : NULL;
    if (cell == NULL) {
        cell = hpp__shared_cell(all->inherited_site);
    }
    if (cell != NULL) {
        hpp_weight weight = hpp__page_at(address) == HPP_PAGE_FIRST
                                ? (hpp_weight){block.size_bytes, 1} /* a mapping is no sample */
                                : hpp__rate_weigh(block);
        hpp__add_own(&cell->frees, -(uint64_t)weight.blocks);
        hpp__add_own(&cell->freed_bytes, -weight.bytes);
        all->live_bytes += weight.bytes;
    }
}

static bool renew(void)
{
    if (!hpp__settings.has_children) {
        return false;
    }
    int link = hpp__window_connect(hpp__settings.socket_name);
    if (link < 0) {
        atomic_fetch_add(&hpp__window->head.n_apart, 1); /* still the parent's */
        return false;
    }
    int file = hpp__window_renew(hpp__self != NULL ? hpp__self->slot_index : 0);
    if (file < 0) {
        hpp__window_excuse(link, "a forked child has no memory file for its window");
        return false;
    }
    set_small(atomic_load(&hpp__window->head.started_small_bytes)); /* as the parent had it */
    follow_limits();
    hpp__blocks_forked();
    hpp__trie_forget_lives();
    hpp__sampler_forked();
    see_tracer();
    hpp_thread *self = hpp__threads_forked();
    inheritance all = {0};
    hpp__blocks_each(count_inherited, &all);
    hpp__peak_forked(self, all.live_bytes);
    if (atomic_load(&hpp__alive_kind) == HPP_ALIVE_EXACT) {
        hpp__exact_forked();
    }
    hpp__rate_forked();
    return hand_in(link, file);
}

/* ---- phases ---------------------------------------------------------------------------------- */

/* Waits for the thread that is changing the phase, unless it is this one. A child may have lost it
 * in a fork. */
static bool wait_for_change(uint32_t own_id)
{
    uint32_t now = atomic_load(&current_phase);
    long process_id = hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    while ((now & PHASE_MASK) == PHASE_CHANGING) {
        uint32_t changer = now >> PHASE_BITS;
        if (changer == own_id) {
            return false;
        }
        if (hpp__syscall(SYS_tgkill, process_id, changer, 0, 0, 0, 0) == -ESRCH) {
            atomic_compare_exchange_strong(&current_phase, &now, PHASE_OFF);
        }
        hpp__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
        now = atomic_load(&current_phase);
    }
    return hpp__alive();
}

HPP_COLD bool hpp__process_begin(void)
{
    uint32_t before = atomic_load(&current_phase);
    if (before == PHASE_OFF || hpp__alive()) {
        return before != PHASE_OFF;
    }
    if (hpp__isolation != HPP_NOT_ISOLATED) { /* a forked child */
        atomic_store(&current_phase, PHASE_OFF);
        return false;
    }
    uint32_t own_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t changing = own_id << PHASE_BITS | PHASE_CHANGING;
    if ((before & PHASE_MASK) == PHASE_CHANGING ||
        !atomic_compare_exchange_strong(&current_phase, &before, changing)) {
        return wait_for_change(own_id);
    }
    bool is_on = before == PHASE_UNSTARTED ? start() : renew();
    atomic_store(&hpp__alive_page.is_alive, is_on ? atomic_load(&hpp__alive_kind) : 0);
    atomic_store(&current_phase, is_on ? PHASE_ON : PHASE_OFF);
    return is_on;
}

bool hpp__process_wake(void)
{
    return hpp__next_allocator_is_found() && hpp__process_begin();
}

/* ---- attaching ------------------------------------------------------------------------------- */

bool hpp__process_attach(const char *settings)
{
    given_settings = settings;
    atomic_store(&current_phase, PHASE_UNSTARTED); /* the constructor found no settings */
    bool is_on = hpp__process_begin();
    if (is_on && hpp__self == NULL) {
        hpp__thread_begin();
    }
    return is_on;
}

void hpp__process_detach(void)
{
    hpp__cpu_ticks_end();
    hpp__helper_end();
    atomic_store(&current_phase, PHASE_OFF);
    atomic_store(&hpp__alive_page.is_alive, false);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

bool hpp__process_record_uses(void)
{
    bool is_own = hpp__alive() && hpp__isolation == HPP_NOT_ISOLATED &&
                  hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == hpp__window->head.process_id;
    if (is_own) {
        hpp__sampler_end();
    }
    return is_own;
}

/* Returns whether the process has always been so small that the collector needs no last image of
 * it, and notes that it leaves without. */
static bool leaves_small(void)
{
    enum { ONE_THREAD = 2 /* slots: the first one is shared */ };
    hpp_window_head *head = &hpp__window->head;
    bool is_small = hpp__self != NULL && atomic_load(&head->n_slots) <= ONE_THREAD &&
                    hpp__peak_so_far(hpp__self) < atomic_load(&head->small_bytes);
    if (is_small) {
        atomic_fetch_or(&head->events, HPP_EVENT_LEFT_SMALL);
    }
    return is_small;
}

static _Atomic uint32_t asked_id; /* of the process that has asked for its last image */

/* Waits until the collector has taken a last image, if it takes any. Nothing here waits for a lock:
 * a handler of signals may end the process. */
static void show_last(void)
{
    uint32_t process_id = (uint32_t)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    bool asks = hpp__process_record_uses() && hpp__settings.has_images &&
                atomic_load(&asked_id) != process_id && !leaves_small();
    int link = asks ? hpp__window_connect(hpp__settings.socket_name) : -1;
    if (link >= 0) {
        (void)hpp__thread_ask(hpp__self, link, HPP_HELLO_LEAVE, LEAVE_PATIENCE_S);
        atomic_store(&asked_id, process_id);
    }
}

static void leave(void)
{
    show_last();
    hpp__helper_end();
}

/* ---- main ------------------------------------------------------------------------------------ */

/* Called from assembly only. They return what is to be called. */
void *hpp__before_start(uintptr_t arguments[]);
void *hpp__before_main(void);
extern char hpp__main_entry[];

static void *program_main;

/* When main has begun, all static objects exist. So the last image is from before they are
 * destroyed, while what they hold has its holders. */
void *hpp__before_main(void)
{
    (void)atexit(show_last);
    return program_main;
}

HPP_ASM_FUNCTION(".hidden hpp__main_entry\n.globl", "hpp__main_entry",
                 HPP_CALL_THEN_JUMP("hpp__before_main", "0"));

/* Lets libc call hpp__main_entry, which jumps to main, if the program has images. */
void *hpp__before_start(uintptr_t arguments[])
{
    if (hpp__alive() && hpp__settings.has_images) {
        program_main = (void *)arguments[0];
        arguments[0] = (uintptr_t)hpp__main_entry;
    }
    return dlsym(RTLD_NEXT, "__libc_start_main");
}

HPP_ASM_FUNCTION(".globl", "__libc_start_main", HPP_CALL_THEN_JUMP("hpp__before_start", "0"));

/* Stores the largest resident set so far, since the largest one may be between two samples. */
static void note_resident(void)
{
    if (hpp__alive() &&
        hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == hpp__window->head.process_id) {
        atomic_store(&hpp__window->head.most_resident_bytes, own_status("\nVmHWM:") * 1024);
    }
}

__attribute__((constructor)) static void begin(void)
{
    if (hpp__process_begin()) {
        if (hpp__self == NULL) {
            hpp__thread_begin();
        }
        if (hpp__settings.verify_every != 0) {
            hpp__stacks_verify(hpp__settings.verify_every);
        }
    }
}

__attribute__((destructor)) static void end(void)
{
    note_resident();
    leave();
    if (hpp__alive()) {
        atomic_store(&hpp__window->head.state, HPP_WINDOW_EXITED);
    }
}

/* quick_exit calls this last, since it is registered first; exit does not. */
__attribute__((constructor)) static void watch_quick_exit(void)
{
    if (hpp__alive()) {
        (void)at_quick_exit(leave);
    }
}

/* As the functions of libc, also if the program has isolated itself. */
HPP_EXPORT HPP_ANY_STACK void _exit(int status)
{
    note_resident();
    leave();
    for (;;) {
        hpp__bare_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
    }
}

HPP_EXPORT HPP_ANY_STACK void _Exit(int status)
{
    _exit(status);
}
