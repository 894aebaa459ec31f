/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The option parser: every option, what excludes what, quoting, and where errors point.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/breakdown.h"
#include "hpfile/str.h"
#include "hpprof/options.h"

static hpp_options *options;
static hpf_error err;

static void set_up(void)
{
    options = hpp_options_create();
}

static void tear_down(void)
{
    hpp_options_destroy(options);
}

TestSuite(options, .init = set_up, .fini = tear_down);

static hpf_status parse(const char *text)
{
    return hpp_options_parse(options, (hpf_str){text, strlen(text)}, &err);
}

static void expect_name(const hpp_restriction *restriction, size_t index, const char *text)
{
    cr_assert_lt(index, restriction->n_names);
    hpf_str name = restriction->names[index];
    cr_assert_eq(name.length, strlen(text), "'%.*s'", (int)name.length, name.data);
    cr_assert_arr_eq(name.data, text, name.length);
}

Test(options, defaults_are_those_of_the_guide)
{
    cr_assert_eq(parse(""), HPF_OK);
    cr_assert_not(options->with_census);
    cr_assert_eq(options->report, HPP_REPORT_NONE);
    cr_assert_eq(options->interval_ns, 100000000);
    cr_assert_eq(options->census->max_name_bytes, 25);
    cr_assert_eq(options->census->max_retainers, 8);
}

Test(options, every_breakdown_letter)
{
    for (const char *letter = "cmdyrbT"; *letter; letter++) {
        char text[] = {'-', 'h', *letter, '\0'};
        cr_assert_eq(parse(text), HPF_OK);
        cr_assert(options->with_census);
        cr_assert_eq(options->census->breakdown, hpf_breakdown_of_letter(*letter));
    }
    cr_assert_eq(parse("-h"), HPF_OK);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_COST_CENTRE);
}

Test(options, an_event_log_implies_a_heap_profile)
{
    cr_assert_eq(parse("-l"), HPF_OK);
    cr_assert(options->with_eventlog && options->with_census);
    cr_assert_eq(parse("-hd"), HPF_OK);
    cr_assert(options->with_eventlog);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_CLOSURE_DESCR);
    cr_assert_eq(parse("-lsx"), HPF_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "sgnpfuTa"));
    cr_assert_eq(err.column, 4);
}

Test(options, the_example_of_the_guide)
{
    cr_assert_eq(parse("+RTS -hr -hdBranch,Leaf -RTS"), HPF_OK);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_RETAINER);
    cr_assert_eq(options->census->n_restrictions, 1);
    cr_assert_eq(options->census->restrictions[0].selector, HPF_BREAKDOWN_CLOSURE_DESCR);
    cr_assert_eq(options->census->restrictions[0].n_names, 2);
    expect_name(&options->census->restrictions[0], 0, "Branch");
    expect_name(&options->census->restrictions[0], 1, "Leaf");
    cr_assert_eq(options->n_words, 2);
}

Test(options, restrictions_of_all_kinds_add_up)
{
    cr_assert_eq(parse("-hb -hcA -hCB,C -hmM -hyT -hr{x,y} -hbdrag,void"), HPF_OK);
    static const char letters[] = "cCmyrb";
    cr_assert_eq(options->census->n_restrictions, 6);
    for (size_t i = 0; i < 6; i++) {
        cr_assert_eq(options->census->restrictions[i].selector,
                     hpf_breakdown_of_letter(letters[i]));
    }
    expect_name(&options->census->restrictions[4], 0, "x");
    expect_name(&options->census->restrictions[4], 1, "y");
    cr_assert_eq(parse("-hdD"), HPF_OK);
    cr_assert_eq(options->census->n_restrictions, 7);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_BIOGRAPHY);
    expect_name(&options->census->restrictions[1], 1, "C");
}

