/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Verifies stacks, for CENSUS_VERIFY_STACKS: compares the result of cache, rules and joined paths
 * with a full walk, which uses none of them, and with glibc's backtrace(), which shares no code.
 * The window's head counts the results.
 *
 * Threads: the calling thread must be marked as inside the library, since the first call of
 * backtrace() allocates.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_VERIFY_H
#define HPP_NATIVE_TARGET_UNWIND_VERIFY_H

#include "stack_walk.h"
#include "unwind_cache.h"

/* Calls backtrace() once, so that it loads what it needs. */
void hpp__verify_begin(void);

/* Compares the stack of a site with the stack of the current call, which `path` has then. */
void hpp__verify_site(uint32_t site, hpp_stack_walk *path, hpp_caller caller, hpp_memory memory);

#endif
