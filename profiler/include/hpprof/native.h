/* SPDX-License-Identifier: BSD-2-Clause
 *
 * For programs with allocators of their own - pools, arenas, slabs - that want their objects, not
 * the chunks that these are cut from, in the profile that `census run` takes. Elsewhere the
 * functions do nothing, and cost a load and a branch. Nothing is linked: what they call is found at
 * run time.
 *
 *   chunk = malloc(65536);
 *   hpp_pool_chunk(chunk);                  the chunk itself no longer counts,
 *   hpp_pool_allocated(object, n_bytes);    but this object does, for who called the pool
 *   hpp_pool_freed(object);
 *   hpp_pool_emptied(chunk, 65536);         all objects in it are gone at once
 *   free(chunk);
 *
 * Chunks may come from malloc or from the system (then hpp_pool_chunk is not needed). Objects have
 * to begin at multiples of 16 bytes and not overlap: others are not counted, and the summary at the
 * end of the run says how many. An object belongs to the call stack that hpp_pool_allocated was
 * reached by; let the pool's own functions be passed over with `--skip`. Call it before the object
 * is given out, and hpp_pool_freed before it can be given out again.
 *
 * Sizes are in bytes. NULL is no object. Threads: any, also in signal handlers.
 */
#ifndef HPPROF_NATIVE_H
#define HPPROF_NATIVE_H

#include <stddef.h>

#include <census/hook.h>

/* A block from malloc is cut up: it goes from the profile as if it had been freed. Freeing it later
 * counts nothing. */
static inline void hpp_pool_chunk(void *chunk)
{
    void (*report)(void *reported_chunk);
    CENSUS_FIND_HOOK(report, census_pool_chunk);
    if (report) {
        report(chunk);
    }
}

static inline void hpp_pool_allocated(void *object, size_t n_bytes)
{
    void (*report)(void *reported_object, size_t reported_bytes);
    CENSUS_FIND_HOOK(report, census_pool_allocated);
    if (report) {
        report(object, n_bytes);
    }
}

static inline void hpp_pool_freed(void *object)
{
    void (*report)(void *reported_object);
    CENSUS_FIND_HOOK(report, census_pool_freed);
    if (report) {
        report(object);
    }
}

/* All objects that begin within these bytes are gone. Takes time as the number of bytes. */
static inline void hpp_pool_emptied(void *chunk, size_t n_bytes)
{
    void (*report)(void *reported_chunk, size_t reported_bytes);
    CENSUS_FIND_HOOK(report, census_pool_emptied);
    if (report) {
        report(chunk, n_bytes);
    }
}

#endif
