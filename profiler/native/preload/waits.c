/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Watches for waits with __WALL or __WCLONE, which find the helper (helper.h): a tracer waits for
 * all children, and must not wait for one that it has not started. Such a program has no helper any
 * more. The functions of libc are entered by a jump, as in isolation.c.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sys/wait.h>

#include "entry.h"
#include "helper.h"

/* Called from assembly only, with the arguments of the call. They return the function of libc. */
void *hpp__before_waitpid(const long arguments[]);
void *hpp__before_wait4(const long arguments[]);
void *hpp__before_wait3(const long arguments[]);
void *hpp__before_waitid(const long arguments[]);

static void *next_waitpid, *next_wait4, *next_wait3, *next_waitid;

/* Found before a signal handler can call one. */
__attribute__((constructor)) static void find_next(void)
{
    int error = errno;
    next_waitpid = dlsym(RTLD_NEXT, "waitpid");
    next_wait4 = dlsym(RTLD_NEXT, "wait4");
    next_wait3 = dlsym(RTLD_NEXT, "wait3");
    next_waitid = dlsym(RTLD_NEXT, "waitid");
    errno = error;
}

static void *before_wait(void *const *function, long options)
{
    if (*function == NULL) {
        find_next(); /* other constructors may have called before ours */
    }
    hpp__helper_hide(options);
    return *function;
}

void *hpp__before_waitpid(const long arguments[])
{
    return before_wait(&next_waitpid, arguments[2]);
}

void *hpp__before_wait4(const long arguments[])
{
    return before_wait(&next_wait4, arguments[2]);
}

void *hpp__before_wait3(const long arguments[])
{
    return before_wait(&next_wait3, arguments[1]);
}

void *hpp__before_waitid(const long arguments[])
{
    return before_wait(&next_waitid, arguments[3]);
}

#define WATCHED(name, before) HPP_ASM_FUNCTION(".globl", #name, HPP_CALL_THEN_JUMP(#before, "0"))
WATCHED(waitpid, hpp__before_waitpid);
WATCHED(wait4, hpp__before_wait4);
WATCHED(wait3, hpp__before_wait3);
WATCHED(waitid, hpp__before_waitid);
