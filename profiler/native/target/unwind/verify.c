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

typedef enum agreement { AGREES, CUT, DIFFERS } agreement;

/* Compares the frames of the peer, from the caller on, with the frames of a walk. */
static agreement compare_frames(const hpp_stack_walk *path, void *const *frames, int n,
                                bool is_full)
{
    const hpp_new_frame *walked = path->new_frames.data;
    int n_walked = (int)path->n_new_frames;
    int i = 0;
    while (i < n && i < n_walked && walked[i].pc == (uintptr_t)frames[i]) {
        i++;
    }
    if (i == n && (i == n_walked || is_full)) {
        return AGREES;
    }
    return i > 0 && i == n && (walked[i].flags & HPP_NODE_GUESSED) != 0 ? CUT : DIFFERS;
}

static void check_with_frames(const hpp_stack_walk *path, void *const *frames, int n, bool is_full)
{
    switch (compare_frames(path, frames, n, is_full)) {
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

static void check_with_peer(const hpp_stack_walk *path, hpp_caller caller)
{
    void *frames[MAX_PEER_FRAMES];
    int n = backtrace(frames, MAX_PEER_FRAMES);
    int first = 0;
    while (first < n && (uintptr_t)frames[first] != caller.pc) {
        first++;
    }
    check_with_frames(path, frames + first, n - first, n == MAX_PEER_FRAMES);
}

void hpp__verify_site(uint32_t site, hpp_stack_walk *path, hpp_caller caller, hpp_memory memory)
{
    hpp_full_walk walk;
    count(&hpp__window->head.n_checked);
    if (!hpp__full_walk_begin_here(&walk, caller.pc, caller.sp, memory) ||
        hpp__stack_walk_fully(path, &walk) == HPP_STACK_WALK_FAILED) {
        return;
    }
    check_with_peer(path, caller);
    if (hpp__stack_walk_extend(path) != hpp__trie_site_node(site)) {
        count(&hpp__window->head.n_cache_mismatches);
    }
    hpp__stack_walk_forget(path);
}
