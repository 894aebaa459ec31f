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

/* Starts what has to be started, when hpp__alive is false. Returns hpp__alive. Leaves errno alone.
 */
bool hpp__process_wake(void);

#endif
