/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The type of a block by the names of the functions that allocated it: nodes, arrays and texts of
 * the standard containers of C++ and Rust, and what smart pointers own. The names suffice:
 * debugging information only adds inlined functions.
 */
#ifndef HPP_NATIVE_COLLECTOR_TYPES_CONTAINERS_H
#define HPP_NATIVE_COLLECTOR_TYPES_CONTAINERS_H

#include "base/text.h"

/* Replaces `out` by the type of a block, such as "node of std::map<int,Foo>"; empty if the names do
 * not say. `functions` are display names (symbol/demangle.h), innermost first, up to the first one
 * outside the libraries. Returns whether the block is an object by itself, not part of a container.
 */
bool hpp__container_type(hpp__text *out, const hpf_str *functions, size_t n);

/* Returns whether a function belongs to a library whose functions allocate for their callers. */
bool hpp__container_is_of_library(hpf_str function);

/* Shortens the name of a class that the standard library made for an object of the program:
 * "std::_Sp_counted_ptr_inplace<Foo,...>" becomes "shared Foo". */
void hpp__container_class(hpp__text *name);

#endif
