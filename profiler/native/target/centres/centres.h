/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cost-centre stack of a thread, in programs that `census cc` compiled: each function reports
 * its entry and its exit, and scopes (hpprof/scope.h) report theirs. A block then belongs to the
 * functions that were entered, whatever inlining and tail calls left of them on the stack. Frames
 * of other code between the innermost of them and the allocation are appended.
 *
 * A stack is a node of the window's trie: a function's node holds the address of its first
 * instruction (HPP_NODE_ENTRY), a scope's node its number (HPP_NODE_SCOPE). Recursion is folded as
 * by GHC: entering a function that is already on the stack cuts the stack back to it. A thread
 * caches the children of nodes, so entering a function takes one look into a table.
 *
 * What longjmp and exceptions skip is found by stack pointers: a function is open while the frame
 * that entered it is not below the stack pointer. `census cc` compiles with frame pointers, which
 * identify frames.
 *
 * Threads: each has its own. A signal handler may interrupt any of these functions and call them;
 * nothing waits.
 */
#ifndef HPP_NATIVE_TARGET_CENTRES_CENTRES_H
#define HPP_NATIVE_TARGET_CENTRES_CENTRES_H

#include "native/target/unwind/unwind.h"
#include "native/window/trie.h"

/* An open function or scope. */
typedef struct hpp_centre_frame {
    uintptr_t frame_pointer, return_address; /* of the function */
    uintptr_t before;                        /* the node that was current */
} hpp_centre_frame;

/* A cached child: its key, and its parent and itself. Written by one instruction, so that a signal
 * handler cannot see a part of it. */
typedef hpp_pair hpp_centre_child;

/* Counts the entries of a child, in the window. */
typedef _Atomic uint64_t hpp_centre_counter;

/* Returns the calling thread's counter of entries of a function or scope; NULL: there is no room.
 */
typedef hpp_centre_counter *hpp_find_counter(uint32_t node);

/* The stack begins like hpp_thread in hpprof/ccs.h: the end of a scope, which is inlined into the
 * program, restores these two. */
typedef struct hpp_centres {
    uintptr_t current;     /* node */
    hpp_centre_frame *top; /* the next free one; below the first is one that is never closed */
    hpp_centre_frame *end;
    hpp_centre_child *children;    /* by hash */
    hpp_centre_counter **counters; /* of these */
    hpp_find_counter *find_counter;
    uint64_t children_mask;         /* of offsets in bytes */
    uint32_t n_missed;              /* since the mask was set */
    uint32_t generation;            /* of the loaded objects that `children` is valid for */
    uintptr_t stack_low, stack_end; /* the thread's own stack; 0,0: unknown */
    hpp_centre_frame *frames;
} hpp_centres;

/* Creates the stack of a thread, without open functions. Returns NULL without memory. */
hpp_centres *hpp__centres_create(hpp_find_counter *find_counter);

/* Closes all functions, for a thread with another stack. Keeps the memory. */
void hpp__centres_forget(hpp_centres *centres, uintptr_t stack_low, uintptr_t stack_end);

/* Enters a function or scope: `key` is its address or number with HPP_NODE_ENTRY or HPP_NODE_SCOPE
 * above it (hpp__centres_key). Returns false if too many are open. */
bool hpp__centres_enter(hpp_centres *centres, uint64_t key, uintptr_t frame_pointer,
                        uintptr_t return_address);

/* Enters a scope that continues under `node`, a stack that was current before. */
bool hpp__centres_enter_under(hpp_centres *centres, uint32_t node, uintptr_t frame_pointer,
                              uintptr_t return_address);

/* Leaves the function with that frame pointer. */
void hpp__centres_leave(hpp_centres *centres, uintptr_t frame_pointer);

/* Closes the functions whose frames are below `sp`, which control will skip. */
void hpp__centres_skip(hpp_centres *centres, uintptr_t sp);

/* Returns the node of a place of the program: the cost-centre stack, and the frames between its
 * innermost function and the place. Returns 0 if no function is open, on the stack of a coroutine
 * or a signal, where others may be open, if the walk does not come to the innermost one, or if the
 * window is full. `walk` starts at the place. */
