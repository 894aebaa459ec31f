/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The address range of the calling thread's stack.
 */
#ifndef HPP_THREAD_STACK_H
#define HPP_THREAD_STACK_H

#include <stdint.h>

/* Addresses [low, high). */
typedef struct hpp__stack_range {
    uintptr_t low, high;
} hpp__stack_range;

/* Returns the range of the calling thread's stack; [1, 1), which contains no address, if it is
 * unknown. */
hpp__stack_range hpp__find_stack(void);

#endif
