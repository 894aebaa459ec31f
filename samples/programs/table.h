/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Code shared by the biography programs: a table of known size, and work that leaves no objects
 * behind.
 *
 * A table is a chain of functions, each of which returns the next one. In all profilers a use of a
 * function is a call. (GHC does not record that a constructor is read through a tagged pointer.)
 *
 *   table 0 = end
 *   table n = longer (table (n - 1))
 *   longer rest = \_ -> rest
 */
#ifndef TABLE_H
#define TABLE_H

#include "lazy/prelude.h"

/* Creates a table of `n` functions in the slot. Each takes 16 bytes: a header and a reference to
 * the next one. None is called. */
void table_make(lz_runtime *rt, lz_object **table, int64_t n);

/* Calls all functions of the table in a mutable cell, one after the other, and prints their
 * number. */
void table_use(lz_runtime *rt, lz_object *cell, lz_object **eaten);

/* Creates a list of `n` numbers and releases it. */
void table_churn(lz_runtime *rt, lz_object **eaten, int64_t n);

#endif
