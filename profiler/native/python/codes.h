/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The code objects of a Python program: their numbers and texts in the window, and the lines of
 * their instructions. Code objects with the same name, file and first line have the same number.
 *
 * The number of a code object is cached by its address, and its block is marked in the table of
 * live blocks, so that its free is noticed at no cost for others. When it is freed, the address is
 * forgotten, and a count is increased: who remembers addresses of code objects asks then which of
 * them have lived, since another code object may get the same address. While only samples are
 * counted, no frees are noticed: then any may have died, and the contents tell.
 *
 * Everything is read from the memory of the interpreter, without its functions: they could
 * allocate. `memory` says what may be read without asking; for code that holds the global lock,
 * that is everything (HPP_ALL_MEMORY).
 *
 * Threads: any, also signal handlers; nothing waits.
 */
#ifndef HPP_NATIVE_PYTHON_CODES_H
#define HPP_NATIVE_PYTHON_CODES_H

#include "interpreter.h"

#define HPP_ALL_MEMORY ((hpp_memory){.low = 0, .end = UINTPTR_MAX})

/* A place in a code object: as a frame has it, frame_instruction of the offsets. */
typedef struct hpp_python_place {
    uintptr_t code, instruction;
} hpp_python_place;

/* Returns the number of a code object, from 1; 0 if it is none, or the window is full. */
uint32_t hpp__codes_number(uintptr_t code, hpp_memory *memory);

/* Returns the line of a place. */
uint32_t hpp__codes_line(hpp_python_place place, hpp_memory *memory);

/* Returns whether a frame has not come to the function's own code: arguments are still being
 * stored. Python's tracebacks do not have it. */
bool hpp__codes_is_before_start(hpp_python_place place, hpp_memory *memory);

/* Returns whether the file of a code number is of the import system. Python's tracebacks have no
 * such frames between others. */
bool hpp__codes_is_import(uint32_t number);

/* Returns whether a place is in a code object with the layout of its version. */
bool hpp__codes_check(hpp_python_place place, hpp_memory *memory);

extern HPP_HIDDEN _Atomic uint32_t hpp__codes_deaths;

/* Returns a count that has increased if a code object may have died. */
static inline uint32_t hpp__codes_count_deaths(void)
{
    return HPP_LIKELY(hpp__python.mark_block != NULL)
               ? atomic_load_explicit(&hpp__codes_deaths, memory_order_relaxed)
               : atomic_fetch_add(&hpp__codes_deaths, 1) + 1;
}

bool hpp__codes_lived_slowly(uintptr_t code, uint32_t deaths, hpp_memory *memory);

/* Returns whether a code object that had a number after `*deaths` deaths still has it, after `now`,
 * which becomes `*deaths` then. */
static inline bool hpp__codes_lived(uintptr_t code, uint32_t *deaths, uint32_t now,
                                    hpp_memory *memory)
{
    if (HPP_UNLIKELY(*deaths != now)) {
        if (!hpp__codes_lived_slowly(code, *deaths, memory)) {
            return false;
        }
        *deaths = now;
    }
    return true;
}

/* Must be called before a block of Python's is freed that mark_block has marked; may be for others.
 */
void hpp__codes_freed(uintptr_t block);

#endif
