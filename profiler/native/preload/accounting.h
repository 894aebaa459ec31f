/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting a block that was made or is about to go: what every exported function has in common.
 *
 * The usual case is in line and takes no lock, no atomic read-modify-write and no call. All else -
 * a stack that is not remembered, the first call of a process, of a thread or after a fork, a
 * signal handler in the midst of the library, a full window, a block that is already there - is in
 * count.c, and jumped to. errno stays as it was.
 */
#ifndef HPP_NATIVE_ACCOUNTING_H
#define HPP_NATIVE_ACCOUNTING_H

#include "blocks.h"
#include "process_state.h"
#include "stacks.h"
#include "thread.h"

/* What the real allocator is asked for, so that no two blocks share a granule. */
static inline size_t hpp__asked_bytes(size_t n_bytes)
{
    return n_bytes < HPP_GRANULE_BYTES ? HPP_GRANULE_BYTES : n_bytes;
}

/* The unusual cases. All return `block`. */
void *hpp__account_allocation_slowly(void *block, size_t n_bytes, hpp_call call, uintptr_t pc,
                                     uintptr_t sp, uintptr_t fp);
void *hpp__account_block_slowly(void *block, size_t n_bytes, hpp_window_cell *cell, uint32_t site);

/* Enters and counts a block, whose place is known. Returns it. */
HPP_ALWAYS_INLINE void *hpp__account_block(void *block, size_t n_bytes, hpp_window_cell *cell,
                                           uint32_t site)
{
    if (HPP_UNLIKELY(cell == NULL || hpp__window->head.control != 0 ||
                     !hpp__blocks_put_usual(block, site, n_bytes))) {
        return hpp__account_block_slowly(block, n_bytes, cell, site);
    }
    hpp__add_own(&cell->allocations, 1);
    hpp__add_own(&cell->allocated_bytes, n_bytes);
    return block;
}

/* The place of a call, if all is as usual. Else its site is HPP_SITE_NONE. */
HPP_ALWAYS_INLINE hpp_place hpp__account_place(hpp_caller caller, hpp_call call)
{
    hpp_place place = {HPP_SITE_NONE, NULL};
    hpp_thread *self = hpp__ready;
    if (HPP_UNLIKELY(self == NULL || !hpp__alive())) {
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

/* A block of `n_bytes` was made. Returns it. */
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

/* The first granule of a usual block, with what it says, or NULL. */
HPP_ALWAYS_INLINE _Atomic uint32_t *hpp__account_find_usual(uint32_t *out_entry, const void *block)
{
    _Atomic uint32_t *first = hpp__granule_at(block);
    if (HPP_UNLIKELY(first == NULL || !hpp__alive())) {
        return NULL;
    }
    *out_entry = atomic_load_explicit(first, memory_order_relaxed);
    return HPP_LIKELY(hpp__block_is_usual(*out_entry)) ? first : NULL;
}

hpp_block hpp__account_take_slowly(const void *block);

/* Takes a block out of the table, without counting that: realloc may still fail. */
static inline hpp_block hpp__account_take(const void *block)
{
    uint32_t entry;
    _Atomic uint32_t *first = hpp__account_find_usual(&entry, block);
    if (HPP_UNLIKELY(first == NULL)) {
        return hpp__account_take_slowly(block);
    }
    return (hpp_block){entry & HPP_BLOCK_SITE, hpp__block_erase_usual(first, entry)};
}

/* Counts that a block that was taken is gone. */
void hpp__account_free(hpp_block gone);

/* Both, in the usual case. False: nothing was done. */
HPP_ALWAYS_INLINE bool hpp__account_free_usual(const void *block)
{
    const hpp_thread *self = hpp__self;
    uint32_t entry;
    _Atomic uint32_t *first = hpp__account_find_usual(&entry, block);
    if (HPP_UNLIKELY(first == NULL || self == NULL)) {
        return false;
    }
    hpp_window_cell *cell = hpp__thread_old_cell(self, entry & HPP_BLOCK_SITE);
    if (HPP_UNLIKELY(cell == NULL)) {
        return false;
    }
    hpp__add_own(&cell->frees, 1);
    hpp__add_own(&cell->freed_bytes, hpp__block_erase_usual(first, entry));
    return true;
}

#endif
