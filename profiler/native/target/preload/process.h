/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Start, fork and exit of the profiled process. Profiling starts at the first call of any function,
 * which may come before libc's own constructors have run.
 *
 * A forked child is detected at its first allocation or free: hpp__alive_page is a page that the
 * kernel clears in children (MADV_WIPEONFORK, Linux 4.14). So every kind of fork is detected, a
 * child that only calls exec costs nothing, and a child of vfork, which shares the parent's memory,
 * counts for the parent. The child's window starts with its parent's stacks and with counts of the
 * parent's live blocks.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_PROCESS_H
#define HPP_NATIVE_TARGET_PRELOAD_PROCESS_H

#include <stdbool.h>

/* Starts profiling if hpp__alive() is false and the process is to be profiled, and finds the next
 * allocator. Returns hpp__alive(). Preserves errno. The program may hold no lock of its allocator.
 */
bool hpp__process_begin(void);

/* Like hpp__process_begin if the next allocator is known; else returns false. */
bool hpp__process_wake(void);

/* Starts profiling a process that runs already, with the value of CENSUS_RUN. Returns whether it is
 * profiled. */
bool hpp__process_attach(const char *settings);

/* Starts a helper in a process that has none any more, or none yet. */
void hpp__process_start_helper(void);

/* Ends profiling for good. Other threads may still count for a moment. */
void hpp__process_detach(void);

/* Records the uses of watched blocks since the last era, before the process ends or becomes another
 * program. Returns false, and does nothing, in a child of vfork, which has the memory of its
 * parent. */
bool hpp__process_record_uses(void);

#endif
