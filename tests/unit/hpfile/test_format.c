/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Telling formats by their first bytes.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/format.h"

static const hpf_source_options keeping = {.keep = true};

Test(format, is_told_by_the_beginning)
{
    static const struct {
        const char *text;
        hpf_format format;
    } cases[] = {
        {"", HPF_FORMAT_HP},
        {"JOB \"time,\"", HPF_FORMAT_HP},
        {"time 5\n", HPF_FORMAT_HP},
        {"times,a\n", HPF_FORMAT_HP},
        {"time,a\n", HPF_FORMAT_CSV},
        {"time\n", HPF_FORMAT_CSV},
        {"\"time\",\"a\"\n", HPF_FORMAT_CSV},
        {"\xef\xbb\xbftime,a\n", HPF_FORMAT_CSV},
        {"{}", HPF_FORMAT_JSON},
        {"{", HPF_FORMAT_JSON},
        {"{\n\"program\": \"x\"", HPF_FORMAT_PROF},
        {"{\"programs\": 1", HPF_FORMAT_JSON},
        {"\tSat Nov 21 02:11 2026 Time and Allocation Profiling Report  (Final)\n",
         HPF_FORMAT_PROF},
        {"Retainer Profiling: 0, at 0.196319 seconds\n", HPF_FORMAT_PROF},
        {"JOB \"x Time and Allocation Profiling Report\"", HPF_FORMAT_HP},
        {"hdrbhetb", HPF_FORMAT_EVENTLOG},
        {" hdrb", HPF_FORMAT_HP},
        {" \r\n\t{", HPF_FORMAT_JSON},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hpf_source *source = NULL;
        hpf_format format;
        hpf_str text = {cases[i].text, strlen(cases[i].text)};
        cr_assert_eq(hpf_source_from_memory(&source, text, &keeping, NULL), HPF_OK);
        cr_assert_eq(hpf_format_detect(&format, source, NULL), HPF_OK);
        cr_expect_eq(format, cases[i].format, "%s", cases[i].text);
        hpf_source_destroy(source);
    }
}

/* Bytes that come one by one through a pipe are there again after the look. */
Test(format, nothing_is_lost_of_a_pipe)
{
    int ends[2];
    hpf_source *source = NULL;
    hpf_format format;
    hpf_str piece;
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "time,a\n1,2\n", 11), 11);
    close(ends[1]);
    cr_assert_eq(hpf_source_from_fd(&source, ends[0], &keeping, NULL), HPF_OK);
    cr_assert_eq(hpf_format_detect(&format, source, NULL), HPF_OK);
    cr_expect_eq(format, HPF_FORMAT_CSV);
    cr_assert_eq(hpf_source_next(source, &piece, NULL), HPF_OK);
    cr_expect_eq(piece.length, 11);
    hpf_source_destroy(source);
    close(ends[0]);
}
