/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drag: a table that is used early and kept until the end. The program takes its censuses at fixed
 * points, so that all numbers can be calculated by hand:
 *
 *   census  since the previous census              phase of the n functions, 16 n bytes
 *      1    the table is created                   lag: created, and used later
 *      2    all functions are called               use: for the last time
 *      3    other work                             drag: not used any more, but still alive
 *      4    other work                             drag
 *      5    the table is released, other work      dead
 */
#define HPP_MODULE "Main"
#include "table.h"

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    lz_object **table = &slots[1], **eaten = &slots[2];
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    HPP_SCC_HERE("main");
    HPP_SCC("make")
    {
        table_make(rt, table, n);
    }
    *table = lz_cell(rt, *table);
    lz_census(rt);
    HPP_SCC("use")
    {
        table_use(rt, *table, eaten);
    }
    lz_census(rt);
    table_churn(rt, eaten, n);
    lz_census(rt);
    table_churn(rt, eaten, n);
    lz_census(rt);
    *table = NULL;
    table_churn(rt, eaten, n);
    lz_census(rt);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 2, run, NULL);
    return lz_main(argc, argv, &info, 20000);
}
