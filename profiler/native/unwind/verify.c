/* SPDX-License-Identifier: BSD-2-Clause
 *
 * backtrace() ends at a frame without unwind information. So if its stack is a prefix of ours, and
 * ours continues by a guess, it is cut, not different. Frames after the end of its array are not
 * compared.
 */
#include "verify.h"

#include <execinfo.h>

#include "native/window/trie.h"
#include "native/window/window_writer.h"

enum { MAX_PEER_FRAMES = 1024 };

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

void hpp__verify_begin(void)
{
    void *frame;
    backtrace(&frame, 1);
}

/* The caller of a node, or NULL at the outermost. */
static const hpp_window_node *outer(const hpp_window_node *node)
{
    return node->parent != 0 ? hpp__trie_look(node->parent) : NULL;
}

static bool equals_full_walk(const hpp_window_node *node, hpp_full_walk *walk)
{
    hpp_step step = HPP_STEP_UP;
    while (node != NULL && step == HPP_STEP_UP) {
        uintptr_t pc = hpp__full_walk_pc(walk);
        bool is_exact = walk->is_exact;
        step = hpp__full_walk_step(walk);
        if (node->address != pc || is_exact != ((node->flags & HPP_NODE_EXACT) != 0) ||
            node->module_index != walk->module_number) {
            return false;
        }
        node = outer(node);
    }
    return node == NULL && step != HPP_STEP_UP;
}

static void check_with_full_walk(const hpp_window_node *node, hpp_caller caller, hpp_memory memory)
{
    hpp_full_walk walk;
    if (hpp__full_walk_begin_here(&walk, caller.pc, caller.sp, memory) &&
        !equals_full_walk(node, &walk)) {
        count(&hpp__window->head.n_cache_mismatches);
    }
}

typedef enum agreement { AGREES, CUT, DIFFERS } agreement;

/* How the peer's frames from the caller on are those of a node. */
static agreement compare_frames(const hpp_window_node *node, void *const *frames, int n,
                                bool is_full)
{
    int i = 0;
    for (; i < n && node != NULL && node->address == (uintptr_t)frames[i]; i++) {
        node = outer(node);
    }
    if (i == n && (node == NULL || is_full)) {
        return AGREES;
    }
    return i > 0 && i == n && (node->flags & HPP_NODE_GUESSED) != 0 ? CUT : DIFFERS;
}

static void check_with_frames(const hpp_window_node *node, void *const *frames, int n, bool is_full)
{
    switch (compare_frames(node, frames, n, is_full)) {
    case AGREES:
        break;
    case CUT:
        count(&hpp__window->head.n_peer_cut);
        break;
    case DIFFERS:
        count(&hpp__window->head.n_peer_mismatches);
        break;
    }
}

static void check_with_peer(const hpp_window_node *node, hpp_caller caller)
{
    void *frames[MAX_PEER_FRAMES];
    int n = backtrace(frames, MAX_PEER_FRAMES);
    int first = 0;
    while (first < n && (uintptr_t)frames[first] != caller.pc) {
        first++;
    }
    check_with_frames(node, frames + first, n - first, n == MAX_PEER_FRAMES);
}

void hpp__verify_site(uint32_t site, hpp_caller caller, hpp_memory memory)
{
    const hpp_window_node *node = hpp__trie_look(hpp__trie_site_node(site));
    count(&hpp__window->head.n_checked);
    check_with_full_walk(node, caller, memory);
    check_with_peer(node, caller);
}
