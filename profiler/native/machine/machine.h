/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What depends on the processor, for the code inside the profiled program: system calls, registers,
 * the shape of frames, signal frames, and functions in assembly. Each machine has one file, with
 * the same names in the same order; x86_64.h documents them.
 */
#ifndef HPP_NATIVE_MACHINE_MACHINE_H
#define HPP_NATIVE_MACHINE_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include "x86_64.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#else
#error "add a file for this processor"
#endif

#endif
