/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lag and void: a table that is created long before it is used, and one that is never used.
 *
 *   census  since the previous census        phase of the lag table    of the void table
 *      1    both tables are created          lag                       void
 *      2    other work                       lag                       void
 *      3    other work                       lag                       void
 *      4    the lag table is used            use                       void
 *      5    both are released                dead                      dead
 *
 * The lag table has n functions, the void table 2 n: 16 n and 32 n bytes.
 */
#define HPP_MODULE "Main"
#include "table.h"

static lz_object *run(lz_runtime *rt, lz_object **slots)
{
    lz_object **lag = &slots[1], **never = &slots[2], **eaten = &slots[3];
    int64_t n = lz_int_value(lz_eval(rt, slots[0]));
    HPP_SCC_HERE("main");
    HPP_SCC("lag_table")
    {
        table_make(rt, lag, n);
    }
    HPP_SCC("void_table")
    {
        table_make(rt, never, 2 * n);
    }
    *lag = lz_cell(rt, *lag);
    *never = lz_cell(rt, *never);
    lz_census(rt);
    table_churn(rt, eaten, n);
    lz_census(rt);
    table_churn(rt, eaten, n);
    lz_census(rt);
    HPP_SCC("use")
    {
        table_use(rt, *lag, eaten);
    }
    lz_census(rt);
    *lag = *never = NULL;
    table_churn(rt, eaten, n);
    lz_census(rt);
    return lz_nil();
}

int main(int argc, char **argv)
{
    static const lz_info info = LZ_STATIC_FUNCTION_INFO("main", 1, 3, run, NULL);
    return lz_main(argc, argv, &info, 20000);
}
