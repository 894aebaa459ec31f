/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting a block that was made or is about to go: what every exported function has in common.
 *
 * The usual case is in line and takes no lock, no atomic read-modify-write and no call but the one
 * that finds the site. All else - the first call of a process, of a thread or after a fork, a
 * signal handler in the midst of the library, a full window, a block that is already there - is in
 * count.c. errno stays as it was.
 */
#ifndef HPP_NATIVE_COUNT_H
#define HPP_NATIVE_COUNT_H

#include "blocks.h"
#include "process.h"
#include "stacks.h"
#include "thread.h"

/* What the real allocator is asked for, so that no two blocks share a granule. */
static inline size_t hpp__asked_bytes(size_t n_bytes)
{
    return n_bytes < HPP_GRANULE_BYTES ? HPP_GRANULE_BYTES : n_bytes;
}

/* The unusual cases. */
void hpp__count_made_slowly(const void *block, size_t n_bytes, hpp_caller caller, hpp_call call);
void hpp__count_at_slowly(hpp_place place, const void *block, size_t n_bytes);
void hpp__count_gone_slowly(hpp_block gone);

/* A block of `n_bytes` was made. */
HPP_ALWAYS_INLINE void hpp__count_made(const void *block, size_t n_bytes, hpp_caller caller,
                                       hpp_call call)
{
    hpp_thread *self = hpp__self;
    if (HPP_UNLIKELY(!hpp__alive() || self == NULL || self->busy)) {
        hpp__count_made_slowly(block, n_bytes, caller, call);
        return;
    }
    self->busy = true;
    hpp_place place = hpp__stacks_place(self, caller, call);
    self->busy = false;
    if (HPP_UNLIKELY(place.cell == NULL || hpp__window->head.control != 0 ||
                     !hpp__blocks_put_usual(block, place.site, n_bytes))) {
        hpp__count_at_slowly(place, block, n_bytes);
        return;
    }
    hpp__add_own(&place.cell->allocations, 1);
    hpp__add_own(&place.cell->allocated_bytes, n_bytes);
}

/* Takes a block out of the table, without counting that: realloc may still fail. */
static inline hpp_block hpp__count_take(const void *block)
{
    if (HPP_UNLIKELY(!hpp__alive()) && !hpp__process_wake()) {
        return (hpp_block){0};
    }
    return hpp__blocks_take_usual(block);
}

/* Counts that a block that was taken is gone. */
static inline void hpp__count_gone(hpp_block gone)
{
    hpp_window_cell *cell = NULL;
    if (HPP_LIKELY(hpp__self != NULL)) {
        cell = hpp__thread_cell(hpp__self, gone.site);
    }
    if (HPP_UNLIKELY(cell == NULL)) {
        hpp__count_gone_slowly(gone);
        return;
    }
    hpp__add_own(&cell->frees, 1);
    hpp__add_own(&cell->freed_bytes, gone.size_bytes);
}

#endif
