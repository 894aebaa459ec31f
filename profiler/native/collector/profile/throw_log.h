/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ exceptions of a process (-xc): the stack of the first of each type and place, and how many
 * there were.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_THROW_LOG_H
#define HPP_NATIVE_COLLECTOR_PROFILE_THROW_LOG_H

#include "named_stacks.h"

/* All zero: nothing is printed. */
typedef struct hpp__throw_log {
    void (*print)(void *context, hpf_str line);
    void *print_context;
    bool is_printed[HPP_MAX_THROWS]; /* by record of the window */
} hpp__throw_log;

/* Prints the stacks of exceptions that are new. */
void hpp__throw_log_report(hpp__throw_log *throws, hpp__named_stacks *stacks, uint32_t process_id,
                           hpf_str program);

/* Prints, at the end of the process, what was thrown more than once. */
void hpp__throw_log_end(hpp__throw_log *throws, hpp__named_stacks *stacks);

#endif
