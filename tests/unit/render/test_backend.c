/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every back end: found by name and path, equal bytes for equal drawings, an error for a full disk.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drawing.h"
#include "fonts.h"

static const char *const drawn[] = {"pdf", "ps", "eps", "png", "svg", "pgf"};
#define N_DRAWN (sizeof drawn / sizeof drawn[0])

Test(backend, found_by_name_and_by_path)
{
    cr_assert_str_eq(hpr_backend_by_name("PDF")->name, "pdf");
    cr_assert_null(hpr_backend_by_name("pd"));
    cr_assert_str_eq(hpr_backend_by_path("a.b/c.d.SVG")->name, "svg");
    cr_assert_null(hpr_backend_by_path("a.png/b"));
    cr_assert_null(hpr_backend_by_path("png"));
    cr_assert_null(hpr_backend_by_path("b."));
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        cr_assert_eq(hpr_backend_by_name((*b)->name), *b);
        cr_assert(strlen((*b)->summary) > 0);
    }
}

Test(backend, each_writes_charts_or_whole_profiles)
{
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        cr_expect_neq((*b)->write != NULL, (*b)->write_profiles != NULL, "%s", (*b)->name);
        if (!(*b)->write) {
            const hpr_chart chart = {.n_bands = 0};
            const hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
            const hpr_output output = {.size = sizeof output, .software = "census tests"};
            hpf_sink *sink = hpf_sink_to_memory();
            cr_expect_eq(hpr_write(&chart, &options, *b, &output, sink, NULL), HPF_ERR_UNSUPPORTED);
            hpf_sink_destroy(sink);
        }
    }
}

Test(backend, equal_drawings_give_equal_bytes)
{
    const drawing d = {.title = "twice \xE2\x88\x80", .n_pages = 2};
    for (size_t i = 0; i < N_DRAWN; i++) {
        size_t n_first;
        size_t n_second;
        char *first = drawing_of(drawn[i], &d, &n_first);
        char *second = drawing_of(drawn[i], &d, &n_second);
        cr_assert_eq(n_first, n_second, "%s", drawn[i]);
        cr_assert_arr_eq(first, second, n_first, "%s", drawn[i]);
        free(first);
        free(second);
    }
}

Test(backend, full_disk_is_an_error)
{
    hpr_scene *scene = drawing_scene(&(drawing){0});
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    hpr_output output = {.size = sizeof output, .software = "census tests", .fonts = fonts};
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) {
        cr_skip_test("there is no /dev/full");
    }
    for (size_t i = 0; i < N_DRAWN; i++) {
        hpf_sink *sink = hpf_sink_to_fd(fd);
        hpf_error err = {0};
        hpf_status status = hpr_backend_by_name(drawn[i])->write(NULL, scene, &output, sink, &err);
        cr_assert_eq(status, HPF_ERR_IO, "%s", drawn[i]);
        cr_assert_eq(err.os_errno, 28, "%s: %s", drawn[i], err.message); /* ENOSPC */
        cr_assert_eq(hpf_sink_finish(sink, &err), HPF_ERR_IO, "%s", drawn[i]);
        hpf_sink_destroy(sink);
    }
    close(fd);
    hpr_fonts_destroy(fonts);
    hpr_scene_destroy(scene);
}
