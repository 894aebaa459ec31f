/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A filter is a program of classic BPF, which only jumps forwards (Documentation/userspace-api/
 * seccomp_filter.rst in the kernel). It is followed with a known number of the call and unknown
 * arguments: at a condition on these, both ways are.
 */
#include "seccomp_filter.h"

#include <dirent.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "native/collector/image/proc.h"
#include "native/machine/linux_numbers.h"

enum { MOST_STEPS = 1 << 20 }; /* in a filter, for one call */

/* What the library and the functions of libc that it calls may ask of the kernel. */
#define CALL(name)                                                                                 \
    {                                                                                              \
        SYS_##name, #name                                                                          \
    }
static const struct {
    uint32_t number;
    const char *name;
} calls[] = {
    CALL(brk),           CALL(clock_gettime),  CALL(clone),
    CALL(clone3),        CALL(close),          CALL(close_range),
    CALL(connect),       CALL(dup3),           CALL(faccessat),
    CALL(fcntl),         CALL(fstat),          CALL(ftruncate),
    CALL(futex),         CALL(getdents64),     CALL(getpid),
    CALL(getppid),       CALL(getrandom),      CALL(gettid),
    CALL(kill),          CALL(lseek),          CALL(madvise),
    CALL(memfd_create),  CALL(mincore),        CALL(mmap),
    CALL(mprotect),      CALL(mremap),         CALL(munmap),
    CALL(nanosleep),     CALL(newfstatat),     CALL(openat),
    CALL(ppoll),         CALL(prctl),          CALL(pread64),
    CALL(prlimit64),     CALL(pwrite64),       CALL(read),
    CALL(readlinkat),    CALL(recvfrom),       CALL(recvmsg),
    CALL(rt_sigaction),  CALL(rt_sigprocmask), CALL(rt_sigreturn),
    CALL(sched_yield),   CALL(seccomp),        CALL(sendmsg),
    CALL(sendto),        CALL(socket),         CALL(socketpair),
    CALL(tgkill),        CALL(timer_create),   CALL(timer_delete),
    CALL(timer_settime), CALL(wait4),          CALL(write),
};

/* The accumulator of a filter. */
typedef struct value {
    uint32_t number;
    bool is_known;
} value;

typedef struct walk {
    const struct sock_filter *filter;
    size_t n;
    uint32_t call;
    size_t n_steps;
} walk;

static value load(const walk *w, uint32_t offset)
{
    value v = {0, true};
    if (offset == offsetof(struct seccomp_data, nr)) {
        v.number = w->call;
    } else if (offset == offsetof(struct seccomp_data, arch)) {
        v.number = AUDIT_ARCH_X86_64;
    } else {
        v.is_known = false;
    }
    return v;
}

static bool holds(const struct sock_filter *i, uint32_t a)
{
    switch (BPF_OP(i->code)) {
    case BPF_JEQ:
        return a == i->k;
    case BPF_JGT:
        return a > i->k;
    case BPF_JGE:
        return a >= i->k;
    default: /* BPF_JSET */
        return (a & i->k) != 0;
    }
}

/* Follows a filter from an instruction on. Returns false if any way does harm, or is not known. */
static bool follow(walk *w, size_t at, value a)
{
    while (at < w->n && w->n_steps++ < MOST_STEPS) {
        const struct sock_filter *i = &w->filter[at++];
        uint32_t action = i->k & SECCOMP_RET_ACTION_FULL;
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            a = load(w, i->k);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a.number &= i->k;
            break;
        case BPF_JMP | BPF_JA:
            at += i->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGT | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            if (!a.is_known && !follow(w, at + i->jt, a)) {
                return false;
            }
            at += a.is_known && holds(i, a.number) ? i->jt : i->jf;
            break;
        case BPF_RET | BPF_K:
            return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
                   action == SECCOMP_RET_ERRNO;
        default:
            return false;
        }
    }
    return false;
}

bool hpp__seccomp_is_harmless(const struct sock_filter *filter, size_t n_instructions,
                              uint32_t number)
{
    walk w = {filter, n_instructions, number, 0};
    return follow(&w, 0, (value){0, true});
}

static hpf_status check_filter(const struct sock_filter *filter, size_t n, hpf_error *err)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!hpp__seccomp_is_harmless(filter, n, calls[i].number)) {
            return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                 "it has restricted its system calls (seccomp), and %s may end it",
                                 calls[i].name);
        }
    }
    return HPF_OK;
}

/* Returns whether all threads of a process have as many filters as this one. */
static bool is_like_all(uint32_t process_id, uint32_t thread_id)
{
    uint64_t n_filters = hpp__proc_filters(process_id, thread_id);
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task", (unsigned)process_id);
    DIR *threads = opendir(path);
    bool is_same = threads != NULL;
    for (const struct dirent *e; is_same && (e = readdir(threads));) {
        uint32_t id = (uint32_t)strtoul(e->d_name, NULL, 10);
        is_same = id == 0 || hpp__proc_filters(process_id, id) == n_filters;
    }
    if (threads) {
        closedir(threads);
    }
    return is_same;
}

hpf_status hpp__seccomp_check(uint32_t process_id, uint32_t thread_id, hpf_error *err)
{
    struct sock_filter filter[BPF_MAXINSNS];
    uint32_t mode = hpp__proc_seccomp(process_id);
    hpf_status status = HPF_OK;
    if (mode == SECCOMP_MODE_DISABLED) {
        return HPF_OK;
    }
    if (mode != SECCOMP_MODE_FILTER || !is_like_all(process_id, thread_id)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "it has restricted its system calls (seccomp)%s",
                             mode == SECCOMP_MODE_FILTER ? ", each thread in its own way" : "");
    }
    for (unsigned long i = 0; status == HPF_OK; i++) {
        long n = ptrace(PTRACE_SECCOMP_GET_FILTER, (pid_t)thread_id, i, filter);
        if (n < 0 && errno == ENOENT && i > 0) {
            break;
        }
        status = n >= 0 ? check_filter(filter, (size_t)n, err)
                        : hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                        "it has restricted its system calls (seccomp), and the "
                                        "filter cannot be read (root can, outside of containers)");
    }
    return status;
}
