/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Does a site say the stack that there is? For --verify-stacks: compares what the cache, the rules
 * and the joined paths have come to with a full walk, which uses none of them, and with glibc's
 * backtrace(), which shares no code. What was found is counted in the window's head.
 *
 * Threads: the calling one must be marked as being inside the library, since backtrace() allocates
 * when it is first called.
 */
#ifndef HPP_NATIVE_VERIFY_H
#define HPP_NATIVE_VERIFY_H

#include "unwind_cache.h"

/* Makes backtrace() ready. */
void hpp__verify_begin(void);

/* Compares the stack of a site with that of the caller, who is now calling. */
void hpp__verify_site(uint32_t site, hpp_caller caller, hpp_memory memory);

#endif
