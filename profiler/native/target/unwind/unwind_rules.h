/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The unwind rule of a pc in one word: a compact form of the rows that compilers nearly always
 * generate. Rules are computed once and cached in a table that all threads share. Reading takes no
 * lock and writes nothing; a full line drops an old rule.
 *
 * Threads: any, also signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_UNWIND_RULES_H
#define HPP_NATIVE_TARGET_UNWIND_UNWIND_RULES_H

#include <stdatomic.h>

#include "modules.h"
#include "native/window/platform.h"

typedef enum hpp_unwind_rule_kind {
    HPP_UNWIND_RULE_SP,    /* CFA = sp + offset */
    HPP_UNWIND_RULE_FP,    /* CFA = fp + offset */
    HPP_UNWIND_RULE_FP_AT, /* CFA = the word at fp + offset; fp is saved relative to fp, not the
                               CFA */
    HPP_UNWIND_RULE_END,   /* no caller */
    HPP_UNWIND_RULE_HARD,  /* none of these: use the row itself */
    HPP_UNWIND_RULE_NONE,  /* there is no row */
} hpp_unwind_rule_kind;

/* From the lowest bit:
 *    0   3 bits   hpp_unwind_rule_kind
 *    3   1 bit    the pc is in the loader
 *    4   1 bit    the frame pointer is kept
 *    8   24 bits  offset for the CFA in words, signed
 *    32  16 bits  place of the saved frame pointer from the CFA in words, signed; if it is kept,
 *                 of the return address (hpp__is_usual_frame)
 *    48  16 bits  number of the module
 */
typedef uint64_t hpp_unwind_rule;

#define HPP_UNWIND_RULE_FP_KEPT ((hpp_unwind_rule)1 << 4)

static inline hpp_unwind_rule_kind hpp__unwind_rule_kind(hpp_unwind_rule rule)
{
    return (hpp_unwind_rule_kind)(rule & 7);
}

static inline bool hpp__unwind_rule_is_loader(hpp_unwind_rule rule)
{
    return rule >> 3 & 1;
}

/* In bytes. */
static inline intptr_t hpp__unwind_rule_cfa_offset(hpp_unwind_rule rule)
{
    return (intptr_t)((int32_t)(uint32_t)rule >> 8) * 8;
}

static inline bool hpp__unwind_rule_keeps_fp(hpp_unwind_rule rule)
{
    return (rule & HPP_UNWIND_RULE_FP_KEPT) != 0;
}

/* In bytes. */
static inline intptr_t hpp__unwind_rule_fp_offset(hpp_unwind_rule rule)
{
    return (intptr_t)(int16_t)(uint16_t)(rule >> 32) * 8;
}

/* In bytes. */
static inline intptr_t hpp__unwind_rule_return_offset(hpp_unwind_rule rule)
{
    return hpp__return_offset(hpp__unwind_rule_fp_offset(rule), hpp__unwind_rule_keeps_fp(rule));
}

static inline uint16_t hpp__unwind_rule_module(hpp_unwind_rule rule)
{
    return (uint16_t)(rule >> 48);
}

enum {
    HPP_UNWIND_RULES_PER_LINE = 4,
    HPP_UNWIND_RULE_LINE_BITS = 6,  /* lines of a page */
    HPP_UNWIND_RULE_FIRST_BITS = 2, /* pages at first, */
    HPP_UNWIND_RULE_PAGE_BITS = 9,  /*   and at most */
    HPP_UNWIND_RULE_LINES = 1 << (HPP_UNWIND_RULE_PAGE_BITS + HPP_UNWIND_RULE_LINE_BITS),
    HPP_UNWIND_RULE_CODE_BITS = 14, /* code of 2^14 bytes shares a page of rules */
};

/* A key is the pc, and above it 16 bits of the generation. 0: nothing; 1: being written. */
typedef struct hpp_unwind_rule_line {
    _Atomic uint64_t key[HPP_UNWIND_RULES_PER_LINE];
    _Atomic hpp_unwind_rule rule[HPP_UNWIND_RULES_PER_LINE];
} hpp_unwind_rule_line;

extern HPP_HIDDEN hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];

/* Of these, the first 2^this pages are in use: a short program would touch each page for a few
 * rules. */
extern HPP_HIDDEN _Atomic uint32_t hpp__unwind_rule_page_bits;

static inline uint64_t hpp__unwind_rule_key(uintptr_t pc)
{
    uint64_t generation = atomic_load_explicit(&hpp__generation, memory_order_relaxed);
    return generation << 48 | (pc & 0xffffffffffff);
}

static inline hpp_unwind_rule_line *hpp__unwind_rule_line(uintptr_t pc)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint32_t page_bits = atomic_load_explicit(&hpp__unwind_rule_page_bits, memory_order_relaxed);
    uint64_t page = ((pc >> HPP_UNWIND_RULE_CODE_BITS) * factor) >> (64 - page_bits);
    uint64_t line = (pc * factor) >> (64 - HPP_UNWIND_RULE_LINE_BITS);
    return &hpp__unwind_rule_lines[page << HPP_UNWIND_RULE_LINE_BITS | line];
}

/* Computes the rule of a pc, and caches it. */
hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc);

/* Returns the rule of the instruction at `pc`. For a return address, pass the byte before. */
static inline hpp_unwind_rule hpp__unwind_rules_find(uintptr_t pc)
{
    uint64_t wanted = hpp__unwind_rule_key(pc);
    hpp_unwind_rule_line *line = hpp__unwind_rule_line(pc);
    for (unsigned i = 0; i < HPP_UNWIND_RULES_PER_LINE; i++) {
        if (atomic_load_explicit(&line->key[i], memory_order_acquire) == wanted) {
            hpp_unwind_rule rule = atomic_load_explicit(&line->rule[i], memory_order_acquire);
            if (HPP_LIKELY(atomic_load_explicit(&line->key[i], memory_order_relaxed) == wanted)) {
                return rule;
            }
        }
    }
    return hpp__unwind_rules_make(pc);
}

/* Code [begin, end). */
typedef struct hpp_code_range {
    _Atomic uintptr_t begin, end;
} hpp_code_range;

/* The parts of the evaluation loop of an interpreter, where walks end: what is outside of its
 * frames is found in frames of its own. Without one, all are 0. */
enum { HPP_EVALUATOR_PARTS = 2 };
extern HPP_HIDDEN hpp_code_range hpp__evaluator[HPP_EVALUATOR_PARTS];

/* Sets a part. Clears the cache. */
void hpp__unwind_rules_end_at(unsigned part, uintptr_t begin, uintptr_t end);

static inline bool hpp__unwind_rules_has_evaluator(void)
{
    return atomic_load_explicit(&hpp__evaluator[0].end, memory_order_relaxed) != 0;
}

static inline bool hpp__unwind_rules_is_evaluator(uintptr_t pc)
{
    bool is_in = false;
    for (unsigned i = 0; i < HPP_EVALUATOR_PARTS; i++) {
        is_in |= pc < atomic_load_explicit(&hpp__evaluator[i].end, memory_order_relaxed) &&
                 pc >= atomic_load_explicit(&hpp__evaluator[i].begin, memory_order_relaxed);
    }
    return is_in;
}

/* Clears the cache, by starting a new generation. */
void hpp__unwind_rules_new_generation(void);

/* Returns the rule of a row. */
hpp_unwind_rule hpp__unwind_rules_from_row(const hpp_cfi_row *row, const hpp_module *module);

#endif
