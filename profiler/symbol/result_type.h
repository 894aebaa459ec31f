/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The type of the object that a call has returned a pointer to, by where the pointer goes: to a
 * variable that is in the return register after the call, to the caller of the function, or
 * (x86-64) by the next instructions to a local variable, a member of a structure, or a global
 * variable.
 */
#ifndef HPP_SYMBOL_RESULT_TYPE_H
#define HPP_SYMBOL_RESULT_TYPE_H

#include "base/text.h"
#include "hpprof/function.h"
#include "scope_names.h"

/* Replaces `out` by the type that a pointer returned to `code` in `function` points to: "struct
 * node" in C, "ns::Node" in C++. Returns false if it is not known; a pointer to void does not say.
 */
bool hpp__result_type(hpp__text *out, bool *is_structure, hpp__scope_names *names, Dwarf_Die *unit,
                      Dwarf_Die *function, const hpp__code *code);

#endif
