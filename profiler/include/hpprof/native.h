/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports the objects of a program's own allocator (pool, arena, slab) to `census run`, instead of
 * the chunks that they are cut from. Without `census run`, each function costs a load and a branch.
 * Nothing is linked: the functions are found at run time.
 *
 *   chunk = malloc(65536);
 *   hpp_pool_chunk(chunk);                  do not count the chunk itself,
 *   hpp_pool_allocated(object, n_bytes);    but this object, for the pool's caller
 *   hpp_pool_freed(object);
 *   hpp_pool_emptied(chunk, 65536);         all objects in it are gone at once
 *   free(chunk);
 *
 * Chunks may come from malloc or from the system. Memory that the program has mapped is not counted
 * any more once hpp_pool_chunk is called for a part of it, or an object in it is reported. Objects
 * must begin at multiples of 16 bytes and must not overlap; others are not counted, and the summary
 * at the end of the run gives their number. An object belongs to the call stack of
 * hpp_pool_allocated; use `--skip` to skip the pool's own functions. Call hpp_pool_allocated before
 * another thread can get the object, and hpp_pool_freed before the object can be used again.
 *
 * A NULL object is ignored. Threads: any, also signal handlers.
 */
#ifndef HPPROF_NATIVE_H
#define HPPROF_NATIVE_H

#include <stddef.h>

#include <census/hook.h>

/* Removes a block of malloc, or the mapping that has the address, from the profile, as if it had
 * been freed. Freeing or unmapping it later is not counted again. */
static inline void hpp_pool_chunk(void *chunk)
{
    void (*report)(void *reported_chunk);
    CENSUS_FIND_HOOK(report, census_pool_chunk);
    if (report) {
        report(chunk);
    }
}

/* Adds an object of `n_bytes` to the profile. */
static inline void hpp_pool_allocated(void *object, size_t n_bytes)
{
    void (*report)(void *reported_object, size_t reported_bytes);
    CENSUS_FIND_HOOK(report, census_pool_allocated);
    if (report) {
        report(object, n_bytes);
    }
}

/* Removes an object from the profile. */
static inline void hpp_pool_freed(void *object)
{
    void (*report)(void *reported_object);
    CENSUS_FIND_HOOK(report, census_pool_freed);
    if (report) {
        report(object);
    }
}

/* Removes all objects that begin in a range of `n_bytes`. The time it takes is proportional to the
 * range. */
static inline void hpp_pool_emptied(void *chunk, size_t n_bytes)
{
    void (*report)(void *reported_chunk, size_t reported_bytes);
    CENSUS_FIND_HOOK(report, census_pool_emptied);
    if (report) {
        report(chunk, n_bytes);
    }
}

#endif
