/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The processor in object files: programs and windows of others are refused.
 */
#ifndef HPP_NATIVE_MACHINE_OBJECT_KIND_H
#define HPP_NATIVE_MACHINE_OBJECT_KIND_H

#include <elf.h>

#if defined(__x86_64__)
#define HPP_MACHINE        EM_X86_64
#define HPP_MACHINE_LOADER "ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define HPP_MACHINE        EM_AARCH64
#define HPP_MACHINE_LOADER "ld-linux-aarch64.so.1"
#else
#error "add the numbers of this processor"
#endif

#endif
