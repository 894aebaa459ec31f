/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GNU C and system calls for the code inside the profiled program.
 *
 * System calls do not go through libc: they preserve errno, are no cancellation points, work before
 * libc has started, and are not seen by programs that replace libc's functions.
 */
#ifndef HPP_NATIVE_WINDOW_PLATFORM_H
#define HPP_NATIVE_WINDOW_PLATFORM_H

#include <sys/resource.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "native/machine/clock.h"
#include "native/machine/machine.h"

#define HPP_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define HPP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define HPP_ASSUME(condition)   ((condition) ? (void)0 : __builtin_unreachable())
#define HPP_NO_INLINE           __attribute__((noinline))
#define HPP_ALWAYS_INLINE       static inline __attribute__((always_inline))
#define HPP_COLD                __attribute__((cold, noinline))
/* Aligns a large array. The linker puts all small variables after these, side by side
 * (CMakeLists.txt), so that a process touches few pages. */
#define HPP_LARGE        _Alignas(HPP_LARGEST_PAGE_BYTES)
#define HPP_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
/* For frequently used variables, which the compiler then accesses directly. */
#define HPP_HIDDEN __attribute__((visibility("hidden")))
#define HPP_EXPORT __attribute__((visibility("default")))

/* For functions that read stack frames of other functions, which sanitizers report as errors. */
#define HPP_UNSANITIZED                                                                            \
    __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

/* Whether the program has given up system calls (watched_calls.c): it may be killed for any that it
 * does not make itself. */
typedef enum hpp_isolation {
    HPP_NOT_ISOLATED,
    HPP_ISOLATED_BY_FILTER, /* allows at least what malloc needs */
    HPP_ISOLATED_STRICTLY,  /* allows read, write and the end of a thread only */
} hpp_isolation;
extern HPP_HIDDEN _Atomic uint32_t hpp__isolation;

/* Returns whether a system call cannot harm the program. */
static inline bool hpp__may_call(long number)
{
    uint32_t isolation = atomic_load_explicit(&hpp__isolation, memory_order_relaxed);
    return HPP_LIKELY(isolation == HPP_NOT_ISOLATED) ||
           (isolation == HPP_ISOLATED_BY_FILTER && (number == SYS_mmap || number == SYS_munmap));
}

/* Whether reading the clock of the processor would kill the program (seccomp, PR_SET_TSC). */
extern HPP_HIDDEN atomic_bool hpp__has_no_time_stamp;

/* Returns the clock of the processor (hpp__clock); 0 if it cannot be read. */
static inline uint64_t hpp__time_stamp(void)
{
    return HPP_LIKELY(!atomic_load_explicit(&hpp__has_no_time_stamp, memory_order_relaxed))
               ? hpp__clock()
               : 0;
}

/* Returns at least by how much the clock has advanced between two time stamps; UINT64_MAX if one is
 * 0. */
static inline uint64_t hpp__time_between(uint64_t before, uint64_t after)
{
    if (before == 0 || after == 0) {
        return UINT64_MAX;
    }
    return (after > before ? after - before : 0) + hpp__clock_step();
}

/* Returns the result of a system call; from -4095 to -1 it is a negated errno. Returns -EPERM and
 * does nothing if the program has isolated itself. */
static inline long hpp__syscall(long number, long a, long b, long c, long d, long e, long f)
{
    return hpp__may_call(number) ? hpp__bare_syscall(number, a, b, c, d, e, f) : -EPERM;
}

