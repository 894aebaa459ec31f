/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The members of structures, by the names of the structures as types of blocks have them
 * (result_type.h): "struct node" in C, "ns::Node" in C++, "ns::Node[12]" for an array.
 *
 * The first question reads the types of all units, which takes a second for some millions.
 */
#ifndef HPP_SYMBOL_MEMBERS_H
#define HPP_SYMBOL_MEMBERS_H

#include <elfutils/libdw.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/text.h"

/* The structures of an object. All zero: they are not read yet. */
typedef struct hpp__structures {
    bool are_read;
    hpf__intern names;
    Dwarf_Die *list; /* by number of the name */
    size_t capacity;
    hpp__map of_library; /* addresses of those of the C++ standard library */
} hpp__structures;

void hpp__structures_finish(hpp__structures *structures);

/* Replaces `out` by the member at an offset in a block of a type, such as "next", "base.items[3]"
 * or, in an array of structures, "[3].next". Members of the C++ standard library's classes are not
 * named: they are parts of the member that has such a type. Returns false if it is not known. */
bool hpp__structures_member(hpp__structures *structures, Dwarf *dwarf, hpf_str type,
                            uint64_t size_bytes, uint64_t offset, hpp__text *out);

#endif
