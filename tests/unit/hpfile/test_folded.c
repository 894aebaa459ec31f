/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to folded stacks.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/folded.h"

typedef struct entry {
    const char *name;
    double amount;
} entry;

enum { MOST_ENTRIES = 8 };

static void expect_lines(const hpf_stacks *stacks, const double *amounts, const char *expected)
{
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_folded_write(stacks, amounts, sink, NULL), HPF_OK);
    hpf_sink_write(sink, "", 1);
    cr_expect_str_eq(hpf_sink_bytes(sink).data, expected);
    hpf_sink_destroy(sink);
}

static void expect(const entry *entries, size_t n, const char *expected)
{
    hpf_stacks *stacks = hpf_stacks_create();
    double amounts[MOST_ENTRIES] = {0};
    for (size_t i = 0; i < n; i++) {
        hpf_str name = {entries[i].name, strlen(entries[i].name)};
        uint32_t stack;
        cr_assert_eq(hpf_stacks_of_name(stacks, name, &stack, NULL), HPF_OK);
        amounts[stack] += entries[i].amount;
    }
    expect_lines(stacks, amounts, expected);
    hpf_stacks_destroy(stacks);
}

#define EXPECT(expected, ...)                                                                      \
    do {                                                                                           \
        const entry entries[] = {__VA_ARGS__};                                                     \
        expect(entries, sizeof entries / sizeof *entries, expected);                               \
    } while (0)

Test(folded, the_outermost_frame_comes_first)
{
    EXPECT("main;eval;apply 7\n", {"(12)apply/eval/main", 7});
}

Test(folded, only_numbered_names_are_stacks)
{
    EXPECT("<a/b> 1\nbase/x 2\n", {"<a/b>", 1}, {"base/x", 2});
}

Test(folded, equal_stacks_add_up)
{
    EXPECT("main;f 5\n", {"(1)f/main", 2}, {"(2)f/main", 3});
}

Test(folded, a_slash_may_be_a_frame)
{
    EXPECT("a;/;b 1\nmain;/ 2\nmain;/;f 3\n", {"(1)b///a", 1}, {"(2)//main", 2},
           {"(3)f///main", 3});
}

Test(folded, separators_inside_are_replaced)
{
    EXPECT("a b,c 1\n", {"a\tb;c", 1});
}

Test(folded, truncated_names_stay_truncated)
{
    EXPECT("ma...;g;f 1\n", {"(7)f/g/ma...", 1});
}

Test(folded, amounts_are_rounded_and_nothing_is_left_out_but_zero)
{
    EXPECT("a 2\nb 10000000000000000000000\n", {"a", 1.5}, {"b", 1e22}, {"c", 0.4}, {"d", 0});
}

/* They differ in their places, which lines do not tell. */
Test(folded, stacks_that_read_the_same_add_up)
{
    const hpf_frame here = {.label = HPF_STR("go"), .source = HPF_STR("A.hs:1:1-2")};
    const hpf_frame there = {.label = HPF_STR("go"), .source = HPF_STR("A.hs:9:1-2")};
    const double amounts[] = {2, 3};
    uint32_t stack;
    hpf_stacks *stacks = hpf_stacks_create();
    cr_assert_eq(hpf_stacks_of_frames(stacks, &here, 1, &stack, NULL), HPF_OK);
    cr_assert_eq(hpf_stacks_of_frames(stacks, &there, 1, &stack, NULL), HPF_OK);
    cr_assert_eq(hpf_stacks_n(stacks), 2);
    expect_lines(stacks, amounts, "go 5\n");
    hpf_stacks_destroy(stacks);
}
