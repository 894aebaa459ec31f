/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols that GHC makes.
 */
#ifndef HPP_SYMBOL_HASKELL_SYMBOL_H
#define HPP_SYMBOL_HASKELL_SYMBOL_H

#include <stdbool.h>

#include "base/text.h"

/* A symbol of GHC's, as it was in the source. */
typedef struct hpp__haskell_symbol {
    hpp__text package, module, name; /* the package is empty for that of the program */
} hpp__haskell_symbol;

/* Decodes a symbol such as "containerszm0zi6_DataziMapziInternal_insertWith_info". Returns false if
 * it is no symbol of a Haskell module. Call hpp__haskell_symbol_finish in any case. */
bool hpp__haskell_symbol_decode(hpp__haskell_symbol *out, hpf_str symbol);
void hpp__haskell_symbol_finish(hpp__haskell_symbol *symbol);

/* Appends a symbol as it is shown, "containers-0.6.4.1:Data.Map.Internal.insertWith", with the name
 * in its module that is to be shown. */
void hpp__haskell_symbol_add(hpp__text *out, const hpp__haskell_symbol *symbol, hpf_str name);

#endif
