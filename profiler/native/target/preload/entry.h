/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries: the functions that a profiled program calls instead of its allocator. An entry is a few
 * instructions that append the caller's return address, stack pointer and frame pointer to the
 * arguments, and jump to a C function. So that function gets its caller's frame exactly, without a
 * frame of its own in between.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_ENTRY_H
#define HPP_NATIVE_TARGET_PRELOAD_ENTRY_H

#include "native/machine/machine.h"

/* An entry with one, two or three arguments of its own. */
#define HPP_ENTRY(name, n_arguments, function)                                                     \
    HPP_ASM_FUNCTION(".globl", #name, HPP_CALLER_AFTER_##n_arguments HPP_JUMP(#function))

/* The same, with the type that the function has for the program. */
#define HPP_TYPED_ENTRY(type, name, parameters, n_arguments, function)                             \
    HPP_TYPED_ASM_FUNCTION(type, name, parameters,                                                 \
                           HPP_CALLER_AFTER_##n_arguments HPP_JUMP(#function))

/* The appended arguments, as the C function declares and uses them. */
#define HPP_CALLER_PARAMETERS uintptr_t pc, uintptr_t sp, uintptr_t fp
#define HPP_CALLER            ((hpp_caller){pc, sp, fp})

#endif
