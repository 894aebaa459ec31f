/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Extensions of gcc and clang that the library needs beyond C11: cleanup at the end of a scope,
 * static thread-local storage, atomic access to plain members, static data inside an expression.
 * They work in C and in C++.
 */
#ifndef HPPROF_COMPILER_H
#define HPPROF_COMPILER_H

#if !defined(__GNUC__)
#error "hpprof needs a compiler that understands GNU C (gcc, clang)"
#endif

/* Relaxed atomic access to word-sized members. The members themselves are plain, so that public
 * structs can be used from C++. */
#define HPP_RELAXED_LOAD(place)         __atomic_load_n((place), __ATOMIC_RELAXED)
#define HPP_RELAXED_STORE(place, value) __atomic_store_n((place), (value), __ATOMIC_RELAXED)
#define HPP_RELAXED_ADD(place, value)   __atomic_fetch_add((place), (value), __ATOMIC_RELAXED)

/* Stores `value` if `*place` equals `*expected`, and returns true. Otherwise copies `*place` to
 * `*expected` and returns false. */
#define HPP_RELAXED_REPLACE(place, expected, value)                                                \
    __atomic_compare_exchange_n((place), (expected), (value), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

/* A release store makes all earlier writes visible to the thread that loads the value with acquire.
 */
#define HPP_ACQUIRE_LOAD(place)         __atomic_load_n((place), __ATOMIC_ACQUIRE)
#define HPP_RELEASE_STORE(place, value) __atomic_store_n((place), (value), __ATOMIC_RELEASE)

/* Calls `function(&variable)` when the variable goes out of scope in any way except by longjmp. */
#define HPP_CLEANUP(function) __attribute__((cleanup(function)))

/* A thread-local variable in the static TLS block, which is accessed without a call. */
#define HPP_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

/* Prefetches the cache line of an address, which may be invalid. */
#define HPP_PREFETCH(address) __builtin_prefetch((const void *)(address))

/* The usual direction of a branch; code that rarely runs. */
#define HPP_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define HPP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define HPP_COLD                __attribute__((noinline, cold))

/* For inline functions that are no cost centres of programs compiled by `census cc`. */
#define HPP_NO_ENTRY __attribute__((no_instrument_function))

/* The frame address of the current function. An outer function has a higher one. */
#define HPP_FRAME_ADDRESS() __builtin_frame_address(0)

/* The return address of the current function. */
#define HPP_RETURN_ADDRESS() __builtin_return_address(0)

/* Defines a static object inside an expression; its value is the object's address. */
#define HPP_STATIC(type, ...)                                                                      \
    __extension__({                                                                                \
        static type hpp_static_object = __VA_ARGS__;                                               \
        &hpp_static_object;                                                                        \
    })

#endif
