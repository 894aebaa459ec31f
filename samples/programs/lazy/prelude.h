/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists, and a few functions on them, as in the library of a lazy language.
 *
 * Strict functions take the slot of a list and consume it: they advance the slot along the list, so
 * that it does not retain the elements before. To use a list again, keep it in a second slot.
 */
#ifndef LAZY_PRELUDE_H
#define LAZY_PRELUDE_H

#include "lazy.h"

/* ---- Lists ---- */

lz_object *lz_nil(void);
lz_object *lz_cons(lz_runtime *rt, lz_object *head, lz_object *tail);
lz_object *lz_head(lz_object *cons);
lz_object *lz_tail(lz_object *cons);

/* Evaluates the list in the slot, and returns whether it is a cons. */
bool lz_is_cons(lz_runtime *rt, lz_object **list);

/* ---- Lazy functions: create thunks ---- */

lz_object *lz_enum_from_to(lz_runtime *rt, lz_object *from, lz_object *to);
lz_object *lz_init(lz_runtime *rt, lz_object *list);
lz_object *lz_map(lz_runtime *rt, lz_object *function, lz_object *list);
lz_object *lz_plus(lz_runtime *rt, lz_object *x, lz_object *y);
lz_object *lz_foldl(lz_runtime *rt, lz_object *function, lz_object *start, lz_object *list);
lz_object *lz_plus_function(void);

/* ---- Strict functions: consume the list in the slot ---- */

lz_object *lz_last(lz_runtime *rt, lz_object **list);
int64_t lz_length(lz_runtime *rt, lz_object **list);
int64_t lz_sum(lz_runtime *rt, lz_object **list);
void lz_print(lz_runtime *rt, lz_object *number);

#endif
