/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables: what is written, what is read, and that both are the same.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "retold.h"
#include "rng.h"

#define HEAD       "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"
#define TABLE_HEAD "JOB \"\"\nDATE \"\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"

static hpf_str str(const char *text)
{
    return (hpf_str){text, strlen(text)};
}

static void expect_csv(const char *hp, const hpf_format *shape, const char *expected)
{
    char *got = retold_as(shape, str(hp));
    cr_assert_not_null(got);
    cr_expect_str_eq(got, expected);
    free(got);
}

static void expect_hp(const char *csv, const char *expected)
{
    hpf_error err = {.status = HPF_OK};
    char *got = retold_as_hp(&hpf_format_csv, str(csv), &err);
    cr_assert_not_null(got, "%u:%u: %s", err.line, err.column, err.message);
    cr_expect_str_eq(got, expected);
    free(got);
}

static const char *const three = HEAD "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
                                      "BEGIN_SAMPLE 0.500000\na\t1\nb\t20\na\t2\nEND_SAMPLE 0.5\n"
                                      "BEGIN_SAMPLE 1.250000\nb\t2.5\nEND_SAMPLE 1.25\n";

Test(csv, a_wide_table_is_complete)
{
    expect_csv(three, &hpf_format_csv, "time,\"a\",\"b\"\n0,0,0\n0.5,3,20\n1.25,0,2.5\n");
}

Test(csv, a_tidy_table_has_zeros_next_to_amounts)
{
    expect_csv(three, &hpf_format_tidy,
               "time,name,value\n0,\"a\",0\n0,\"b\",0\n0.5,\"a\",3\n0.5,\"b\",20\n"
               "1.25,\"b\",2.5\n1.25,\"a\",0\n");
}

Test(csv, a_gap_of_one_sample_has_one_zero)
{
    expect_csv(HEAD "BEGIN_SAMPLE 1\na 1\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\nEND_SAMPLE 2\n"
                    "BEGIN_SAMPLE 3\na 1\nEND_SAMPLE 3\n",
               &hpf_format_tidy, "time,name,value\n1,\"a\",1\n2,\"a\",0\n3,\"a\",1\n");
}

Test(csv, samples_without_amounts_leave_a_row_too)
{
    static const char profile[] = TABLE_HEAD "BEGIN_SAMPLE 1.000000\nEND_SAMPLE 1.000000\n"
                                             "BEGIN_SAMPLE 2.000000\nEND_SAMPLE 2.000000\n"
                                             "BEGIN_SAMPLE 3.000000\nEND_SAMPLE 3.000000\n"
                                             "BEGIN_SAMPLE 4.000000\na\t1\nEND_SAMPLE 4.000000\n";
    static const char table[] = "time,name,value\n1,,\n2,,\n3,\"a\",0\n4,\"a\",1\n";
    expect_csv(profile, &hpf_format_tidy, table);
    expect_hp(table, profile);
}

Test(csv, quotes_are_doubled_and_commas_kept)
{
    expect_csv(HEAD "BEGIN_SAMPLE 1\na,\"b\"\t5\nEND_SAMPLE 1\n", &hpf_format_csv,
               "time,\"a,\"\"b\"\"\"\n1,5\n");
}

Test(csv, a_name_of_an_unfinished_sample_is_not_a_column)
{
    expect_csv(HEAD "BEGIN_SAMPLE 1\na 5\nEND_SAMPLE 1\nBEGIN_SAMPLE 2\nb 7\n", &hpf_format_csv,
               "time,\"a\"\n1,5\n");
}

Test(csv, a_wide_table_needs_all_names_before_samples)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_csv, sink, NULL);
    const hpf_sample none = {.time = 1};
    cr_expect_eq(hpf_writer_events.sample(writer, &none, NULL), HPF_OK);
    cr_expect_eq(hpf_writer_events.name(writer, 0, HPF_STR("a"), NULL), HPF_ERR_ORDER);
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
}

