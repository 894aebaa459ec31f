/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the site of an allocating call, nearly always without unwinding.
 *
 * Unwinding is a pure function of the caller's pc, stack pointer and frame pointer, and of the
 * stack words that it reads. So a thread caches, under (pc, sp), the words that an unwind read and
 * the resulting site (unwind_cache.h). If the words are equal, so is the stack. Otherwise the stack
 * is walked, up to the frame where it joins the previous stack (stack_walk.h). New frames become
 * nodes of the window's trie (trie.h).
 *
 * On the thread's own stack the words are compared in batches. On another stack (of a coroutine, of
 * a signal handler) they are compared one by one, innermost first: while all inner words are equal,
 * an unwind would read the next one, so it is mapped.
 *
 * In a Python program, a place may be only the inner part of a stack: python_place.h has the rest.
 * Such a stack is cached when it is missed for the second time.
 *
 * Loading and unloading of objects is detected without hooks: the loader allocates between mapping
 * an object and running it, and calls from the loader are recognised.
 */
#ifndef HPP_NATIVE_TARGET_COUNTING_STACKS_H
#define HPP_NATIVE_TARGET_COUNTING_STACKS_H

#include "native/target/unwind/unwind_cache.h"
#include "native/target/unwind/stack_walk.h"
#include "thread.h"

enum { HPP_N_MISSED = 4096 };

/* The cache of a thread, created at its first use. */
struct hpp_unwind_cache {
    hpp_unwind_cache_table table;
    hpp_stack_walk path;
    hpp_stack_walk verified;
    uint32_t generation;           /* of the table and the path */
    uint32_t until_check;          /* number of stacks until the next one is verified */
    uint32_t missed[HPP_N_MISSED]; /* hashes of stacks that were not cached */
};

/* Verifies every n-th stack from now on. Loads what backtrace() needs: do not call it from the
 * loader. */
void hpp__stacks_verify(uint32_t n);

/* Returns whether the thread's cache is valid for the loaded objects. */
static inline bool hpp__stacks_are_current(const hpp_thread *thread)
{
    return thread->generation == atomic_load_explicit(&hpp__generation, memory_order_relaxed);
}

/* Returns the place of a call if its stack is the first cached one under its (pc, sp), else NULL.
 */
static inline const hpp_place *hpp__stacks_remembered(const hpp_thread *thread, hpp_caller caller,
                                                      hpp_call call)
{
    if (HPP_UNLIKELY(!hpp__stacks_are_current(thread))) {
        return NULL;
    }
    uint64_t key = hpp__unwind_cache_key(caller.pc, call);
    const hpp_unwind_cache_slot *slot =
        hpp__unwind_cache_slot_of(&thread->cache->table, key, caller.sp);
    const hpp_unwind_cache_entry *entry = slot->entry;
    atomic_signal_fence(memory_order_acquire);
    bool is_known = HPP_LIKELY(slot->a == key && slot->b == caller.sp &&
                               hpp__unwind_cache_agrees(slot, entry, caller.sp, caller.fp));
    return is_known ? &entry->place : NULL;
}

/* Finds the place of a call if its stack is cached. */
static inline bool hpp__stacks_recall(hpp_place *out, const hpp_thread *thread,
                                      const hpp_caller *caller, hpp_call call)
{
    return HPP_LIKELY(hpp__stacks_are_current(thread)) &&
           hpp__unwind_cache_find(out, &thread->cache->table, caller, call);
}

/* A call of the program to the library. */
typedef struct hpp_visit {
    uint64_t begun_at; /* time stamp; 0: unknown */
    uint64_t kept_at;  /* the path's number after the walk; 0: there was none */
} hpp_visit;

/* Returns the place of a call whose stack is not cached. `thread` is the calling thread, for which
 * hpp__ready is NULL (thread.h). */
hpp_place hpp__stacks_place_anew(hpp_thread *thread, hpp_caller caller, hpp_call call,
                                 hpp_visit *visit);

/* Notes that the path is still the stack, at the end of a visit. `thread` is the calling thread. A
 * signal handler may interrupt: the time is read before it is known that none has walked. */
static inline void hpp__stacks_end_visit(hpp_thread *thread, const hpp_visit *visit)
{
    if (HPP_UNLIKELY(visit->kept_at != 0)) {
        uint64_t now = hpp__time_stamp();
        atomic_signal_fence(memory_order_seq_cst);
        if (thread->cache->path.kept_at == visit->kept_at) {
            thread->cache->path.kept_at = now;
        }
    }
}

/* Returns the site of a call without the thread's data, slowly: for a signal handler that
 * interrupted the library, and for threads without a slot. */
uint32_t hpp__stacks_site_unaided(hpp_caller caller, hpp_call call);

/* Returns the site of an interrupted instruction; `context` is the ucontext_t of a signal handler.
 * Uses only the stack bounds of `thread`, which may be NULL, and what it keeps for this. */
uint32_t hpp__stacks_site_interrupted(hpp_thread *thread, const void *context, hpp_call call);

/* Clears all rules and caches, after objects have changed without the loader. */
void hpp__stacks_new_generation(void);

/* Clears a thread's cache, for a new thread in its slot. Keeps the memory. */
void hpp__stacks_forget(hpp_thread *thread);

/* Lets the thread that has called fork clear its cache, in the child, at its next allocation. */
void hpp__stacks_forked(hpp_thread *thread);

#endif
