/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shared by the profiled programs: `PROGRAM CASE [ARGUMENT...]` runs one case, which prints what it
 * did and the live bytes of its functions. The output is the same in every run, profiled or not, so
 * that tests can compare it; the functions here do not allocate for themselves.
 *
 *   live FUNCTION BYTES      live bytes at the end in blocks that FUNCTION allocated itself
 *   through FUNCTION BYTES   the same for blocks that were allocated while FUNCTION ran
 */
#ifndef CENSUS_TESTS_NATIVE_CASE_H
#define CENSUS_TESTS_NATIVE_CASE_H

#include <stddef.h>
#include <stdint.h>

#if !__GLIBC_PREREQ(2, 32)
#define strerrorname_np strerror
#endif

#ifdef __clang__
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

/* After a call, prevents a tail call, which would remove the caller's frame. */
#define STAY() __asm__ volatile("" ::: "memory")

typedef struct native_case {
    const char *name;
    int (*run)(char **arguments); /* terminated by NULL; returns the exit status */
} native_case;

/* Runs the case that argv names. `cases` ends with a name of NULL. */
int run_case(const native_case *cases, char **argv);

/* Prints to standard output, at once. At most 500 bytes. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Exits with a message if a condition does not hold. */
void must(int holds, const char *what);

/* Allocates and forgets `n` blocks. Their first and last byte are written. Returns the bytes. */
size_t keep(size_t n, size_t size_bytes);

/* Returns `block`, which the compiler must not optimise away. */
void *made(void *block);

/* Returns an absolute path of the program itself. */
const char *own_path(void);

/* Returns the lowest free file descriptor. */
int next_descriptor(void);

/* Returns the next random number; the numbers are the same in each run. */
uint32_t next_number(uint32_t *state);

#endif
