/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The loader of another C library, as far as the tests need one: it prints whether variables of
 * `census run` are in the environment, and ends. It has no libc of its own.
 */
#include "native/machine/machine.h"

void begin(const long *stack);

__asm__(".globl _start\n"
        "_start:\n"
        "movq %rsp, %rdi\n"
        "andq $-16, %rsp\n"
        "call begin\n");

static int begins_with(const char *text, const char *beginning)
{
    while (*beginning && *text == *beginning) {
        text++;
        beginning++;
    }
    return *beginning == '\0';
}

/* The stack holds the number of arguments, these, a NULL, and the environment. */
void begin(const long *stack)
{
    static const char clean[] = "hello\n", spoilt[] = "spoilt\n";
    const char *const *entry = (const char *const *)(stack + 1) + stack[0] + 1;
    int is_spoilt = 0;
    for (; *entry; entry++) {
        is_spoilt |= begins_with(*entry, "LD_PRELOAD=") || begins_with(*entry, "CENSUS_RUN=");
    }
    hpp__bare_syscall(SYS_write, 1, (long)(is_spoilt ? spoilt : clean),
                      is_spoilt ? sizeof spoilt - 1 : sizeof clean - 1, 0, 0, 0);
    hpp__bare_syscall(SYS_exit_group, is_spoilt ? 127 : 5, 0, 0, 0, 0, 0);
}
