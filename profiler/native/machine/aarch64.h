/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 64-bit ARM. Sources: Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64); DWARF for
 * the same; ELF for the same. A return address may be signed (pointer authentication): then its
 * upper bits are a code.
 */
#ifndef HPP_NATIVE_MACHINE_AARCH64_H
#define HPP_NATIVE_MACHINE_AARCH64_H

/* ---- the processor --------------------------------------------------------------------------- */

/* Kernels are built for pages of 4, 16 or 64 KiB. */
enum { HPP_LARGEST_PAGE_BYTES = 65536 };

/* The stack pointer is always aligned. */
#define HPP_ANY_STACK

static inline long hpp__bare_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
}

static inline uintptr_t hpp__thread_pointer(void)
{
    return (uintptr_t)__builtin_thread_pointer();
}

static inline bool hpp__is_fork(long number)
{
    (void)number;
    return false;
}

/* A pair of exclusive instructions, or one of ARMv8.1: an interruption makes the former repeat. It
 * releases, as stores of x86-64 do: a reader that sees a free also sees the allocation before. */
static inline void hpp__add_own(_Atomic uint64_t *counter, uint64_t n)
{
    __atomic_fetch_add((uint64_t *)(uintptr_t)counter, n, __ATOMIC_RELEASE);
}

/* ---- registers and frames -------------------------------------------------------------------- */

enum {
    HPP_CFI_PRESERVED = 19,
    HPP_CFI_FP = 29,
    HPP_CFI_RETURN = 30,
    HPP_CFI_SP = 31,
    HPP_CFI_PC = 32, /* not in tables */
    HPP_CFI_N_REGISTERS = 33
};

#define HPP_CALL_PUSHES 0

/* Addresses of programs have 48 bits, unless they ask for more. */
static inline uintptr_t hpp__return_address(uintptr_t word)
{
    return word & (((uintptr_t)1 << 48) - 1);
}

/* The two are a frame record: the return address follows the frame pointer. */
static inline intptr_t hpp__return_offset(intptr_t offset, bool keeps_fp)
{
    return keeps_fp ? offset : offset + 8;
}

static inline bool hpp__is_usual_frame(int64_t *offset, bool keeps_fp, int64_t fp_offset,
                                       int64_t return_offset)
{
    *offset = keeps_fp ? return_offset : fp_offset;
    return keeps_fp || return_offset == fp_offset + 8;
}

/* BL, BLR, and BLR with authentication. */
static inline bool hpp__ends_with_call(uint64_t before)
{
    uint32_t code = (uint32_t)(before >> 32);
    return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000 ||
           (code & 0xfefff800) == 0xd63f0800;
}

static inline void hpp__interrupted_registers(uintptr_t out[HPP_CFI_N_REGISTERS],
                                              const ucontext_t *context)
{
    for (unsigned i = 0; i < HPP_CFI_SP; i++) {
        out[i] = context->uc_mcontext.regs[i];
    }
    out[HPP_CFI_SP] = context->uc_mcontext.sp;
    out[HPP_CFI_PC] = context->uc_mcontext.pc;
}

/* The kernel's code for it, "mov x8, #139; svc #0", has no tables. The stack pointer belongs to a
 * siginfo_t, which a ucontext_t follows. */
#define HPP_SIGNAL_REGISTERS                                                                       \
    ((int64_t)(sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, regs)))
static inline bool hpp__is_end_of_signal(uint64_t code)
{
    return code == 0xd4000001d2801168;
}

static inline __attribute__((always_inline)) uint64_t
hpp__preserved_registers(uintptr_t out[HPP_CFI_N_REGISTERS])
{
    __asm__ volatile("stp x19, x20, [%0, #152]\n\t"
                     "stp x21, x22, [%0, #168]\n\t"
                     "stp x23, x24, [%0, #184]\n\t"
                     "stp x25, x26, [%0, #200]\n\t"
                     "stp x27, x28, [%0, #216]\n\t"
                     "stp x29, x30, [%0, #232]\n\t"
                     "mov x9, sp\n\t"
                     "adr x10, .\n\t"
                     "stp x9, x10, [%0, #248]"
                     :
                     : "r"(out)
                     : "x9", "x10", "memory");
    return (uint64_t)0x3fff << HPP_CFI_PRESERVED;
}

/* The words of a jmp_buf are encoded with a number that a buffer of our own shows. */
static inline uintptr_t hpp__jump_sp(const uintptr_t *buffer)
{
    enum { SP_WORD = 13, BUFFER_WORDS = 64 };
    uintptr_t own[BUFFER_WORDS];
    register uintptr_t *x0 __asm__("x0") = own;
    uintptr_t sp;
    __asm__ volatile("bl _setjmp\n\tmov %1, sp"
                     : "+r"(x0), "=&r"(sp)
                     :
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x30", "memory", "cc");
    return buffer[SP_WORD] ^ own[SP_WORD] ^ sp;
}

#define HPP_RELOCATION_SLOT    R_AARCH64_JUMP_SLOT
#define HPP_RELOCATION_GOT     R_AARCH64_GLOB_DAT
#define HPP_RELOCATION_POINTER R_AARCH64_ABS64

/* ---- functions in assembly ------------------------------------------------------------------- */

/* hint #34 is bti c, which allows calls and jumps to the function. */
#define HPP_ASM_FUNCTION(scope, name, body)                                                        \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n" scope " " name "\n"                                                     \
            ".type " name ", %function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "hint #34\n" body ".cfi_endproc\n"                                                     \
            ".size " name ", . - " name "\n"                                                       \
            ".popsection\n")

