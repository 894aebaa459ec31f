/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clocks of a profile: one for its x axis, and one for its ticks.
 */
#ifndef HPPROF_CLOCK_H
#define HPPROF_CLOCK_H

#include <stdint.h>

#include "hpfile/error.h"

HPF_BEGIN_DECLS

/* The clock of censuses and of the profile's x axis, in nanoseconds; it never goes back. Threads:
 * `now_ns` may be called from any thread. */
typedef struct hpp_clock {
    uint64_t (*now_ns)(void *context);
    void *context;
} hpp_clock;

/* Processor time of the process, and elapsed time. */
HPF_API extern const hpp_clock hpp_clock_cpu;
HPF_API extern const hpp_clock hpp_clock_wall;

/* The source of the ticks of a time profile. */
typedef enum hpp_ticker {
    HPP_TICKER_THREAD, /* a thread that reads the processor time of every other thread */
    HPP_TICKER_SIGNAL, /* SIGPROF: the only ticker that knows addresses (-B), and the only one that
                          takes a signal from the program. One per process */
    HPP_TICKER_NONE,   /* the program calls hpp_ccs_tick */
} hpp_ticker;

HPF_END_DECLS
#endif
