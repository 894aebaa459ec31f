/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comments of a PostScript document are single safe lines, whatever the profile says.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "ps_header.h"

static void check_comment(const char *text, const char *wanted)
{
    hpf_sink *sink = hpf_sink_to_memory();
    hpr__ps_comment(sink, "%%Title: ", text);
    hpf_str got = hpf_sink_bytes(sink);
    cr_assert_eq(got.length, strlen(wanted), "%.*s", (int)got.length, got.data);
    cr_assert_arr_eq(got.data, wanted, got.length);
    hpf_sink_destroy(sink);
}

Test(ps_header, comments)
{
    check_comment("", "%%Title: \n");
    check_comment("prog +RTS -hc", "%%Title: prog +RTS -hc\n");
    check_comment("f (x) \\y", "%%Title: f (x) \\y\n");
    check_comment("(x", "%%Title: (\\(x)\n");
    check_comment("a\nb", "%%Title: (a\\012b)\n");
    check_comment("\xC3\xA9(\\", "%%Title: (\\303\\251\\(\\\\)\n");
}

Test(ps_header, long_comments_are_cut_to_a_legal_line)
{
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int with_escape = 0; with_escape < 2; with_escape++) {
        memset(text + 1, with_escape ? '\n' : 'a', 300);
        hpf_sink *sink = hpf_sink_to_memory();
        hpr__ps_comment(sink, "%%Title: ", text);
        hpf_str got = hpf_sink_bytes(sink);
        cr_assert(got.length > 240 && got.length <= 256, "%zu", got.length);
        cr_assert_eq(memchr(got.data, '\n', got.length), got.data + got.length - 1);
        hpf_sink_destroy(sink);
    }
}

/* The document in pieces of every size up to its length: the result is the same. */
Test(ps_header, filter_works_in_any_pieces)
{
    static const char document[] = "%!PS-Adobe-3.0 EPSF-3.0\n%%Creator: cairo\n"
                                   "%%CreationDate: now\n%%Pages: 1\n%%BoundingBox: 1 2 3 4\n"
                                   "%%EndComments\nbody\n%%Creator: stays\n";
    static const char wanted[] = "%!PS-Adobe-3.0 EPSF-3.0\n%%Title: t\n%%Creator: c\n"
                                 "%%CreationDate: d\n%%BoundingBox: 0 0 426 283\n"
                                 "%%HiResBoundingBox: 0 0 425.5000 283.4000\n%%Pages: 1\n"
                                 "%%EndComments\nbody\n%%Creator: stays\n";
    const hpr_scene scene = {.title = "t", .creator = "c", .date = "d"};
    size_t length = sizeof document - 1;
    for (size_t piece = 1; piece <= length; piece++) {
        hpf_sink *sink = hpf_sink_to_memory();
        hpr__ps_header header = {.sink = sink,
                                 .scene = &scene,
                                 .is_eps = true,
                                 .paper = {.width_pt = 425.5, .height_pt = 283.4}};
        for (size_t i = 0; i < length; i += piece) {
            size_t n = length - i < piece ? length - i : piece;
            hpr__ps_header_write(&header, (const unsigned char *)document + i, n);
        }
        hpf_str got = hpf_sink_bytes(sink);
        cr_assert_eq(got.length, sizeof wanted - 1, "%.*s", (int)got.length, got.data);
        cr_assert_arr_eq(got.data, wanted, got.length);
        hpf_sink_destroy(sink);
    }
}
