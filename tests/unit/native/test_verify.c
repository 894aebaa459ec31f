/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks that are equal, cut or different are counted as such. The nodes, the full walk and the
 * frames of backtrace() are made up.
 */
#include "native/unwind/verify.h"

#include <execinfo.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/trie.h"
#include "native/window/window_writer.h"

/* --- replacements ----------------------------------------------------------------------------- */

enum { N_FRAMES = 3, SITE = 9, MAX_PEER_FRAMES = 1024 };

typedef struct walked_frame {
    uintptr_t pc;
    bool is_exact;
    uint16_t module_number;
} walked_frame;

static hpp_window window_page;
hpp_window *hpp__window = &window_page;

static hpp_window_node nodes[N_FRAMES + 1]; /* nodes[3] is innermost; nodes[0] is the root */
static walked_frame walked[N_FRAMES + 1];   /* innermost first */
static unsigned n_walked, n_steps;
static bool can_begin;
static void *peer[MAX_PEER_FRAMES];
static int n_peer;

const hpp_window_node *hpp__trie_look(uint32_t node)
{
    return &nodes[node];
}

uint32_t hpp__trie_site_node(uint32_t site)
{
    return site == SITE ? N_FRAMES : 0;
}

static void set_frame(hpp_full_walk *walk)
{
    walk->registers.value[HPP_CFI_PC] = walked[n_steps].pc;
    walk->is_exact = walked[n_steps].is_exact;
}

bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp, hpp_memory memory)
{
    (void)pc, (void)sp, (void)memory;
    n_steps = 0;
    set_frame(out);
    return can_begin;
}

hpp_step hpp__full_walk_step(hpp_full_walk *walk)
{
    walk->module_number = walked[n_steps].module_number;
    if (++n_steps == n_walked) {
        return HPP_STEP_END;
    }
    set_frame(walk);
    return HPP_STEP_UP;
}

/* What is after the frames must not matter. */
int backtrace(void **out, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = peer[i];
    }
    return n < n_peer ? n : n_peer;
}

/* --- tests ------------------------------------------------------------------------------------ */

/* Frames 300, 200, 100 from inside; backtrace() has two frames of the library in front. */
static void equal_stacks(void)
{
    n_walked = N_FRAMES;
    can_begin = true;
    n_peer = 2;
    peer[0] = (void *)1;
    peer[1] = (void *)2;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        uintptr_t pc = 100 * (uintptr_t)(N_FRAMES - i);
        uint16_t module = (uint16_t)(i + 1);
        nodes[N_FRAMES - i] = (hpp_window_node){pc, N_FRAMES - i - 1, module, 0};
        walked[i] = (walked_frame){pc, false, module};
        peer[n_peer++] = (void *)pc;
    }
}

TestSuite(verify, .init = equal_stacks);

static void expect_counts(uint64_t n_walk, uint64_t n_differ, uint64_t n_cut)
{
    hpp_window_head *head = &window_page.head;
    atomic_store(&head->n_checked, 0);
    atomic_store(&head->n_cache_mismatches, 0);
    atomic_store(&head->n_peer_mismatches, 0);
    atomic_store(&head->n_peer_cut, 0);
    hpp__verify_begin();
    hpp__verify_site(SITE, (hpp_caller){.pc = 300}, (hpp_memory){0});
    cr_assert(eq(u64, head->n_checked, 1));
    cr_assert(eq(u64, head->n_cache_mismatches, n_walk));
    cr_assert(eq(u64, head->n_peer_mismatches, n_differ));
    cr_assert(eq(u64, head->n_peer_cut, n_cut));
}

Test(verify, equal_stacks_agree)
{
    expect_counts(0, 0, 0);
}

Test(verify, a_backtrace_may_begin_with_the_caller)
{
    n_peer = N_FRAMES;
    for (int i = 0; i < N_FRAMES; i++) {
        peer[i] = peer[i + 2];
    }
    peer[N_FRAMES] = peer[N_FRAMES + 1] = NULL;
    expect_counts(0, 0, 0);
}

Test(verify, a_full_walk_that_differs_is_counted)
{
    walked[2].pc++;
    expect_counts(1, 0, 0);
    equal_stacks();
    walked[1].is_exact = true;
    expect_counts(1, 0, 0);
    nodes[2].flags = HPP_NODE_EXACT;
    expect_counts(0, 0, 0);
    equal_stacks();
    walked[0].module_number++;
    expect_counts(1, 0, 0);
    equal_stacks();
    n_walked = 2; /* shorter */
    expect_counts(1, 0, 0);
    n_walked = 4; /* longer */
    expect_counts(1, 0, 0);
    can_begin = false; /* nothing to compare with */
    expect_counts(0, 0, 0);
}

Test(verify, frames_of_backtrace_that_differ_are_counted)
{
    peer[4] = (void *)101;
    expect_counts(0, 1, 0);
    equal_stacks();
    peer[n_peer++] = (void *)50; /* longer */
    expect_counts(0, 1, 0);
    equal_stacks();
    n_peer--; /* shorter */
    expect_counts(0, 1, 0);
    n_peer = 2; /* without the caller */
    expect_counts(0, 1, 0);
}

Test(verify, a_shorter_backtrace_is_cut_where_ours_goes_on_by_a_guess)
{
    n_peer = 4;
    nodes[1].flags = HPP_NODE_GUESSED;
    expect_counts(0, 0, 1);
    n_peer = 3;
    nodes[2].flags = HPP_NODE_GUESSED;
    expect_counts(0, 0, 1);
    equal_stacks();
    n_peer = 4;
    peer[3] = (void *)201;
    expect_counts(0, 1, 0);
    equal_stacks();
    n_peer = 2;
    nodes[3].flags = HPP_NODE_GUESSED;
    expect_counts(0, 1, 0);
}

Test(verify, frames_after_a_full_backtrace_are_not_compared)
{
    for (int i = 2; i < MAX_PEER_FRAMES; i++) {
        peer[i] = (void *)2;
    }
    n_peer = MAX_PEER_FRAMES;
    peer[MAX_PEER_FRAMES - 2] = (void *)300;
    peer[MAX_PEER_FRAMES - 1] = (void *)200;
    expect_counts(0, 0, 0);
    n_peer--;
    peer[MAX_PEER_FRAMES - 3] = (void *)300;
    peer[MAX_PEER_FRAMES - 2] = (void *)200;
    expect_counts(0, 1, 0);
    for (int i = 0; i < MAX_PEER_FRAMES; i++) {
        peer[i] = (void *)2; /* without the caller */
    }
    n_peer = MAX_PEER_FRAMES;
    expect_counts(0, 0, 0);
}
