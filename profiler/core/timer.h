/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clock ticks of the time profile.
 */
#ifndef HPP_TIMER_H
#define HPP_TIMER_H

#include <pthread.h>

#include "hpprof/clock.h"
#include "address_histogram.h"

/* The caller sets the first three members. */
typedef struct hpp__timer {
    hpp_ticker kind;
    uint64_t tick_ns;
    hpp__address_histogram *places; /* counts ticks by address; may be NULL */
    bool is_running;
    bool is_over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake_up;
} hpp__timer;

/* Starts ticks. Errors: IO if the system has no thread or timer left; UNSUPPORTED if another timer
 * of the process uses the signal. */
hpf_status hpp__timer_start(hpp__timer *timer, hpf_error *err);

/* Charges the time that is due, and stops. Does nothing if the timer does not run. */
void hpp__timer_stop(hpp__timer *timer);

#endif
