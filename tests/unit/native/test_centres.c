/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost-centre stack of a synthetic program that calls, returns, inlines, jumps far out, and
 * handles signals, against the stack of its open functions, folded by the definition.
 */
#include "native/target/centres/centres.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/window_writer.h"
#include "rng.h"

/* --- replacements ----------------------------------------------------------------------------- */

hpp_unwind_rule_line hpp__unwind_rule_lines[HPP_UNWIND_RULE_LINES];
_Atomic uint32_t hpp__unwind_rule_page_bits = HPP_UNWIND_RULE_FIRST_BITS;
_Atomic uint32_t hpp__generation = 1;

/* Frames are found by fp. */
hpp_unwind_rule hpp__unwind_rules_make(uintptr_t pc)
{
    (void)pc;
    return HPP_UNWIND_RULE_FP | 2 << 8 | (uint64_t)(uint16_t)-2 << 32;
}

hpp_step hpp__walk_step_rarely(hpp_walk *walk, hpp_unwind_rule rule, hpp_word *words,
                               uint32_t *n_words)
{
    (void)walk, (void)rule, (void)words, (void)n_words;
    return HPP_STEP_LOST;
}

bool hpp__modules_find(hpp_module *out, uintptr_t address)
{
    (void)out, (void)address;
    return false;
}

bool hpp__memory_has(hpp_memory *memory, uintptr_t address)
{
    (void)memory, (void)address;
    return false;
}

/* --- the program ------------------------------------------------------------------------------ */

enum { N_WORDS = 4096, MOST_OPEN = 60, N_FUNCTIONS = 12, OTHER_CODE = 0x900000 };

/* An open function. */
typedef struct open_function {
    unsigned function;
    uintptr_t frame_pointer, return_address;
} open_function;

static uintptr_t stack[N_WORDS];
static open_function open_functions[MOST_OPEN];
static unsigned n_open;
static hpp_centres *centres;
static uint64_t n_calls;

/* Entries by node. */
enum { MOST_NODES = 1 << 16 };
static hpp_centre_counter entries[MOST_NODES];

static hpp_centre_counter *find_counter(uint32_t node)
{
    return node < MOST_NODES ? &entries[node] : NULL;
}

static uint64_t key_of(unsigned function)
{
    return hpp__centres_key(0x400000 + 0x100 * (uintptr_t)function, HPP_NODE_ENTRY);
}

static uintptr_t top_of_stack(void)
{
    return n_open > 0 ? open_functions[n_open - 1].frame_pointer : (uintptr_t)(stack + N_WORDS);
}

/* A call from one of a few places, with a frame of any size, or a function that is inlined into the
 * last one. */
static void call(rng *chance)
{
    open_function callee = {(unsigned)rng_below(chance, N_FUNCTIONS), 0, 0};
    if (n_open > 0 && rng_below(chance, 4) == 0) {
        callee.frame_pointer = open_functions[n_open - 1].frame_pointer;
        callee.return_address = open_functions[n_open - 1].return_address;
    } else {
        callee.frame_pointer = top_of_stack() - 8 * (2 + rng_below(chance, 6));
        callee.return_address = 0x400000 + 0x10 * rng_below(chance, 3);
        ((uintptr_t *)callee.frame_pointer)[0] = top_of_stack();
        ((uintptr_t *)callee.frame_pointer)[1] = callee.return_address;
    }
    cr_assert(hpp__centres_enter(centres, key_of(callee.function), callee.frame_pointer,
                                 callee.return_address));
    open_functions[n_open++] = callee;
    n_calls++;
}

/* A jump to a function whose frame is further out. */
static void jump(rng *chance)
{
    unsigned n_left = 1 + (unsigned)rng_below(chance, n_open);
    while (n_left < n_open &&
           open_functions[n_left].frame_pointer == open_functions[n_left - 1].frame_pointer) {
        n_left++;
    }
    n_open = n_left;
    hpp__centres_skip(centres, top_of_stack() - 8);
}

