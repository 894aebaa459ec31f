/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Entries: the functions that a profiled program calls instead of its allocator. An entry is a few
 * instructions that append the caller's return address, stack pointer and frame pointer to the
 * arguments, and jump to a C function. So that function gets its caller's frame exactly, without a
 * frame of its own in between.
 */
#ifndef HPP_NATIVE_ENTRY_H
#define HPP_NATIVE_ENTRY_H

#include <stdint.h>

/* A function in assembly; `scope` is .globl or .local. */
#define HPP_ASM_FUNCTION(scope, name, body)                                                        \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n" scope " " name "\n"                                                     \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n" body ".cfi_endproc\n"                                                      \
            ".size " name ", . - " name "\n"                                                       \
            ".popsection\n")

#define HPP_CALLER_IN(pc, sp, fp)                                                                  \
    "movq (%rsp), " pc "\n"                                                                        \
    "leaq 8(%rsp), " sp "\n"                                                                       \
    "movq %rbp, " fp "\n"

/* Entries with one, two or three arguments of their own. */
#define HPP_CALLER_AFTER_1 HPP_CALLER_IN("%rsi", "%rdx", "%rcx")
#define HPP_CALLER_AFTER_2 HPP_CALLER_IN("%rdx", "%rcx", "%r8")
#define HPP_CALLER_AFTER_3 HPP_CALLER_IN("%rcx", "%r8", "%r9")

#define HPP_ENTRY(name, n_arguments, function)                                                     \
    HPP_ASM_FUNCTION(".globl", #name, HPP_CALLER_AFTER_##n_arguments "jmp " #function "\n")

/* The appended arguments, as the C function declares and uses them. */
#define HPP_CALLER_PARAMETERS uintptr_t pc, uintptr_t sp, uintptr_t fp
#define HPP_CALLER            ((hpp_caller){pc, sp, fp})

#endif
