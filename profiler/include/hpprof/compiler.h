/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The one place for what C11 cannot say: scopes that close themselves, thread-local storage that is
 * one instruction away, atomic access to plain members, and static data made inside an expression.
 * gcc and clang know all of it, in C and in C++.
 */
#ifndef HPPROF_COMPILER_H
#define HPPROF_COMPILER_H

#if !defined(__GNUC__)
#error "hpprof needs a compiler that understands GNU C (gcc, clang)"
#endif

/* Word-sized loads and stores that other threads may race with: whole, but in no order. Plain
 * members can be accessed so, which keeps public structs free of _Atomic and usable from C++. */
#define HPP_RELAXED_LOAD(place)         __atomic_load_n((place), __ATOMIC_RELAXED)
#define HPP_RELAXED_STORE(place, value) __atomic_store_n((place), (value), __ATOMIC_RELAXED)
#define HPP_RELAXED_ADD(place, value)   __atomic_fetch_add((place), (value), __ATOMIC_RELAXED)

/* Stores `value` if `*place` is `*expected`; tells whether, and if not, puts what is there into
 * `*expected`. */
#define HPP_RELAXED_REPLACE(place, expected, value)                                                \
    __atomic_compare_exchange_n((place), (expected), (value), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

/* A store that makes everything written before visible to who loads the value so. */
#define HPP_ACQUIRE_LOAD(place)         __atomic_load_n((place), __ATOMIC_ACQUIRE)
#define HPP_RELEASE_STORE(place, value) __atomic_store_n((place), (value), __ATOMIC_RELEASE)

/* Calls `function(&variable)` when the variable goes out of scope, however that happens, except by
 * longjmp. */
#define HPP_CLEANUP(function) __attribute__((cleanup(function)))

/* A thread-local variable in the static TLS block: no call is needed to find it. */
#define HPP_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

/* Asks for the cache line of an address that will be read soon. Any address will do. */
#define HPP_PREFETCH(address) __builtin_prefetch((const void *)(address))

/* Which way a branch usually goes; code that is hardly ever run. */
#define HPP_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define HPP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* A symbol that the link may lack: its address is NULL then. */
#define HPP_WEAK_SYMBOL __attribute__((weak))
#define HPP_COLD        __attribute__((noinline, cold))

/* The address of the frame of the function that this stands in. It orders active functions: stacks
 * grow down. */
#define HPP_FRAME_ADDRESS() __builtin_frame_address(0)

/* Where that function returns to. */
#define HPP_RETURN_ADDRESS() __builtin_return_address(0)

/* The address of an object of static storage that is defined inside an expression. */
#define HPP_STATIC(type, ...)                                                                      \
    __extension__({                                                                                \
        static type hpp_static_object = __VA_ARGS__;                                               \
        &hpp_static_object;                                                                        \
    })

#endif
