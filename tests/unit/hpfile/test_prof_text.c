/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of reports, read back: GHC's, and what other versions of it write.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"
#include "hpfile/prof.h"
#include "hpfile/str.h"
#include "source_dir.h"

#define SAMPLE(name) CENSUS_SOURCE_DIR "/samples/prof/" name

#define HEAD                                                                                       \
    "\tSat Nov 21 02:11 2026 Time and Allocation Profiling Report  (Final)\n\n"                    \
    "\t   prog +RTS -p -RTS\n\n"                                                                   \
    "\ttotal time  =        0.20 secs   (200 ticks @ 1000 us, 2 processors)\n"                     \
    "\ttotal alloc =       4,000 bytes  (excludes profiling overheads)\n\n"

#define TABLE                                                                                      \
    "                                             individual      inherited\n"                     \
    "COST CENTRE MODULE SRC       no.     entries  %time %alloc   %time %alloc\n\n"
#define MAIN_ROW "MAIN        MAIN   <built-in>  1            0    0.0    0.0   100.0  100.0\n"

static hpf_status read_text(hpf_prof_file **file, const char *text, hpf_error *err)
{
    hpf_source *source = NULL;
    hpf_str bytes = {text, strlen(text)};
    cr_assert_eq(hpf_source_from_memory(&source, bytes, NULL, NULL), HPF_OK);
    hpf_status status = hpf_prof_read(file, source, err);
    hpf_source_destroy(source);
    return status;
}

static hpf_prof_file *read_good(const char *text)
{
    hpf_prof_file *file = NULL;
    hpf_error err = {0};
    cr_assert_eq(read_text(&file, text, &err), HPF_OK, "%s", err.message);
    return file;
}

/* A file as text; to be freed. */
static char *contents_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    cr_assert(file && text);
    cr_assert_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

static hpf_str label_at(const hpf_prof *prof, size_t stack)
{
    return prof->centres[prof->stacks[stack].centre_index].label;
}

