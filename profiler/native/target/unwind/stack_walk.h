/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks a stack up to the frame where it joins the previous stack of the thread.
 *
 * A hpp_stack_walk ("path") keeps the last stack of a thread, outermost frame first, with the node
 * of each frame and the stack words that the walk depended on. The next walk goes up from its
 * innermost frame. If it reaches a frame of the path, and the words of the path from there outwards
 * have not changed, the rest of the stack is the same. The inner frames of the path are then
 * replaced by the new ones.
 *
 * Frames take time to leave and to enter again: a processor makes at most a few calls in a tick of
 * its time stamp counter. So only as many frames as could have been replaced since the path was
 * kept are compared. Time that the thread has spent in the library does not count. A recursion that
 * allocates at each of its levels is walked in linear time.
 *
 * Only stacks entirely on the thread's own stack are kept: the outer words are compared before the
 * walk has reached them, so they must be readable in any case.
 *
 * Threads: a path belongs to one thread.
 */
#ifndef HPP_NATIVE_TARGET_UNWIND_STACK_WALK_H
#define HPP_NATIVE_TARGET_UNWIND_STACK_WALK_H

#include "unwind.h"

/* Memory that grows. */
typedef struct hpp_growing {
    void *data;
    size_t n_bytes;
} hpp_growing;

/* Makes room for `n_bytes` and keeps the contents. Returns false without memory. */
bool hpp__growing_reserve(hpp_growing *memory, size_t n_bytes);

typedef struct hpp_stack_walk_frame {
    uintptr_t pc, sp;
    uint32_t node;    /* of the stack up to this frame, without recursion */
    uint32_t n_words; /* of this frame and the outer ones */
    uint32_t fp_word; /* whether outer frames need this frame's fp: 1 + index of the word that
                          holds it; 0: no; or HPP_STACK_WALK_NO_JOINT */
    uint16_t flags;   /* HPP_NODE_ values */
    bool is_folded;   /* its function was on the stack before */
} hpp_stack_walk_frame;

/* A frame that was walked, before its node is known. */
typedef struct hpp_new_frame {
    uintptr_t pc, sp;
    uint32_t first_word; /* of the words that the step from this frame appended */
    uint32_t fp_word;    /* as above, index among the new words */
    uint16_t module_number;
    uint16_t flags; /* HPP_NODE_ values */
} hpp_new_frame;

typedef struct hpp_stack_walk {
    hpp_growing frames, words; /* hpp_stack_walk_frame, hpp_word; outermost first */
    uint32_t n_frames, n_words;
    hpp_growing known_calls;           /* hpp_known_call */
    hpp_growing new_frames, new_words; /* hpp_new_frame, hpp_word; innermost first */
    uint32_t n_new_frames, n_new_words;
    uint32_t n_without_joint_fp; /* new frames whose fp differs from the joint's */
    uintptr_t joint_fp_slot;     /* address of the fp that the joint needs; 0: already noted, or not
                                     needed */
    uint32_t max_new_frames;     /* the next walk is cut there; 0: no limit */
    uint64_t kept_at;    /* time stamp of the processor when the path was last known to be the
                            stack; 0: not deep */
    uint64_t n_compared; /* words compared and copied so far */
} hpp_stack_walk;

/* The address of a word that is redundant, because an inner word has the same value. */
enum { HPP_STACK_WALK_NO_WORD = 1 };

/* A value of `fp_word`: no walk can join at this frame. */
#define HPP_STACK_WALK_NO_JOINT UINT32_MAX

typedef enum hpp_stack_walk_outcome {
    HPP_STACK_WALK_WHOLE,  /* up to the outermost frame */
    HPP_STACK_WALK_JOINED, /* up to a frame of the path, which is now its innermost */
    HPP_STACK_WALK_CUT,    /* up to a frame whose caller cannot be found */
    HPP_STACK_WALK_HARD,   /* up to a frame that needs a full walk */
    HPP_STACK_WALK_FAILED, /* there is no memory */
} hpp_stack_walk_outcome;

/* Walks a stack. Stores the new frames and words, and cuts the path to the frames that it shares
 * with the walk. */
hpp_stack_walk_outcome hpp__stack_walk(hpp_stack_walk *path, hpp_walk *walk);

/* Does the same by a full walk, without words: it does not join the path, and later walks must not
 * join it. */
hpp_stack_walk_outcome hpp__stack_walk_fully(hpp_stack_walk *path, hpp_full_walk *walk);

/* Appends the new frames and their nodes to the path. Returns the node of the whole stack, whose
 * innermost frames are all there (recursion.h); 0 without memory or room for nodes. */
uint32_t hpp__stack_walk_extend(hpp_stack_walk *path);

/* Returns whether all words of the path are on the thread's own stack. */
bool hpp__stack_walk_is_own(const hpp_stack_walk *path, const hpp_memory *memory);

/* Stores the words of the path in `new_words`, innermost first, without the `n_skipped` innermost,
 * and their number. Returns false without memory, or if there are more than `n_most`. It
 * looks no further if the path is more than twice as long. */
bool hpp__stack_walk_collect(uint32_t *n_words, hpp_stack_walk *path, uint32_t n_skipped,
                             uint32_t n_most);

void hpp__stack_walk_forget(hpp_stack_walk *path);

/* Frees the memory. */
void hpp__stack_walk_end(hpp_stack_walk *path);

#endif
