/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks that are equal, cut or different are counted as such. The nodes, the full walk and the
 * frames of backtrace() are made up.
 */
#include "native/target/unwind/verify.h"

#include <execinfo.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/window/trie.h"
#include "native/window/window_writer.h"

/* --- replacements ----------------------------------------------------------------------------- */

enum { N_FRAMES = 3, SITE = 9, NODE = 5, MAX_PEER_FRAMES = 1024 };

static hpp_window window_page;
hpp_window *hpp__window = &window_page;

static hpp_new_frame interned[N_FRAMES]; /* the frames of the site's node, innermost first */
static hpp_new_frame walked[N_FRAMES + 1];
static uint32_t n_walked;
static bool can_begin, can_walk;
static void *peer[MAX_PEER_FRAMES];
static int n_peer;

uint32_t hpp__trie_site_node(uint32_t site)
{
    return site == SITE ? NODE : 0;
}

bool hpp__full_walk_begin_here(hpp_full_walk *out, uintptr_t pc, uintptr_t sp, hpp_memory memory)
{
    (void)out, (void)pc, (void)sp, (void)memory;
    return can_begin;
}

hpp_stack_walk_outcome hpp__stack_walk_fully(hpp_stack_walk *path, hpp_full_walk *walk)
{
    (void)walk;
    path->new_frames.data = walked;
    path->n_new_frames = n_walked;
    return can_walk ? HPP_STACK_WALK_WHOLE : HPP_STACK_WALK_FAILED;
}

uint32_t hpp__stack_walk_extend(hpp_stack_walk *path)
{
    bool are_equal = path->n_new_frames == N_FRAMES;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        are_equal = are_equal && walked[i].pc == interned[i].pc;
    }
    return are_equal ? NODE : NODE + 1;
}

void hpp__stack_walk_forget(hpp_stack_walk *path)
{
    (void)path;
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
    can_begin = can_walk = true;
    n_peer = 2;
    peer[0] = (void *)1;
    peer[1] = (void *)2;
    for (unsigned i = 0; i < N_FRAMES; i++) {
        uintptr_t pc = 100 * (uintptr_t)(N_FRAMES - i);
        interned[i] = walked[i] = (hpp_new_frame){.pc = pc};
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
    hpp_stack_walk path = {0};
    hpp__verify_site(SITE, &path, (hpp_caller){.pc = 300}, (hpp_memory){0});
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

Test(verify, a_full_walk_to_another_node_is_counted)
{
    interned[2].pc++;
    expect_counts(1, 0, 0);
    equal_stacks();
    n_walked = 2; /* shorter */
    n_peer--;
    expect_counts(1, 0, 0);
    can_walk = false; /* nothing to compare with */
    expect_counts(0, 0, 0);
    can_walk = true;
    can_begin = false;
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
    walked[2].flags = HPP_NODE_GUESSED;
    expect_counts(0, 0, 1);
    n_peer = 3;
    walked[1].flags = HPP_NODE_GUESSED;
    expect_counts(0, 0, 1);
    equal_stacks();
    n_peer = 4;
    peer[3] = (void *)201;
    expect_counts(0, 1, 0);
    equal_stacks();
    n_peer = 2;
    walked[0].flags = HPP_NODE_GUESSED;
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
