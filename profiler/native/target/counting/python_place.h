/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Places of calls from Python: Python frames, and inside of them the native frames from the
 * interpreter's evaluation loop to the call.
 *
 * An unwind ends at the innermost frame of the evaluation loop, so native stacks are short, and
 * few. A thread caches the place for each of them below each Python stack.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_PYTHON_PLACE_H
#define HPP_NATIVE_TARGET_COUNTING_PYTHON_PLACE_H

#include "native/python/frames.h"
#include "native/target/unwind/unwind_cache.h"
#include "thread.h"

/* The `site` of a place that is not whole: this bit, the call, and the node of the native frames.
 * Its cell is NULL. */
#define HPP_PLACE_IN_PYTHON 0x80000000u
enum { HPP_PLACE_NODE_BITS = 25 };

static inline uint32_t hpp__python_place_key(uint32_t node, hpp_call call)
{
    return HPP_PLACE_IN_PYTHON | (uint32_t)call << HPP_PLACE_NODE_BITS | node;
}

/* Returns whether the stack of a node begins in the interpreter's evaluation loop. */
bool hpp__python_place_begins(uint32_t node);

/* Returns the whole place for a key. `self` is the calling thread, whose cache is not in use. */
hpp_place hpp__python_place(hpp_thread *self, uint32_t key);

/* Clears the cache of a thread, whose cells have changed. Keeps the memory. */
void hpp__python_places_forget(hpp_thread *thread);

/* Returns the site for a key of a thread that a signal has interrupted; 0 if the window is full. */
uint32_t hpp__python_place_interrupted(hpp_thread *self, uint32_t key);

#endif