/* Returns CLOCK_MONOTONIC; 0 if the program has isolated itself. */
static inline uint64_t hpp__system_ns(void)
{
    struct timespec now = {0};
    hpp__syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t hpp__round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Returns whether the library may take more address space, and counts it as taken. Under a limit
 * (RLIMIT_AS; RLIMIT_DATA for private memory), the limit is raised by as much (platform.h).
 * Where that is not possible, it takes at most a quarter: the program has first claim to it. */
bool hpp__claim_addresses(size_t n_bytes, bool is_private);
void hpp__unclaim_addresses(size_t n_bytes, bool is_private);

/* Maps zeroed private memory, which takes pages when they are touched. Returns NULL on failure. */
void *hpp__map(size_t n_bytes);
void hpp__unmap(void *place, size_t n_bytes);

/* The same for what each process needs. Small pieces are memory of the library itself, until that
 * is used up; hpp__unmap leaves them alone. Pieces smaller than a page share one. */
void *hpp__map_near(size_t n_bytes);

/* Clears such memory from its beginning on. The kernel takes whole pages back until they are
 * touched. */
void hpp__clear(void *place, size_t n_bytes);

/* As hpp__map_near, for memory that its user can do without. With `hpp__caches_stay`, it is zero in
 * each copy of the process: so the kernel need not copy a page that is written while there is one.
 */
extern HPP_HIDDEN bool hpp__caches_stay;
void *hpp__map_cache(size_t n_bytes);

/* What hpp__map has mapped, for the collector: it reads this in images. */
extern HPP_HIDDEN struct hpp_own_maps hpp__own_maps;

/* Two words, to compare them in one instruction. */
typedef uint64_t hpp_pair __attribute__((vector_size(16), may_alias));

static inline hpp_pair hpp__pair_of(uint64_t low)
{
    return (hpp_pair){low, 0};
}

static inline hpp_pair hpp__pair_at(const void *low, const void *high)
{
    typedef uint64_t word __attribute__((aligned(1), may_alias));
    return (hpp_pair){*(const word *)low, *(const word *)high};
}

static inline hpp_pair hpp__pair_in(const uint64_t *aligned)
{
    return *(const hpp_pair *)(const void *)aligned;
}

static inline int hpp__pair_is_zero(hpp_pair pair)
{
    return (pair[0] | pair[1]) == 0;
}

/* Two 32-bit numbers by one load. */
static inline uint64_t hpp__two_offsets(const uint32_t *offsets)
{
    typedef uint64_t word __attribute__((aligned(4), may_alias));
    return *(const word *)offsets;
}

/* ---- limits of memory ------------------------------------------------------------------------ */

/* Limits of memory. What this library takes would count against the limits that the program sets
 * for itself (RLIMIT_AS, RLIMIT_DATA). So the kernel gets them with that much more, and the program
 * sees its own. Without a privilege, a limit cannot be raised above the upper one that the process
 * was started with; an upper limit that the program sets leaves some room in the kernel.
 *
 * Threads: any, also signal handlers. A process that is not the one of hpp__limits_start, as a
 * child of vfork, sets limits as they are. */
typedef enum hpp_limit_kind {
    HPP_LIMIT_ADDRESSES, /* RLIMIT_AS */
    HPP_LIMIT_DATA,      /* RLIMIT_DATA */
    HPP_N_LIMITS
} hpp_limit_kind;

/* Starts in a process, or again in a forked child. The library itself is so large. */
void hpp__limits_start(uint64_t n_bytes, uint64_t n_private_bytes);

/* What the library has taken of each limit; the collector reads it. */
extern HPP_HIDDEN _Atomic uint64_t hpp__taken_bytes[HPP_N_LIMITS];

/* Get and set a limit as the program sees it. Return 0 or a negated errno. */
long hpp__limit_get(hpp_limit_kind kind, struct rlimit *out);
long hpp__limit_set(hpp_limit_kind kind, const struct rlimit *wanted);

typedef struct hpp_limits_shown {
    bool is_set[HPP_N_LIMITS], is_lowered[HPP_N_LIMITS];
    struct rlimit own[HPP_N_LIMITS];
} hpp_limits_shown;

/* Gives the kernel the limits that the program sees, before another program is started, which
 * inherits them. If this process does not become that program, the upper limits stay, and so do
 * limits that the process has reached with what the library has taken. The second function takes
 * them back, and gives a new process, if it is known, the limits that it should have. */
hpp_limits_shown hpp__limits_show(bool becomes_other);
void hpp__limits_hide(const hpp_limits_shown *shown, int process_id);

#endif
