/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the programs on lives share: a table whose size is known to the byte, and work that leaves
 * nothing behind.
 *
 * A table is a chain of functions, each of which gives the next one. All systems agree on what the
 * use of a function is: a call. (GHC does not record a look at a constructor whose pointer is
 * tagged.)
 *
 *   table 0 = end
 *   table n = longer (table (n - 1))
 *   longer rest = \_ -> rest
 */
#ifndef TABLE_H
#define TABLE_H

#include "lazy/prelude.h"

/* Makes a table of `n` functions in the slot. Each takes 16 bytes: a header and the next one. None
 * is called. */
void table_make(lz_runtime *rt, lz_object **table, int64_t n);

/* Calls the functions of the table in a mutable cell one after the other, and prints how many there
 * are. */
void table_use(lz_runtime *rt, lz_object *cell, lz_object **eaten);

/* Makes a list of `n` numbers and forgets it. */
void table_churn(lz_runtime *rt, lz_object **eaten, int64_t n);

#endif
