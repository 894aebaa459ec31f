/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows as they are written and read, and what is no row.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/sidecar.h"
#include "scratch.h"

static char emitted[1000]; /* what a reader has emitted so far */

static hpf_status tell_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    (void)context;
    (void)err;
    size_t n = strlen(emitted);
    snprintf(emitted + n, sizeof emitted - n, "%g %.*s=%g;", point.time, (int)name.length,
             name.data, point.value);
    return HPF_OK;
}

static hpf_status tell_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    (void)context;
    (void)err;
    size_t n = strlen(emitted);
    snprintf(emitted + n, sizeof emitted - n, "%g mark %.*s;", time, (int)label.length, label.data);
    return HPF_OK;
}

static const hpf_events teller = {.quantity = tell_line, .mark = tell_mark};

static hpf_status read_with(const char *text, const hpf_events *events, hpf_error *err)
{
    hpf_source *source;
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text, strlen(text)}, NULL, err), HPF_OK);
    hpf_status status = hpf_sidecar_read(source, events, NULL, err);
    hpf_source_destroy(source);
    return status;
}

static hpf_status read_text(const char *text, hpf_error *err)
{
    emitted[0] = '\0';
    return read_with(text, &teller, err);
}

Test(sidecar, writes_rows_that_are_read_back)
{
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_sidecar_writer *writer = hpf_sidecar_writer_create(sink);
    const hpf_events *to = &hpf_sidecar_writer_events;
    const hpf_sample sample = {.time = 0.5};
    cr_assert_eq(to->quantity(writer, HPF_STR("resident"), (hpf_quantity_point){0.5, 4096}, &err),
                 HPF_OK);
    cr_assert_eq(to->quantity(writer, HPF_STR("mark"), (hpf_quantity_point){0.5, 0.25}, &err),
                 HPF_OK);
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
    cr_expect_str_eq(emitted, "0.5 resident=4096;0.5 mark_=0.25;1.25 mark two words in lines;");
    hpf_sidecar_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

Test(sidecar, leaves_out_a_row_that_is_being_written)
{
    hpf_error err;
    cr_expect_eq(read_text("time\twhat\tvalue\n1\ta\t2\n2\ta\t3", &err), HPF_OK);
    cr_expect_str_eq(emitted, "1 a=2;");
}

Test(sidecar, errors_have_a_place)
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

static hpf_status refuse(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    (void)context;
    (void)name;
    (void)point;
    return hpf_error_set(err, HPF_ERR_LIMIT, "enough");
}

static hpf_status add_up(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    (void)err;
    cr_assert_eq(name.length, 8);
    *(double *)context += point.time + point.value;
    return HPF_OK;
}

Test(sidecar, stops_when_the_reader_has_enough)
{
    hpf_error err;
    const hpf_events events = {.quantity = refuse};
    static const char text[] = "time\twhat\tvalue\n1\tmark\tx\n1\ta\t2\n1\ta\n";
    cr_expect_eq(read_with(text, &events, &err), HPF_ERR_LIMIT);
}

Test(sidecar, reads_rows_across_the_pieces_of_a_source, .init = scratch_begin, .fini = scratch_end)
{
    enum { N_ROWS = 60000 };
    hpf_error err;
    hpf_source *source;
    double sum = 0;
    const char *path = scratch_path("long.lines");
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs("time\twhat\tvalue\n", file);
    for (int i = 0; i < N_ROWS; i++) {
        fprintf(file, "%d.000000\tresident\t%d\n", i, i);
    }
    fclose(file);
    cr_assert_eq(hpf_source_open(&source, path, NULL, &err), HPF_OK);
    const hpf_events events = {.quantity = add_up};
    cr_expect_eq(hpf_sidecar_read(source, &events, &sum, &err), HPF_OK);
    cr_expect_eq(sum, (double)N_ROWS * (N_ROWS - 1));
    hpf_source_destroy(source);
}
