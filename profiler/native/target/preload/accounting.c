/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counting in the unusual cases. See count.h.
 */
#include "accounting.h"

#include "native/target/lives/exact.h"
#include "native/target/counting/python_place.h"
#include "native/target/counting/next_allocator.h"
#include "helper.h"
#include "process.h"
#include "thread_life.h"

_Thread_local bool hpp__is_in_python_allocator HPP_INITIAL_EXEC;

static void count_uncounted(size_t n_bytes)
{
    atomic_fetch_add(&hpp__window->head.n_uncounted, 1);
    atomic_fetch_add(&hpp__window->head.uncounted_bytes, n_bytes);
}

/* Returns the calling thread, which begins now if it is new; NULL if it cannot. */
static hpp_thread *own_thread(void)
{
    return hpp__self != NULL ? hpp__self : hpp__thread_begin();
}

HPP_COLD hpp_block hpp__account_take_slowly(const void *block)
{
    if (hpp__blocks_lacks(block)) {
        return (hpp_block){0};
    }
    bool is_profiled = hpp__alive() || hpp__process_wake();
    hpp__rest_for_image(block);
    if (hpp__exact_is_on()) {
        hpp__exact_end(block);
    }
    return is_profiled ? hpp__blocks_take(block) : (hpp_block){0};
}

void hpp__account_cut(hpp_block gone, unsigned n_freed, unsigned n_new)
{
    hpp_thread *self = own_thread();
    hpp_window_cell *cell = self != NULL ? hpp__thread_cell(self, gone.site) : NULL;
    if (cell != NULL) {
        hpp__peak_subtract(self, gone.size_bytes);
        hpp__peak_keep(cell);
        hpp__add_own(&cell->allocations, n_new);
        hpp__add_own(&cell->frees, n_freed);
        hpp__add_own(&cell->freed_bytes, gone.size_bytes);
        return;
    }
    cell = hpp__shared_cell(gone.site);
    if (cell != NULL) {
        hpp__peak_change_shared(-(int64_t)gone.size_bytes);
        hpp__peak_keep(cell);
        atomic_fetch_add(&cell->allocations, n_new);
        atomic_fetch_add(&cell->frees, n_freed);
        atomic_fetch_add(&cell->freed_bytes, gone.size_bytes);
    }
}

void hpp__account_free(hpp_block gone)
{
    hpp_weight weight = hpp__rate_weigh(gone);
    hpp__account_cut((hpp_block){gone.site, weight.bytes}, weight.blocks, 0);
}

void hpp__account_unseen_free(const void *block)
{
    hpp_block gone = hpp__blocks_take(block);
    if (gone.site != 0) {
        hpp__account_free(gone);
    }
}

static void count_in(hpp_window_cell *cell, uint32_t site, hpp_weight weight)
{
    if (cell != NULL) {
        hpp__peak_keep(cell);
        hpp__add_own(&cell->allocations, weight.blocks);
        hpp__add_own(&cell->allocated_bytes, weight.bytes);
        hpp__peak_add(hpp__self, weight.bytes);
        return;
    }
    cell = hpp__shared_cell(site);
    if (cell != NULL) {
        hpp__peak_keep(cell);
        atomic_fetch_add(&cell->allocations, weight.blocks);
        atomic_fetch_add(&cell->allocated_bytes, weight.bytes);
        hpp__peak_change_shared((int64_t)weight.bytes);
    }
}

/* Returns the whole place for one in Python. A signal handler that interrupted the library cannot
 * have the Python frames. */
static HPP_NO_INLINE hpp_place complete(uint32_t key)
{
    hpp_thread *self = hpp__ready;
    if (HPP_UNLIKELY(self == NULL)) {
        return (hpp_place){HPP_SITE_UNKNOWN, NULL};
    }
    hpp__thread_enter();
    hpp_place place = hpp__python_place(self, key);
    hpp__thread_exit(self);
    return place;
}

/* Enters a block at a known place, and counts it. Returns the block. */
static void *enter(void *block, size_t n_bytes, hpp_place place, hpp_weight weight)
{
    uint32_t control = atomic_load_explicit(&hpp__window->head.control, memory_order_relaxed);
    if (control & HPP_CONTROL_START_HELPER &&
        atomic_fetch_and(&hpp__window->head.control, ~HPP_CONTROL_START_HELPER) &
            HPP_CONTROL_START_HELPER) { /* else another thread does */
        hpp__process_start_helper();
    }
    if (control & HPP_CONTROL_NO_NEW_BLOCKS) {
        count_uncounted(n_bytes);
        return block;
    }
    hpp_block before;
    if (hpp__exact_is_on()) {
        hpp__exact_end(block);
    }
    bool is_known = hpp__blocks_put(block, place.site, n_bytes, &before);
    if (before.site != 0) {
        atomic_fetch_add(&hpp__window->head.n_missed_frees, 1);
        hpp__account_free(before);
    }
    if (is_known) {
        count_in(place.cell, place.site, weight);
    } else {
        count_uncounted(n_bytes);
    }
    return block;
}

