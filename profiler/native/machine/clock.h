/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The clocks of the processor and of the system, for the profiled program and the collector.
 */
#ifndef HPP_NATIVE_MACHINE_CLOCK_H
#define HPP_NATIVE_MACHINE_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)

/* Returns a clock of the processor: it advances by one at least every cycle. */
static inline uint64_t hpp__clock(void)
{
    return __builtin_ia32_rdtsc();
}

/* Returns by how much the clock may advance at once. */
static inline uint64_t hpp__clock_step(void)
{
    return 0;
}

#elif defined(__aarch64__)

/* The system counter is slower than the processor, which makes at most 2^33 cycles a second. */
static inline uint64_t hpp__clock_step(void)
{
    uint64_t frequency;
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    return ((uint64_t)1 << 33) / (frequency | 1) + 1;
}

static inline uint64_t hpp__clock(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks * hpp__clock_step();
}

#else
#error "add the clock of this processor"
#endif

/* Returns the time since the system was started, as of CLOCK_MONOTONIC. */
static inline uint64_t hpp__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
