/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ exceptions of a process (-xc): the stack of the first of each type and place, and how many
 * there were.
 */
#ifndef HPP_NATIVE_THROWS_H
#define HPP_NATIVE_THROWS_H

#include "native_stacks.h"

/* All zero: nothing is printed. */
typedef struct hpp__native_throws {
    void (*print)(void *context, hpf_str line);
    void *print_context;
    bool is_printed[HPP_MAX_THROWS]; /* by record of the window */
} hpp__native_throws;

/* Prints the stacks of exceptions that are new. */
void hpp__native_throws_report(hpp__native_throws *throws, hpp__native_stacks *stacks,
                               uint32_t process_id, hpf_str program);

/* Prints, at the end of the process, what was thrown more than once. */
void hpp__native_throws_end(hpp__native_throws *throws, hpp__native_stacks *stacks);

#endif