/* Compares the node with the stack by definition: a function that is on it cuts it back. */
static void expect_stack(uint32_t node)
{
    unsigned folded[MOST_OPEN];
    unsigned n = 0;
    for (unsigned i = 0; i < n_open; i++) {
        unsigned place = 0;
        while (place < n && folded[place] != open_functions[i].function) {
            place++;
        }
        folded[place] = open_functions[i].function;
        n = place + 1;
    }
    while (n > 0) {
        const hpp_window_node *record = hpp__trie_look(node);
        cr_assert(eq(u64, hpp__centres_key(record->address, record->flags), key_of(folded[--n])));
        node = record->parent;
    }
    cr_assert(eq(u32, node, 0));
}

static void begin(void)
{
    const char *reason;
    cr_assert(ge(int, hpp__window_make(&reason, 64 << 20), 0));
    centres = hpp__centres_create(find_counter);
    hpp__centres_forget(centres, (uintptr_t)stack, (uintptr_t)(stack + N_WORDS));
    n_open = 0;
}

TestSuite(centres, .init = begin);

Test(centres, stack_is_that_of_open_functions)
{
    rng chance = {7};
    for (int round = 0; round < 200000; round++) {
        uint64_t what = rng_below(&chance, 20);
        if (n_open == 0 || (n_open < MOST_OPEN && what < 9)) {
            call(&chance);
        } else if (what < 19) {
            hpp__centres_leave(centres, open_functions[--n_open].frame_pointer);
        } else {
            jump(&chance);
        }
        expect_stack((uint32_t)centres->current);
        if (what == 0) {
            hpp__generation++; /* objects were loaded: the cache is empty */
        }
    }
    uint64_t n_counted = 0;
    for (uint32_t node = 0; node < MOST_NODES; node++) {
        n_counted += entries[node];
    }
    cr_assert(eq(u64, n_counted, n_calls));
}

/* Without a jump that is seen, the next call or allocation closes what was skipped. */
Test(centres, skipped_functions_are_closed_by_what_follows)
{
    uintptr_t low = (uintptr_t)(stack + N_WORDS / 2);
    hpp__centres_enter(centres, key_of(0), low + 512, 1);
    hpp__centres_enter(centres, key_of(1), low + 256, 2);
    hpp__centres_enter(centres, key_of(2), low + 128, 3);
    open_functions[0] = (open_function){0, low + 512, 1};
    open_functions[1] = (open_function){3, low + 256, 4};
    n_open = 2;
    hpp__centres_enter(centres, key_of(3), low + 256, 4); /* another call where the second was */
    expect_stack((uint32_t)centres->current);
    hpp__centres_enter(centres, key_of(2), low + 128, 3);
    n_open = 1;
    hpp__centres_leave(centres, low + 512); /* the first returns */
    n_open = 0;
    expect_stack((uint32_t)centres->current);
}

/* Frames of other code are below the innermost open function. */
Test(centres, places_are_below_the_open_function)
{
    uintptr_t *outer = stack + N_WORDS / 2 + 64, *inner = outer - 16;
    outer[0] = 0;
    outer[1] = OTHER_CODE;
    inner[0] = (uintptr_t)outer;
    inner[1] = 0x400123;
    hpp_walk walk = {.pc = OTHER_CODE + 5,
                     .sp = (uintptr_t)(inner - 4),
                     .fp = (uintptr_t)inner,
                     .memory = {(uintptr_t)stack, (uintptr_t)(stack + N_WORDS), 0}};
    cr_assert(eq(u32, hpp__centres_node(centres, walk), 0)); /* no function is open */
    hpp__centres_enter(centres, key_of(4), (uintptr_t)outer, OTHER_CODE);
    uint32_t node = hpp__centres_node(centres, walk);
    const hpp_window_node *record = hpp__trie_look(node);
    cr_assert(eq(u64, record->address, OTHER_CODE + 5));
    cr_assert(eq(u16, record->flags, 0));
    record = hpp__trie_look(record->parent);
    cr_assert(eq(u64, record->address, 0x400123));
    cr_assert(eq(u16, record->flags, HPP_NODE_INSIDE));
    cr_assert(eq(u32, record->parent, (uint32_t)centres->current));
    cr_assert(eq(u32, hpp__centres_node(centres, walk), node));
    uint32_t site = hpp__centres_site(centres, node, HPP_CALL_CALLOC);
    cr_assert(eq(u32, hpp__trie_site_node(site), node));
    cr_assert(eq(u32, hpp__centres_site(centres, node, HPP_CALL_CALLOC), site));
    cr_assert(ne(u32, hpp__centres_site(centres, node, HPP_CALL_MALLOC), site));
}
