/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading `.aux` files: accepted text, which entry wins, and the positions of errors.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

#include "classic/auxfile.h"

static hpr_auxfile *parse(const char *text)
{
    hpr_auxfile *aux = NULL;
    hpf_error err = {.status = HPF_OK};
    cr_assert_eq(hpr_auxfile_parse(&aux, (hpf_str){text, strlen(text)}, &err), HPF_OK, "%s",
                 err.message);
    return aux;
}

static int32_t order_of(const hpr_auxfile *aux, hpf_str name)
{
    int32_t order = -99;
    return hpr__auxfile_order(aux, name, &order) ? order : -99;
}

Test(auxfile, lines_mean_nothing)
{
    hpr_auxfile *aux = parse("X_RANGE\n2.82 Y_RANGE 348.00 ORDER a\r\n1 SHADE a 0.20 ORDER\tb 2");
    double shade = 0;
    cr_assert_eq(hpr__auxfile_x_range(aux), 2.82);
    cr_assert_eq(hpr__auxfile_y_range(aux), 348);
    cr_assert_eq(order_of(aux, HPF_STR("a")), 1);
    cr_assert_eq(order_of(aux, HPF_STR("b")), 2);
    cr_assert_eq(order_of(aux, HPF_STR("c")), -99);
    cr_assert(hpr__auxfile_shade(aux, HPF_STR("a"), &shade));
    cr_assert_eq(shade, 0.2);
    cr_assert_not(hpr__auxfile_shade(aux, HPF_STR("b"), &shade));
    hpr_auxfile_destroy(aux);
}

Test(auxfile, first_entry_of_a_name_and_last_range_win)
{
    hpr_auxfile *aux = parse("ORDER a 5 ORDER a 6 SHADE a 0.5 SHADE a 0.6 X_RANGE 9.0 X_RANGE 4.0");
    double shade = 0;
    cr_assert_eq(order_of(aux, HPF_STR("a")), 5);
    cr_assert(hpr__auxfile_shade(aux, HPF_STR("a"), &shade));
    cr_assert_eq(shade, 0.5);
    cr_assert_eq(hpr__auxfile_x_range(aux), 4);
    cr_assert_eq(hpr__auxfile_n_orders(aux), 2);
    cr_assert_eq(hpr__auxfile_n_shades(aux), 2);
    hpr_auxfile_destroy(aux);
}

Test(auxfile, empty_file_has_no_entries)
{
    hpr_auxfile *aux = parse("");
    cr_assert_eq(hpr__auxfile_x_range(aux), 0);
    cr_assert_eq(hpr__auxfile_n_orders(aux), 0);
    hpr_auxfile_destroy(aux);
}

Test(auxfile, reads_names_that_hp2ps_cannot_read_back)
{
    hpr_auxfile *aux = parse("ORDER 42 3 ORDER ORDER 4 ORDER \"a 5 ORDER two_words 6");
    cr_assert_eq(order_of(aux, HPF_STR("42")), 3);
    cr_assert_eq(order_of(aux, HPF_STR("ORDER")), 4);
    cr_assert_eq(order_of(aux, HPF_STR("\"a")), 5);
    cr_assert_eq(order_of(aux, HPF_STR("two words")), 6);
    hpr_auxfile_destroy(aux);
}

Test(auxfile, orders_have_32_bits)
{
    hpr_auxfile *aux = parse("ORDER a 4294967297 ORDER b 99999999999999999999999999999999");
    cr_assert_eq(order_of(aux, HPF_STR("a")), 1);
    cr_assert_eq(order_of(aux, HPF_STR("b")), -1);
    hpr_auxfile_destroy(aux);
}

Test(auxfile, number_ends_at_second_point)
{
    hpr_auxfile *aux = parse("Y_RANGE 1000.5.7 X_RANGE 5.");
    cr_assert_eq(hpr__auxfile_y_range(aux), 1000.5);
    cr_assert_eq(hpr__auxfile_x_range(aux), 5);
    hpr_auxfile_destroy(aux);
}

Test(auxfile, long_numbers_are_rounded_once)
{
    hpr_auxfile *aux = parse("Y_RANGE 3000027683626909396107264.00 X_RANGE 0.1");
    cr_assert_eq(hpr__auxfile_y_range(aux), 3000027683626909396107264.);
    cr_assert_eq(hpr__auxfile_x_range(aux), 0.1);
    hpr_auxfile_destroy(aux);
}

struct mistake {
    char text[64]; /* in place: a parameter is copied to another process */
    uint32_t line, column;
};

ParameterizedTestParameters(auxfile, mistakes_have_a_place)
{
    static struct mistake cases[] = {
        {"foo", 1, 1},
        {"X_RANGE 1", 1, 9},
        {"X_RANGE", 1, 8},
        {"Y_RANGE 1.0\nX_RANGE -1.0", 2, 9},
        {"ORDER", 1, 6},
        {"ORDER a", 1, 8},
        {"ORDER a 5.0", 1, 9},
        {"ORDER a -5", 1, 9},
        {"ORDER a 5bar", 1, 10},
        {"ORDER a 1\n  SHADE a 1", 2, 11},
        {"ORDER two words 5", 1, 11},
        {"SHADE a 111111111111111111111111111111.111", 1, 41},
    };
    return cr_make_param_array(struct mistake, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct mistake *mistake, auxfile, mistakes_have_a_place)
{
    hpr_auxfile *aux = NULL;
    hpf_error err = {.status = HPF_OK};
    hpf_str text = {mistake->text, strlen(mistake->text)};
    cr_assert_eq(hpr_auxfile_parse(&aux, text, &err), HPF_ERR_SYNTAX, "%s", mistake->text);
    cr_assert_null(aux);
    cr_expect_eq(err.line, mistake->line, "%s: line %u", mistake->text, err.line);
    cr_expect_eq(err.column, mistake->column, "%s: column %u", mistake->text, err.column);
}
