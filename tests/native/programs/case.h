/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the profiled programs share: `PROGRAM CASE [ARGUMENT...]` runs one case, which says on
 * standard output what it did and what its functions still hold. All of it is the same in every
 * run, profiled or not, so that output can be compared; nothing here allocates on its own account.
 *
 *   live FUNCTION BYTES      blocks that FUNCTION allocated itself hold so much at the end
 *   through FUNCTION BYTES   the same for what was allocated while FUNCTION ran
 */
#ifndef CENSUS_TESTS_NATIVE_CASE_H
#define CENSUS_TESTS_NATIVE_CASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

/* Behind a call, so that it is not the last thing that the function does: a tail call would take
 * the caller's frame away. */
#define STAY() __asm__ volatile("" ::: "memory")

typedef struct native_case {
    const char *name;
    int (*run)(char **arguments); /* terminated by NULL; returns the exit status */
} native_case;

/* Runs the case that argv names. `cases` ends with a name of NULL. */
int run_case(const native_case *cases, char **argv);

/* Prints to standard output, at once. At most 500 bytes. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Leaves the program with a message when something that must hold does not. */
void must(int holds, const char *what);

/* Allocates and forgets `n` blocks. Their first and last byte are written. Returns the bytes. */
size_t keep(size_t n, size_t size_bytes);

/* A block that the compiler must not leave out. */
void *made(void *block);

/* An absolute path of the program itself. */
const char *own_path(void);

/* The lowest file descriptor that is free. */
int next_descriptor(void);

/* The same numbers in each run. */
uint32_t next_number(uint32_t *state);

#endif
