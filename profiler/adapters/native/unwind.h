/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One step up the stack, by the unwind tables (.eh_frame) of the loaded objects.
 *
 * The rule of a pc - where the caller's frame is, where its return address and its saved registers
 * are - is worked out once and kept in a table shared by all threads. The tables are found by
 * _dl_find_object, which takes no lock and may be called from anywhere.
 *
 * Sources: System V ABI, AMD64 supplement, section 3.7; DWARF 5, section 6.4; LSB 5, "Exception
 * Frames" (.eh_frame, .eh_frame_hdr).
 *
 * Threads: everything may be called from any thread and from signal handlers; nothing allocates but
 * by mmap, nothing waits.
 */
#ifndef HPP_NATIVE_UNWIND_H
#define HPP_NATIVE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers that unwinding can depend on in code that is in the middle of a call: the stack
 * pointer, and those that calls preserve. */
enum { HPP_RBX, HPP_RBP, HPP_R12, HPP_R13, HPP_R14, HPP_R15, HPP_N_SAVED };

/* Where a register's value came from, for those who want to know what an unwind depended on. */
typedef struct hpp_frame {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t saved[HPP_N_SAVED];
    uintptr_t slot[HPP_N_SAVED]; /* address of the stack word that the value was read from; 0: it is
                                    still that of the frame where the walk began */
    bool is_exact;               /* pc is an interrupted instruction, not a return address */
    bool is_guessed;             /* found by the frame pointer */
    uint16_t module_index;       /* of pc, plus 1, as in hpp_window_node; 0: none */
} hpp_frame;

typedef enum hpp_step {
    HPP_STEP_UP,   /* `frame` is now the caller's */
    HPP_STEP_END,  /* the outermost frame: the tables say so */
    HPP_STEP_LOST, /* no rule, or one that leads nowhere */
} hpp_step;

/* The stack words that a step read, which decided where it went: at most this many. `is_pure` is
 * false when it also depended on a register whose value at the beginning is not remembered: any but
 * rbp. */
enum { HPP_MAX_STEP_WORDS = 8 };
typedef struct hpp_step_words {
    uint32_t n;
    uintptr_t address[HPP_MAX_STEP_WORDS];
    bool uses_first_rbp;
    bool is_pure;
} hpp_step_words;

#endif
