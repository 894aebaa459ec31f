/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Walking a stack only as far as it is new.
 *
 * A path is the stack that a thread walked last, outermost frame first, with the node of each frame
 * and the words that decided. The next walk goes up from its own innermost frame; where it comes to
 * a frame of the path, and the words of the path from there outwards are still the same, the rest
 * of the stack is the same. The path then loses its inner frames and takes the new ones.
 *
 * Only stacks that lie wholly on the thread's own are kept as a path: the outer words are compared
 * before the walk has come there, so they must be readable whatever happened.
 *
 * Threads: a path belongs to one thread.
 */
#ifndef HPP_NATIVE_STACK_WALK_H
#define HPP_NATIVE_STACK_WALK_H

#include "unwind.h"

/* Memory that grows. */
typedef struct hpp_growing {
    void *data;
    size_t n_bytes;
} hpp_growing;

/* Makes room for `n_bytes`, keeping what is there. False: there is no memory. */
bool hpp__growing_reserve(hpp_growing *memory, size_t n_bytes);

typedef struct hpp_stack_walk_frame {
    uintptr_t pc, sp;
    uint32_t node;
    uint32_t n_words;  /* of this frame and those further out */
    uint32_t rbp_word; /* how frames further out need the rbp that this frame has: 1 + index of the
                          word that says which; 0: they do not; HPP_STACK_WALK_NO_JOINT */
    uint16_t flags;    /* HPP_NODE_ values but for HPP_NODE_CUT */
} hpp_stack_walk_frame;

/* A frame that was walked, before its node is known. */
typedef struct hpp_new_frame {
    uintptr_t pc, sp;
    uint32_t first_word; /* of the words that the step from here on appended */
    uint32_t rbp_word;   /* as above, index among the new words */
    uint16_t module_number;
    uint16_t flags; /* HPP_NODE_ values */
} hpp_new_frame;

typedef struct hpp_stack_walk {
    hpp_growing frames, words; /* hpp_stack_walk_frame, hpp_word; outermost first */
    uint32_t n_frames, n_words;
    hpp_growing new_frames, new_words; /* hpp_new_frame, hpp_word; innermost first */
    uint32_t n_new_frames, n_new_words;
    uint32_t n_without_joint_rbp; /* new frames that have not the rbp of the joint */
    uintptr_t joint_rbp_slot;     /* where the walk found the rbp that the joint needs; 0: nowhere
                                     that it had not noted, or it needs none */
} hpp_stack_walk;

/* The address of a word that is needed no more, because a further inner one says the same. */
enum { HPP_STACK_WALK_NO_WORD = 1 };

/* As `rbp_word`: no walk joins here. */
#define HPP_STACK_WALK_NO_JOINT UINT32_MAX

typedef enum hpp_stack_walk_outcome {
    HPP_STACK_WALK_WHOLE,  /* up to the outermost frame */
    HPP_STACK_WALK_JOINED, /* up to a frame of the path, which is its innermost now */
    HPP_STACK_WALK_CUT,    /* up to a frame whose caller cannot be found */
    HPP_STACK_WALK_HARD,   /* up to a frame that only a full walk can leave */
    HPP_STACK_WALK_FAILED, /* there is no memory */
} hpp_stack_walk_outcome;

/* Walks. The new frames and words are kept beside the path, and the path has lost what it has not
 * in common with the walk. */
hpp_stack_walk_outcome hpp__stack_walk(hpp_stack_walk *path, hpp_walk *walk);

/* The same by a full walk, for which no words are kept: nothing is joined, and the path must not
 * be joined later. */
hpp_stack_walk_outcome hpp__stack_walk_fully(hpp_stack_walk *path, hpp_full_walk *walk);

/* The new frames, with their nodes, become part of the path. Returns the node of the innermost
 * frame. 0: there is no memory, or no room for nodes; then the path is empty. */
uint32_t hpp__stack_walk_extend(hpp_stack_walk *path);

/* Whether all words of the path are on the thread's own stack, or on it when the walk began. */
bool hpp__stack_walk_is_own(const hpp_stack_walk *path, const hpp_memory *memory);

/* The words of the path, innermost first, but for the `n_skipped` innermost: they are in
 * `new_words` then, and so many. False: there is no memory. */
bool hpp__stack_walk_collect(uint32_t *n_words, hpp_stack_walk *path, uint32_t n_skipped);

void hpp__stack_walk_forget(hpp_stack_walk *path);

/* Gives the memory back. */
void hpp__stack_walk_end(hpp_stack_walk *path);

#endif