Test(options, letters_of_the_first_versions)
{
    cr_assert_eq(parse("-hR -hLdrag"), HPF_OK);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_RETAINER);
    cr_assert_eq(options->census->restrictions[0].selector, HPF_BREAKDOWN_BIOGRAPHY);
    cr_assert_eq(parse("-hL"), HPF_OK);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_BIOGRAPHY);
}

Test(options, retaining_schemes)
{
    static const struct {
        const char *word;
        hpf_breakdown part;
    } parts[] = {
        {"stack", HPF_BREAKDOWN_COST_CENTRE},         {"module", HPF_BREAKDOWN_MODULE},
        {"description", HPF_BREAKDOWN_CLOSURE_DESCR}, {"type", HPF_BREAKDOWN_TYPE},
        {"kind", HPF_BREAKDOWN_CLOSURE_TYPE},         {"info", HPF_BREAKDOWN_INFO_TABLE},
    };
    const hpp_retaining *retaining = &options->census->retaining;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[64];
        snprintf(text, sizeof text, "-hr --retainer-by%c%s", i % 2 ? ' ' : '=', parts[i].word);
        cr_assert_eq(parse(text), HPF_OK);
        cr_assert_eq(retaining->identity, parts[i].part);
    }
    cr_assert_eq(parse("--is-retainer all"), HPF_OK);
    cr_assert_eq(retaining->rule, HPP_RETAINERS_ALL);
    cr_assert_eq(parse("--is-retainer=roots"), HPF_OK);
    cr_assert_eq(retaining->rule, HPP_RETAINERS_ROOTS);
    cr_assert_eq(parse("--is-retainer type:Map,\"a b\" -L7"), HPF_OK);
    cr_assert_eq(retaining->rule, HPP_RETAINERS_NAMED);
    cr_assert_eq(retaining->named.selector, HPF_BREAKDOWN_TYPE);
    cr_assert_eq(retaining->named.n_names, 2);
    expect_name(&retaining->named, 0, "Map");
    expect_name(&retaining->named, 1, "a b");
    cr_assert_eq(options->census->max_name_bytes, 7);
    cr_assert_eq(parse("--is-retainer flagged"), HPF_OK);
    cr_assert_eq(retaining->rule, HPP_RETAINERS_FLAGGED);
    cr_assert_eq(parse("--is-retainer all,roots,type:Map,Set --retainer-by kind,stack"), HPF_OK);
    cr_assert_eq(options->census->n_rules, 3);
    cr_assert_eq(options->census->rules[1].rule, HPP_RETAINERS_ROOTS);
    cr_assert_eq(options->census->rules[2].named.n_names, 2);
    cr_assert_eq(options->census->n_identities, 2);
    cr_assert_eq(retaining->rule, HPP_RETAINERS_ALL);
    cr_assert_eq(retaining->identity, HPF_BREAKDOWN_CLOSURE_TYPE);
    cr_assert_eq(parse("--is-retainer all,every"), HPF_ERR_ARGUMENT);
}

Test(options, the_object_to_follow)
{
    cr_assert_eq(parse("--life \"a b\" -hb"), HPF_OK);
    cr_assert_str_eq(options->life_of, "a b");
    cr_assert_eq(parse("--life"), HPF_ERR_ARGUMENT);
}

Test(options, savings_are_a_break_down)
{
    cr_assert_eq(parse("--savings -hbdrag"), HPF_OK);
    cr_assert(options->with_census && options->census->savings);
    cr_assert_eq(parse("-hd"), HPF_OK);
    cr_assert_not(options->census->savings, "later text overrides earlier text");
    cr_assert_eq(parse("-hd --savings"), HPF_ERR_ARGUMENT);
    cr_assert_eq(parse("--savings -hd"), HPF_ERR_ARGUMENT);
}

