/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The linker sends calls of malloc here (--wrap) and gives the real one another name.
 */
#include "failing_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n, size_t n_bytes);
void *__real_realloc(void *old, size_t n_bytes);

static bool is_armed, fails_all_after, has_failed;
static unsigned long n_left;

static bool fails_now(void)
{
    if (!is_armed) {
        return false;
    }
    n_left -= n_left > 0;
    bool fails = n_left == 0 && (!has_failed || fails_all_after);
    has_failed |= fails;
    return fails;
}

void *__wrap_malloc(size_t n_bytes)
{
    return fails_now() ? NULL : __real_malloc(n_bytes);
}

void *__wrap_calloc(size_t n, size_t n_bytes)
{
    return fails_now() ? NULL : __real_calloc(n, n_bytes);
}

void *__wrap_realloc(void *old, size_t n_bytes)
{
    return fails_now() ? NULL : __real_realloc(old, n_bytes);
}

void failing_alloc_arm(unsigned long nth, bool all_after)
{
    is_armed = nth > 0;
    fails_all_after = all_after;
    has_failed = false;
    n_left = nth;
}

bool failing_alloc_disarm(void)
{
    is_armed = false;
    return has_failed;
}
