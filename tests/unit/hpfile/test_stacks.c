/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks of names, of frames and of reports; places in the source; order.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/stacks.h"
#include "hpfile/str.h"

static uint32_t of_name(hpf_stacks *stacks, const char *name)
{
    uint32_t stack = HPF_NO_STACK;
    hpf_str text = {name, strlen(name)};
    cr_assert_eq(hpf_stacks_of_name(stacks, text, &stack, NULL), HPF_OK);
    return stack;
}

static hpf_stack_frame frame_at(const hpf_stacks *stacks, uint32_t stack, size_t i)
{
    size_t n;
    const uint32_t *frames = hpf_stacks_frames(stacks, stack, &n);
    cr_assert_lt(i, n);
    return hpf_stacks_frame(stacks, frames[i]);
}

static size_t depth_of(const hpf_stacks *stacks, uint32_t stack)
{
    size_t n;
    hpf_stacks_frames(stacks, stack, &n);
    return n;
}

Test(stacks, equal_stacks_and_frames_are_one)
{
    hpf_stacks *stacks = hpf_stacks_create();
    cr_expect_eq(of_name(stacks, "(1)f/g/main"), 0);
    cr_expect_eq(of_name(stacks, "(2)f/g/main"), 0);
    cr_expect_eq(of_name(stacks, "(3)g/main"), 1);
    cr_expect_eq(of_name(stacks, ""), 2);
    cr_expect_eq(hpf_stacks_n(stacks), 3);
    cr_expect_eq(hpf_stacks_n_frames(stacks), 4);
    cr_expect_eq(depth_of(stacks, 0), 3);
    cr_expect(hpf_str_is(frame_at(stacks, 0, 0).name, "main"));
    cr_expect(hpf_str_is(frame_at(stacks, 0, 2).name, "f"));
    hpf_stacks_destroy(stacks);
}

static hpf_stack_frame place_of(hpf_stacks *stacks, const char *source)
{
    const hpf_frame frame = {.label = HPF_STR("f"), .source = {source, strlen(source)}};
    uint32_t stack = 0;
    cr_assert_eq(hpf_stacks_of_frames(stacks, &frame, 1, &stack, NULL), HPF_OK);
    return frame_at(stacks, stack, 0);
}

Test(stacks, places_are_read_as_ghc_writes_them)
{
    static const struct {
        const char *source, *file;
        unsigned line, column;
    } cases[] = {
        {"interp.hs:29:1-67", "interp.hs", 29, 1},
        {"interp.hs:(14,1)-(26,19)", "interp.hs", 14, 1},
        {"src/A.hs:3:5", "src/A.hs", 3, 5},
        {"C:\\x\\A.hs:3:5-7", "C:\\x\\A.hs", 3, 5},
        {"main.c:12", "main.c", 12, 0},
        {"A.hs:1-2", "A.hs:1-2", 0, 0},
        {"A.hs:99999999999:5", "A.hs:99999999999", 5, 0},
        {"A.hs:99999999999", "A.hs:99999999999", 0, 0},
        {":3:5", "", 3, 5},
        {"<built-in>", "", 0, 0},
        {"", "", 0, 0},
    };
    hpf_stacks *stacks = hpf_stacks_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_stack_frame frame = place_of(stacks, cases[i].source);
        cr_expect(hpf_str_is(frame.file, cases[i].file), "%s", cases[i].source);
        cr_expect_eq(frame.line, cases[i].line, "%s", cases[i].source);
        cr_expect_eq(frame.column, cases[i].column, "%s", cases[i].source);
        cr_expect(hpf_str_is(frame.name, "f"));
    }
    hpf_stacks_destroy(stacks);
}

Test(stacks, known_frames_need_no_splitting)
{
    const hpf_frame frames[] = {
        {.label = HPF_STR("</>"), .module = HPF_STR("Path")},
        {.label = HPF_STR("CAF"), .module = HPF_STR("Main"), .is_caf = true},
        {.label = HPF_STR("")},
    };
    const hpf_frame table = {.table = HPF_STR("sat_info"),
                             .module = HPF_STR("Main"),
                             .label = HPF_STR("main"),
                             .source = HPF_STR("T.hs:5:1-30")};
    uint32_t stack = 0;
    hpf_stacks *stacks = hpf_stacks_create();
    cr_assert_eq(hpf_stacks_of_frames(stacks, frames, 3, &stack, NULL), HPF_OK);
    cr_expect(hpf_str_is(frame_at(stacks, stack, 0).name, "(unknown)"));
    cr_expect(hpf_str_is(frame_at(stacks, stack, 1).name, "Main.CAF"));
    cr_expect(hpf_str_is(frame_at(stacks, stack, 2).name, "</>"));
    cr_assert_eq(hpf_stacks_of_frames(stacks, NULL, 0, &stack, NULL), HPF_OK);
    cr_expect(hpf_str_is(frame_at(stacks, stack, 0).name, "MAIN"));
    cr_assert_eq(hpf_stacks_of_frames(stacks, &table, 1, &stack, NULL), HPF_OK);
    cr_expect(hpf_str_is(frame_at(stacks, stack, 0).name, "sat_info Main.main T.hs:5:1-30"));
    cr_expect_eq(frame_at(stacks, stack, 0).line, 5);
    hpf_stacks_destroy(stacks);
}

Test(stacks, stacks_that_begin_alike_are_neighbours)
{
    uint32_t order[4];
    hpf_stacks *stacks = hpf_stacks_create();
    of_name(stacks, "(1)z/main");
    of_name(stacks, "(2)b/a");
    of_name(stacks, "(3)main");
    of_name(stacks, "(4)c/z/main");
    cr_assert_eq(hpf_stacks_order(stacks, order, NULL), HPF_OK);
    cr_expect(order[0] == 1 && order[1] == 2 && order[2] == 0 && order[3] == 3);
    hpf_stacks_destroy(stacks);
}

Test(stacks, a_report_s_root_is_a_frame_of_its_own_stack_only)
{
    const hpf_prof_centre centres[] = {
        {.label = HPF_STR("MAIN")},
        {.label = HPF_STR("main"), .srcloc = HPF_STR("A.hs:1:2-3")},
        {.label = HPF_STR("go")},
        {.label = HPF_STR("GC"), .is_hidden = true},
    };
    const hpf_prof_stack nodes[] = {
        {.centre_index = 0, .parent_index = HPF_PROF_NO_PARENT},
        {.centre_index = 1, .parent_index = 0},
        {.centre_index = 2, .parent_index = 1},
        {.centre_index = 3, .parent_index = 0},
    };
    const hpf_prof prof = {.centres = centres, .n_centres = 4, .stacks = nodes, .n_stacks = 4};
    uint32_t numbers[4];
    hpf_stacks *stacks = hpf_stacks_create();
    cr_assert_eq(hpf_stacks_of_prof(stacks, &prof, false, numbers, NULL), HPF_OK);
    cr_expect_eq(depth_of(stacks, numbers[0]), 1);
    cr_expect_eq(depth_of(stacks, numbers[2]), 2);
    cr_expect(hpf_str_is(frame_at(stacks, numbers[2], 0).name, "main"));
    cr_expect(hpf_str_is(frame_at(stacks, numbers[2], 0).file, "A.hs"));
    cr_expect_eq(numbers[3], HPF_NO_STACK);
    cr_assert_eq(hpf_stacks_of_prof(stacks, &prof, true, numbers, NULL), HPF_OK);
    cr_expect(hpf_str_is(frame_at(stacks, numbers[3], 0).name, "GC"));
    hpf_stacks_destroy(stacks);
}