/* The first that stacks do not say comes first. */
Test(options, several_breakdowns)
{
    static const struct {
        const char *text, *letters;
    } cases[] = {
        {"-hr -hy -hb", "ryb"}, {"-hy -hb -hr", "ybr"},    {"-hc -hm -hd", "cmd"},
        {"-hc -hr -hm", "rcm"}, {"-hd -hd -hdparse", "d"}, {"-hr -hy -hr -hy -h", "ryc"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(parse(cases[i].text), HPF_OK, "%s: %s", cases[i].text, err.message);
        const hpp_census_options *census = options->census;
        char letters[8] = {hpf_breakdown_letter(census->breakdown)};
        for (size_t k = 0; k < census->n_further; k++) {
            letters[1 + k] = hpf_breakdown_letter(census->further[k]);
        }
        cr_assert_str_eq(letters, cases[i].letters, "%s", cases[i].text);
    }
    cr_assert_eq(parse("-hT -hy"), HPF_ERR_ARGUMENT);
    cr_assert_eq(parse("-hy -hT"), HPF_ERR_ARGUMENT);
    cr_assert_eq(parse("-hm"), HPF_OK);
    cr_assert_eq(options->census->n_further, 0, "later text overrides earlier text");
}

Test(options, a_snapshot_implies_a_heap_profile)
{
    cr_assert_eq(parse("--snapshot last"), HPF_OK);
    cr_assert_eq(options->snapshot, HPP_SNAPSHOT_LAST);
    cr_assert(options->with_census);
    cr_assert_eq(parse("--snapshot=largest"), HPF_OK);
    cr_assert_eq(options->snapshot, HPP_SNAPSHOT_LARGEST);
    cr_assert_eq(parse("--snapshot=oom"), HPF_OK);
    cr_assert_eq(options->snapshot, HPP_SNAPSHOT_OOM);
    cr_assert_eq(parse("--snapshot first"), HPF_ERR_ARGUMENT);
    cr_assert(strstr(err.message, "largest, last or oom"), "%s", err.message);
}

Test(options, a_value_is_a_word_of_the_title)
{
    cr_assert_eq(parse("-hr --retainer-by module --count"), HPF_OK);
    cr_assert(options->census->count_objects);
    cr_assert_eq(options->n_words, 4);
    cr_assert(hpf_str_is(options->words[2], "module"));
}

Test(options, restriction_alone_implies_a_profile_by_stack)
{
    cr_assert_eq(parse("-hdBin"), HPF_OK);
    cr_assert(options->with_census);
    cr_assert_eq(options->census->breakdown, 0);
}

Test(options, names_may_contain_any_character)
{
    cr_assert_eq(parse("-hc\"a b,c\",d\\,e,f\\\"g,h\\\\i -hm\xce\xbb"), HPF_OK);
    const hpp_restriction *r = options->census->restrictions;
    cr_assert_eq(r[0].n_names, 4);
    expect_name(&r[0], 0, "a b,c");
    expect_name(&r[0], 1, "d,e");
    expect_name(&r[0], 2, "f\"g");
    expect_name(&r[0], 3, "h\\i");
    expect_name(&r[1], 0, "\xce\xbb");
}

Test(options, numbers_and_switches)
{
    cr_assert_eq(parse("-i0.05 -V.02 -L100 -R3 -xt -xc -B -P -oout/run"), HPF_OK);
    cr_assert_eq(options->interval_ns, 50000000);
    cr_assert_eq(options->tick_ns, 20000000);
    cr_assert_eq(options->census->max_name_bytes, 100);
    cr_assert_eq(options->census->max_retainers, 3);
    cr_assert(options->census->count_stacks);
    cr_assert(options->print_on_abort);
    cr_assert(options->time_bins && options->heap_bins);
    cr_assert_eq(options->report, HPP_REPORT_VERBOSE);
    cr_assert_str_eq(options->stem, "out/run");
}

Test(options, bins_of_time_and_heap_are_separate)
{
    cr_assert_eq(parse("-Bh"), HPF_OK);
    cr_assert(!options->time_bins && options->heap_bins);
    cr_assert_eq(parse("-Bt"), HPF_OK);
    cr_assert(options->time_bins && options->heap_bins);
    hpp_options_destroy(options);
    options = hpp_options_create();
    cr_assert_eq(parse("-Bt"), HPF_OK);
    cr_assert(options->time_bins && !options->heap_bins);
    cr_assert_eq(parse("-Bx"), HPF_ERR_ARGUMENT);
}

Test(options, reports)
{
    static const hpp_report wanted[] = {HPP_REPORT_PLAIN, HPP_REPORT_VERBOSE, HPP_REPORT_ALL,
                                        HPP_REPORT_JSON};
    static const char *const texts[] = {"-p", "-P", "-pa", "-pj"};
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(parse(texts[i]), HPF_OK);
        cr_assert_eq(options->report, wanted[i]);
    }
    cr_assert_eq(parse("-po\"my prog\""), HPF_OK);
    cr_assert_str_eq(options->stem, "my prog");
}

