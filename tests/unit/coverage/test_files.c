/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Coverage: strings of Haskell, counts, boxes and overlays. Whole commands are compared with the
 * original in tests/conformance/hpc.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "coverage/haskell_text.h"
#include "coverage/overlay.h"

static hpc_tix tix;
static hpf_error err;

static void tear_down(void)
{
    hpc_tix_finish(&tix);
}

TestSuite(coverage, .fini = tear_down);

static hpf_status read_tix(const char *text)
{
    hpc_tix_finish(&tix);
    err = (hpf_error){0};
    return hpc_tix_read(&tix, (hpf_str){text, strlen(text)}, &err);
}

/* The strings are examples of the Haskell 2010 report, sections 2.6 and 6.1, and of GHC's show. */
Test(coverage, strings_are_read_and_shown)
{
    static const struct {
        const char *written, *value, *shown;
    } cases[] = {
        {"\"\"", "", "\"\""},
        {"\"\\a\\b\\t\\n\\v\\f\\r\\\\\\\"\\'\"", "\a\b\t\n\v\f\r\\\"'",
         "\"\\a\\b\\t\\n\\v\\f\\r\\\\\\\"'\""},
        {"\"\\SOH\\SO\\&H\\DEL\\ESC\\^A\\^[\"", "\001\016H\177\033\001\033",
         "\"\\SOH\\SO\\&H\\DEL\\ESC\\SOH\\ESC\""},
        {"\"\\955\\&1\\x3bb\\o1673x\"",
         "\xce\xbb"
         "1\xce\xbb\xce\xbbx",
         "\"\\955\\&1\\955\\955x\""},
        {"\"a\\  \n \\b\\&c\"", "abc", "\"abc\""},
        {"\"\xe2\x8a\x95\xf0\x9d\x94\x98\"", "\xe2\x8a\x95\xf0\x9d\x94\x98", "\"\\8853\\120088\""},
        {"\"\\SP\\1114111\"", " \xf4\x8f\xbf\xbf", "\" \\1114111\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        snprintf(text, sizeof text, "Tix [TixModule %s 7 0 []]", cases[i].written);
        cr_assert_eq(read_tix(text), HPF_OK, "%s: %s", cases[i].written, err.message);
        hpf_sink *sink = hpf_sink_to_memory();
        hpc_haskell_show(sink, tix.modules[0].name);
        hpf_str shown = hpf_sink_bytes(sink);
        cr_assert(hpf_str_is(tix.modules[0].name, cases[i].value), "%s", cases[i].written);
        cr_assert(hpf_str_is(shown, cases[i].shown), "%.*s", (int)shown.length, shown.data);
        hpf_sink_destroy(sink);
    }
}

Test(coverage, invalid_files_have_a_place)
{
    static const struct {
        const char *text;
        uint32_t line, column;
    } cases[] = {
        {"", 1, 1},
        {"Tix\n[TixModule \"M\" 1 0 [0],\n  x]", 3, 3},
        {"Tix [TixModule \"M\" 1 1 [18446744073709551616]]", 1, 25},
        {"Tix [TixModule \"M\" 1 1 [-1]]", 1, 25},
        {"Tix [TixModule \"\\q\" 1 0 []]", 1, 17},
        {"Tix [TixModule \"\\55296\" 1 0 []]", 1, 17},
        {"Tix [TixModule \"\\1114112\" 1 0 []]", 1, 17},
        {"Tix [TixModule \"\xff\" 1 0 []]", 1, 17},
        {"Tix [TixModule \"M", 1, 16},
        {"Tix []\n\n]", 3, 1},
        {"Tixx []", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_neq(read_tix(cases[i].text), HPF_OK, "%s", cases[i].text);
        cr_assert_eq(err.line, cases[i].line, "%s: line %u", cases[i].text, err.line);
        cr_assert_eq(err.column, cases[i].column, "%s: column %u", cases[i].text, err.column);
    }
}

/* The original adds without limit; here a sum that does not fit is an error, not a small number. */
Test(coverage, sums_of_two_to_the_64_are_refused)
{
    hpc_tix other, sum;
    cr_assert_eq(read_tix("Tix [TixModule \"M\" 1 2 [18446744073709551615,0]]"), HPF_OK);
    cr_assert_eq(hpc_tix_read(&other, HPF_STR("Tix [TixModule \"M\" 1 2 [1,2]]"), &err), HPF_OK);
    cr_assert_eq(hpc_tix_combine(&sum, &tix, &other, HPC_TIX_ADD, false, &err), HPF_ERR_RANGE);
    cr_assert_eq(hpc_tix_combine(&sum, &tix, &other, HPC_TIX_SUB, false, &err), HPF_OK);
    cr_assert_eq(sum.modules[0].counts[0], UINT64_MAX - 1);
    cr_assert_eq(sum.modules[0].counts[1], 0);
    hpc_tix_finish(&sum);
    hpc_tix_finish(&other);
}

/* Text of generated programs nests deeply: `a ++ (b ++ (c ++ ...))`. */
Test(coverage, thousands_of_levels_of_boxes)
{
    enum { N_LEVELS = 3000, WIDTH = 2 * N_LEVELS };
    hpc_mix mix;
    hpc_module_text text;
    hpc_overlay overlay = {.arena = NULL};
    hpf_sink *sink = hpf_sink_to_memory();
    char *line = malloc(WIDTH);
    size_t capacity = (size_t)N_LEVELS * 40 + 100, length = 0;
    char *boxes = malloc(capacity);
    memset(line, 'x', WIDTH);
    length += (size_t)snprintf(boxes, capacity, "Mix \"a.hs\" 2026-11-22 00:00:00 UTC 1 8 [");
    for (int i = 1; i <= N_LEVELS; i++) { /* each box is inside all of those before it */
        length += (size_t)snprintf(boxes + length, capacity - length, "%s(1:%d-1:%d,ExpBox False)",
                                   i > 1 ? "," : "", i, WIDTH + 1 - i);
    }
    snprintf(boxes + length, capacity - length, "]");
    cr_assert_eq(hpc_mix_read(&mix, (hpf_str){boxes, strlen(boxes)}, &err), HPF_OK);
    cr_assert_eq(hpc_module_text_init(&text, (hpf_str){line, WIDTH}, &err), HPF_OK);
    hpc_tix_module *module = hpc_tix_add(&tix, HPF_STR("M"), 1, mix.n_boxes);
    module->counts[0] = 1;
    cr_assert_eq(hpc_draft_write(module, &mix, &text, sink, &err), HPF_OK);
    cr_assert_eq(hpc_overlay_read(&overlay, hpf_sink_bytes(sink), &err), HPF_OK);
    cr_assert_eq(hpc_overlay_apply(&overlay, HPF_STR("M"), &mix, &text, module->counts, &err),
                 HPF_OK);
    cr_assert_eq(module->counts[0], 0);
    for (size_t i = 1; i < mix.n_boxes; i++) {
        cr_assert_eq(module->counts[i], 1, "box %zu", i);
    }
    hpc_overlay_finish(&overlay);
    hpc_module_text_finish(&text);
    hpc_mix_finish(&mix);
    hpf_sink_destroy(sink);
    free(boxes);
    free(line);
}
