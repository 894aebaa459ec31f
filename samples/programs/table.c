/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables: chains of functions.
 */
#define HPP_MODULE "Table"
#include "table.h"

/* \_ -> rest, where `rest` is the free variable. */
static lz_object *rest(lz_runtime *rt, lz_object **slots)
{
    (void)rt;
    return slots[1];
}

/* longer rest = \_ -> rest */
static lz_object *longer(lz_runtime *rt, lz_object **slots)
{
    static const lz_info info = LZ_FUNCTION_INFO("table.\\", 1, 1, 0, rest);
    return lz_new(rt, &info, slots[0], NULL, NULL);
}

void table_make(lz_runtime *rt, lz_object **table, int64_t n)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("longer", 1, 0, longer, NULL);
    static lz_static function = {.object = {.info = &info}};
    *table = lz_nil();
    for (int64_t i = 0; i < n; i++) {
        *table = lz_call(rt, &function.object, *table, NULL);
    }
}

void table_use(lz_runtime *rt, lz_object *cell, lz_object **eaten)
{
    int64_t n = 0;
    for (*eaten = lz_refs(cell)[0]; *eaten != lz_nil(); n++) {
        *eaten = lz_call(rt, *eaten, NULL, NULL);
    }
    *eaten = NULL;
    lz_print(rt, lz_int(rt, n));
}

void table_churn(lz_runtime *rt, lz_object **eaten, int64_t n)
{
    HPP_SCC("churn")
    {
        *eaten = lz_enum_from_to(rt, lz_int(rt, 1), lz_int(rt, n));
        (void)lz_length(rt, eaten);
        *eaten = NULL;
    }
}
