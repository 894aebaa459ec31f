/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The node of a stack has the functions that GHC's rule leaves, with their last calls, and the
 * innermost frames whole: compared with a folding of the whole stack, step by step. Each function
 * of the synthetic program has several call sites; one has no unwind table.
 */
#include "native/target/unwind/recursion.h"

#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/unwind/cfi_entry.h"
#include "native/target/unwind/modules.h"
#include "native/target/unwind/stack_walk.h"
#include "native/window/trie.h"
#include "native/window/window_writer.h"
#include "rng.h"

enum {
    CODE = 0x400000,
    CODE_BYTES = 0x100,
    N_FUNCTIONS = 9,
    N_CALLS = 3, /* of each function */
    UNKNOWN = 8, /* the function without a table */
    MOST_FRAMES = 40,
};

static const hpp_new_frame *stack; /* innermost first */
static uint32_t n_stack, n_steps;

/* --- replacements for other files of the unwinder --------------------------------------------- */

hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
_Atomic uint32_t hpp__generation = 1;

hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    (void)pc;
    return HPP_UNWIND_RULE_NONE;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    (void)walk, (void)rule, (void)words, (void)n_words;
    return HPP_STEP_LOST;
}

static void set_frame(hpp_full_walk *walk)
{
    walk->registers.value[HPP_CFI_PC] = stack[n_steps].pc;
    walk->is_exact = stack[n_steps].flags & HPP_NODE_EXACT;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    walk->module_number = stack[n_steps].module_number;
    if (++n_steps == n_stack) {
        return HPP_STEP_END;
    }
    set_frame(walk);
    return HPP_STEP_UP;
}

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    (void)out;
    return address >= CODE;
}

hpp_cfi_found hpp__cfi_entry_find(hpp_cfi_entry *out, const hpp_cfi_tables *tables, uintptr_t pc)
{
    (void)tables;
    uintptr_t function = (pc - CODE) / CODE_BYTES;
    *out = (hpp_cfi_entry){.begin = CODE + function * CODE_BYTES,
                           .end = CODE + (function + 1) * CODE_BYTES};
    return function == UNKNOWN ? HPP_CFI_NONE : HPP_CFI_FOUND;
}

/* --- the rule, for whole stacks --------------------------------------------------------------- */

static bool are_same_function(const hpp_new_frame *a, const hpp_new_frame *b)
{
    uintptr_t function = (a->pc - 1 - CODE) / CODE_BYTES;
    return a->module_number == b->module_number &&
           (a->pc == b->pc || (function != UNKNOWN && function == (b->pc - 1 - CODE) / CODE_BYTES));
}

/* Folds the frames from the outermost to frame `from`. Stores the rest outermost first, and returns
 * their number. */
static uint32_t fold_to(const hpp_new_frame **out, uint32_t from)
{
    uint32_t n = 0;
    for (uint32_t i = n_stack; i-- > from;) {
        bool may_fold = !(stack[i].flags & HPP_NODE_EXACT);
        for (uint32_t j = n; may_fold && j-- > 0 && !(out[j]->flags & HPP_NODE_EXACT);) {
            if (are_same_function(out[j], &stack[i])) {
                n = j;
                break;
            }
        }
        out[n++] = &stack[i];
    }
    return n;
}

/* Returns the frames that a node has, outermost first. Where a whole frame was folded, that and all
 * further in are as they are. */
static uint32_t expected_frames(const hpp_new_frame **out)
{
    const hpp_new_frame *longer[MOST_FRAMES];
    uint32_t n = fold_to(out, 0);
    for (uint32_t i = HPP_WHOLE_FRAMES; i-- > 0;) {
        if (i < n_stack && fold_to(longer, i) != fold_to(out, i + 1) + 1) {
            n = fold_to(out, i + 1);
            for (uint32_t j = i + 1; j-- > 0;) {
                out[n++] = &stack[j];
            }
            return n;
        }
    }
    return fold_to(out, 0);
}

/* --- tests ------------------------------------------------------------------------------------ */

static hpp_new_frame random_frame(rng *chance)
{
    uintptr_t function = rng_below(chance, N_FUNCTIONS);
    return (hpp_new_frame){.pc = CODE + function * CODE_BYTES + 1 +
                                 rng_below(chance, N_CALLS) * (CODE_BYTES - 1) / (N_CALLS - 1),
                           .module_number = rng_below(chance, 16) == 0 ? 2 : 1,
                           .flags = rng_below(chance, 16) == 0 ? HPP_NODE_EXACT : 0};
}

Test(recursion, nodes_have_the_folded_stack, .timeout = 60)
{
    enum { N_ROUNDS = 50000 };
    hpp_stack_walk path = {0};
    rng chance = {5};
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 256 << 20), 0));
    for (int round = 0; round < N_ROUNDS; round++) {
        hpp_new_frame frames[MOST_FRAMES];
        const hpp_new_frame *expected[MOST_FRAMES];
        n_stack = 1 + (uint32_t)rng_below(&chance, round % 8 == 0 ? MOST_FRAMES : 6);
        for (uint32_t i = 0; i < n_stack; i++) {
            frames[i] = random_frame(&chance);
        }
        stack = frames;
        n_steps = 0;
        hpp_full_walk walk = {0};
        set_frame(&walk);
        cr_assert(eq(int, hpp__stack_walk_fully(&path, &walk), HPP_STACK_WALK_WHOLE));
        uint32_t node = hpp__stack_walk_extend(&path);
        for (uint32_t n = expected_frames(expected); n > 0; n--) {
            cr_assert(ne(u32, node, 0));
            const hpp_window_node *found = hpp__trie_look(node);
            cr_assert(eq(u64, found->address, expected[n - 1]->pc));
            cr_assert(eq(u16, found->module_index, expected[n - 1]->module_number));
            cr_assert(eq(u16, found->flags & HPP_NODE_EXACT, expected[n - 1]->flags));
            node = found->parent;
        }
        cr_assert(eq(u32, node, 0));
    }
    hpp__stack_walk_end(&path);
}

Test(recursion, a_full_window_is_not_remembered)
{
    static hpp_known_call known[HPP_N_KNOWN_CALLS];
    const hpp_call_edge edge = {CODE + 1, 0, 1, 0};
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 64 << 20), 0));
    atomic_store(&hpp__window->head.control, HPP_CONTROL_NO_NEW_STACKS);
    cr_assert(eq(u32, hpp__recursion_push(known, &edge).node, 0));
    atomic_store(&hpp__window->head.control, 0);
    cr_assert(eq(u32, hpp__recursion_push(known, &edge).node, 1));
}
