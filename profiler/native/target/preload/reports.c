/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that a program may call: marks (census/mark.h) and pools (hpprof/native.h). And those
 * that the run time of `census cc` calls for the shadow (native/target/compiled/shadow.c).
 */
#include <string.h>

#include "accounting.h"
#include "entry.h"
#include "helper.h"
#include "native/target/lives/exact.h"
#include "maps.h"
#include "process.h"
#include "native/target/lives/sampler.h"

void census_mark_text(const char *text);
void census_shadow_ready(void);
void census_block_used(uintptr_t address);
void census_pool_chunk(void *chunk);
void census_pool_freed(void *object);
void census_pool_emptied(void *chunk, size_t n_bytes);
void hpp__on_pool_allocated(void *object, size_t n_bytes, HPP_CALLER_PARAMETERS);

HPP_EXPORT void census_mark_text(const char *text)
{
    if ((!hpp__alive() && !hpp__process_wake()) || !hpp__may_call(SYS_clock_gettime)) {
        return;
    }
    uint32_t index = atomic_fetch_add(&hpp__window->head.n_marks, 1);
    if (index >= HPP_MAX_MARKS) {
        atomic_store(&hpp__window->head.n_marks, HPP_MAX_MARKS);
        return;
    }
    hpp_window_mark *mark = &hpp__window->marks[index];
    size_t n = strnlen(text, sizeof(mark->text) - 1);
    memcpy(mark->text, text, n);
    uint64_t time_ns = hpp__system_ns();
    atomic_store_explicit(&mark->time_ns, time_ns, memory_order_release);
    hpp__helper_note_mark(time_ns);
    hpp__keep_up_with_eras(); /* uses after a mark do not belong to the era before */
}

static void count_if_gone(hpp_block gone)
{
    if (gone.site != 0) {
        hpp__account_free(gone);
    }
}

HPP_EXPORT void census_pool_chunk(void *chunk)
{
    hpp__maps_disown((uintptr_t)chunk);
    count_if_gone(hpp__account_take(chunk));
}

HPP_EXPORT void census_pool_freed(void *object)
{
    count_if_gone(hpp__account_take(object));
}

HPP_ENTRY(census_pool_allocated, 2, hpp__on_pool_allocated);
void hpp__on_pool_allocated(void *object, size_t n_bytes, HPP_CALLER_PARAMETERS)
{
    if (object != NULL) {
        hpp__maps_disown((uintptr_t)object);
        hpp__account_allocation(object, n_bytes, HPP_CALLER, HPP_CALL_POOL);
    }
}

static void take_object(uintptr_t address, hpp_block object, void *context)
{
    (void)object;
    (void)context;
    count_if_gone(hpp__account_take((const void *)address));
}

HPP_EXPORT void census_pool_emptied(void *chunk, size_t n_bytes)
{
    if (hpp__alive() || hpp__process_wake()) {
        hpp__blocks_in((uintptr_t)chunk, (uintptr_t)chunk + n_bytes, take_object, NULL);
    }
}

/* The shadow exists. */
HPP_EXPORT void census_shadow_ready(void)
{
    atomic_store(&hpp__own_maps.n, HPP_MAX_OWN_MAPS + 1); /* its shadow is none of them */
    if ((hpp__alive() || hpp__process_wake()) && hpp__settings.biography_bytes != 0) {
        hpp__sampler_stop(0);
        hpp__exact_start();
    }
}

/* The program is about to access an address whose shadow is set. */
HPP_EXPORT HPP_ANY_STACK void census_block_used(uintptr_t address)
{
    if (!hpp__alive()) {
        hpp__process_wake();
    }
    hpp__exact_use(address);
}
