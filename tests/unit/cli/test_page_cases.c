/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The cases that the script of the page shares (tests/cases): statistics and growth.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "profile.h"
#include "hpfile/margin.h"
#include "hpfile/summary.h"
#include "unit_format.h"

static void expect_number(double found, const case_value *row, const char *member)
{
    double expected = case_number(row, member);
    cr_expect(isnan(expected) ? isnan(found) : fabs(found - expected) <= 1e-9, "%s %s: %g, not %g",
              row->key.data, member, found, expected);
}

Test(page_cases, statistics)
{
    const case_value *list = case_member(cases_read("statistics.json"), "profiles");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        char *text = case_profile(c);
        test_profile p = test_profile_open(text, 0);
        hpf_summary sum;
        cr_assert_eq(hpf_summary_make(&sum, p.survey, 0, NULL), HPF_OK);
        expect_number(sum.peak, c, "peak");
        expect_number(sum.peak_time, c, "peak_time");
        cr_assert_eq(sum.n_rows, case_member(c, "names")->n_items);
        for (uint32_t k = 0; k < sum.n_rows; k++) {
            char name[8] = "";
            memcpy(name, sum.rows[k].name.data, sum.rows[k].name.length);
            const case_value *row = case_member(c, name);
            expect_number(sum.rows[k].share, row, "share");
            expect_number(sum.rows[k].mean, row, "mean");
            expect_number(sum.rows[k].max, row, "max");
            expect_number(sum.rows[k].growth, row, "growth");
            expect_number(sum.rows[k].r_squared, row, "r2");
        }
        hpf_summary_finish(&sum);
        test_profile_close(&p);
        free(text);
    }
}

Test(page_cases, margins)
{
    const case_value *list = case_member(cases_read("units.json"), "margins");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        double amount = case_number(c, "amount");
        double margin =
            hpf_margin(amount, amount * case_number(c, "spread"), case_number(c, "rate"));
        formatted text = format_margin(margin, HPF_STR("bytes"), false);
        cr_expect_str_eq(text.text, case_text(c, "text").data);
    }
}

Test(page_cases, growth_has_a_sign_and_a_unit)
{
    const case_value *list = case_member(cases_read("units.json"), "growth");
    for (size_t i = 0; i < list->n_items; i++) {
        const case_value *c = &list->items[i];
        formatted text = format_growth(case_number(c, "growth"), case_text(c, "value_unit"),
                                       case_text(c, "time_unit"), false);
        cr_expect_str_eq(text.text, case_text(c, "text").data);
    }
}
