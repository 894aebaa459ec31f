/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of functions of Python programs, from their code objects.
 */
#ifndef HPP_NATIVE_PYTHON_HEAP_NAMES_H
#define HPP_NATIVE_PYTHON_HEAP_NAMES_H

#include "base/text.h"

/* Appends the module that a source file has: "json.decoder" for ".../json/decoder.py", where the
 * folder json has a file "__init__.py". A frozen module has its name; what has no file, as
 * "<string>", is named so. */
void hpp__python_module(hpp__text *out, hpf_str file);

#endif
