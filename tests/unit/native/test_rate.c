/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples by bytes: the numbers are those of the mathematical library, and leave the program's
 * floating point alone.
 */
#include "native/target/counting/rate.h"

#include <fenv.h>
#include <math.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "native/target/counting/process_state.h"

hpp_settings hpp__settings;
_Atomic uint32_t hpp__alive_kind;

enum { N_NUMBERS = 200000 };

/* Returns a number of up to that many bits, more often a small one. */
static uint64_t number_of_bits(uint64_t *state, int n_bits)
{
    return (hpp__chance_next(state) >> (64 - n_bits)) >> hpp__chance_next(state) % (uint64_t)n_bits;
}

Test(rate, bytes_until_the_next_sample)
{
    uint64_t state = 1;
    for (int i = 0; i < N_NUMBERS; i++) {
        uint64_t mean = number_of_bits(&state, 50) + 1, same = state;
        double chance = (double)(hpp__chance_next(&same) | 1) / 0x1p64;
        double expected = floor(-log(chance) * (double)mean) + 1;
        double bytes = (double)hpp__chance_bytes(&state, mean);
        cr_assert(le(dbl, fabs(bytes - expected), 1 + (double)mean * 0x1p-30), "%.0f, not %.0f",
                  bytes, expected);
    }
}

Test(rate, bytes_that_a_sample_represents)
{
    uint64_t state = 2;
    for (int i = 0; i < N_NUMBERS; i++) {
        uint64_t size = number_of_bits(&state, 45) + 1, mean = number_of_bits(&state, 35) + 8;
        double expected = -(double)size / expm1(-(double)size / (double)mean);
        double bytes = (double)hpp__chance_represented(size, mean);
        cr_assert(le(dbl, fabs(bytes - expected), 0.6 + expected * 1e-8), "%.0f, not %.0f", bytes,
                  expected);
        cr_assert(ge(dbl, bytes, (double)size));
    }
    cr_assert(eq(u64, hpp__chance_represented(0, 1000), hpp__chance_represented(1, 1000)));
}

Test(rate, no_floating_point)
{
    uint64_t state = 3;
    feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 1000; i++) {
        hpp__chance_represented(hpp__chance_bytes(&state, 4096), 4096);
    }
    cr_assert(eq(int, fetestexcept(FE_ALL_EXCEPT), 0));
}
