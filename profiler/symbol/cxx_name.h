/* SPDX-License-Identifier: BSD-2-Clause
 *
 * C++ names as people write them, from names as demanglers write them: "std::string", not what that
 * stands for.
 */
#ifndef HPP_SYMBOL_CXX_NAME_H
#define HPP_SYMBOL_CXX_NAME_H

#include "base/text.h"

/* Shortens a dressed name in place. Gone are the parameters of functions that enclose a local one,
 * template arguments of the standard library that are there by default (allocators, traits,
 * comparisons), and its namespaces that only tell versions. */
void hpp__cxx_shorten(hpp__text *name);

#endif
