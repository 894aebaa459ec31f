/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks up a stack by the unwind tables (.eh_frame) of the loaded objects, in two ways.
 *
 * A walk tracks pc, stack pointer and fp, which nearly all rules need, and lists the stack words
 * that it depended on. A full walk tracks all registers, for frames that need others; it starts
 * from an interrupted context or from its caller.
 *
 * Sources: System V ABI, AMD64 supplement, section 3.7; DWARF 5, section 6.4.
 *
 * Threads: any, also signal handlers; nothing allocates or waits.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_UNWIND_H
#define HPP_NATIVE_TARGET_UNWIND_UNWIND_H

#include "memory.h"
#include "unwind_rules.h"

typedef enum hpp_step {
    HPP_STEP_UP,   /* the walk is now at the caller */
    HPP_STEP_END,  /* this is the outermost frame, according to the tables */
    HPP_STEP_LOST, /* no rule, or an invalid one */
    HPP_STEP_HARD, /* the rule needs a register that the walk does not track */
} hpp_step;

/* A stack word that a walk depended on. At address 0: the value of fp at the start of the walk. */
typedef struct hpp_word {
    uintptr_t address, value;
} hpp_word;

/* A step appends at most this many. */
enum { HPP_MAX_STEP_WORDS = 12 };

typedef struct hpp_walk {
    uintptr_t pc, sp, fp;
    uintptr_t fp_slot; /* address of the word that fp was read from; 0: it has its first value */
    bool fp_is_noted;  /* that word is already in the list */
    bool is_exact;     /* pc is an interrupted instruction, not a return address */
    bool is_guessed;   /* found by the frame pointer */
    uint8_t n_jumps;   /* steps so far to a caller on another stack */
    hpp_memory memory;
    uint64_t begun_at; /* time stamp: the stack is the same since then; 0: unknown */
} hpp_walk;

/* Returns the address that identifies a frame's function: the byte before a return address, since a
 * call may be a function's last instruction. */
static inline uintptr_t hpp__walk_place(const hpp_walk *walk)
{
    return walk->pc - !walk->is_exact;
}

static inline void hpp__walk_note_fp(hpp_walk *walk, hpp_word *words, uint32_t *n_words)
{
    if (!walk->fp_is_noted) {
        walk->fp_is_noted = true;
        words[(*n_words)++] = (hpp_word){walk->fp_slot, walk->fp};
    }
}

/* Counts a step to a caller at a lower address: it is on another stack, of a signal handler or a
 * coroutine. Returns false after too many of them. */
static inline bool hpp__walk_may_jump(uint8_t *n_jumps)
{
    enum { MAX_JUMPS = 64 };
    return ++*n_jumps <= MAX_JUMPS;
}

/* Goes up one frame by a rare kind of rule. */
hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words);

/* Goes up one frame. `rule` comes from hpp__walk_place. Appends to `words` the words that it
 * depended on, in the order of reading, so that the address of each follows from the words before.
 * After a result other than HPP_STEP_UP the walk is over. */
static inline hpp_step hpp__walk_step(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                                      uint32_t *n_words)
{
    hpp_unwind_rule_kind kind = hpp__unwind_rule_kind(rule);
    if (HPP_UNLIKELY(kind > HPP_UNWIND_RULE_FP)) {
        return hpp__walk_step_rarely(walk, rule, words, n_words);
    }
    uintptr_t cfa = walk->sp;
    if (kind == HPP_UNWIND_RULE_FP) {
        hpp__walk_note_fp(walk, words, n_words);
        cfa = walk->fp;
    }
    cfa += (uintptr_t)hpp__unwind_rule_cfa_offset(rule);
    if (HPP_UNLIKELY(cfa <= walk->sp) &&
        (kind == HPP_UNWIND_RULE_SP || !hpp__walk_may_jump(&walk->n_jumps))) {
        return HPP_STEP_LOST;
    }
    uintptr_t return_at = cfa + (uintptr_t)hpp__unwind_rule_return_offset(rule);
    if (HPP_UNLIKELY(cfa % 8 != 0 || !hpp__memory_read(&walk->pc, &walk->memory, return_at))) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){return_at, walk->pc};
    walk->pc = hpp__return_address(walk->pc);
    if (!hpp__unwind_rule_keeps_fp(rule)) {
        uintptr_t slot = cfa + (uintptr_t)hpp__unwind_rule_fp_offset(rule);
        if (HPP_UNLIKELY(!hpp__memory_read(&walk->fp, &walk->memory, slot))) {
            return HPP_STEP_LOST;
        }
        walk->fp_slot = slot;
        walk->fp_is_noted = false;
    }
    walk->sp = cfa;
    walk->is_exact = false;
    walk->is_guessed = false;
    return walk->pc != 0 ? HPP_STEP_UP : HPP_STEP_END;
}

/* ---- full walks ---------------------------------------------------------------------------- */

typedef struct hpp_full_walk {
    hpp_cfi_registers registers;
    bool is_exact, is_guessed;
    uint16_t module_number; /* of the frame that the last step left */
    uint8_t n_jumps;
    hpp_memory memory;
} hpp_full_walk;

/* Starts at the frame with stack pointer `sp`, which is a caller of this function. Returns false if
 * it cannot be reached. */
bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp, hpp_memory memory);

/* Starts at an interrupted instruction. `context` is the ucontext_t of a signal handler. */
void hpp__full_walk_begin_interrupted(hpp_full_walk *out, const void *context, hpp_memory memory);

/* Goes up one frame by the tables, without cached rules. */
hpp_step hpp__full_walk_step(hpp_full_walk *walk);

static inline uintptr_t hpp__full_walk_pc(const hpp_full_walk *walk)
{
    return walk->registers.value[HPP_CFI_PC];
}

static inline uintptr_t hpp__full_walk_sp(const hpp_full_walk *walk)
{
    return walk->registers.value[HPP_CFI_SP];
}

#endif
