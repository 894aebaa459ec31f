/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of functions in debugging information that has no linkage name for them, as for C++
 * templates over local types: what the function is declared in stands before its own name.
 */
#ifndef HPP_SYMBOL_DEBUG_NAMES_H
#define HPP_SYMBOL_DEBUG_NAMES_H

#include "base/arena.h"
#include "libdw.h"
#include "map.h"

/* Each name is made once. All zero, but for the arena, which is not this one's. */
typedef struct hpp__debug_names {
    hpf_arena *arena;
    hpp__map known; /* address of a description -> its name */
} hpp__debug_names;

void hpp__debug_names_finish(hpp__debug_names *names);

/* "namespace::type::function" for a function or an inlined copy of it. NULL: it has no name.
 * Borrowed from the arena or the information. */
const char *hpp__debug_name(hpp__debug_names *names, const hpp__libdw *call, Dwarf_Die *die);

#endif
