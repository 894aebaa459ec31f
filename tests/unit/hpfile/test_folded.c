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

static void expect(const entry *entries, size_t n, const char *expected)
{
    hpf_folded *folded = hpf_folded_create();
    hpf_sink *sink = hpf_sink_to_memory();
    for (size_t i = 0; i < n; i++) {
        hpf_str name = {entries[i].name, strlen(entries[i].name)};
        cr_assert_eq(hpf_folded_add(folded, name, entries[i].amount, NULL), HPF_OK);
    }
    cr_assert_eq(hpf_folded_write(folded, sink, NULL), HPF_OK);
    hpf_sink_write(sink, "", 1);
    cr_expect_str_eq(hpf_sink_bytes(sink).data, expected);
    hpf_sink_destroy(sink);
    hpf_folded_destroy(folded);
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

Test(folded, what_is_cut_stays_cut)
{
    EXPECT("ma...;g;f 1\n", {"(7)f/g/ma...", 1});
}

Test(folded, amounts_are_rounded_and_nothing_is_left_out_but_zero)
{
    EXPECT("a 2\nb 10000000000000000000000\n", {"a", 1.5}, {"b", 1e22}, {"c", 0.4}, {"d", 0});
}

Test(folded, known_frames_need_no_splitting)
{
    const hpf_frame frames[] = {
        {.label = HPF_STR("</>"), .module = HPF_STR("Path")},
        {.label = HPF_STR("CAF"), .module = HPF_STR("Main"), .is_caf = true},
    };
    hpf_folded *folded = hpf_folded_create();
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_folded_add_stack(folded, frames, 2, 5, NULL), HPF_OK);
    cr_assert_eq(hpf_folded_write(folded, sink, NULL), HPF_OK);
    hpf_sink_write(sink, "", 1);
    cr_expect_str_eq(hpf_sink_bytes(sink).data, "Main.CAF;</> 5\n");
    hpf_sink_destroy(sink);
    hpf_folded_destroy(folded);
}