Test(csv, wide_is_read)
{
    expect_hp("time,\"a\",\"b\"\n0.5,3,20\n1.25,0,2.5\n",
              TABLE_HEAD "BEGIN_SAMPLE 0.500000\na\t3\nb\t20\nEND_SAMPLE 0.500000\n"
                         "BEGIN_SAMPLE 1.250000\nb\t2.5\nEND_SAMPLE 1.250000\n");
}

Test(csv, tidy_is_read_in_any_order_of_columns)
{
    expect_hp("\"name\",\"value\",\"time\"\n\"a\",3,0.5\n\"b\",20,0.5\n\"a\",0,1\n",
              TABLE_HEAD "BEGIN_SAMPLE 0.500000\na\t3\nb\t20\nEND_SAMPLE 0.500000\n"
                         "BEGIN_SAMPLE 1.000000\nEND_SAMPLE 1.000000\n");
}

Test(csv, a_repeated_name_begins_another_sample_of_the_same_time)
{
    expect_hp("time,name,value\n1,a,1\n1,b,2\n1,a,3\n",
              TABLE_HEAD "BEGIN_SAMPLE 1.000000\na\t1\nb\t2\nEND_SAMPLE 1.000000\n"
                         "BEGIN_SAMPLE 1.000000\na\t3\nEND_SAMPLE 1.000000\n");
}

/* Also the first of many names. */
Test(csv, a_name_that_comes_again_after_many_others_begins_a_sample)
{
    enum { N = 100 };
    char csv[N * 16] = "time,name,value\n", hp[N * 16] = TABLE_HEAD "BEGIN_SAMPLE 1.000000\n";
    for (int i = 0; i < N; i++) {
        snprintf(csv + strlen(csv), 16, "1,n%d,1\n", i);
        snprintf(hp + strlen(hp), 16, "n%d\t1\n", i);
    }
    strcat(csv, "1,n0,2\n");
    strcat(hp, "END_SAMPLE 1.000000\nBEGIN_SAMPLE 1.000000\nn0\t2\nEND_SAMPLE 1.000000\n");
    expect_hp(csv, hp);
}

Test(csv, other_tools_write_marks_of_order_blanks_and_missing_values)
{
    expect_hp("\xef\xbb\xbftime , a b ,c\r\n1, 5 ,NA\r\n\r\n2,,1e3\r\n3,nan,0",
              TABLE_HEAD "BEGIN_SAMPLE 1.000000\na b\t5\nEND_SAMPLE 1.000000\n"
                         "BEGIN_SAMPLE 2.000000\nc\t1000.0\nEND_SAMPLE 2.000000\n"
                         "BEGIN_SAMPLE 3.000000\nEND_SAMPLE 3.000000\n");
}

Test(csv, two_bands_called_name_and_value_stay_wide)
{
    const char *hp = HEAD "BEGIN_SAMPLE 1\nname 5\nvalue 6\nEND_SAMPLE 1\n";
    expect_csv(hp, &hpf_format_csv, "time,\"name\",\"value\"\n1,5,6\n");
    expect_hp("time,\"name\",\"value\"\n1,5,6\n",
              TABLE_HEAD "BEGIN_SAMPLE 1.000000\nname\t5\nvalue\t6\nEND_SAMPLE 1.000000\n");
}

