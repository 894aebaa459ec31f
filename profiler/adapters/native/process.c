/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Start, fork and exit of the profiled process. See process.h. This is the one file that reads the
 * environment.
 */
#include "process.h"

#include <errno.h>
#include <string.h>

#include "blocks.h"
#include "real.h"
#include "stacks.h"
#include "thread.h"
#include "ticks.h"
#include "window_writer.h"

enum { DEFAULT_WINDOW_MIB = 1024 };
#define LIBRARY_NAME "libcensus-preload.so"

hpp_settings hpp__settings;
hpp_alive_page hpp__alive_page;

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

/* Where the kernel put the words of the command line and, behind a NULL, the environment: libc's
 * own variables may not be set yet. The first word is their number. */
extern void *__libc_stack_end;

/* ---- settings -------------------------------------------------------------------------------- */

static char **initial_environment(void)
{
    long n_words = *(long *)__libc_stack_end;
    return (char **)__libc_stack_end + 1 + n_words + 1;
}

/* The number of characters before one of `ends`. Not strcspn: where that lies in libc, and what it
 * needs there, no small program has touched, and it would be a tenth of its memory. */
static size_t length_until(const char *text, const char *ends)
{
    size_t n = 0;
    while (text[n] != '\0' && strchr(ends, text[n]) == NULL) {
        n++;
    }
    return n;
}

static const char *find_variable(char **environment, const char *name)
{
    size_t n = strlen(name);
    for (char **entry = environment; *entry != NULL; entry++) {
        if (strncmp(*entry, name, n) == 0 && (*entry)[n] == '=') {
            return *entry + n + 1;
        }
    }
    return NULL;
}

/* What follows `name` in the word that begins with it, or NULL. */
static const char *value_of(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (; text != NULL; text = strchr(text, ',')) {
        text += *text == ',';
        if (strncmp(text, name, n) == 0) {
            return text + n;
        }
    }
    return NULL;
}

static uint64_t number_of(const char *text, const char *name, uint64_t otherwise)
{
    const char *value = value_of(text, name);
    if (value == NULL || *value < '0' || *value > '9') {
        return otherwise;
    }
    uint64_t n = 0;
    for (; *value >= '0' && *value <= '9'; value++) {
        n = n * 10 + (uint64_t)(*value - '0');
    }
    return n;
}

/* False: there is no collector to hand a window to. */
static bool read_settings(void)
{
    const char *text = find_variable(initial_environment(), HPP_WINDOW_VARIABLE);
    const char *name = value_of(text, "socket=");
    if (name == NULL) {
        return false;
    }
    size_t n = length_until(name, ",");
    if (n == 0 || n >= sizeof(hpp__settings.socket_name)) {
        return false;
    }
    memcpy(hpp__settings.socket_name, name, n);
    hpp__settings.root_id = (uint32_t)number_of(text, "root=", 0);
    hpp__settings.has_children = number_of(text, "children=", 1) != 0;
    hpp__settings.window_bytes =
        number_of(text, "window=", (uint64_t)DEFAULT_WINDOW_MIB * 1024 * 1024);
    hpp__settings.tick_us = (uint32_t)number_of(text, "tick=", 0);
    hpp__settings.verify_every = (uint32_t)number_of(text, "verify=", 0);
    return true;
}

static bool is_wanted(void)
{
    long process_id = hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return hpp__settings.has_children || process_id == (long)hpp__settings.root_id;
}

/* ---- start ----------------------------------------------------------------------------------- */

static void fill_command(hpp_window_head *head)
{
    char **words = (char **)__libc_stack_end + 1;
    size_t place = 0;
    for (; *words != NULL && place + 1 < sizeof(head->command); words++) {
        size_t room = sizeof(head->command) - 2 - place;
        size_t n = strnlen(*words, room);
        memcpy(head->command + place, *words, n);
        place += n + 1;
    }
}

