/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Display names of symbols.
 */
#ifndef HPP_SYMBOL_DEMANGLE_H
#define HPP_SYMBOL_DEMANGLE_H

#include "base/text.h"

/* Longer names are cut to this, at a character boundary. */
#define HPP__NAME_MAX_BYTES 4096

/* Replaces `out` by the display name of a symbol. Demangles C++ and Rust (legacy and v0), without
 * parameters and return type. Removes compiler suffixes of parts and clones (".cold", ".isra.0")
 * and the C library's prefix of hidden names ("__GI_"). The result is cleaned as below, and
 * shortened. */
void hpp__demangle(hpp__text *out, hpf_str symbol);

/* Replaces `out` by a name that fits into a `.hp` file: without control characters, and without a
 * blank before a digit, after a comma, or between closing angle brackets. */
void hpp__clean_name(hpp__text *out, hpf_str name);

/* Returns whether this build demangles C++ and Rust names. */
bool hpp__demangle_is_built_in(void);

/* Shortens demangled C++ names to the form that programmers write: "std::string" instead of its
 * expansion. */

/* Shortens a name of hpp__clean_name in place. Removes the parameters of enclosing functions,
 * default template arguments of the standard library (allocators, traits, comparisons), and its
 * version namespaces. */
void hpp__cxx_shorten(hpp__text *name);

/* Returns whether a function, by its display name, is of the namespace std: the standard library of
 * C++ or Rust. */
bool hpp__is_of_std(hpf_str function);

#endif
