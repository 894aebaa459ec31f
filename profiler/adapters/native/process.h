/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiled process: whether it is profiled, and what was asked for. It starts at its first call
 * of anything, which may come before libc's own constructors have run.
 *
 * A forked child finds out by itself, at its first allocation or free: `hpp__alive` lies in a page
 * that the kernel clears in children (MADV_WIPEONFORK, Linux 4.14). So every way of forking is
 * seen, a child that only executes another program costs nothing, and vfork, where parent and child
 * are one memory, counts for the parent. The child's window has its parent's stacks, and what lives
 * of its parent's blocks, counted anew.
 */
#ifndef HPP_NATIVE_PROCESS_H
#define HPP_NATIVE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "platform.h"

typedef struct hpp_settings {
    char socket_name[108];
    uint32_t root_id;
    bool has_children;
    uint64_t window_bytes;
    uint32_t tick_us;
    uint32_t verify_every;
} hpp_settings;

/* Complete when hpp__alive was seen. */
extern HPP_HIDDEN hpp_settings hpp__settings;

typedef struct hpp_alive_page {
    _Alignas(4096) _Atomic uint32_t is_alive;
    char rest[4092];
} hpp_alive_page;
extern HPP_HIDDEN hpp_alive_page hpp__alive_page;

/* This process is profiled, and its window is its own. */
static inline bool hpp__alive(void)
{
    return atomic_load_explicit(&hpp__alive_page.is_alive, memory_order_acquire) != 0;
}

/* Starts what has to be started, when hpp__alive is false. Returns hpp__alive. Leaves errno alone.
 */
bool hpp__process_wake(void);

#endif