static bool make_alive_page(void)
{
    void *page = &hpp__alive_page;
    long mapped =
        hpp__syscall(SYS_mmap, (long)page, sizeof(hpp__alive_page), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return mapped == (long)page && hpp__syscall(SYS_madvise, (long)page, sizeof(hpp__alive_page),
                                                MADV_WIPEONFORK, 0, 0, 0) == 0;
}

static bool start(void)
{
    if (!read_settings() || !is_wanted() || !make_alive_page()) {
        return false;
    }
    int file = hpp__window_make(hpp__settings.window_bytes);
    if (file < 0) {
        return false;
    }
    hpp__real_find();
    hpp__window->head.tick_us = hpp__settings.tick_us;
    hpp__ticks_take_signal();
    fill_command(&hpp__window->head);
    bool has_slot = hpp__threads_start();
    return hpp__window_hand_in(file, hpp__settings.socket_name) && has_slot;
}

/* ---- fork ------------------------------------------------------------------------------------ */

static void count_inherited(uintptr_t address, hpp_block block, void *context)
{
    (void)address;
    hpp_thread *self = context;
    hpp_window_cell *cell = self != NULL ? hpp__thread_cell(self, block.site) : NULL;
    if (cell == NULL) {
        cell = hpp__shared_cell(block.site);
    }
    if (cell != NULL) {
        hpp__add_own(&cell->allocations, 1);
        hpp__add_own(&cell->allocated_bytes, block.size_bytes);
    }
}

static bool renew(void)
{
    if (!hpp__settings.has_children) {
        return false;
    }
    int file = hpp__window_renew(hpp__self != NULL ? hpp__self->slot_index : 0);
    if (file < 0) {
        return false;
    }
    hpp_thread *self = hpp__threads_forked();
    hpp__blocks_each(count_inherited, self);
    return hpp__window_hand_in(file, hpp__settings.socket_name);
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

HPP_COLD bool hpp__process_wake(void)
{
    uint32_t before = atomic_load(&current_phase);
    if (before == PHASE_OFF || hpp__alive()) {
        return before != PHASE_OFF;
    }
    uint32_t own_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint32_t changing = own_id << PHASE_BITS | PHASE_CHANGING;
    if ((before & PHASE_MASK) == PHASE_CHANGING ||
        !atomic_compare_exchange_strong(&current_phase, &before, changing)) {
        return wait_for_change(own_id);
    }
    bool is_on = before == PHASE_UNSTARTED ? start() : renew();
    atomic_store(&hpp__alive_page.is_alive, is_on);
    atomic_store(&current_phase, is_on ? PHASE_ON : PHASE_OFF);
    return is_on;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* Takes this library out of a list of paths, in place. Returns whether anything is left. */
static bool remove_from_list(char *list)
{
    char *to = list;
    for (char *word = list; *word != '\0';) {
        size_t n = length_until(word, ": ");
        size_t n_name = strlen(LIBRARY_NAME);
        bool is_own = n >= n_name && memcmp(word + n - n_name, LIBRARY_NAME, n_name) == 0;
        size_t n_taken = n + (word[n] != '\0');
        if (!is_own) {
            memmove(to, word, n_taken);
            to += n_taken;
        }
        word += n_taken;
    }
    *to = '\0';
    return *list != '\0';
}

/* What this process starts shall not load the library. libc's functions for this are not used: a
 * program may have its own, as bash has, which have not started yet. */
static void clean_environment(void)
{
    char **kept = initial_environment();
    for (char **entry = kept; *entry != NULL; entry++) {
        char *list = strncmp(*entry, "LD_PRELOAD=", 11) == 0 ? *entry + 11 : NULL;
        bool is_ours = strncmp(*entry, HPP_WINDOW_VARIABLE "=", sizeof(HPP_WINDOW_VARIABLE)) == 0;
        if (!is_ours && (list == NULL || remove_from_list(list))) {
            *kept++ = *entry;
        }
    }
    *kept = NULL;
}

__attribute__((constructor)) static void begin(void)
{
    if (hpp__process_wake()) {
        if (hpp__self == NULL) {
            hpp__thread_begin();
        }
        if (hpp__settings.verify_every != 0) {
            hpp__stacks_verify(hpp__settings.verify_every);
        }
    } else if (hpp__settings.socket_name[0] != '\0' && !is_wanted()) {
        clean_environment();
    }
}

__attribute__((destructor)) static void end(void)
{
    if (hpp__alive()) {
        atomic_store(&hpp__window->head.state, HPP_WINDOW_EXITED);
    }
}
