/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The Python frames of a thread as a node of the window's trie.
 *
 * The chain of frames is read whole, and compared with the last one: outer frames that are all
 * equal have the same nodes. (Comparing only the innermost frame would be wrong: the address of a
 * frame is used again, and says nothing about its callers.) Since 3.11, an instruction is an
 * address in its code, so the codes of equal ones are compared only after a code object has died;
 * without the global lock, it may be one in a copy for a thread, whose death is not noticed. A
 * frame that differs is looked up by its place and the node of its caller; its line is computed
 * once.
 *
 * Frames of the import system between others, and such that have not come to their function's code,
 * are left out, as in Python's tracebacks. Recursion is folded (unwind/recursion.h).
 *
 * Threads: a chain belongs to one thread. A signal handler has one of its own.
 */
#ifndef HPP_NATIVE_PYTHON_FRAMES_H
#define HPP_NATIVE_PYTHON_FRAMES_H

#include "codes.h"
#include "native/target/unwind/stack_walk.h"

enum { HPP_N_KNOWN_PYTHON = 2048, HPP_N_KNOWN_LINES = 1024 };

typedef struct hpp_python_frame {
    hpp_python_place place;
    uintptr_t frame;
} hpp_python_frame;

/* A frame of the last chain, and the node of its place and its callers'. */
typedef struct hpp_python_level {
    hpp_python_frame frame;
    uint32_t node;
} hpp_python_level;

/* A place below a caller, and its node. A new one replaces an older one. */
typedef struct hpp_known_python {
    hpp_python_place place;
    uint32_t parent, node;
    uint32_t deaths; /* of code objects, when it was stored */
} hpp_known_python;

/* The address of a place's nodes: the number of its code, and its line. */
typedef struct hpp_known_line {
    hpp_python_place place;
    uint64_t address; /* 0: none */
    uint32_t deaths;  /* of code objects, when it was stored */
} hpp_known_line;

typedef struct hpp_python_chain {
    hpp_growing levels; /* hpp_python_level, outermost first */
    uint32_t n_levels;
    uint32_t n_nodes; /* levels that have theirs; may be more than there are now */
    uint32_t deaths;  /* of code objects, when the nodes were stored */
    hpp_known_python known[HPP_N_KNOWN_PYTHON];
    hpp_known_line lines[HPP_N_KNOWN_LINES];
} hpp_python_chain;

typedef enum hpp_frames_found {
    HPP_FRAMES_NONE, /* there are none, or they cannot be read */
    HPP_FRAMES_FOUND,
    HPP_FRAMES_LOST, /* the window is full, or there is no memory */
} hpp_frames_found;

/* The frames of a thread. */
typedef struct hpp_python_stack {
    const hpp_python_frame *innermost; /* if there is one */
    uint32_t callers;                  /* node of its callers; 0: it has none */
    hpp_frames_found found;
} hpp_python_stack;

/* Reads the frames of a thread state, which may be NULL. */
hpp_python_stack hpp__frames_read(hpp_python_chain *chain, const void *thread_state);

/* Does the same for a thread that was interrupted anywhere: memory is only read after asking. */
hpp_python_stack hpp__frames_read_carefully(hpp_python_chain *chain, const void *thread_state);

/* Goes from the node of a frame's callers to the node of the frame. Returns false if the window is
 * full.
 */
bool hpp__frames_push(uint32_t *node, hpp_python_chain *chain, const hpp_python_frame *frame,
                      bool is_careful);

#endif
