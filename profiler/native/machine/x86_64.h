/* SPDX-License-Identifier: BSD-2-Clause
 *
 * x86-64. Sources: System V ABI, AMD64 supplement: sections 3.2 (calls), 3.7 (unwinding), 4.4
 * (relocations); A.2 (system calls of Linux).
 */
#ifndef HPP_NATIVE_MACHINE_X86_64_H
#define HPP_NATIVE_MACHINE_X86_64_H

/* ---- the processor --------------------------------------------------------------------------- */

enum { HPP_LARGEST_PAGE_BYTES = 4096 };

/* For functions that the program calls: aligns the stack to 16 bytes. Assembly and some code
 * generators call malloc with an unaligned stack, which most allocators accept. The inlined
 * functions of the usual case do not need it: they keep only registers on the stack. */
#define HPP_ANY_STACK __attribute__((force_align_arg_pointer))

/* Makes a system call. Returns its result; from -4095 to -1 it is a negated errno. */
static inline long hpp__bare_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* Returns the thread pointer, by which the ABI of thread-local variables has each thread's data. */
static inline uintptr_t hpp__thread_pointer(void)
{
    uintptr_t pointer;
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

/* Returns whether a system call other than clone and clone3 forks. */
static inline bool hpp__is_fork(long number)
{
    return number == SYS_fork;
}

/* Adds to a counter that no other thread writes. It is one instruction, so a signal handler of the
 * same thread can use it as well; it takes no bus lock. */
static inline void hpp__add_own(_Atomic uint64_t *counter, uint64_t n)
{
    __asm__ volatile("addq %1, %0"
                     : "+m"(*(volatile uint64_t *)(uintptr_t)counter)
                     : "er"(n)
                     : "cc");
}

/* ---- registers and frames -------------------------------------------------------------------- */

/* DWARF's numbers of the registers. */
enum {
    HPP_CFI_PRESERVED = 3, /* rbx, one that calls preserve */
    HPP_CFI_FP = 6,        /* rbp */
    HPP_CFI_SP = 7,
    HPP_CFI_R12 = 12,
    HPP_CFI_RETURN = 16, /* the column of the return address in tables */
    HPP_CFI_PC = 16,     /* where the pc is kept */
    HPP_CFI_N_REGISTERS = 17
};

/* Whether a call stores the return address on the stack, right below the canonical frame address.
 */
#define HPP_CALL_PUSHES 1

/* Returns the return address that a word of the stack or a register holds. */
static inline uintptr_t hpp__return_address(uintptr_t word)
{
    return word;
}

/* Returns the place of the return address in a frame, from the canonical frame address. `offset` is
 * what hpp__is_usual_frame has stored. */
static inline intptr_t hpp__return_offset(intptr_t offset, bool keeps_fp)
{
    (void)offset;
    (void)keeps_fp;
    return -8;
}

/* Returns whether the frame pointer and the return address are saved where compilers save them, at
 * these offsets from the canonical frame address. Stores the one by which a rule finds both. */
static inline bool hpp__is_usual_frame(int64_t *offset, bool keeps_fp, int64_t fp_offset,
                                       int64_t return_offset)
{
    *offset = keeps_fp ? 0 : fp_offset;
    return return_offset == -8;
}

/* Returns whether the 8 bytes before a return address can end with a call: E8 rel32, or FF /2 with
 * one of the lengths that it can have. */
static inline bool hpp__ends_with_call(uint64_t before)
{
    enum { MAX_CALL_BYTES = 7 };
    uint8_t code[8];
    for (unsigned i = 0; i < 8; i++) {
        code[i] = (uint8_t)(before >> 8 * i);
    }
    bool is_call = code[3] == 0xe8;
    for (unsigned n = 2; n <= MAX_CALL_BYTES; n++) {
        is_call = is_call || (code[8 - n] == 0xff && (code[9 - n] >> 3 & 7) == 2);
    }
    return is_call;
}

/* Stores all registers of an interrupted context. */
static inline void hpp__interrupted_registers(uintptr_t out[HPP_CFI_N_REGISTERS],
                                              const ucontext_t *context)
{
    static const uint8_t place[HPP_CFI_N_REGISTERS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < HPP_CFI_N_REGISTERS; i++) {
        out[i] = (uintptr_t)context->uc_mcontext.gregs[place[i]];
    }
}

/* The return of a signal handler in the C library has tables. Where there are none, its code is
 * recognised, and all registers are this far from its stack pointer, in order; 0: never. */
#define HPP_SIGNAL_REGISTERS 0
static inline bool hpp__is_end_of_signal(uint64_t code)
{
    (void)code;
    return false;
}

/* Stores the registers that calls preserve, as they are here, and the pc. Returns the set of them.
 */
static inline __attribute__((always_inline)) uint64_t
hpp__preserved_registers(uintptr_t out[HPP_CFI_N_REGISTERS])
{
    __asm__ volatile("movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, 128(%0)"
                     :
                     : "r"(out)
                     : "rax", "memory");
    return 1u << HPP_CFI_PRESERVED | 1u << HPP_CFI_FP | 1u << HPP_CFI_SP | 0xfu << HPP_CFI_R12 |
           1u << HPP_CFI_PC;
}

/* Returns the stack pointer that a jmp_buf of glibc has. */
static inline uintptr_t hpp__jump_sp(const uintptr_t *buffer)
{
    enum { SP_WORD = 6 };
    uintptr_t guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (buffer[SP_WORD] >> 17 | buffer[SP_WORD] << 47) ^ guard;
}

/* Types of relocations that hold the address of a function. */
#define HPP_RELOCATION_SLOT    R_X86_64_JUMP_SLOT
#define HPP_RELOCATION_GOT     R_X86_64_GLOB_DAT
#define HPP_RELOCATION_POINTER R_X86_64_64

/* ---- functions in assembly ------------------------------------------------------------------- */

/* A function; `scope` is .globl or .local. */
#define HPP_ASM_FUNCTION(scope, name, body)                                                        \
    __asm__(".pushsection .text\n"                                                                 \
            ".p2align 4\n" scope " " name "\n"                                                     \
            ".type " name ", @function\n" name ":\n"                                               \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n" body ".cfi_endproc\n"                                                      \
            ".size " name ", . - " name "\n"                                                       \
            ".popsection\n")

/* The same, with a type in C, which debuggers know then. It ends as a declaration. */
#define HPP_TYPED_ASM_FUNCTION(type, name, parameters, body)                                       \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")        \
        __attribute__((naked, visibility("default"))) type name parameters                         \
    {                                                                                              \
        __asm__("endbr64\n" body);                                                                 \
    }                                                                                              \
    _Pragma("GCC diagnostic pop") type name parameters

/* Bodies. The first ones add the caller's return address, stack pointer and frame pointer to one,
 * two or three arguments. */
#define HPP_CALLER_IN(pc, sp, fp)                                                                  \
    "movq (%rsp), " pc "\n"                                                                        \
    "leaq 8(%rsp), " sp "\n"                                                                       \
    "movq %rbp, " fp "\n"
#define HPP_CALLER_AFTER_1 HPP_CALLER_IN("%rsi", "%rdx", "%rcx")
#define HPP_CALLER_AFTER_2 HPP_CALLER_IN("%rdx", "%rcx", "%r8")
#define HPP_CALLER_AFTER_3 HPP_CALLER_IN("%rcx", "%r8", "%r9")

/* Calls a function with six arguments and these. */
#define HPP_CALL_AFTER_6(function)                                                                 \
    "leaq 8(%rsp), %r10\n"                                                                         \
    "movq (%rsp), %r11\n"                                                                          \
    "pushq %rbp\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "pushq %r10\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "pushq %r11\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "call " function "\n"                                                                          \
    "addq $24, %rsp\n.cfi_adjust_cfa_offset -24\n"                                                 \
    "ret\n"

#define HPP_JUMP(function)            "jmp " function "\n"
#define HPP_JUMP_AT(variable, offset) "jmp *" variable "+" offset "(%rip)\n"

/* The registers of the first two arguments. */
#define HPP_ARGUMENT_1 "%rdi"
#define HPP_ARGUMENT_2 "%rsi"

/* Subtracts an argument from a thread-local variable, and goes on. If the variable is not larger,
 * changes nothing and goes on after HPP_ELSE, as HPP_IF_UP_TO does if the argument is larger than a
 * constant. */
#define HPP_IF_SUBTRACTED(argument, variable)                                                      \
    "movq " variable "@gottpoff(%rip), %rax\n"                                                     \
    "movq %fs:(%rax), %r11\n"                                                                      \
    "subq " argument ", %r11\n"                                                                    \
    "jbe 1f\n"                                                                                     \
    "movq %r11, %fs:(%rax)\n"
#define HPP_IF_UP_TO(argument, number) "cmpq $" number ", " argument "\nja 1f\n"
#define HPP_ELSE                       "1:\n"

/* Raises an argument to at least a constant. */
#define HPP_RAISE(argument, number)                                                                \
    "movl $" number ", %eax\n"                                                                     \
    "cmpq %rax, " argument "\n"                                                                    \
    "cmovbq %rax, " argument "\n"

/* Calls what a variable points to, from a frame with the return address in its second word. */
#define HPP_CALL_AT(variable, offset)                                                              \
    "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                                    \
    "call *" variable "+" offset "(%rip)\n"                                                        \
    "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                                   \
    "ret\n"

/* Calls a function `void *f(uintptr_t arguments[6], uintptr_t number, uintptr_t sp, uintptr_t pc)`,
 * which may change the arguments, and jumps to what it returns. `sp` and `pc` belong to the caller
 * after the return. */
#define HPP_CALL_THEN_JUMP(function, number)                                                       \
    "pushq %r9\n.cfi_adjust_cfa_offset 8\n"                                                        \
    "pushq %r8\n.cfi_adjust_cfa_offset 8\n"                                                        \
    "pushq %rcx\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "pushq %rdx\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                                                       \
    "movq %rsp, %rdi\n"                                                                            \
    "movl $" number ", %esi\n"                                                                     \
    "leaq 56(%rsp), %rdx\n"                                                                        \
    "movq 48(%rsp), %rcx\n"                                                                        \
    "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                                    \
    "call " function "\n"                                                                          \
    "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                                   \
    "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                                                       \
    "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                                                       \
    "popq %rdx\n.cfi_adjust_cfa_offset -8\n"                                                       \
    "popq %rcx\n.cfi_adjust_cfa_offset -8\n"                                                       \
    "popq %r8\n.cfi_adjust_cfa_offset -8\n"                                                        \
    "popq %r9\n.cfi_adjust_cfa_offset -8\n"                                                        \
    "jmp *%rax\n"

/* Calls a function that returns two words, a function and its argument, and jumps to it. */
#define HPP_CALL_THEN_START(function)                                                              \
    "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                                    \
    "call " function "\n"                                                                          \
    "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                                   \
    "movq %rdx, %rdi\n"                                                                            \
    "jmp *%rax\n"

/* Adds the calling function's frame pointer to the two arguments of a function entry, or exit. A
 * function may call the exit last, by a jump, when it has restored its caller's frame pointer: then
 * the return address is its own, and its frame pointer was just below. */
#define HPP_ENTRY_FRAME "movq %rbp, %rdx\n"
#define HPP_EXIT_FRAME                                                                             \
    "movq %rbp, %rdx\n"                                                                            \
    "cmpq %rsi, (%rsp)\n"                                                                          \
    "jne 1f\n"                                                                                     \
    "leaq -8(%rsp), %rdx\n"                                                                        \
    "1:\n"

/* Returns from a signal handler, by the instructions by which debuggers recognise it. */
#define HPP_END_OF_SIGNAL "movq $15, %rax\nsyscall\n"

#endif
