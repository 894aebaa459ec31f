/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Asks the system for a thread's stack. The call is no part of POSIX, but glibc and musl have it.
 */
#define _GNU_SOURCE
#include "thread_stack.h"

#include <pthread.h>

hpp__stack_range hpp__find_stack(void)
{
    hpp__stack_range range = {1, 1};
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return range;
    }
    void *low;
    size_t size_bytes;
    if (pthread_attr_getstack(&attributes, &low, &size_bytes) == 0) {
        range = (hpp__stack_range){(uintptr_t)low, (uintptr_t)low + size_bytes};
    }
    pthread_attr_destroy(&attributes);
    return range;
}
