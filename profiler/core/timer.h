/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clock ticks for the time profile: who looks, how often, and which stack pays.
 */
#ifndef HPP_TIMER_H
#define HPP_TIMER_H

#include <pthread.h>

#include "hpprof/clock.h"
#include "address_histogram.h"

/* All members but the first three are the ticker's. */
typedef struct hpp__timer {
    hpp_ticker kind;
    uint64_t tick_ns;
    hpp__address_histogram *places; /* NULL, or where ticks are counted by address */
    bool is_running;
    bool is_over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake_up;
} hpp__timer;

/* Errors: IO when the system has no thread or timer; UNSUPPORTED when another timer of the process
 * has the signal. */
hpf_status hpp__timer_start(hpp__timer *timer, hpf_error *err);

/* Stops, after crediting what is due. Accepts a timer that does not run. */
void hpp__timer_stop(hpp__timer *timer);

#endif
