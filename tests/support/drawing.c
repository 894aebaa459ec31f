/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Drawings for back-end tests.
 */
#include "drawing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fonts.h"
#include "draw/scene_builder.h"

static void draw_page(hpr__builder *builder, const char *title)
{
    const hpr_colour black = {0, 0, 0};
    const hpr_colour orange = {0.9, 0.6, 0};
    const hpr_point band[] = {{30, 180}, {100, 120}, {200, 150}, {270, 60}, {270, 180}};
    const hpr_point axis[] = {{30, 20}, {30, 180}, {280, 180}};
    hpr__text_style style = {.size_pt = 10, .colour = black};

    hpr__builder_group_begin(builder, "a < b & \"c\"");
    hpr__builder_polygon(builder, band, 5, hpr__paint_fill(orange), hpr__paint_stroke(black, 0.5));
    hpr__builder_group_end(builder);
    hpr__builder_line(builder, axis, 3, (hpr_paint){true, {0.5, 0.5, 0.5}, 1, 3});
    hpr__builder_rect(builder, 200, 20, 14, 14, hpr__paint_fill(black), hpr__paint_none());
    hpr__builder_text(builder, "label one", 220, 32, &style);
    style.anchor = HPR_ANCHOR_MIDDLE;
    style.bold = true;
    hpr__builder_text(builder, title, 150, 15, &style);
    style.anchor = HPR_ANCHOR_END;
    style.turn_deg = 90;
    style.bold = false;
    hpr__builder_text(builder, "bytes", 20, 30, &style);
}

hpr_scene *drawing_scene(const drawing *d)
{
    const char *title = d->title ? d->title : "a drawing";
    hpr__builder *builder =
        hpr__builder_create(d->width_pt ? d->width_pt : 300, d->height_pt ? d->height_pt : 200);
    hpr__builder_describe(builder, title, d->date ? d->date : "Thu Aug 31 20:07 2023",
                          "census tests");
    hpr__builder_set_encapsulated(builder, d->is_encapsulated);
    for (int page = 0; page < (d->n_pages ? d->n_pages : 1); page++) {
        hpr__builder_page(builder, &d->paper);
        draw_page(builder, title);
    }
    hpr_scene *scene = NULL;
    cr_assert_eq(hpr__builder_finish(builder, &scene, NULL), HPF_OK);
    return scene;
}

char *drawing_bytes(const hpr_backend *backend, const hpr_scene *scene, size_t *n_bytes)
{
    hpr_fonts *fonts = test_fonts(NULL, NULL);
    hpf_sink *sink = hpf_sink_to_memory();
    hpr_output output = {.size = sizeof output, .software = "census tests", .fonts = fonts};
    hpf_error err;
    cr_assert_eq(backend->write(NULL, scene, &output, sink, &err), HPF_OK, "%s", err.message);
    cr_assert_eq(hpf_sink_finish(sink, &err), HPF_OK, "%s", err.message);
    hpf_str bytes = hpf_sink_bytes(sink);
    char *copy = malloc(bytes.length + 1);
    memcpy(copy, bytes.data, bytes.length);
    copy[bytes.length] = '\0';
    if (n_bytes) {
        *n_bytes = bytes.length;
    }
    hpf_sink_destroy(sink);
    hpr_fonts_destroy(fonts);
    return copy;
}

char *drawing_of(const char *backend, const drawing *d, size_t *n_bytes)
{
    hpr_scene *scene = drawing_scene(d);
    char *bytes = drawing_bytes(hpr_backend_by_name(backend), scene, n_bytes);
    hpr_scene_destroy(scene);
    return bytes;
}

static void save(char *path, const char *bytes, size_t n_bytes)
{
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    FILE *file = fdopen(fd, "wb");
    cr_assert_eq(fwrite(bytes, 1, n_bytes, file), n_bytes);
    fclose(file);
}

static char *read_all(FILE *stream)
{
    size_t capacity = 1 << 16;
    size_t n = 0;
    char *text = malloc(capacity);
    for (size_t got; (got = fread(text + n, 1, capacity - n - 1, stream)) > 0;) {
        n += got;
        if (capacity - n < 2) {
            capacity *= 2;
            text = realloc(text, capacity);
        }
    }
    text[n] = '\0';
    return text;
}

static void skip_without(const char *command)
{
    char program[64];
    char line[128];
    size_t n = strcspn(command, " ");
    snprintf(program, sizeof program, "%.*s", (int)n, command);
    snprintf(line, sizeof line, "command -v %s >/dev/null", program);
    if (system(line) != 0) {
        cr_skip_test("%s is not installed", program);
    }
}

char *drawing_judge(const char *command, const char *bytes, size_t n_bytes, int *status)
{
    skip_without(command);
    char path[] = "/tmp/census-drawing-XXXXXX";
    save(path, bytes, n_bytes);
    char line[512];
    const char *at = strchr(command, '@');
    snprintf(line, sizeof line, "%.*s%s%s 2>&1", (int)(at - command), command, path, at + 1);
    FILE *stream = popen(line, "r");
    cr_assert_not_null(stream);
    char *text = read_all(stream);
    int result = pclose(stream);
    *status = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    unlink(path);
    return text;
}
