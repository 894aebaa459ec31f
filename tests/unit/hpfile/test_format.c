/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of formats: detection by the first bytes, files of other tools, and that each format
 * restores what it wrote.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "event/format_row.h"
#include "hpfile/format.h"
#include "retold.h"

static const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};

Test(format, is_detected_from_the_beginning)
{
    static const struct {
        const char *text;
        const hpf_format *format;
    } cases[] = {
        {"", &hpf_format_hp},
        {"JOB \"time,\"", &hpf_format_hp},
        {"time,a\n", &hpf_format_csv},
        {"time\n", &hpf_format_csv},
        {"\"time\",\"a\"\n", &hpf_format_csv},
        {"\xef\xbb\xbftime,a\n", &hpf_format_csv},
        {"{\n\"program\": \"x\"", &hpf_format_prof},
        {"\tSat Nov 21 02:11 2026 Time and Allocation Profiling Report  (Final)\n",
         &hpf_format_prof},
        {"Retainer Profiling: 0, at 0.196319 seconds\n", &hpf_format_prof},
        {"\nRetainer sets created during profiling:\n", &hpf_format_prof},
        {"JOB \"x Time and Allocation Profiling Report\"", &hpf_format_hp},
        {"hdrbhetb", &hpf_format_eventlog},
        {" JOB \"\"", &hpf_format_hp},
        {"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x10", &hpf_format_pprof},
        {"{\"dhatFileVersion\":2,\"mode\":\"heap\"", &hpf_format_dhat},
        {" {\"head\" :{\"callFrame\":{", &hpf_format_heapprofile},
        {"heap profile:      1:  1048576 [     1:  1048576] @ heapprofile\n",
         &hpf_format_heap_text},
        {"heap_v2/524288\n  t*: 1: 5 [0: 0]\n", &hpf_format_heap_text},
        {"v 10500 3\nX ./a.out 7\nI 1000 4\n", &hpf_format_heaptrack},
        {"desc: --massif-out-file=m.out\ncmd: ./a.out\ntime_unit: i\n", &hpf_format_massif},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_source *source = NULL;
        const hpf_format *format;
        hpf_str text = {cases[i].text, strlen(cases[i].text)};
        cr_assert_eq(hpf_source_from_memory(&source, text, &keeping, NULL), HPF_OK);
        cr_assert_eq(hpf_format_detect(&format, source, NULL), HPF_OK);
        cr_expect_eq(format, cases[i].format, "%s", cases[i].text);
        hpf_source_destroy(source);
    }
}

/* The bytes of a pipe that detection has read are read again. */
Test(format, detection_keeps_all_bytes_of_a_pipe)
{
    int ends[2];
    hpf_source *source = NULL;
    const hpf_format *format;
    hpf_str piece;
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "time,a\n1,2\n", 11), 11);
    close(ends[1]);
    cr_assert_eq(hpf_source_from_fd(&source, ends[0], &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_format_detect(&format, source, NULL), HPF_OK);
    cr_expect_eq(format, &hpf_format_csv);
    cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
    cr_expect_eq(piece.length, 11);
    hpf_source_destroy(source);
    close(ends[0]);
}

static hpf_status detect(const hpf_format **format, hpf_str text, hpf_error *err)
{
    hpf_source *source = NULL;
    cr_assert_eq(hpf_source_from_memory(&source, text, &keeping, NULL), HPF_OK);
    hpf_status status = hpf_format_detect(format, source, err);
    hpf_source_destroy(source);
    return status;
}

#define BYTES(literal)                                                                             \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

