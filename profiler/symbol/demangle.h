/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the name of a symbol to the name of a function that people read.
 */
#ifndef HPP_SYMBOL_DEMANGLE_H
#define HPP_SYMBOL_DEMANGLE_H

#include "base/text.h"

/* Longer names are cut here, on a character boundary. */
#define HPP__NAME_MAX_BYTES 4096

/* Replaces `out` by the display name of a symbol: C++ and Rust (legacy and v0) are demangled,
 * without parameters and return type; what compilers append to parts and clones of a function
 * (".cold", ".isra.0") is gone, and what the C library puts before its hidden names. The name is
 * dressed as below, and shortened (cxx_name.h). */
void hpp__demangle(hpp__text *out, hpf_str symbol);

/* Replaces `out` by a name with nothing in it that a name in a `.hp` file cannot have: no control
 * characters; no blank before a digit, behind a comma, or between closing angle brackets. */
void hpp__clean_name(hpp__text *out, hpf_str name);

/* Whether C++ and Rust names are demangled in this build. */
bool hpp__demangle_is_built_in(void);

#endif
