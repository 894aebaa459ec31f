/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walking up a stack by the unwind tables (.eh_frame) of the loaded objects, in two ways.
 *
 * A walk knows of each frame its pc, stack pointer and rbp, which is what nearly all rules need,
 * and names the stack words that its way depended on. A full walk knows all registers, and serves
 * where a frame needs another one: it starts from an interrupted context or from where it is
 * called.
 *
 * Sources: System V ABI, AMD64 supplement, section 3.7; DWARF 5, section 6.4.
 *
 * Threads: everything may be called from any thread and from signal handlers; nothing allocates,
 * nothing waits.
 */
#ifndef HPP_NATIVE_UNWIND_H
#define HPP_NATIVE_UNWIND_H

#include "memory.h"
#include "unwind_rules.h"

typedef enum hpp_step {
    HPP_STEP_UP,   /* the walk is now at the caller */
    HPP_STEP_END,  /* this is the outermost frame: the tables say so */
    HPP_STEP_LOST, /* no rule, or one that leads nowhere */
    HPP_STEP_HARD, /* the rule needs a register that the walk does not know */
} hpp_step;

/* A word of the stack that decided where a walk went. At address 0: the value of rbp where the walk
 * began. */
typedef struct hpp_word {
    uintptr_t address, value;
} hpp_word;

/* A step appends at most this many. */
enum { HPP_MAX_STEP_WORDS = 12 };

typedef struct hpp_walk {
    uintptr_t pc, sp, rbp;
    uintptr_t
        rbp_slot; /* address of the word that rbp was read from; 0: it is as at the beginning */
    bool rbp_is_noted; /* that word is among those that decided */
    bool is_exact;     /* pc is an interrupted instruction, not a return address */
    bool is_guessed;   /* found by the frame pointer */
    uint8_t n_jumps;   /* steps so far to a caller that is not further up: on another stack */
    hpp_memory memory;
} hpp_walk;

/* The instruction that tells in which function a frame is: a call may be a function's last. */
static inline uintptr_t hpp__walk_place(const hpp_walk *walk)
{
    return walk->pc - !walk->is_exact;
}

static inline void hpp__walk_note_rbp(hpp_walk *walk, hpp_word *words, uint32_t *n_words)
{
    if (!walk->rbp_is_noted) {
        walk->rbp_is_noted = true;
        words[(*n_words)++] = (hpp_word){walk->rbp_slot, walk->rbp};
    }
}

/* A caller that is not further up is on another stack, which a handler of a signal has, or a
 * function that switched. Where there are too many of those, it is nonsense: false. */
static inline bool hpp__walk_may_jump(uint8_t *n_jumps)
{
    enum { MAX_JUMPS = 64 };
    return ++*n_jumps <= MAX_JUMPS;
}

/* One step by a rule of the rarer kinds. */
hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words);

/* One step. `rule` is that of hpp__walk_place. Appends to `words` the words that decided, in the
 * order in which they became needed, so that each one's address follows from those before. Unless
 * it goes up the walk is at no frame any more. */
static inline hpp_step hpp__walk_step(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                                      uint32_t *n_words)
{
    hpp_unwind_rule_kind kind = hpp__unwind_rule_kind(rule);
    if (HPP_UNLIKELY(kind > HPP_UNWIND_RULE_RBP)) {
        return hpp__walk_step_rarely(walk, rule, words, n_words);
    }
    uintptr_t cfa = walk->sp;
    if (kind == HPP_UNWIND_RULE_RBP) {
        hpp__walk_note_rbp(walk, words, n_words);
        cfa = walk->rbp;
    }
    cfa += (uintptr_t)hpp__unwind_rule_cfa_offset(rule);
    if (HPP_UNLIKELY(cfa <= walk->sp) &&
        (kind == HPP_UNWIND_RULE_RSP || !hpp__walk_may_jump(&walk->n_jumps))) {
        return HPP_STEP_LOST;
    }
    if (HPP_UNLIKELY(cfa % 8 != 0 || !hpp__memory_read(&walk->pc, &walk->memory, cfa - 8))) {
        return HPP_STEP_LOST;
    }
    words[(*n_words)++] = (hpp_word){cfa - 8, walk->pc};
    if (!hpp__unwind_rule_keeps_rbp(rule)) {
        uintptr_t slot = cfa + (uintptr_t)hpp__unwind_rule_rbp_offset(rule);
        if (HPP_UNLIKELY(!hpp__memory_read(&walk->rbp, &walk->memory, slot))) {
            return HPP_STEP_LOST;
        }
        walk->rbp_slot = slot;
        walk->rbp_is_noted = false;
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

/* Begins at the frame whose stack pointer is `sp`, from the call of this function outwards.
 * Without a way there: false. */
bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp, hpp_memory memory);

/* Begins at an interrupted instruction: `context` is the ucontext_t of a signal handler. */
void hpp__full_walk_begin_interrupted(hpp_full_walk *out, const void *context, hpp_memory memory);

/* One step, by the tables alone: no rule is looked up or kept. */
hpp_step hpp__full_walk_step(hpp_full_walk *walk);

static inline uintptr_t hpp__full_walk_pc(const hpp_full_walk *walk)
{
    return walk->registers.value[HPP_CFI_PC];
}

static inline uintptr_t hpp__full_walk_sp(const hpp_full_walk *walk)
{
    return walk->registers.value[HPP_CFI_RSP];
}

#endif
