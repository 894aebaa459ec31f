/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of hpprof/log.h with a time of the caller's.
 */
#ifndef HPP_LOG_H
#define HPP_LOG_H

#include "hpprof/log.h"
#include "output.h"

/* A moment of an event log; without an output, nothing is written. */
typedef struct hpp__log_moment {
    hpp__output *output;
    double time_s;
} hpp__log_moment;

void hpp__log_thread(hpp__log_moment at, uint32_t thread, hpp_log_thread_event event,
                     uint16_t processor);
void hpp__log_thread_name(hpp__log_moment at, uint32_t thread, hpf_str name);
void hpp__log_allocated(hpp__log_moment at, uint64_t total_bytes);

#endif
