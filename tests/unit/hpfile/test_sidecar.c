/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows as they are written and read, and what is no row.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/sidecar.h"

static char told[1000]; /* what a reader has told so far */

static hpf_status tell_line(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
{
    (void)context;
    (void)err;
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%g %.*s=%g;", point.time, (int)name.length, name.data,
             point.value);
    return HPF_OK;
}

static hpf_status tell_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    (void)context;
    (void)err;
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%g mark %.*s;", time, (int)label.length, label.data);
    return HPF_OK;
}

static const hpf_events teller = {.line = tell_line, .mark = tell_mark};

static hpf_status read_text(const char *text, hpf_error *err)
{
    told[0] = '\0';
    return hpf_sidecar_read((hpf_str){text, strlen(text)}, &teller, NULL, err);
}

Test(sidecar, writes_rows_that_are_read_back)
{
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_sidecar_writer *writer = hpf_sidecar_writer_create(sink);
    const hpf_events *to = &hpf_sidecar_writer_events;
    const hpf_sample sample = {.time = 0.5};
    cr_assert_eq(to->line(writer, HPF_STR("resident"), (hpf_line_point){0.5, 4096}, &err), HPF_OK);
    cr_assert_eq(to->line(writer, HPF_STR("mark"), (hpf_line_point){0.5, 0.25}, &err), HPF_OK);
    cr_assert_eq(to->sample(writer, &sample, &err), HPF_OK);
    cr_assert_eq(to->mark(writer, 1.25, HPF_STR("two\twords\nin lines"), &err), HPF_OK);
    hpf_str bytes = hpf_sink_bytes(sink);
    static const char expected[] = "time\twhat\tvalue\n"
                                   "0.500000\tresident\t4096\n"
                                   "0.500000\tmark_\t0.25\n"
                                   "1.250000\tmark\ttwo words in lines\n";
    cr_assert_eq(bytes.length, strlen(expected));
    cr_expect_arr_eq(bytes.data, expected, bytes.length);
    cr_expect_eq(read_text(expected, &err), HPF_OK);
    cr_expect_str_eq(told, "0.5 resident=4096;0.5 mark_=0.25;1.25 mark two words in lines;");
    hpf_sidecar_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

Test(sidecar, leaves_out_a_row_that_is_being_written)
{
    hpf_error err;
    cr_expect_eq(read_text("time\twhat\tvalue\n1\ta\t2\n2\ta\t3", &err), HPF_OK);
    cr_expect_str_eq(told, "1 a=2;");
}

Test(sidecar, says_where_something_else_stands)
{
    static const struct {
        const char *text;
        uint32_t line, column;
    } cases[] = {
        {"", 1, 1},
        {"time,what,value\n", 1, 1},
        {"time\twhat\tvalue\n1\ta\t2\n\n", 3, 1},
        {"time\twhat\tvalue\n-1\ta\t2\n", 2, 1},
        {"time\twhat\tvalue\n1\ta\n", 2, 4},
        {"time\twhat\tvalue\n1\ta\tx\n", 2, 5},
        {"time\twhat\tvalue\n1\ta\t2\t3\n", 2, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_error err = {0};
        cr_expect_eq(read_text(cases[i].text, &err), HPF_ERR_SYNTAX);
        cr_expect_eq(err.line, cases[i].line, "%zu: line %u", i, err.line);
        cr_expect_eq(err.column, cases[i].column, "%zu: column %u", i, err.column);
    }
}

static hpf_status refuse(void *context, hpf_str name, hpf_line_point point, hpf_error *err)
{
    (void)context;
    (void)name;
    (void)point;
    return hpf_error_set(err, HPF_ERR_LIMIT, "enough");
}

Test(sidecar, stops_when_the_reader_has_enough)
{
    hpf_error err;
    const hpf_events events = {.line = refuse};
    static const char text[] = "time\twhat\tvalue\n1\tmark\tx\n1\ta\t2\n1\ta\n";
    cr_expect_eq(hpf_sidecar_read(HPF_STR(text), &events, NULL, &err), HPF_ERR_LIMIT);
}
