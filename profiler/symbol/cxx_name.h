/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Shortens demangled C++ names to the form that programmers write: "std::string" instead of its
 * expansion.
 */
#ifndef HPP_SYMBOL_CXX_NAME_H
#define HPP_SYMBOL_CXX_NAME_H

#include "base/text.h"

/* Shortens a name of hpp__clean_name in place. Removes the parameters of enclosing functions,
 * default template arguments of the standard library (allocators, traits, comparisons), and its
 * version namespaces. */
void hpp__cxx_shorten(hpp__text *name);

#endif
