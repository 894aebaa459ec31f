/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What filters of system calls may do to a process, with calls of unknown arguments.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "native/collector/attach/seccomp_filter.h"

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(test, k, jt, jf) BPF_JUMP(BPF_JMP | (test) | BPF_K, k, jt, jf)
#define RETURN(action)      BPF_STMT(BPF_RET | BPF_K, action)
#define HARMLESS(number, ...)                                                                      \
    hpp__seccomp_is_harmless(                                                                      \
        (const struct sock_filter[]){__VA_ARGS__},                                                 \
        sizeof(const struct sock_filter[]){__VA_ARGS__} / sizeof(struct sock_filter), number)

Test(seccomp_filter, actions)
{
    cr_expect(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_ALLOW)));
    cr_expect(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_LOG)));
    cr_expect(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_ERRNO | EPERM)));
    cr_expect_not(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_KILL_PROCESS)));
    cr_expect_not(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_KILL_THREAD)));
    cr_expect_not(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_TRAP)));
    cr_expect_not(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_TRACE)));
    cr_expect_not(HARMLESS(SYS_mmap, RETURN(SECCOMP_RET_USER_NOTIF)));
}

/* Only some calls are allowed, by a tree of comparisons. */
Test(seccomp_filter, allowed_calls)
{
    static const uint32_t calls[] = {SYS_read, SYS_mmap, SYS_futex, SYS_memfd_create};
    static const bool are_harmless[] = {true, true, false, true};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(HARMLESS(calls[i], LOAD(arch), IF(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0),
                              RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr),
                              IF(BPF_JGE, SYS_getdents64, 3, 0), IF(BPF_JGT, SYS_mmap, 1, 0),
                              RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS),
                              BPF_STMT(BPF_JMP | BPF_JA, 1), RETURN(SECCOMP_RET_TRAP),
                              IF(BPF_JEQ, SYS_getdents64, 0, 1), RETURN(SECCOMP_RET_TRAP),
                              RETURN(SECCOMP_RET_ALLOW)),
                     are_harmless[i], "call %u", calls[i]);
    }
}

/* A filter that looks at arguments is as harmful as its worst way. */
Test(seccomp_filter, arguments)
{
    cr_expect_not(HARMLESS(SYS_socket, LOAD(args[0]), IF(BPF_JEQ, 40, 0, 1),
                           RETURN(SECCOMP_RET_KILL_PROCESS), RETURN(SECCOMP_RET_ALLOW)));
    cr_expect_not(HARMLESS(SYS_socket, LOAD(args[0]), IF(BPF_JSET, 40, 0, 1),
                           RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS)));
    cr_expect(HARMLESS(SYS_clone, LOAD(args[0]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x7e020000),
                       IF(BPF_JEQ, 0, 1, 0), RETURN(SECCOMP_RET_ERRNO | EPERM),
                       RETURN(SECCOMP_RET_ALLOW)));
}

/* What it does not know, or what takes too long, is not harmless. */
Test(seccomp_filter, unknown)
{
    static struct sock_filter ways[BPF_MAXINSNS];
    for (size_t i = 0; i + 1 < BPF_MAXINSNS; i++) {
        ways[i] = (struct sock_filter)IF(BPF_JEQ, i, 0, 0);
    }
    ways[0] = (struct sock_filter)LOAD(args[0]);
    ways[BPF_MAXINSNS - 1] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    cr_expect_not(hpp__seccomp_is_harmless(ways, BPF_MAXINSNS, SYS_mmap));
    cr_expect_not(HARMLESS(SYS_mmap, BPF_STMT(BPF_RET | BPF_A, 0)));
    cr_expect_not(HARMLESS(SYS_mmap, LOAD(nr)), "it has no end");
}
