/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The malloc family for the profiled program: calls the next allocator, and counts. Results, errno,
 * alignment and the meaning of size 0 stay as in that allocator, except that it gets no request
 * under 16 bytes (blocks.h).
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "accounting.h"
#include "attach.h"
#include "entry.h"
#include "native/target/lives/exact.h"
#include "native/target/counting/next_allocator.h"
#include "native/target/lives/sampler.h"

/* Called from assembly only. */
void *hpp__on_malloc(size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_calloc(size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_realloc(void *block, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_reallocarray(void *block, size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_memalign(size_t alignment, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_aligned_alloc(size_t alignment, size_t n_bytes, HPP_CALLER_PARAMETERS);
int hpp__on_posix_memalign(void **block, size_t alignment, size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_valloc(size_t n_bytes, HPP_CALLER_PARAMETERS);
void *hpp__on_pvalloc(size_t n_bytes, HPP_CALLER_PARAMETERS);

/* ---- making ---------------------------------------------------------------------------------- */

/* A block that is not a sample needs no caller. */
HPP_TYPED_ASM_FUNCTION(void *, malloc, (size_t n_bytes),
                       HPP_IF_SUBTRACTED(HPP_ARGUMENT_1, "hpp__bytes_to_count")
                           HPP_RAISE(HPP_ARGUMENT_1, "16") HPP_JUMP_AT("hpp__next", "0")
                               HPP_ELSE HPP_CALLER_AFTER_1 HPP_JUMP("hpp__on_malloc"));
_Static_assert(HPP_GRANULE_BYTES == 16 && offsetof(hpp_next_allocator, malloc) == 0,
               "as malloc has it");
HPP_TYPED_ENTRY(void *, calloc, (size_t n, size_t n_bytes), 2, hpp__on_calloc);
HPP_TYPED_ENTRY(void *, memalign, (size_t alignment, size_t n_bytes), 2, hpp__on_memalign);
HPP_TYPED_ENTRY(void *, aligned_alloc, (size_t alignment, size_t n_bytes), 2,
                hpp__on_aligned_alloc);
HPP_TYPED_ENTRY(int, posix_memalign, (void **block, size_t alignment, size_t n_bytes), 3,
                hpp__on_posix_memalign);
HPP_TYPED_ENTRY(void *, valloc, (size_t n_bytes), 1, hpp__on_valloc);
HPP_TYPED_ENTRY(void *, pvalloc, (size_t n_bytes), 1, hpp__on_pvalloc);

HPP_ALWAYS_INLINE void *made(void *block, size_t n_bytes, hpp_caller caller, hpp_call call)
{
    return HPP_LIKELY(block != NULL) ? hpp__account_allocation(block, n_bytes, caller, call) : NULL;
}

/* Makes a block whose uses are watched. Returns NULL if the next allocator is to make it. */
static HPP_NO_INLINE HPP_ANY_STACK void *make_watched(size_t n_bytes, size_t alignment,
                                                      hpp_call call, HPP_CALLER_PARAMETERS)
{
    if (hpp__is_in_python_allocator) {
        return NULL;
    }
    void *block = hpp__sampler_make(n_bytes, alignment, call == HPP_CALL_CALLOC);
    if (block != NULL) {
        made(block, n_bytes, HPP_CALLER, call);
        hpp__sampler_begin(block);
    }
    return block;
}

void *hpp__on_malloc(size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    if (hpp__sampler_is_due(n_bytes)) {
        void *watched = make_watched(n_bytes, 1, HPP_CALL_MALLOC, pc, sp, fp);
        if (watched != NULL) {
            return watched;
        }
    }
    void *block = hpp__next.malloc(hpp__asked_bytes(n_bytes));
    return made(block, n_bytes, HPP_CALLER, HPP_CALL_MALLOC);
}

/* `n_all` is the product. */
HPP_ALWAYS_INLINE void *next_calloc(size_t n, size_t n_bytes, size_t n_all)
{
    return n_all < HPP_GRANULE_BYTES ? hpp__next.calloc(1, HPP_GRANULE_BYTES)
                                     : hpp__next.calloc(n, n_bytes);
}

static HPP_NO_INLINE void *counted_calloc(size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    size_t n_all = n * n_bytes;
    if (hpp__sampler_is_due(n_all)) {
        void *watched = make_watched(n_all, 1, HPP_CALL_CALLOC, pc, sp, fp);
        if (watched != NULL) {
            return watched;
        }
    }
    return made(next_calloc(n, n_bytes, n_all), n_all, HPP_CALLER, HPP_CALL_CALLOC);
}

void *hpp__on_calloc(size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    size_t n_all;
    if (HPP_UNLIKELY(__builtin_mul_overflow(n, n_bytes, &n_all))) {
        return hpp__next.calloc(n, n_bytes);
    }
    return hpp__rate_passes(n_all) ? next_calloc(n, n_bytes, n_all)
                                   : counted_calloc(n, n_bytes, pc, sp, fp);
}

/* Returns how many bytes the program asked for: operator new rounds them up. */
static size_t asked_of_aligned(size_t n_bytes, size_t alignment)
{
    size_t asked = hpp__new_bytes;
    hpp__new_bytes = 0;
    bool is_rounded = asked <= n_bytes && n_bytes - asked < alignment;
    return asked != 0 && is_rounded ? asked : n_bytes;
}

/* Requests that the next allocator would refuse are left to it. */
static void *make_aligned_watched(size_t n_bytes, size_t alignment, const hpp_caller *caller)
{
    bool is_valid = alignment >= sizeof(void *) && (alignment & (alignment - 1)) == 0;
    return is_valid && hpp__sampler_is_due(n_bytes)
               ? make_watched(n_bytes, alignment, HPP_CALL_ALIGNED, caller->pc, caller->sp,
                              caller->fp)
               : NULL;
}

static HPP_NO_INLINE void *made_aligned(void *block, size_t n_bytes, const hpp_caller *caller)
{
    return made(block, n_bytes, *caller, HPP_CALL_ALIGNED);
}

HPP_ANY_STACK void *hpp__on_memalign(size_t alignment, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    size_t asked = asked_of_aligned(n_bytes, alignment);
    void *watched = make_aligned_watched(asked, alignment, &HPP_CALLER);
    if (watched != NULL) {
        return watched;
    }
    void *block = hpp__next.memalign(alignment, hpp__asked_bytes(n_bytes));
    return made_aligned(block, asked, &HPP_CALLER);
}

HPP_ANY_STACK void *hpp__on_aligned_alloc(size_t alignment, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    size_t asked = asked_of_aligned(n_bytes, alignment);
    void *watched = make_aligned_watched(asked, alignment, &HPP_CALLER);
    if (watched != NULL) {
        return watched;
    }
    void *block = hpp__next.aligned_alloc(alignment, hpp__asked_bytes(n_bytes));
    return made_aligned(block, asked, &HPP_CALLER);
}

HPP_ANY_STACK int hpp__on_posix_memalign(void **block, size_t alignment, size_t n_bytes,
                                         HPP_CALLER_PARAMETERS)
{
    size_t asked = asked_of_aligned(n_bytes, alignment);
    void *watched = make_aligned_watched(asked, alignment, &HPP_CALLER);
    if (watched != NULL) {
        *block = watched;
        return 0;
    }
    int error = hpp__next.posix_memalign(block, alignment, hpp__asked_bytes(n_bytes));
    if (error == 0) {
        made_aligned(*block, asked, &HPP_CALLER);
    }
    return error;
}

HPP_ANY_STACK void *hpp__on_valloc(size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    return made_aligned(hpp__next.valloc(n_bytes), n_bytes, &HPP_CALLER);
}

HPP_ANY_STACK void *hpp__on_pvalloc(size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    return made_aligned(hpp__next.pvalloc(n_bytes), n_bytes, &HPP_CALLER);
}

__attribute__((constructor)) static void follow_unseen_frees(void)
{
    hpp__sampler_on_unseen_free(hpp__account_unseen_free);
}

/* ---- giving back ----------------------------------------------------------------------------- */

void cfree(void *block);
void free_sized(void *block, size_t n_bytes);
void free_aligned_sized(void *block, size_t alignment, size_t n_bytes);
void sdallocx(void *block, size_t n_bytes, int flags);

/* Counts a block as freed before it is: as soon as the next allocator has it, another thread may
 * get it. Returns false if it must not be passed to the next allocator. */
static bool let_go(void *block)
{
    if (HPP_LIKELY(hpp__account_free_usual(block))) {
        return true;
    }
    hpp__peak_show();
    hpp_block gone = hpp__account_take(block);
    if (gone.site != 0) {
        hpp__account_free(gone);
        return true;
    }
    if (block == NULL || hpp__next_allocator_pool_bytes(block) != 0) {
        return false;
    }
    hpp__inherited_free(hpp__inherited_size(block));
    return true;
}

static HPP_COLD HPP_ANY_STACK void free_slowly(void *block)
{
    if (let_go(block) && !hpp__sampler_free(block)) {
        hpp__next.free(block);
    }
}

static HPP_NO_INLINE void counted_free(void *block)
{
    /* glibc reads the size before the block next. It and the table are seldom in the caches of the
     * processor, so both are fetched at the same time. */
    __builtin_prefetch((const void *)((uintptr_t)block - sizeof(size_t)));
    if (HPP_UNLIKELY(!hpp__account_free_usual(block))) {
        free_slowly(block);
        return;
    }
    hpp__next.free(block);
}

HPP_EXPORT void free(void *block)
{
    if (hpp__blocks_lacks(block)) {
        hpp__next.free(block);
    } else {
        counted_free(block);
    }
}

/* Old programs still ask libc for it. */
HPP_EXPORT void cfree(void *block)
{
    free(block);
}

HPP_EXPORT HPP_ANY_STACK void free_sized(void *block, size_t n_bytes)
{
    if (!let_go(block) || hpp__sampler_free(block)) {
        return;
    }
    if (hpp__next.free_sized != NULL) {
        hpp__next.free_sized(block, hpp__asked_bytes(n_bytes));
    } else {
        hpp__next.free(block);
    }
}

HPP_EXPORT HPP_ANY_STACK void free_aligned_sized(void *block, size_t alignment, size_t n_bytes)
{
    if (!let_go(block) || hpp__sampler_free(block)) {
        return;
    }
    if (hpp__next.free_aligned_sized != NULL) {
        hpp__next.free_aligned_sized(block, alignment, hpp__asked_bytes(n_bytes));
    } else {
        hpp__next.free(block);
    }
}

/* A function of jemalloc, which relies on the size: it must be the one that was requested. */
HPP_EXPORT HPP_ANY_STACK void sdallocx(void *block, size_t n_bytes, int flags)
{
    if (!let_go(block) || hpp__sampler_free(block)) {
        return;
    }
    if (hpp__next.sdallocx != NULL) {
        hpp__next.sdallocx(block, hpp__asked_bytes(n_bytes), flags);
    } else {
        hpp__next.free(block);
    }
}

/* ---- realloc --------------------------------------------------------------------------------- */

HPP_TYPED_ENTRY(void *, realloc, (void *block, size_t n_bytes), 2, hpp__on_realloc);
HPP_TYPED_ENTRY(void *, reallocarray, (void *block, size_t n, size_t n_bytes), 3,
                hpp__on_reallocarray);

/* Moves a block of the pool, which cannot grow there, to the next allocator. */
static void *move_from_pool(const void *block, size_t n_bytes, hpp_caller caller)
{
    size_t n_before = hpp__next_allocator_pool_bytes(block);
    void *moved = hpp__next.malloc(hpp__asked_bytes(n_bytes));
    if (moved != NULL) {
        memcpy(moved, block, n_before < n_bytes ? n_before : n_bytes);
    }
    return made(moved, n_bytes, caller, HPP_CALL_REALLOC);
}

/* Enters a block again that was not changed after all. */
static void put_back(const void *block, hpp_block kept)
{
    hpp_block before;
    size_t n_bytes;
    if (kept.site != 0 && !hpp__blocks_put(block, kept.site, kept.size_bytes, &before)) {
        hpp__account_free(kept);
    } else if (hpp__sampler_owns(block, &n_bytes)) {
        hpp__blocks_mark(block);
    } else if (hpp__exact_is_on()) {
        hpp__exact_begin(block);
    }
}

/* Resizes a block whose uses are watched, or will be: it moves. Returns false and does nothing for
 * others. Stores NULL if there is no memory. What becomes of 0 bytes is the next allocator's to
 * say. */
static bool resize_watched(void **out, void *block, size_t n_bytes)
{
    size_t n_before = hpp__sampler_room(block);
    bool was_watched = n_before != 0;
    bool is_due = hpp__sampler_is_due(n_bytes);
    void *moved = is_due ? hpp__sampler_make(n_bytes, 1, false) : NULL;
    if (moved == NULL && !was_watched) {
        return false;
    }
    n_before = was_watched ? n_before : hpp__next.usable_size(block);
    moved = moved != NULL ? moved : hpp__next.malloc(hpp__asked_bytes(n_bytes));
    if (moved != NULL) {
        memcpy(moved, block, n_before < n_bytes ? n_before : n_bytes);
        if (!hpp__sampler_free(block)) {
            hpp__next.free(block);
        }
    }
    *out = moved != NULL && n_bytes == 0 ? hpp__next.realloc(moved, 0) : moved;
    return true;
}

/* Returns whether realloc has released the old block. With 0 bytes, it may do so and return NULL.
 */
static inline bool has_gone(const void *moved, size_t n_bytes)
{
    return moved != NULL || n_bytes == 0;
}

static HPP_NO_INLINE HPP_ANY_STACK void *resize(void *block, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    hpp_caller caller = HPP_CALLER;
    if (block == NULL) {
        void *watched = hpp__sampler_is_due(n_bytes)
                            ? make_watched(n_bytes, 1, HPP_CALL_REALLOC, pc, sp, fp)
                            : NULL;
        if (watched != NULL) {
            return watched;
        }
        void *fresh = hpp__next.realloc(NULL, hpp__asked_bytes(n_bytes));
        return made(fresh, n_bytes, caller, HPP_CALL_REALLOC);
    }
    hpp_block gone = hpp__account_take(block);
    if (HPP_UNLIKELY(gone.site == 0) && hpp__next_allocator_pool_bytes(block) != 0) {
        return move_from_pool(block, n_bytes, caller);
    }
    uint64_t inherited_bytes = gone.site == 0 ? hpp__inherited_size(block) : 0;
    void *moved;
    if (!resize_watched(&moved, block, n_bytes)) {
        moved = hpp__next.realloc(block, n_bytes == 0 ? 0 : hpp__asked_bytes(n_bytes));
    }
    if (HPP_UNLIKELY(!has_gone(moved, n_bytes))) {
        put_back(block, gone);
        return NULL;
    }
    if (HPP_LIKELY(gone.site != 0)) {
        hpp__account_free(gone);
    } else {
        hpp__inherited_free(inherited_bytes);
    }
    made(moved, n_bytes, caller, HPP_CALL_REALLOC);
    size_t n_watched;
    if (hpp__sampler_owns(moved, &n_watched)) {
        hpp__sampler_begin(moved);
    }
    return moved;
}

void *hpp__on_realloc(void *block, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    if (block != NULL && hpp__blocks_lacks(block) && hpp__rate_passes(n_bytes)) {
        return hpp__next.realloc(block, n_bytes == 0 ? 0 : hpp__asked_bytes(n_bytes));
    }
    return resize(block, n_bytes, pc, sp, fp);
}

/* Not every allocator has reallocarray, and libc's calls our realloc if the product fits. If it
 * does not, the next one fails in its own way: errno differs between allocators. */
void *hpp__on_reallocarray(void *block, size_t n, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    size_t n_all;
    if (HPP_UNLIKELY(__builtin_mul_overflow(n, n_bytes, &n_all))) {
        return hpp__next.reallocarray(block, n, n_bytes);
    }
    return resize(block, n_all, pc, sp, fp);
}
