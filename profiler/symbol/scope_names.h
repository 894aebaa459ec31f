/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What DIEs (debugging information entries) say of themselves, and qualified names of functions
 * without a linkage name, such as C++ templates over local types: "namespace::type::function".
 */
#ifndef HPP_SYMBOL_SCOPE_NAMES_H
#define HPP_SYMBOL_SCOPE_NAMES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

/* Cache of names. All zero is empty, except for the arena, which is borrowed. */
typedef struct hpp__scope_names {
    hpf_arena *arena;
    hpp__map known; /* address of a DIE -> its name */
} hpp__scope_names;

void hpp__scope_names_finish(hpp__scope_names *names);

/* Returns the qualified name of a function or of an inlined copy of it; NULL if it has no name.
 * The name is valid as long as the arena and the debugging information are. */
const char *hpp__scoped_name(hpp__scope_names *names, Dwarf_Die *die);

/* Returns the name that a DIE has itself; NULL if it has none. */
const char *hpp__own_name(Dwarf_Die *die);

/* Returns the name of a namespace or structure in names below it. */
const char *hpp__scope_name(Dwarf_Die *die);

/* Stores the type of a variable, a member, a pointer, a function. Returns false for void. */
bool hpp__type_of(Dwarf_Die *die, Dwarf_Die *out);

/* Removes qualifiers and, if `with_names`, typedefs. Returns false for void. */
bool hpp__peel_type(Dwarf_Die *type, bool with_names);

bool hpp__is_structure_tag(int tag);

/* Stores the type of a member or a base of a structure, and its offset in bytes. Returns false for
 * other DIEs, and if the offset is not a number. */
bool hpp__find_member(Dwarf_Die *member, Dwarf_Die *type, uint64_t *begin);

/* A walk over DIEs in the order of the file. It ends where the sibling reference of a damaged file
 * leads back. All zero is the start. */
typedef struct hpp__walk {
    uintptr_t reached; /* address of the last DIE */
} hpp__walk;

/* Move to the first child of `parent`, or from `die` to its next sibling. Return false at the end.
 */
bool hpp__walk_child(hpp__walk *walk, Dwarf_Die *parent, Dwarf_Die *out);
bool hpp__walk_next(hpp__walk *walk, Dwarf_Die *die);

#endif