Test(format, files_of_other_tools_are_named)
{
    static const struct {
        hpf_str head;
        const char *name;
    } cases[] = {
        {BYTES("# callgrind format\nversion: 1\n"), "callgrind"},
        {BYTES("version: 1\ncreator: callgrind-3.19.0\n"), "callgrind"},
        {BYTES("JAVA PROFILE 1.0.2\0\0\0\0"), "Java"},
        {BYTES("memray\0\x0b"), "memray"},
        {BYTES("hpf.bins\0\1"), "address bins"},
        {BYTES("{\"snapshot\":{\"meta\":{"), ".heapsnapshot"},
        {BYTES("{ \"traceEvents\": ["), "Chrome"},
        {BYTES("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""),
         "speedscope"},
        {BYTES("{\n  \"format\": \"heapcensus profile\","), "JSON"},
        {BYTES("main;run;alloc 5120\nmain;run 17\n"), "folded"},
        {BYTES("seconds,heap,stack\n0,1,2\n1,3,4\n"), "CSV"},
        {BYTES("\"date\",\"bytes\"\r\n2026-11-22,5\r\n"), "CSV"},
        {BYTES("\x89PNG\r\n\x1a\n"), "PNG"},
        {BYTES("\x7f"
               "ELF\x02\x01"),
         "ELF"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hpf_format *format;
        hpf_error err = {0};
        cr_expect_eq(detect(&format, cases[i].head, &err), HPF_ERR_UNSUPPORTED, "%s",
                     cases[i].name);
        cr_expect(strstr(err.message, cases[i].name), "%s: %s", cases[i].name, err.message);
    }
}

Test(format, other_files_are_quoted)
{
    static const struct {
        hpf_str head;
        const char *quoted;
    } cases[] = {
        {HPF_STR("v 10500\nJOB \"\"\n"), "\"v 10500\""},
        {HPF_STR("a,b 5\nc,d 6\n"), "\"a,b 5\""},
        {HPF_STR("x;y 5\nJOB \"a\"\n"), "\"x;y 5\""},
        {HPF_STR(" hdrb\0\xff"), "\"hdrb\\x00\\xff\""},
        {HPF_STR("\n\x04"
                 "time"),
         "\"\\x04time\""},
        {HPF_STR("times,a\n"), "\"times,a\""},
        {HPF_STR("a line that is longer than what is quoted"), "\"a line that is longer th...\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hpf_format *format;
        hpf_error err = {0};
        cr_expect_eq(detect(&format, cases[i].head, &err), HPF_ERR_UNSUPPORTED);
        cr_expect(strstr(err.message, cases[i].quoted), "%s", err.message);
    }
}

Test(format, profiles_are_not_mistaken_for_files_of_other_tools)
{
    static const hpf_str heads[] = {
        BYTES("JOB \"a,b\"\nDATE \"c,d\"\n"),
        BYTES("time,a;b\n1,2\n"),
        BYTES("time,\"a\",\"b\"\n0,1,2\n"),
        BYTES("\n\n"),
        BYTES("hdrb,\n,1\n"),
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const hpf_format *format;
        hpf_error err = {0};
        cr_expect_eq(detect(&format, heads[i], &err), HPF_OK, "%s: %s", heads[i].data, err.message);
    }
}

/* Process ids, sizes and times of a recording can be any bytes. */
Test(format, a_recording_of_all_processes_is_not_mistaken_for_a_table)
{
    static const hpf_str bytes = BYTES("CENSUS\0\2,\n,1\n");
    const hpf_source_options all = {.size = sizeof all, .keep = true, .process = "all"};
    hpf_source *source;
    const hpf_format *format;
    cr_assert_eq(hpf_source_from_memory(&source, bytes, &all, NULL), HPF_OK);
    cr_expect_eq(hpf_format_detect(&format, source, NULL), HPF_OK);
    cr_expect_str_eq(format->name, "census");
    hpf_source_destroy(source);
}

/* Each format that can be written and read is detected and read as the same samples. */
Test(format, each_restores_what_it_wrote)
{
    static const char hp[] =
        "JOB \"p\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"
        "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\n"
        "BEGIN_SAMPLE 0.500000\na\t3\nb c\t20\nEND_SAMPLE 0.500000\n"
        "BEGIN_SAMPLE 1.250000\nb c\t2\nEND_SAMPLE 1.250000\n";
    size_t n = 0;
    for (const hpf_format *const *f = hpf_formats(); *f; f++) {
        if (!(*f)->writer || (*f)->is_lossy || *f == &hpf_format_json) {
            continue;
        }
        const hpf_format *detected;
        hpf_sink *sink = written_as(*f, (hpf_str){hp, sizeof hp - 1});
        cr_assert_not_null(sink, "%s", (*f)->name);
        hpf_str bytes = hpf_sink_bytes(sink);
        cr_assert_eq(detect(&detected, bytes, NULL), HPF_OK);
        char *back = retold_as_hp(detected, bytes, NULL);
        cr_assert_not_null(back, "%s", (*f)->name);
        cr_expect_str_eq(strstr(back, "BEGIN_SAMPLE"), strstr(hp, "BEGIN_SAMPLE"), "%s",
                         (*f)->name);
        free(back);
        hpf_sink_destroy(sink);
        n++;
    }
    cr_expect_geq(n, 4);
}

Test(format, is_found_by_its_name)
{
    for (const hpf_format *const *f = hpf_formats(); *f; f++) {
        cr_expect_eq(hpf_format_find((*f)->name), *f);
    }
    cr_expect_null(hpf_format_find("doc"));
}
