/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line of hp2ps: the meaning of each word, and error messages.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

#include "commands/hp2ps_flags.h"

static hp2ps_flags flags;

/* Reads up to eight words, separated by commas. Returns the error message. */
static const char *parse(const char *line)
{
    static char words[256];
    static char program[] = "hp2ps";
    char *argv[10] = {program};
    int argc = 1;
    strcpy(words, line);
    for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
        argv[argc++] = word;
    }
    return hp2ps_flags_parse(&flags, argc, argv);
}

Test(hp2ps_flags, defaults_are_hp2ps)
{
    cr_assert_null(parse("run"));
    cr_assert_str_eq(flags.file, "run");
    cr_assert_eq(flags.options.look, HPR_LOOK_CLASSIC);
    cr_assert_eq(flags.options.n_bands, 20);
    cr_assert_eq(flags.options.trace_percent, 1);
    cr_assert_not(flags.reuse);
    cr_assert_null(flags.format);
}

Test(hp2ps_flags, without_file_reads_standard_input)
{
    cr_assert_null(parse("-,-c"));
    cr_assert_null(flags.file);
    cr_assert(flags.options.classic.colour);
}

Test(hp2ps_flags, l_removes_the_limit_of_bands)
{
    cr_assert_null(parse("-l,run"));
    cr_assert_str_eq(flags.file, "run");
    cr_assert_eq(flags.options.n_bands, 0);
    cr_assert_not(flags.options.classic.key_pages);
}

Test(hp2ps_flags, first_operand_ends_flags)
{
    cr_assert_null(parse("-m,20,run.hp,-z"));
    cr_assert_str_eq(flags.file, "20");
    cr_assert_eq(flags.options.n_bands, 0);
}

Test(hp2ps_flags, ignores_rest_of_word_except_after_p)
{
    cr_assert_null(parse("-cbdy"));
    cr_assert(flags.options.classic.colour);
    cr_assert_not(flags.options.classic.big_title);
    cr_assert_null(parse("-ppd"));
    cr_assert(flags.reuse);
    cr_assert_eq(flags.options.order, HPR_ORDER_STDDEV);
}

Test(hp2ps_flags, order_by_name_overrides_deviation)
{
    cr_assert_null(parse("-i-,-d"));
    cr_assert_eq(flags.options.order, HPR_ORDER_NAME);
    cr_assert(flags.options.reverse);
    cr_assert_null(parse("-d,-i-,-ifoo"));
    cr_assert_eq(flags.options.order, HPR_ORDER_NAME);
    cr_assert_not(flags.options.reverse);
}

Test(hp2ps_flags, many_bands_imply_legend_pages)
{
    cr_assert_null(parse("-m30,-m5"));
    cr_assert_eq(flags.options.n_bands, 5);
    cr_assert(flags.options.classic.key_pages);
    cr_assert_null(parse("-m-3"));
    cr_assert_eq(flags.options.n_bands, -3);
    cr_assert_not(flags.options.classic.key_pages);
    cr_assert_null(parse("-m99999999999999999999"));
    cr_assert_eq(flags.options.n_bands, INT_MAX);
}

Test(hp2ps_flags, widths_have_units)
{
    cr_assert_null(parse("-e150mm"));
    cr_assert_float_eq(flags.options.classic.eps_width_pt, 425.1969, 1e-9);
    cr_assert_null(parse("-e7in"));
    cr_assert_eq(flags.options.classic.eps_width_pt, 504);
    cr_assert_null(parse("-e300xx"));
    cr_assert_eq(flags.options.classic.eps_width_pt, 300);
}

Test(hp2ps_flags, errors_quote_the_same_text_as_hp2ps)
{
    static const char *const cases[][2] = {
        {"-?", "-?"},         {"-x", "-x"},        {"-px", "px"},    {"--", "--"},
        {"--help", "--help"}, {"-t6", "-t6"},      {"-t-1", "-t-1"}, {"-pt9", "pt9"},
        {"-e2in", "2in"},     {"-e144", "144"},    {"-e", ""},       {"-einf", "inf"},
        {"-tnan", "-tnan"},   {"-c,-q,-m3", "-q"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *wrong = parse(cases[i][0]);
        cr_assert_not_null(wrong, "%s", cases[i][0]);
        cr_assert_str_eq(wrong, cases[i][1], "%s gives %s", cases[i][0], wrong);
    }
}

Test(hp2ps_flags, format_attached_or_separate)
{
    cr_assert_null(parse("--format,svg,run"));
    cr_assert_str_eq(flags.format, "svg");
    cr_assert_str_eq(flags.file, "run");
    cr_assert_null(parse("-c,--format=pdf,-b,run"));
    cr_assert_str_eq(flags.format, "pdf");
    cr_assert(flags.options.classic.big_title);
    cr_assert_str_eq(parse("--format"), "--format");
    cr_assert_str_eq(parse("--formats,x"), "--formats");
}
