/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether the filters of system calls that a process lives under (seccomp(2)), as in containers,
 * let the library make its calls.
 */
#ifndef HPP_NATIVE_COLLECTOR_ATTACH_SECCOMP_FILTER_H
#define HPP_NATIVE_COLLECTOR_ATTACH_SECCOMP_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hpfile/error.h"

/* Returns whether a filter allows a system call, or makes it fail, whatever its arguments are: it
 * neither ends the thread, nor sends it a signal, nor asks another process. */
bool hpp__seccomp_is_harmless(const struct sock_filter *filter, size_t n_instructions,
                              uint32_t number);

/* Checks the filters of a process, if it has any: those of a thread, which this thread traces and
 * has stopped. Other threads must have as many, and are taken to have the same. Errors: UNSUPPORTED
 * if a filter may harm the process, or cannot be read. */
hpf_status hpp__seccomp_check(uint32_t process_id, uint32_t thread_id, hpf_error *err);

#endif
