/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An allocator that fails when emitted to. It stands before malloc, calloc and realloc of
 * everything that is linked statically into a test; link such a test with
 * FAILING_ALLOC_LINK_OPTIONS of tests/CMakeLists.txt. Threads: arm it while there is one.
 */
#ifndef FAILING_ALLOC_H
#define FAILING_ALLOC_H

#include <stdbool.h>

/* From now on, counts allocations; the `nth`, from 1, fails (0: none), and with `all_after` all
 * behind it. */
void failing_alloc_arm(unsigned long nth, bool all_after);

/* Lets all allocations pass again. Returns whether one has failed since arming. */
bool failing_alloc_disarm(void);

#endif
