/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that links no library: reports a mark and an object of its own pool to `census run`.
 */
#include <census/mark.h>
#include <hpprof/native.h>

int main(void)
{
    static char pool[64];
    census_mark("loaded");
    hpp_pool_allocated(pool, 64);
    return 0;
}
