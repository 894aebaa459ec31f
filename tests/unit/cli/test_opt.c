/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options as data: the behaviour of getopt_long, and rejected words.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "options/opt.h"

typedef struct values {
    bool all, brief;
    int count;
    double ratio, width_pt, pause_s;
    const char *name;
    int colour;
    opt_time at, to;
} values;

static const char *const colours[] = {"red", "green", NULL};

static const opt table[] = {
    OPT_HEADING("Common"),
    {'a', "all", OPT_FLAG, offsetof(values, all), NULL, "everything", NULL, 0, 0},
    {'b', "brief", OPT_FLAG, offsetof(values, brief), NULL, "little", NULL, 0, 0},
    {'n', "count", OPT_INT, offsetof(values, count), "N", "how many", NULL, 0, 100},
    {'r', "ratio", OPT_NUMBER, offsetof(values, ratio), "P", "part", NULL, 0, 1},
    {0, "width", OPT_LENGTH, offsetof(values, width_pt), "LENGTH", "across", NULL, 10, 1000},
    {0, "pause", OPT_DURATION, offsetof(values, pause_s), "TIME", "between", NULL, 0.1, 7200},
    {'o', "name", OPT_TEXT, offsetof(values, name), "NAME", "of it", NULL, 0, 0},
    {0, "at", OPT_TIME, offsetof(values, at), "T", "when", NULL, 0, 1e6},
    {0, "colour", OPT_CHOICE, offsetof(values, colour), "COLOUR", "of it", colours, 0, 0},
    OPT_RARE_HEADING("Rare"),
    {0, "to", OPT_WHEN, offsetof(values, to), "WHEN", "end", NULL, -9, 1e6},
    {0, NULL, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};

enum { MOST_WORDS = 8 };

/* Splits `line` at blanks and parses it; `words` receives the operands. */
static opt_outcome parse(const char *line, values *v, int *argc, char **words,
                         opt_complaint *complaint)
{
    static char text[200];
    static char program[] = "test";
    snprintf(text, sizeof text, "%s", line);
    *argc = 1;
    words[0] = program;
    for (char *word = strtok(text, " "); word && *argc < MOST_WORDS; word = strtok(NULL, " ")) {
        words[(*argc)++] = word;
    }
    return opt_parse(table, v, argc, words, complaint);
}

typedef struct good {
    const char *line;
    values expected;
    int n_operands;
} good;

static const good reads_cases[] = {
    {"", {0}, 0},
    {"-a", {.all = true}, 0},
    {"-ab x", {.all = true, .brief = true}, 1},
    {"x -a y", {.all = true}, 2},
    {"x -- -a", {0}, 2},
    {"- -a", {.all = true}, 1},
    {"-n5", {.count = 5}, 0},
    {"-n 5", {.count = 5}, 0},
    {"-an5", {.all = true, .count = 5}, 0},
    {"--count=5", {.count = 5}, 0},
    {"--count 5", {.count = 5}, 0},
    {"--cou 5", {.count = 5}, 0},
    {"-n5 -n6", {.count = 6}, 0},
    {"-r.5", {.ratio = .5}, 0},
    {"-r 5e-1", {.ratio = .5}, 0},
    {"--width=1in", {.width_pt = 72}, 0},
    {"--width=2.54cm", {.width_pt = 72}, 0},
    {"--width=25.4mm", {.width_pt = 72}, 0},
    {"--width=72pt", {.width_pt = 72}, 0},
    {"--width=72", {.width_pt = 72}, 0},
    {"--pause=30s", {.pause_s = 30}, 0},
    {"--pause=1.5", {.pause_s = 1.5}, 0},
    {"--pause 500ms", {.pause_s = .5}, 0},
    {"--pause 5m", {.pause_s = 300}, 0},
    {"--pause 2h", {.pause_s = 7200}, 0},
    {"--colour green", {.colour = 1}, 0},
    {"--at 5", {.at = {.value = 5}}, 0},
    {"--at 5m", {.at = {.value = 300, .is_in_seconds = true}}, 0},
    {"--at=250ms", {.at = {.value = .25, .is_in_seconds = true}}, 0},
    {"--to 2m", {.to = {.value = 120, .is_in_seconds = true}}, 0},
    {"--to warm-up", {.to = {.mark = "warm-up"}}, 0},
    {"--to mark:2nd", {.to = {.mark = "2nd"}}, 0},
    {"--to green --to -.5", {.to = {.value = -.5}}, 0},
};

Test(opt, parses_values)
{
    for (size_t i = 0; i < sizeof reads_cases / sizeof reads_cases[0]; i++) {
        const good *param = &reads_cases[i];
        values v = {0};
        int argc;
        char *words[MOST_WORDS + 1];
        opt_complaint complaint = {""};
        cr_assert_eq(parse(param->line, &v, &argc, words, &complaint), OPT_RUN, "%s: %s",
                     param->line, complaint.message);
        cr_expect_eq(argc - 1, param->n_operands, "%s: %d operands", param->line, argc - 1);
        cr_expect(v.all == param->expected.all && v.brief == param->expected.brief, "%s",
                  param->line);
        cr_expect_eq(v.count, param->expected.count, "%s", param->line);
        cr_expect_float_eq(v.ratio, param->expected.ratio, 1e-12, "%s", param->line);
        cr_expect_float_eq(v.width_pt, param->expected.width_pt, 1e-9, "%s", param->line);
        cr_expect_float_eq(v.pause_s, param->expected.pause_s, 1e-9, "%s", param->line);
        cr_expect_eq(v.colour, param->expected.colour, "%s", param->line);
        cr_expect_float_eq(v.at.value, param->expected.at.value, 1e-9, "%s", param->line);
        cr_expect_eq(v.at.is_in_seconds, param->expected.at.is_in_seconds, "%s", param->line);
        cr_expect_eq(v.to.is_in_seconds, param->expected.to.is_in_seconds, "%s", param->line);
        const char *mark = param->expected.to.mark;
        cr_expect(mark ? v.to.mark && strcmp(v.to.mark, mark) == 0 : !v.to.mark, "%s", param->line);
        cr_expect(mark || v.to.value == param->expected.to.value, "%s", param->line);
    }
}

typedef struct bad {
    const char *line;
    const char *message;
} bad;

static const bad refuses_cases[] = {
    {"-x", "unknown option '-x'"},
    {"-ax", "unknown option '-x' in -ax"},
    {"--nothing", "unknown option '--nothing'"},
    {"--co 5", "ambiguous option '--co': --count or --colour?"},
    {"--all=1", "--all takes no argument"},
    {"-n", "--count needs an argument: N"},
    {"-n 101", "--count expects an integer from 0 to 100, not '101'"},
    {"-n 5x", "--count expects an integer from 0 to 100, not '5x'"},
    {"-r 0x1p-1", "--ratio expects a number from 0 to 1, not '0x1p-1'"},
    {"-r nan", "--ratio expects a number from 0 to 1, not 'nan'"},
    {"-r 2", "--ratio expects a number from 0 to 1, not '2'"},
    {"--width 5ft",
     "--width expects a length from 10pt to 1000pt, such as 12cm, 4in or 300pt, not '5ft'"},
    {"--width 5",
     "--width expects a length from 10pt to 1000pt, such as 12cm, 4in or 300pt, not '5'"},
    {"--pause 1d", "--pause expects a time from 0.1s to 7200s, such as 30s, 5m or 2h, not '1d'"},
    {"--pause 5min",
     "--pause expects a time from 0.1s to 7200s, such as 30s, 5m or 2h, not '5min'"},
    {"--colour blue", "--colour expects red or green, not 'blue'"},
    {"--colour gren", "--colour expects red or green, not 'gren': did you mean green?"},
    {"--coulor red", "unknown option '--coulor': did you mean --colour?"},
    {"--hlep", "unknown option '--hlep': did you mean --help?"},
    {"--a", "ambiguous option '--a': --all or --at?"},
    {"--at 5x", "--at expects a time such as 12.5, 30s or 5m, not '5x'"},
    {"--to 2nd", "--to expects a time such as 12.5, 30s or 5m, or mark:LABEL, not '2nd'"},
    {"--to mark:", "--to expects a time or a mark"},
    {"--to 5x", "--to expects a time such as 12.5, 30s or 5m, or mark:LABEL, not '5x'"},
    {"--at -1s", "--at expects a time such as 12.5, 30s or 5m, not '-1s'"},
};

Test(opt, rejects_invalid_values)
{
    for (size_t i = 0; i < sizeof refuses_cases / sizeof refuses_cases[0]; i++) {
        const bad *param = &refuses_cases[i];
        values v = {0};
        int argc;
        char *words[MOST_WORDS + 1];
        opt_complaint complaint = {""};
        cr_assert_eq(parse(param->line, &v, &argc, words, &complaint), OPT_WRONG, "%s",
                     param->line);
        cr_expect_str_eq(complaint.message, param->message);
    }
}

Test(opt, operands_keep_their_order)
{
    values v = {0};
    int argc;
    char *words[MOST_WORDS + 1];
    opt_complaint complaint;
    cr_assert_eq(parse("one -n 3 two --name x three", &v, &argc, words, &complaint), OPT_RUN);
    cr_assert_eq(argc, 4);
    cr_expect_str_eq(words[1], "one");
    cr_expect_str_eq(words[2], "two");
    cr_expect_str_eq(words[3], "three");
    cr_expect_str_eq(v.name, "x");
}

Test(opt, help_is_implied_and_may_be_abbreviated)
{
    values v = {0};
    int argc;
    char *words[MOST_WORDS + 1];
    opt_complaint complaint;
    cr_expect_eq(parse("--help", &v, &argc, words, &complaint), OPT_HELP);
    cr_expect_eq(parse("-ah x", &v, &argc, words, &complaint), OPT_HELP);
    cr_expect_eq(parse("-a --hel x", &v, &argc, words, &complaint), OPT_HELP);
    cr_expect_eq(parse("--help-a x", &v, &argc, words, &complaint), OPT_HELP_ALL);
}