HPP_COLD HPP_ANY_STACK void *hpp__account_block_slowly(void *block, size_t n_bytes,
                                                       hpp_window_cell *cell, uint32_t site)
{
    if (site & HPP_PLACE_IN_PYTHON) {
        hpp_place place = complete(site);
        return hpp__account_block(block, n_bytes, place.cell, place.site);
    }
    return enter(block, n_bytes, (hpp_place){site, cell}, (hpp_weight){n_bytes, 1});
}

/* Returns the place of samples with a mean of this level; site HPP_SITE_NONE: there is none. */
static hpp_place at_level(hpp_place place, uint32_t level)
{
    if (level > 0) {
        uint32_t site = place.site >= HPP_FIRST_SITE
                            ? hpp__trie_site_with(place.site, level * HPP_CALL_RATE)
                            : HPP_SITE_NONE;
        bool has_cell = site != HPP_SITE_NONE && hpp__self != NULL;
        place = (hpp_place){site, has_cell ? hpp__thread_cell(hpp__self, site) : NULL};
    }
    return place;
}

/* Counts a new block, which is a sample unless all are counted. */
static void count_made(void *block, size_t n_bytes, hpp_place place, uint32_t level)
{
    if (!hpp__blocks_are_samples) {
        hpp__account_block(block, n_bytes, place.cell, place.site);
        return;
    }
    place = at_level(place.site & HPP_PLACE_IN_PYTHON ? complete(place.site) : place, level);
    if (place.site != HPP_SITE_NONE) {
        enter(block, n_bytes, place, hpp__rate_weigh((hpp_block){place.site, n_bytes}));
    } else {
        count_uncounted(n_bytes);
    }
}

/* Finds the place of a call that is not cached. The process is profiled. */
static hpp_place find_place(hpp_caller caller, hpp_call call, hpp_visit *visit)
{
    hpp_thread *self = own_thread();
    hpp_place place = {HPP_SITE_NONE, NULL};
    if (HPP_LIKELY(hpp__ready != NULL)) {
        hpp__thread_enter();
        place = hpp__stacks_place_anew(self, caller, call, visit);
        hpp__thread_exit(self);
    } else {
        place.site = hpp__stacks_site_unaided(caller, call);
        place.cell = self != NULL ? hpp__thread_cell(self, place.site) : NULL;
    }
    return place;
}

static HPP_NO_INLINE void count_made_anew(void *block, size_t n_bytes, hpp_caller caller,
                                          hpp_call call, uint64_t begun_at, uint32_t level)
{
    if (!hpp__is_in_python_allocator && hpp__next_allocator_pool_bytes(block) == 0) {
        hpp_visit visit = {.begun_at = begun_at};
        hpp_place place = find_place(caller, call, &visit);
        if (hpp__alive()) { /* not in a child, whose parent counts the block */
            count_made(block, n_bytes, place, level);
        }
        hpp__stacks_end_visit(hpp__self, &visit);
    }
}

/* Finds the place of a call if its stack is cached; otherwise the site is HPP_SITE_NONE. */
static inline hpp_place recall_place(const hpp_caller *caller, hpp_call call)
{
    hpp_thread *self = hpp__ready;
    hpp_place place = {HPP_SITE_NONE, NULL};
    if (HPP_LIKELY(self != NULL && hpp__alive())) {
        hpp__thread_enter();
        bool is_remembered = hpp__stacks_recall(&place, self, caller, call);
        hpp__thread_exit(self);
        if (!is_remembered) {
            place.site = HPP_SITE_NONE;
        }
    }
    return place;
}

hpp_place hpp__account_place_of(hpp_caller caller, hpp_call call)
{
    hpp_place place = recall_place(&caller, call);
    place = place.site != HPP_SITE_NONE
                ? place
                : find_place(caller, call, &(hpp_visit){.begun_at = hpp__time_stamp()});
    return place.site & HPP_PLACE_IN_PYTHON ? complete(place.site) : place;
}

HPP_NO_INLINE HPP_ANY_STACK void *hpp__account_allocation_slowly(void *block, size_t n_bytes,
                                                                 hpp_call call, uintptr_t pc,
                                                                 uintptr_t sp, uintptr_t fp)
{
    hpp_caller caller = {pc, sp, fp};
    uint64_t begun_at = hpp__time_stamp();
    if (!hpp__alive() && !hpp__process_wake()) {
        return block;
    }
    uint32_t level = 0;
    if (hpp__blocks_are_samples &&
        (hpp__is_in_python_allocator || !hpp__rate_draw(n_bytes, &level))) {
        return block;
    }
    hpp__rest_for_image(NULL);
    hpp_place place = recall_place(&caller, call);
    if (HPP_LIKELY(place.site != HPP_SITE_NONE)) {
        count_made(block, n_bytes, place, level);
    } else {
        count_made_anew(block, n_bytes, caller, call, begun_at, level);
    }
    if (hpp__exact_is_on()) {
        hpp__exact_begin(block);
    }
    if (hpp__blocks_are_samples) {
        hpp__rate_add_time(begun_at);
    }
    return block;
}
