/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Limits of memory. What this library takes would count against the limits that the program sets
 * for itself (RLIMIT_AS, RLIMIT_DATA). So the kernel gets them with that much more, and the program
 * sees its own. Without a privilege, a limit cannot be raised above the upper one that the process
 * was started with; an upper limit that the program sets leaves some room in the kernel.
 *
 * Threads: any, also signal handlers. A process that is not the one of hpp__limits_start, as a
 * child of vfork, sets limits as they are.
 */
#ifndef HPP_NATIVE_WINDOW_MEMORY_LIMITS_H
#define HPP_NATIVE_WINDOW_MEMORY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

typedef enum hpp_limit_kind {
    HPP_LIMIT_ADDRESSES, /* RLIMIT_AS */
    HPP_LIMIT_DATA,      /* RLIMIT_DATA */
    HPP_N_LIMITS
} hpp_limit_kind;

/* Starts in a process, or again in a forked child. The library itself is so large. */
void hpp__limits_start(uint64_t n_bytes, uint64_t n_private_bytes);

/* Get and set a limit as the program sees it. Return 0 or a negated errno. */
long hpp__limit_get(hpp_limit_kind kind, struct rlimit *out);
long hpp__limit_set(hpp_limit_kind kind, const struct rlimit *wanted);

typedef struct hpp_limits_shown {
    bool is_set[HPP_N_LIMITS], is_lowered[HPP_N_LIMITS];
    struct rlimit own[HPP_N_LIMITS];
} hpp_limits_shown;

/* Gives the kernel the limits that the program sees, before another program is started, which
 * inherits them. If this process does not become that program, the upper limits stay, and so do
 * limits that the process has reached with what the library has taken. The second function takes
 * them back, and gives a new process, if it is known, the limits that it should have. */
hpp_limits_shown hpp__limits_show(bool becomes_other);
void hpp__limits_hide(const hpp_limits_shown *shown, int process_id);

#endif
