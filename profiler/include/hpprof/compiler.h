/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What standard C cannot say: the one place of the profiler that uses extensions of the compiler.
 */
#ifndef HPPROF_COMPILER_H
#define HPPROF_COMPILER_H

/* A word that several threads may read and write without order between them. On common processors
 * these are plain moves. */
#define HPP_RELAXED_LOAD(pointer)         __atomic_load_n((pointer), __ATOMIC_RELAXED)
#define HPP_RELAXED_STORE(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELAXED)

/* Asks for the cache line of an address that will be read soon. Any address will do. */
#define HPP_PREFETCH(address) __builtin_prefetch((const void *)(address))

/* Which way a branch usually goes. */
#define HPP_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define HPP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
