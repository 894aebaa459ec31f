/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a call of malloc to its site, nearly always without unwinding.
 *
 * Unwinding is a pure function of the caller's pc, stack pointer, frame pointer, and the words of
 * the stack that it reads. So a thread remembers, under (pc, sp), the words that an unwind read and
 * the site that came out (cache.h); when the words are the same, so is the stack. Only where they
 * differ is the stack walked, and only up to the frame where it joins the stack before, whose outer
 * words still verify (path.h). New frames become nodes of the window's trie (trie.h).
 *
 * On the thread's own stack the words are compared in batches. On any other (a coroutine's, a
 * signal handler's) they are compared innermost first, one by one: while all inner words agree the
 * next one is a word that an unwind would read now, so nothing is read that is not there.
 *
 * Nobody needs to tell that objects were loaded or unloaded, by dlopen, dlclose or from within
 * libc: the loader then allocates, between mapping an object and running it, and a call from the
 * loader is seen to be that.
 */
#ifndef HPP_NATIVE_STACKS_H
#define HPP_NATIVE_STACKS_H

#include "native/unwind/unwind_cache.h"
#include "native/unwind/stack_walk.h"
#include "thread.h"

/* Of a thread: made when it is first needed. */
struct hpp_unwind_cache {
    hpp_unwind_cache_table table;
    hpp_stack_walk path;
    uint32_t generation;  /* that the table and the path are of */
    uint32_t until_check; /* stacks until the next one is verified */
};

/* From now on compare one stack in `n` with fresh unwinds. Loads what backtrace() needs, so it is
 * not for where the loader is at work. */
void hpp__stacks_verify(uint32_t n);

/* Whether the thread's cache may be used: then its `generation` is that of the cache. */
static inline bool hpp__stacks_are_current(const hpp_thread *thread)
{
    return thread->generation == atomic_load_explicit(&hpp__generation, memory_order_relaxed);
}

/* The place of a call whose stack is the first that is remembered under its (pc, sp), or NULL. */
static inline const hpp_place *hpp__stacks_remembered(const hpp_thread *thread, hpp_caller caller,
                                                      hpp_call call)
{
    if (HPP_UNLIKELY(!hpp__stacks_are_current(thread))) {
        return NULL;
    }
    uint64_t key = hpp__unwind_cache_key(caller.pc, call);
    const hpp_unwind_cache_slot *slot =
        hpp__unwind_cache_slot_of(&thread->cache->table, key, caller.sp);
    bool is_known = HPP_LIKELY(slot->a == key && slot->b == caller.sp &&
                               hpp__unwind_cache_agrees(slot, caller.sp, caller.fp));
    return is_known ? &slot->entry->place : NULL;
}

/* The place of a call whose stack is any of those remembered. */
static inline bool hpp__stacks_recall(hpp_place *out, const hpp_thread *thread,
                                      const hpp_caller *caller, hpp_call call)
{
    return HPP_LIKELY(hpp__stacks_are_current(thread)) &&
           hpp__unwind_cache_find(out, &thread->cache->table, caller, call);
}

/* The place of a call of which hpp__stacks_recall knows nothing. `thread` is the calling one, and
 * not ready in all three (thread.h). */
hpp_place hpp__stacks_place_anew(hpp_thread *thread, hpp_caller caller, hpp_call call);

/* The site without touching anything of the thread's: for a signal handler that interrupted the
 * library, and for threads that have no slot. Slow. */
uint32_t hpp__stacks_site_unaided(hpp_caller caller, hpp_call call);

/* The site of an interrupted place: `context` is the ucontext_t of a signal handler. Touches
 * nothing of the thread's but the bounds of its stack; `thread` may be NULL. */
uint32_t hpp__stacks_site_interrupted(const hpp_thread *thread, const void *context, hpp_call call);

/* Forget all rules and remembered stacks: what was loaded has changed in a way that the loader does
 * not know of. */
void hpp__stacks_new_generation(void);

/* The slot has a new thread: forget its stacks. Keeps the memory. */
void hpp__stacks_forget(hpp_thread *thread);

#endif
