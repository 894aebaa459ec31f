/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON of reports, read back.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "hpfile/sink.h"
#include "hpfile/prof.h"
#include "hpfile/str.h"
#include "source_dir.h"

static hpf_status read_text(hpf_prof_file **file, hpf_str text, hpf_error *err)
{
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, text, NULL, NULL), HPF_OK);
    hpf_status status = hpf_prof_read(file, source, err);
    hpf_source_destroy(source);
    return status;
}

/* Both have the same stacks, one in the order of the tree. */
static void expect_same_sums(const hpf_prof *a, const hpf_prof *b)
{
    hpf_prof_stack sums[2] = {{0}};
    const hpf_prof *both[] = {a, b};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k]->n_stacks; i++) {
            sums[k].ticks += both[k]->stacks[i].ticks;
            sums[k].entries += both[k]->stacks[i].entries;
            sums[k].allocated_bytes += both[k]->stacks[i].allocated_bytes;
        }
    }
    cr_expect_eq(a->n_stacks, b->n_stacks);
    cr_expect_eq(a->n_centres, b->n_centres);
    cr_expect(memcmp(&sums[0], &sums[1], sizeof sums[0]) == 0);
}

static hpf_prof_file *read_sample(const char *path)
{
    hpf_source *source = NULL;
    hpf_prof_file *file = NULL;
    hpf_error err = {0};
    cr_assert_eq(hpf_source_open(&source, path, NULL, NULL), HPF_OK);
    cr_assert_eq(hpf_prof_read(&file, source, &err), HPF_OK, "%s", err.message);
    hpf_source_destroy(source);
    return file;
}

/* The sums that GHC tells in the file itself. */
Test(prof_json, reports_of_ghc_have_all_their_ticks_and_bytes)
{
    hpf_prof_file *file = read_sample(CENSUS_SOURCE_DIR "/samples/prof/interp-prof-pj.prof");
    const hpf_prof *prof = hpf_prof_file_report(file);
    uint64_t ticks = 0;
    uint64_t bytes = 0;
    uint64_t hidden_ticks = 0;
    for (size_t i = 0; i < prof->n_stacks; i++) {
        const hpf_prof_stack *s = &prof->stacks[i];
        ticks += s->ticks;
        bytes += s->allocated_bytes;
        hidden_ticks += prof->centres[s->centre_index].is_hidden ? s->ticks : 0;
        cr_expect(i == 0 ? s->parent_index == HPF_PROF_NO_PARENT : s->parent_index < i);
    }
    cr_expect_eq(ticks, 1214);
    cr_expect_eq(bytes, 1701745128);
    cr_expect_eq(hidden_ticks, 386 + 4); /* of GC and SYSTEM */
    cr_expect(hpf_str_is(prof->program, "interp"));
    cr_expect(hpf_str_is(prof->date, "Sat Nov 21 02:11 2026"));
    cr_expect_eq(prof->tick_us, 1000);
    cr_expect(hpf_str_is(prof->centres[0].label, "IDLE"));
    cr_expect(prof->centres[0].is_hidden);
    hpf_prof_file_destroy(file);
}

Test(prof_json, what_is_written_is_read_back)
{
    hpf_prof_file *file = read_sample(CENSUS_SOURCE_DIR "/samples/prof/oddnames-prof-pj.prof");
    hpf_prof_file *again = NULL;
    hpf_sink *sink = hpf_sink_to_memory();
    cr_assert_eq(hpf_prof_write_json(sink, hpf_prof_file_report(file), NULL), HPF_OK);
    cr_assert_eq(read_text(&again, hpf_sink_bytes(sink), NULL), HPF_OK);
    expect_same_sums(hpf_prof_file_report(file), hpf_prof_file_report(again));
    hpf_sink_destroy(sink);
    hpf_prof_file_destroy(file);
    hpf_prof_file_destroy(again);
}

/* Centres that follow the tree, or never come. */
Test(prof_json, the_order_of_members_is_free)
{
    static const char text[] = "{\"program\":\"p\",\"profile\":{\"children\":[{\"id\":7}],\"id\":5,"
                               "\"new\":[1,{}],\"ticks\":3},"
                               "\"cost_centres\":[{\"is_caf\":true,\"id\":7,\"label\":\"f\"}]}";
    hpf_prof_file *file = NULL;
    hpf_error err = {0};
    cr_assert_eq(read_text(&file, HPF_STR(text), &err), HPF_OK, "%s", err.message);
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_assert_eq(prof->n_stacks, 2);
    cr_expect_eq(prof->stacks[0].ticks, 3);
    cr_expect_eq(prof->centres[prof->stacks[0].centre_index].label.length, 0);
    cr_expect(hpf_str_is(prof->centres[prof->stacks[1].centre_index].label, "f"));
    cr_expect(prof->centres[prof->stacks[1].centre_index].is_caf);
    hpf_prof_file_destroy(file);
}

Test(prof_json, errors_have_a_place)
{
    static const struct {
        const char *text;
        hpf_status status;
        unsigned column;
        const char *words;
    } cases[] = {
        {"{\"program\":\"p\"}", HPF_ERR_SYNTAX, 1, "no report"},
        {"{\"profile\":{}}", HPF_ERR_SYNTAX, 12, "this stack has no \"id\""},
        {"{\"profile\":{\"id\":1.5}}", HPF_ERR_RANGE, 18, "a whole number"},
        {"{\"profile\":{\"id\":1},\"profile\":{\"id\":1}}", HPF_ERR_SYNTAX, 31, "one \"profile\""},
        {"{\"profile\":{\"id\":1,\"children\":[1]}}", HPF_ERR_SYNTAX, 32, "'{'"},
        {"{\"profile\":{\"id\":1", HPF_ERR_SYNTAX, 19, "'}'"},
        {"{\"program\":1}", HPF_ERR_SYNTAX, 12, "a text"},
        {"{\"profile\":{\"id\":1}} x", HPF_ERR_SYNTAX, 22, "expected JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_prof_file *file;
        hpf_error err = {0};
        hpf_str text = {cases[i].text, strlen(cases[i].text)};
        cr_expect_eq(read_text(&file, text, &err), cases[i].status, "%s", cases[i].text);
        cr_expect_null(file);
        cr_expect_eq(err.column, cases[i].column, "%s: %u", cases[i].text, err.column);
        cr_expect(strstr(err.message, cases[i].words), "%s", err.message);
    }
}

/* 2000 levels are read, more are refused: the C stack is not the input's to use up. */
Test(prof_json, the_tree_may_be_deep_but_not_endless)
{
    for (int depth = 2000; depth <= 2001; depth++) {
        hpf_prof_file *file;
        hpf_error err = {0};
        hpf_sink *text = hpf_sink_to_memory();
        hpf_sink_text(text, "{\"profile\":{\"id\":1");
        for (int i = 0; i < depth; i++) {
            hpf_sink_text(text, ",\"children\":[{\"id\":1");
        }
        for (int i = 0; i < depth; i++) {
            hpf_sink_text(text, "}]");
        }
        hpf_sink_text(text, "}}");
        hpf_status status = read_text(&file, hpf_sink_bytes(text), &err);
        cr_expect_eq(status, depth == 2000 ? HPF_OK : HPF_ERR_LIMIT, "%s", err.message);
        hpf_prof_file_destroy(file);
        hpf_sink_destroy(text);
    }
}