Test(csv, errors_have_a_place)
{
    static const struct {
        const char *text;
        hpf_status status;
        unsigned line, column;
    } cases[] = {
        {"", HPF_ERR_SYNTAX, 1, 1},
        {"time,a\n", HPF_ERR_SYNTAX, 2, 1},
        {"time,a\n1,2,3\n", HPF_ERR_SYNTAX, 2, 1},
        {"time,a\n1\n", HPF_ERR_SYNTAX, 2, 1},
        {"time,a\n1,x\n", HPF_ERR_SYNTAX, 2, 3},
        {"time,a\n1,-5\n", HPF_ERR_SYNTAX, 2, 3},
        {"time,a\n,5\n", HPF_ERR_SYNTAX, 2, 1},
        {"time,a\n1,1e200\n", HPF_ERR_RANGE, 2, 3},
        {"time,a\n2,1\n1,1\n", HPF_ERR_ORDER, 3, 1},
        {"time,\"a\n1,1\n", HPF_ERR_SYNTAX, 1, 6},
        {"time,\"a\"x\n1,1\n", HPF_ERR_SYNTAX, 1, 9},
        {"time,name,value\n2,a,1\n1,a,1\n", HPF_ERR_ORDER, 3, 1},
        {"time,name,value\n1,a,one\n", HPF_ERR_SYNTAX, 2, 5},
        {"\xef\xbbtime\n", HPF_ERR_SYNTAX, 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_error err = {.status = HPF_OK};
        cr_expect_null(events_of(&hpf_format_csv, str(cases[i].text), &err), "%s", cases[i].text);
        cr_expect(err.status == cases[i].status && err.line == cases[i].line &&
                      err.column == cases[i].column,
                  "%s: %d %u:%u %s", cases[i].text, err.status, err.line, err.column, err.message);
    }
}

/* A profile in which each name occurs in about half of the samples, at most once, in the order of
 * its number. Every sample has the first name. */
static void write_random(char *out, size_t room, rng *r)
{
    size_t n = (size_t)snprintf(out, room, "%s", TABLE_HEAD);
    size_t n_samples = 1 + (size_t)rng_below(r, 12);
    for (size_t i = 0; i < n_samples; i++) {
        n += (size_t)snprintf(out + n, room - n, "BEGIN_SAMPLE %zu.500000\n", i);
        for (int name = 0; name < 6; name++) {
            bool is_first_row = i == 0 || name == 0;
            if (is_first_row || rng_below(r, 2)) {
                n += (size_t)snprintf(out + n, room - n, "n%d\t%llu\n", name,
                                      1 + (unsigned long long)rng_below(r, 1000));
            }
        }
        n += (size_t)snprintf(out + n, room - n, "END_SAMPLE %zu.500000\n", i);
    }
}

/* Names are in order of first sight, so reading back gives the same bytes. */
Test(csv, both_shapes_are_read_back_as_they_were)
{
    rng r = {7};
    for (int round = 0; round < 200; round++) {
        char hp[8192];
        write_random(hp, sizeof hp, &r);
        for (int i = 0; i < 2; i++) {
            char *csv = retold_as(i ? &hpf_format_tidy : &hpf_format_csv, str(hp));
            cr_assert_not_null(csv);
            expect_hp(csv, hp);
            free(csv);
        }
    }
}

Test(csv, names_that_are_formulas_are_guarded)
{
    static const char *const names[] = {"=1+2", "+x", "-x", "@x", "'=1", "''+", "'a", "a=b", "'"};
    static const char *const cells[] = {"'=1+2", "'+x", "'-x", "'@x", "''=1",
                                        "'''+",  "'a",  "a=b", "'"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char hp[200], csv[100];
        snprintf(hp, sizeof hp, TABLE_HEAD "BEGIN_SAMPLE 1.000000\n%s\t5\nEND_SAMPLE 1.000000\n",
                 names[i]);
        snprintf(csv, sizeof csv, "time,\"%s\"\n1,5\n", cells[i]);
        expect_csv(hp, &hpf_format_csv, csv);
        expect_hp(csv, hp);
        snprintf(csv, sizeof csv, "time,name,value\n1,\"%s\",5\n", cells[i]);
        expect_csv(hp, &hpf_format_tidy, csv);
        expect_hp(csv, hp);
    }
}

Test(csv, raw_names_are_written_as_they_are)
{
    const hpf_writer_options options = {.size = sizeof options, .raw_names = true};
    const hpf_events *e = &hpf_writer_events;
    hpf_sink *sink = hpf_sink_to_memory();
    hpf_writer *writer = create_writer(&hpf_format_csv, sink, &options);
    const hpf_cost cost = {.whole = 5};
    const hpf_sample sample = {.time = 1, .costs = &cost, .n_costs = 1};
    cr_assert_eq(e->name(writer, 0, HPF_STR("=1"), NULL), HPF_OK);
    cr_assert_eq(e->sample(writer, &sample, NULL), HPF_OK);
    cr_assert_eq(hpf_writer_finish(writer, NULL), HPF_OK);
    cr_expect(hpf_str_is(hpf_sink_bytes(sink), "time,\"=1\"\n1,5\n"));
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
}