Test(options, errors_have_the_column_of_the_word)
{
    static const struct {
        const char *text;
        uint32_t column;
    } cases[] = {
        {"-hq", 3},
        {"-hc -hT", 5},
        {"-p -foo", 4},
        {"-i", 3},
        {"-i1x", 4},
        {"-L0", 3},
        {"-R9999999999", 3},
        {"-hC", 4},
        {"-hd,", 4},
        {"-pz", 3},
        {"-xcq", 4},
        {"-o", 1},
        {"-l -olrun.eventlog -hc", 4},
        {"prog", 1},
        {"-i.", 3},
        {"-i99999999999", 3},
        {"-hd{}", 4},
        {"--count=2", 8},
        {"--retainer-by", 1},
        {"--retainer-by -hr", 1},
        {"--retainer-by place", 15},
        {"--retainer-bytype", 14},
        {"--is-retainer=", 1},
        {"--is-retainer info:x", 15},
        {"--is-retainer type:", 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(parse(cases[i].text), HPF_ERR_ARGUMENT, "%s", cases[i].text);
        cr_assert_eq(err.line, 1);
        cr_assert_eq(err.column, cases[i].column, "%s: %u, %s", cases[i].text, err.column,
                     err.message);
    }
    cr_assert_not(options->with_census, "a bad text changes nothing");
    cr_assert_eq(options->report, HPP_REPORT_NONE);
    cr_assert_eq(options->n_words, 0);
}

Test(options, later_text_overrides_earlier_text)
{
    cr_assert_eq(parse("-hc -p"), HPF_OK);
    cr_assert_eq(parse("-hy -P"), HPF_OK);
    cr_assert_eq(options->census->breakdown, HPF_BREAKDOWN_TYPE);
    cr_assert_eq(options->report, HPP_REPORT_VERBOSE);
    cr_assert_eq(options->n_words, 4);
}

Test(options, a_missing_text_is_empty)
{
    hpp_options *unset = hpp_options_create();
    cr_assert_eq(hpp_options_parse(unset, (hpf_str){NULL, 0}, NULL), HPF_OK);
    hpp_options_destroy(unset);
}

Test(options, adds_single_options)
{
    cr_assert_eq(hpp_options_add(options, "-h", "cmy lib,g", NULL), HPF_OK);
    cr_assert_eq(hpp_options_add(options, "-h", "r", NULL), HPF_OK);
    cr_assert_eq(hpp_options_add(options, "-h", "y", NULL), HPF_OK);
    cr_assert_eq(hpp_options_add(options, "-i", "x", NULL), HPF_ERR_ARGUMENT);
    cr_expect(hpf_str_is(options->census->restrictions[0].names[0], "my lib"));
    cr_expect_eq(options->census->breakdown, HPF_BREAKDOWN_RETAINER);
    cr_expect_eq(options->census->n_further, 1);
    cr_expect_eq(options->census->further[0], HPF_BREAKDOWN_TYPE);
    cr_expect_eq(options->n_words, 3);
}
