/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Replaces the functions for limits: the program gets and sets its own limits of memory, and not
 * what the kernel has (window/memory_limits.h). A program that uses the bare system calls is not
 * followed.
 */
#include <errno.h>

#include "native/window/platform.h"

#define IS_KIND(resource) ((resource) == RLIMIT_AS || (resource) == RLIMIT_DATA)
#define KIND_OF(resource) ((resource) == RLIMIT_AS ? HPP_LIMIT_ADDRESSES : HPP_LIMIT_DATA)

static int with_errno(long result)
{
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return 0;
}

static int limit(int process_id, int resource, const struct rlimit *wanted, struct rlimit *before)
{
    bool is_own =
        process_id == 0 || process_id == (int)hpp__bare_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    if (!is_own || !IS_KIND(resource)) {
        return with_errno(hpp__bare_syscall(SYS_prlimit64, process_id, resource, (long)wanted,
                                            (long)before, 0, 0));
    }
    struct rlimit kept = wanted != NULL ? *wanted : (struct rlimit){0}, found;
    long error = hpp__limit_get(KIND_OF(resource), &found);
    if (error == 0 && wanted != NULL) {
        error = hpp__limit_set(KIND_OF(resource), &kept);
    }
    if (error == 0 && before != NULL) {
        *before = found;
    }
    return with_errno(error);
}

HPP_EXPORT HPP_ANY_STACK int setrlimit(__rlimit_resource_t resource, const struct rlimit *wanted)
{
    return limit(0, (int)resource, wanted, NULL);
}

HPP_EXPORT HPP_ANY_STACK int getrlimit(__rlimit_resource_t resource, struct rlimit *out)
{
    return limit(0, (int)resource, NULL, out);
}

HPP_EXPORT HPP_ANY_STACK int prlimit(pid_t process_id, enum __rlimit_resource resource,
                                     const struct rlimit *wanted, struct rlimit *before)
{
    return limit(process_id, (int)resource, wanted, before);
}

/* The same, since addresses have 64 bits. */
_Static_assert(sizeof(struct rlimit64) == sizeof(struct rlimit), "they are the same");

HPP_EXPORT HPP_ANY_STACK int setrlimit64(__rlimit_resource_t resource,
                                         const struct rlimit64 *wanted)
{
    return limit(0, (int)resource, (const struct rlimit *)wanted, NULL);
}

HPP_EXPORT HPP_ANY_STACK int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *out)
{
    return limit(0, (int)resource, NULL, (struct rlimit *)out);
}

HPP_EXPORT HPP_ANY_STACK int prlimit64(pid_t process_id, enum __rlimit_resource resource,
                                       const struct rlimit64 *wanted, struct rlimit64 *before)
{
    return limit(process_id, (int)resource, (const struct rlimit *)wanted, (struct rlimit *)before);
}