/* gcc has no functions in assembly with a type for this processor. */
#define HPP_TYPED_ASM_FUNCTION(type, name, parameters, body)                                       \
    type name parameters;                                                                          \
    HPP_ASM_FUNCTION(".globl", #name, body)

#define HPP_CALLER_IN(pc, sp, fp)                                                                  \
    "mov " pc ", x30\n"                                                                            \
    "mov " sp ", sp\n"                                                                             \
    "mov " fp ", x29\n"
#define HPP_CALLER_AFTER_1 HPP_CALLER_IN("x1", "x2", "x3")
#define HPP_CALLER_AFTER_2 HPP_CALLER_IN("x2", "x3", "x4")
#define HPP_CALLER_AFTER_3 HPP_CALLER_IN("x3", "x4", "x5")

/* Eight arguments are in registers; the ninth is on the stack. */
#define HPP_CALL_AFTER_6(function)                                                                 \
    "sub sp, sp, #32\n.cfi_def_cfa_offset 32\n"                                                    \
    "stp x29, x30, [sp, #16]\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"                           \
    "str x29, [sp]\n"                                                                              \
    "mov x6, x30\n"                                                                                \
    "add x7, sp, #32\n"                                                                            \
    "add x29, sp, #16\n"                                                                           \
    "bl " function "\n"                                                                            \
    "ldp x29, x30, [sp, #16]\n.cfi_restore 29\n.cfi_restore 30\n"                                  \
    "add sp, sp, #32\n.cfi_def_cfa_offset 0\n"                                                     \
    "ret\n"

#define HPP_JUMP(function) "b " function "\n"
#define HPP_JUMP_AT(variable, offset)                                                              \
    "adrp x16, " variable "+" offset "\n"                                                          \
    "ldr x16, [x16, :lo12:" variable "+" offset "]\n"                                              \
    "br x16\n"

#define HPP_ARGUMENT_1 "x0"
#define HPP_ARGUMENT_2 "x1"

#define HPP_IF_SUBTRACTED(argument, variable)                                                      \
    "adrp x16, :gottprel:" variable "\n"                                                           \
    "ldr x16, [x16, :gottprel_lo12:" variable "]\n"                                                \
    "mrs x17, tpidr_el0\n"                                                                         \
    "ldr x9, [x17, x16]\n"                                                                         \
    "subs x9, x9, " argument "\n"                                                                  \
    "b.ls 1f\n"                                                                                    \
    "str x9, [x17, x16]\n"
#define HPP_IF_UP_TO(argument, number) "cmp " argument ", #" number "\nb.hi 1f\n"
#define HPP_ELSE                       "1:\n"

#define HPP_RAISE(argument, number)                                                                \
    "mov x9, #" number "\n"                                                                        \
    "cmp " argument ", x9\n"                                                                       \
    "csel " argument ", x9, " argument ", lo\n"

#define HPP_CALL_AT(variable, offset)                                                              \
    "stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n"                                          \
    ".cfi_offset 29, -16\n.cfi_offset 30, -8\n"                                                    \
    "mov x29, sp\n"                                                                                \
    "adrp x16, " variable "+" offset "\n"                                                          \
    "ldr x16, [x16, :lo12:" variable "+" offset "]\n"                                              \
    "blr x16\n"                                                                                    \
    "ldp x29, x30, [sp], #16\n.cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"           \
    "ret\n"

#define HPP_CALL_THEN_JUMP(function, number)                                                       \
    "stp x29, x30, [sp, #-80]!\n.cfi_def_cfa_offset 80\n"                                          \
    ".cfi_offset 29, -80\n.cfi_offset 30, -72\n"                                                   \
    "mov x29, sp\n"                                                                                \
    "stp x0, x1, [sp, #16]\n"                                                                      \
    "stp x2, x3, [sp, #32]\n"                                                                      \
    "stp x4, x5, [sp, #48]\n"                                                                      \
    "stp x6, x7, [sp, #64]\n"                                                                      \
    "add x0, sp, #16\n"                                                                            \
    "mov x1, #" number "\n"                                                                        \
    "add x2, sp, #80\n"                                                                            \
    "mov x3, x30\n"                                                                                \
    "bl " function "\n"                                                                            \
    "mov x16, x0\n"                                                                                \
    "ldp x0, x1, [sp, #16]\n"                                                                      \
    "ldp x2, x3, [sp, #32]\n"                                                                      \
    "ldp x4, x5, [sp, #48]\n"                                                                      \
    "ldp x6, x7, [sp, #64]\n"                                                                      \
    "ldp x29, x30, [sp], #80\n.cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"           \
    "br x16\n"

#define HPP_CALL_THEN_START(function)                                                              \
    "stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n"                                          \
    ".cfi_offset 29, -16\n.cfi_offset 30, -8\n"                                                    \
    "mov x29, sp\n"                                                                                \
    "bl " function "\n"                                                                            \
    "mov x16, x0\n"                                                                                \
    "mov x0, x1\n"                                                                                 \
    "ldp x29, x30, [sp], #16\n.cfi_restore 29\n.cfi_restore 30\n.cfi_def_cfa_offset 0\n"           \
    "br x16\n"

/* After a jump, the frame of the function was below the stack pointer. */
#define HPP_ENTRY_FRAME "mov x2, x29\n"
#define HPP_EXIT_FRAME                                                                             \
    "mov x2, x29\n"                                                                                \
    "cmp x30, x1\n"                                                                                \
    "b.ne 1f\n"                                                                                    \
    "sub x2, sp, #16\n"                                                                            \
    "1:\n"

#define HPP_END_OF_SIGNAL "mov x8, #139\nsvc #0\n"

#endif
