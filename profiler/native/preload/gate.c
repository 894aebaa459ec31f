/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The gates do not touch the stack and the flags: a system call leaves all registers but rax, rcx
 * and r11 as they are, and no instruction that follows changes a flag.
 */
#include "gate.h"

#include "entry.h"
#include "native/window/platform.h"

/* Used by the assembly code and by the collector only. */
extern HPP_HIDDEN hpp_gate_registers hpp__gate_registers;
hpp_gate_registers hpp__gate_registers;

void hpp__gate(void);
void hpp__fork_gate(void);

HPP_ASM_FUNCTION(".hidden hpp__gate\n.globl", "hpp__gate",
                 "syscall\n"
                 "1:\n"
                 "movl $14, %eax\n" /* rt_sigprocmask */
                 "movl $2, %edi\n"  /* SIG_SETMASK */
                 "leaq 80+hpp__gate_registers(%rip), %rsi\n"
                 "movl $0, %edx\n"
                 "movl $8, %r10d\n"
                 "syscall\n"
                 "movq hpp__gate_registers(%rip), %rax\n"
                 "movq 8+hpp__gate_registers(%rip), %rdi\n"
                 "movq 16+hpp__gate_registers(%rip), %rsi\n"
                 "movq 24+hpp__gate_registers(%rip), %rdx\n"
                 "movq 32+hpp__gate_registers(%rip), %r10\n"
                 "movq 40+hpp__gate_registers(%rip), %r8\n"
                 "movq 48+hpp__gate_registers(%rip), %r9\n"
                 "movq 56+hpp__gate_registers(%rip), %rcx\n"
                 "movq 64+hpp__gate_registers(%rip), %r11\n"
                 "jmp *72+hpp__gate_registers(%rip)\n"
                 ".hidden hpp__fork_gate\n"
                 ".globl hpp__fork_gate\n"
                 "hpp__fork_gate:\n"
                 "endbr64\n"
                 "syscall\n"
                 "movq %rax, %rcx\n"
                 "jrcxz 2f\n"
                 "jmp 1b\n"
                 "2:\n"
                 "movl $231, %eax\n" /* exit_group */
                 "syscall\n"
                 "hlt\n");

hpp_window_gates hpp__gates(void)
{
    return (hpp_window_gates){(uintptr_t)hpp__gate, (uintptr_t)hpp__fork_gate,
                              (uintptr_t)&hpp__gate_registers};
}
