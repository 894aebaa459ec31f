/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The longest name or text of an input: longer ones are refused in every format, at their place,
 * and without reading on.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "detect/reader.h"
#include "hpfile/survey.h"
#include "retold.h"

/* Returns `before`, n times the letter x, and `after`; freed by the caller. */
static hpf__buffer text_of(const char *before, size_t n, const char *after)
{
    hpf__buffer text = {0};
    cr_assert(hpf__buffer_append(&text, before, strlen(before)) && hpf__buffer_reserve(&text, n));
    memset(text.bytes + text.length, 'x', n);
    text.length += n;
    cr_assert(hpf__buffer_append(&text, after, strlen(after)));
    return text;
}

#define HEAD   "JOB \"\"\nDATE \"\"\nSAMPLE_UNIT \"\"\nVALUE_UNIT \"\"\n"
#define SAMPLE HEAD "BEGIN_SAMPLE 0\n"
#define END    "\nEND_SAMPLE 0\n"

static const struct {
    const hpf_format *format;
    const char *before, *after;
    uint32_t line;
} cases[] = {
    {&hpf_format_hp, SAMPLE, "\t5" END, 6},
    {&hpf_format_hp, SAMPLE, " b\t5" END, 6},
    {&hpf_format_hp, HEAD "JOB \"", "\"\n" SAMPLE END, 5},
    {&hpf_format_csv, "time,a,b\n0,1,2\n1,2,", "\n", 3},
    {&hpf_format_csv, "time,\"", "\"\n0,1\n", 1},
    {&hpf_format_csv, "time,name,value\n0,\"", "\",1\n", 2},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static hpf_status read_as(size_t i, size_t n, size_t max_name_bytes, hpf_error *err)
{
    hpf__buffer text = text_of(cases[i].before, n, cases[i].after);
    const hpf_reader_options options = {.size = sizeof options, .max_name_bytes = max_name_bytes};
    const hpf_events none = {0};
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text.bytes, text.length}, NULL, NULL),
                 HPF_OK);
    hpf_status status = hpf_format_read(cases[i].format, source, &none, NULL, &options, err);
    hpf_source_destroy(source);
    hpf__buffer_finish(&text);
    return status;
}

Test(limits, names_of_any_format_are_refused_at_their_place)
{
    for (size_t i = 0; i < N_CASES; i++) {
        hpf_error err = {0};
        cr_expect_eq(read_as(i, 100, 50, &err), HPF_ERR_LIMIT, "%zu: %s", i, err.message);
        cr_expect_eq(err.line, cases[i].line, "%zu: line %u", i, err.line);
        cr_expect_str_eq(err.message, "a name or text of more than 50 bytes", "%zu", i);
    }
}

Test(limits, the_option_raises_them)
{
    for (size_t i = 0; i < N_CASES; i++) {
        hpf_error err = {0};
        hpf_status status = read_as(i, 100, 150, &err);
        cr_expect(status == HPF_OK || status == HPF_ERR_SYNTAX, "%zu: %s", i, err.message);
    }
}

/* However the input is cut, and although it never ends. */
Test(limits, a_statement_without_end_is_refused_when_it_is_too_long)
{
    static const char *const befores[] = {SAMPLE, HEAD "JOB \""};
    static const size_t pieces[] = {1, 7, 60, 200};
    for (size_t i = 0; i < 8; i++) {
        const hpf_reader_options options = {.size = sizeof options, .max_name_bytes = 50};
        const hpf_events none = {0};
        hpf_error err = {0};
        hpf_status status = HPF_OK;
        hpf_reader *reader = hpf_reader_create(&none, NULL, &options);
        hpf__buffer text = text_of(befores[i / 4], 200, "");
        for (size_t at = 0; at < text.length && status == HPF_OK;) {
            size_t n = text.length - at < pieces[i % 4] ? text.length - at : pieces[i % 4];
            status = hpf_reader_feed(reader, text.bytes + at, n, &err);
            at += n;
        }
        cr_expect_eq(status, HPF_ERR_LIMIT, "%zu: %s", i, err.message);
        cr_expect_eq(err.line, i / 4 ? 5 : 6);
        hpf_reader_destroy(reader);
        hpf__buffer_finish(&text);
    }
}

Test(limits, the_default_is_16_mib)
{
    enum { MIB = 1 << 20, PIECE = 1 << 16 };
    static char piece[PIECE];
    const hpf_events none = {0};
    hpf_error err;
    hpf_reader *reader = hpf_reader_create(&none, NULL, NULL);
    size_t n = 0;
    memset(piece, 'x', PIECE);
    while (n < 64u * MIB && hpf_reader_feed(reader, piece, PIECE, &err) == HPF_OK) {
        n += PIECE;
    }
    cr_expect_eq(err.status, HPF_ERR_LIMIT);
    cr_expect(n >= 16u * MIB - PIECE && n < 21u * MIB, "%zu", n);
    hpf_reader_destroy(reader);
}

/* Cells that are empty need memory too. */
Test(limits, a_row_has_at_most_four_million_cells)
{
    enum { N = (1 << 22) + 10 };
    char *text = malloc(N + 8);
    const hpf_events none = {0};
    hpf_source *source = NULL;
    hpf_error err;
    memcpy(text, "time", 4);
    memset(text + 4, ',', N);
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text, 4 + N}, NULL, NULL), HPF_OK);
    cr_expect_eq(hpf_format_read(&hpf_format_csv, source, &none, NULL, NULL, &err), HPF_ERR_LIMIT);
    cr_expect_str_eq(err.message, "a row of more than 4194304 cells");
    cr_expect_eq(err.line, 1);
    hpf_source_destroy(source);
    free(text);
}

/* Many cells of allowed lengths. */
Test(limits, a_row_has_at_most_sixteen_times_the_longest_name)
{
    hpf__buffer text = {0};
    const hpf_reader_options options = {.size = sizeof options, .max_name_bytes = 50};
    const hpf_events none = {0};
    hpf_source *source = NULL;
    hpf_error err;
    cr_assert(hpf__buffer_append(&text, "time", 4));
    for (int i = 0; i < 30; i++) {
        cr_assert(hpf__buffer_append(&text, ",aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd", 41));
    }
    cr_assert_eq(hpf_source_from_memory(&source, (hpf_str){text.bytes, text.length}, NULL, NULL),
                 HPF_OK);
    cr_expect_eq(hpf_format_read(&hpf_format_csv, source, &none, NULL, &options, &err),
                 HPF_ERR_LIMIT);
    cr_expect_str_eq(err.message, "a row of more than 800 bytes");
    hpf_source_destroy(source);
    hpf__buffer_finish(&text);
}
