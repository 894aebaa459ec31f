/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counts blocks that are allocated and freed, for all exported functions.
 *
 * The usual case is inline and takes no lock, no atomic read-modify-write and no call. The other
 * cases are in accounting.c: a stack that is not cached, the first call of a process, of a thread
 * or after a fork, a signal handler that interrupted the library, a full window, a block that
 * already exists. All preserve errno.
 */
#ifndef HPP_NATIVE_TARGET_PRELOAD_ACCOUNTING_H
#define HPP_NATIVE_TARGET_PRELOAD_ACCOUNTING_H

#include "native/target/counting/blocks.h"
#include "native/target/counting/peak.h"
#include "native/target/counting/process_state.h"
#include "native/target/counting/rate.h"
#include "native/target/counting/stacks.h"
#include "native/target/counting/thread.h"

/* Returns the size to request from the next allocator, so that no two blocks share a granule. */
static inline size_t hpp__asked_bytes(size_t n_bytes)
{
    return n_bytes < HPP_GRANULE_BYTES ? HPP_GRANULE_BYTES : n_bytes;
}

/* Whether the thread is in an allocator of Python that is counted itself: what that gets from
 * malloc is not. */
extern HPP_HIDDEN _Thread_local bool hpp__is_in_python_allocator HPP_INITIAL_EXEC;

/* What an operator new for a larger alignment was asked for, until the allocator is called; 0:
 * none.
 */
extern HPP_HIDDEN _Thread_local size_t hpp__new_bytes HPP_INITIAL_EXEC;

/* The unusual cases. All return `block`. */
void *hpp__account_allocation_slowly(void *block, size_t n_bytes, hpp_call call, uintptr_t pc,
                                     uintptr_t sp, uintptr_t fp);
void *hpp__account_block_slowly(void *block, size_t n_bytes, hpp_window_cell *cell, uint32_t site);

/* Enters and counts a block at a known place. Returns the block. */
HPP_ALWAYS_INLINE void *hpp__account_block(void *block, size_t n_bytes, hpp_window_cell *cell,
                                           uint32_t site)
{
    if (HPP_UNLIKELY(cell == NULL || hpp__window->head.control != 0 ||
                     !hpp__blocks_put_usual(block, site, n_bytes))) {
        return hpp__account_block_slowly(block, n_bytes, cell, site);
    }
    hpp__peak_keep(cell);
    hpp__add_own(&cell->allocations, 1);
    hpp__add_own(&cell->allocated_bytes, n_bytes);
    hpp__peak_add(hpp__self, n_bytes);
    return block;
}

/* Returns the place of a call in the usual case; otherwise its site is HPP_SITE_NONE. */
HPP_ALWAYS_INLINE hpp_place hpp__account_place(hpp_caller caller, hpp_call call)
{
    hpp_place place = {HPP_SITE_NONE, NULL};
    hpp_thread *self = hpp__ready;
    if (HPP_UNLIKELY(self == NULL || !hpp__alive_to_count())) {
        return place;
    }
    hpp__thread_enter();
    const hpp_place *remembered = hpp__stacks_remembered(self, caller, call);
    if (HPP_LIKELY(remembered != NULL)) {
        place = *remembered;
        HPP_ASSUME(place.site != HPP_SITE_NONE);
    }
    hpp__thread_exit(self);
    return place;
}

/* Returns the place of a call in all cases. The process is profiled. */
hpp_place hpp__account_place_of(hpp_caller caller, hpp_call call);

/* Counts a new block of `n_bytes`. Returns the block. */
HPP_ALWAYS_INLINE void *hpp__account_allocation(void *block, size_t n_bytes, hpp_caller caller,
                                                hpp_call call)
{
    hpp_place place = hpp__account_place(caller, call);
    if (HPP_UNLIKELY(place.site == HPP_SITE_NONE)) {
        return hpp__account_allocation_slowly(block, n_bytes, call, caller.pc, caller.sp,
                                              caller.fp);
    }
    return hpp__account_block(block, n_bytes, place.cell, place.site);
}

/* Returns the first granule of a usual block, and its value; NULL if there is none. */
HPP_ALWAYS_INLINE _Atomic uint32_t *hpp__account_find_usual(uint32_t *out_entry, const void *block)
{
    _Atomic uint32_t *first = hpp__granule_at(block);
    if (HPP_UNLIKELY(first == NULL || !hpp__alive_to_count())) {
        return NULL;
    }
    *out_entry = atomic_load_explicit(first, memory_order_relaxed);
    return HPP_LIKELY(hpp__block_is_usual(*out_entry)) ? first : NULL;
}

hpp_block hpp__account_take_slowly(const void *block);

/* Removes a block from the table without counting it as freed: realloc may still fail. */
static inline hpp_block hpp__account_take(const void *block)
{
    uint32_t entry;
    _Atomic uint32_t *first = hpp__account_find_usual(&entry, block);
    if (HPP_UNLIKELY(first == NULL)) {
        return hpp__account_take_slowly(block);
    }
    hpp_block taken = {entry & HPP_BLOCK_SITE, hpp__block_usual_bytes(first, entry)};
    hpp__block_erase_usual(first, entry);
    return taken;
}

/* Counts a removed block as freed. */
void hpp__account_free(hpp_block gone);

/* Removes a block that was freed without this library, and counts it as freed. */
void hpp__account_unseen_free(const void *block);

/* Counts bytes of a site as freed, and changes its number of blocks: `n_freed` are gone, `n_new`
 * were parts of others. */
void hpp__account_cut(hpp_block gone, unsigned n_freed, unsigned n_new);

/* Removes and counts a usual block. Returns false and does nothing for others, and before a fall
 * from a peak. */
HPP_ALWAYS_INLINE bool hpp__account_free_usual(const void *block)
{
    hpp_thread *self = hpp__self;
    uint32_t entry;
    _Atomic uint32_t *first = hpp__account_find_usual(&entry, block);
    if (HPP_UNLIKELY(first == NULL || self == NULL)) {
        return false;
    }
    hpp_window_cell *cell = hpp__thread_old_cell(self, entry & HPP_BLOCK_SITE);
    uint64_t n_bytes = hpp__block_usual_bytes(first, entry);
    if (HPP_UNLIKELY(cell == NULL || !hpp__peak_subtract_usual(self, n_bytes))) {
        return false;
    }
    hpp__block_erase_usual(first, entry);
    hpp__peak_keep(cell);
    hpp__add_own(&cell->frees, 1);
    hpp__add_own(&cell->freed_bytes, n_bytes);
    return true;
}

#endif