uint32_t hpp__centres_node(hpp_centres *centres, hpp_walk walk);

/* Returns the site of a node and call, from the cache if possible; 0 if the window is full. */
uint32_t hpp__centres_site(hpp_centres *centres, uint32_t node, hpp_call call);

/* Where the flags of a node are in a key. Addresses have 47 bits. */
enum { HPP_CENTRE_FLAG_BITS = 48 };

static inline uint64_t hpp__centres_key(uint64_t address, uint16_t flags)
{
    return address | (uint64_t)flags << HPP_CENTRE_FLAG_BITS;
}

/* ---- the usual cases, in line ---------------------------------------------------------------- */

/* Returns the place of a child in the cache. The parent comes last, because it is known last. */
static inline hpp_centre_child *hpp__centres_place_of(const hpp_centres *c, uint32_t parent,
                                                      uint64_t key)
{
    uint64_t offset = (key * 0x9e3779b97f4a7c15 >> 32) + parent * sizeof(hpp_centre_child);
    return (hpp_centre_child *)((char *)c->children + (offset & c->children_mask));
}

/* Counts an entry of the child at a place. A signal handler may have put another one there. */
static inline void hpp__centres_count(const hpp_centres *c, const hpp_centre_child *place)
{
    hpp__add_own(c->counters[place - c->children], 1);
}

/* Returns a child in the cache, or 0. If a signal handler replaces it between the reads of its two
 * words, the first one has changed. */
static inline uint32_t hpp__centres_find(const hpp_centres *c, uint32_t parent, uint64_t key)
{
    const volatile uint64_t *child =
        (const volatile uint64_t *)hpp__centres_place_of(c, parent, key);
    if (HPP_UNLIKELY(child[0] != key)) {
        return 0;
    }
    uint64_t family = child[1];
    return HPP_LIKELY((uint32_t)family == parent && child[0] == key) ? (uint32_t)(family >> 32) : 0;
}

/* Opens a function or scope under `node`. The entry is written before `top` says that it is there,
 * and `current` is set last. If a signal handler overwrites the entry meanwhile, its frame is a
 * deeper one, and `before` is the same. */
static inline void hpp__centres_open(hpp_centres *c, uintptr_t node, uintptr_t frame_pointer,
                                     uintptr_t return_address)
{
    hpp_centre_frame *top = c->top;
    *top = (hpp_centre_frame){frame_pointer, return_address, c->current};
    atomic_signal_fence(memory_order_seq_cst);
    c->top = top + 1;
    atomic_signal_fence(memory_order_seq_cst);
    c->current = node;
}

/* Is hpp__centres_enter for the usual case. Returns false and does nothing in others. */
static inline bool hpp__centres_enter_usual(hpp_centres *c, uint64_t key, uintptr_t frame_pointer,
                                            uintptr_t return_address)
{
    const hpp_centre_frame *top = c->top;
    if (HPP_UNLIKELY(frame_pointer >= top[-1].frame_pointer || top == c->end ||
                     c->generation !=
                         atomic_load_explicit(&hpp__generation, memory_order_relaxed))) {
        return false;
    }
    uint32_t child = hpp__centres_find(c, (uint32_t)c->current, key);
    if (HPP_UNLIKELY(child == 0)) {
        return false;
    }
    hpp__centres_count(c, hpp__centres_place_of(c, (uint32_t)c->current, key));
    hpp__centres_open(c, child, frame_pointer, return_address);
    return true;
}

/* Is hpp__centres_leave for the usual case. Returns false and does nothing in others. */
static inline bool hpp__centres_leave_usual(hpp_centres *c, uintptr_t frame_pointer)
{
    hpp_centre_frame *top = c->top - 1;
    if (HPP_UNLIKELY(top->frame_pointer != frame_pointer)) {
        return false;
    }
    c->current = top->before;
    atomic_signal_fence(memory_order_seq_cst);
    c->top = top;
    return true;
}

#endif
