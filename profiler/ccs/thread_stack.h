/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the calling thread's stack lies.
 */
#ifndef HPP_THREAD_STACK_H
#define HPP_THREAD_STACK_H

#include <stdint.h>

/* Addresses [low, high). */
typedef struct hpp__stack_range {
    uintptr_t low, high;
} hpp__stack_range;

/* An unknown range is given as [1, 1): no address is in it. */
hpp__stack_range hpp__find_stack(void);

#endif
