/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sequences of keys, including unknown ones.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "watch/terminal/term.h"

static void expect_keys(const char *bytes, const int *keys, size_t n_keys)
{
    size_t n = strlen(bytes), at = 0, used;
    for (size_t i = 0; i < n_keys; i++) {
        cr_assert_lt(at, n);
        cr_expect_eq(keys_next(bytes + at, n - at, &used), keys[i], "key %zu of %s", i, bytes);
        cr_assert_geq(used, 1);
        at += used;
    }
    cr_expect_eq(at, n);
}

Test(keys, plain_keys)
{
    expect_keys("q +", (const int[]){'q', ' ', '+'}, 3);
    expect_keys("\t\x1b", (const int[]){'\t', KEY_ESCAPE}, 2);
}

Test(keys, arrow_keys)
{
    expect_keys("\x1b[A\x1bOB\x1b[C\x1b[Dq",
                (const int[]){KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT, 'q'}, 5);
}

Test(keys, skips_other_sequences)
{
    expect_keys("\x1b[1;5Aq", (const int[]){KEY_NONE, 'q'}, 2);
    expect_keys("\x1b[200~q", (const int[]){KEY_NONE, 'q'}, 2);
    expect_keys("\xC3\xA4q", (const int[]){KEY_NONE, KEY_NONE, 'q'}, 3);
}