/* What `-P` says of a stack is all there: the table of stacks is written again as it was. */
Test(prof_text, tables_of_ghc_are_written_as_they_were_read)
{
    static const struct {
        const char *path;
        hpf_prof_detail detail;
    } cases[] = {{SAMPLE("interp-prof-P.prof"), HPF_PROF_VERBOSE},
                 {SAMPLE("oddnames-prof-pa.prof"), HPF_PROF_ALL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = contents_of(cases[i].path);
        const char *table = strstr(text, "individual");
        hpf_prof_file *file = read_good(text);
        hpf_sink *sink = hpf_sink_to_memory();
        hpf_status status = hpf_prof_write(sink, hpf_prof_file_report(file), cases[i].detail, NULL);
        cr_assert_eq(status, HPF_OK);
        hpf_sink_write(sink, "", 1);
        const char *again = strstr(hpf_sink_bytes(sink).data, "individual");
        cr_assert(table && again);
        cr_expect_str_eq(again, table, "%s", cases[i].path);
        hpf_sink_destroy(sink);
        hpf_prof_file_destroy(file);
        free(text);
    }
}

Test(prof_text, the_head_is_read)
{
    char *text = contents_of(SAMPLE("interp-prof-P.prof"));
    hpf_prof_file *file = read_good(text);
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_expect(hpf_str_is(prof->program, "interp"));
    cr_expect(hpf_str_is(prof->date, "Sat Nov 21 02:11 2026"));
    cr_expect_eq(prof->tick_us, 1000);
    cr_expect_eq(prof->n_processors, 1);
    hpf_prof_file_destroy(file);
    free(text);
}

/* `-p` has percentages, of 200 ticks and 4000 bytes. */
Test(prof_text, percentages_become_ticks_and_bytes)
{
    hpf_prof_file *file =
        read_good(HEAD TABLE MAIN_ROW
                  " a b        Main   A.hs:1:1-9  2           12   99.5    2.5    99.5    2.5\n");
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_assert_eq(prof->n_stacks, 2);
    cr_expect(hpf_str_is(label_at(prof, 1), "a b"));
    cr_expect(hpf_str_is(prof->centres[1].srcloc, "A.hs:1:1-9"));
    cr_expect_eq(prof->stacks[1].entries, 12);
    cr_expect_eq(prof->stacks[1].ticks, 199);
    cr_expect_eq(prof->stacks[1].allocated_bytes, 100);
    cr_expect_eq(prof->n_processors, 2);
    hpf_prof_file_destroy(file);
}

/* GHC gives entries eleven characters. */
Test(prof_text, entries_may_touch_the_number)
{
    hpf_prof_file *file =
        read_good(HEAD TABLE MAIN_ROW
                  " f          Main   A.hs:1:1-9  212345678901   99.5    2.5    99.5    2.5\n");
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_expect_eq(prof->stacks[1].id, 2);
    cr_expect_eq(prof->stacks[1].entries, 12345678901);
    hpf_prof_file_destroy(file);
}

Test(prof_text, entries_may_not_be_counted)
{
    hpf_prof_file *file =
        read_good(HEAD TABLE MAIN_ROW
                  " f          Main   A.hs:1:1-9  2               99.5    2.5    99.5    2.5\n");
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_expect_eq(prof->stacks[1].id, 2);
    cr_expect_eq(prof->stacks[1].entries, 0);
    cr_expect(prof->without_entries);
    hpf_prof_file_destroy(file);
}

/* No places, a tick of 20 ms, carriage returns, notes behind the table. */
Test(prof_text, reports_of_old_versions_are_read)
{
    hpf_prof_file *file =
        read_good("\tMon Jan  3 10:00 2011 Time and Allocation Profiling Report  (Final)\r\n\r\n"
                  "\t   old +RTS -p -RTS\r\n\r\n"
                  "\ttotal time  =        0.16 secs   (8 ticks @ 20 ms)\r\n"
                  "\ttotal alloc =         100 bytes  (excludes profiling overheads)\r\n\r\n"
                  "COST CENTRE  MODULE    no.    entries  %time %alloc   %time %alloc\r\n\r\n"
                  "MAIN         MAIN        1           0   0.0    0.0   100.0  100.0\r\n"
                  " CAF:main    Main      160           1  75.0    0.0   100.0  100.0\r\n"
                  "  main       Main      162           1  25.0  100.0    25.0  100.0\r\n"
                  " GC          GC          3           0   0.0    0.0     0.0    0.0\r\n\r\n"
                  "Missing: nothing\r\n");
    const hpf_prof *prof = hpf_prof_file_report(file);
    cr_assert_eq(prof->n_stacks, 4);
    cr_expect_eq(prof->tick_us, 20000);
    cr_expect_eq(prof->n_processors, 0);
    cr_expect_eq(prof->stacks[1].ticks, 6);
    cr_expect(prof->centres[1].is_caf);
    cr_expect_eq(prof->stacks[2].parent_index, 1);
    cr_expect_eq(prof->stacks[3].parent_index, 0);
    cr_expect(prof->centres[3].is_hidden);
    cr_expect_eq(prof->centres[2].srcloc.length, 0);
    hpf_prof_file_destroy(file);
}

/* A program of -hr and -p writes both reports into one file. */
Test(prof_text, censuses_of_retainers_may_come_first)
{
    hpf_prof_file *file = read_good("Retainer Profiling: 0, at 0.19 seconds\n" HEAD TABLE MAIN_ROW);
    cr_expect_eq(hpf_prof_file_report(file)->n_stacks, 1);
    hpf_prof_file_destroy(file);
}

Test(prof_text, errors_have_a_place)
{
    static const struct {
        const char *text;
        hpf_status status;
        unsigned line;
        const char *words;
    } cases[] = {
        {"hello\n", HPF_ERR_SYNTAX, 2, "expected a time and allocation"},
        {"Retainer Profiling: 0, at 0.19 seconds\n", HPF_ERR_UNSUPPORTED, 0, "--sets"},
        {"\nRetainer sets created during profiling:\n", HPF_ERR_UNSUPPORTED, 0, "--sets"},
        {HEAD, HPF_ERR_SYNTAX, 8, "expected a table of cost-centre stacks"},
        {HEAD TABLE, HPF_ERR_SYNTAX, 11, "expected the stack of MAIN"},
        {HEAD TABLE "MAIN\n", HPF_ERR_SYNTAX, 11, "expected a cost centre"},
        {HEAD TABLE MAIN_ROW MAIN_ROW, HPF_ERR_SYNTAX, 12, "wrong indentation"},
        {HEAD TABLE MAIN_ROW "  f         Main   x  2  3 0 0 0 0\n", HPF_ERR_SYNTAX, 12,
         "wrong indentation"},
        {HEAD TABLE MAIN_ROW " f          Main   x           2         y 0 0 0 0\n", HPF_ERR_SYNTAX,
         12, "number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_prof_file *file;
        hpf_error err = {0};
        cr_expect_eq(read_text(&file, cases[i].text, &err), cases[i].status, "%zu: %s", i,
                     err.message);
        cr_expect_eq(err.line, cases[i].line, "%zu: %u", i, err.line);
        cr_expect(strstr(err.message, cases[i].words), "%zu: %s", i, err.message);
        hpf_prof_file_destroy(file);
    }
}

/* 2000 levels are read, as in JSON. */
Test(prof_text, the_tree_may_be_deep_but_not_endless)
{
    for (int depth = 2000; depth <= 2001; depth++) {
        hpf_prof_file *file = NULL;
        hpf_error err = {0};
        hpf_sink *text = hpf_sink_to_memory();
        hpf_sink_printf(text, "%s%-2001s%s", HEAD "COST CENTRE", "",
                        " MODULE SRC no. entries  %time %alloc   %time %alloc\n\n");
        for (int i = 0; i < depth; i++) {
            hpf_sink_printf(text, "%*sf%*s M      s     1  0  0  0  0  0\n", i, "", 2011 - i, "");
        }
        hpf_sink_write(text, "", 1);
        hpf_status status = read_text(&file, hpf_sink_bytes(text).data, &err);
        cr_expect_eq(status, depth <= 2000 ? HPF_OK : HPF_ERR_LIMIT, "%s", err.message);
        hpf_prof_file_destroy(file);
        hpf_sink_destroy(text);
    }
}
