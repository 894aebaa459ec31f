/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PDF, PostScript and EPS: surfaces of cairo that stream into the sink. The sink keeps its errors,
 * so the callbacks always return success.
 */
#include "output/backend.h"

#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/cairo_draw.h"

/* Draws a page. A white background is not drawn, so that a figure has no box on coloured paper. */
static hpf_status draw_page(cairo_t *cr, const hpr_scene *scene, const hpr__page *page,
                            const hpr_output *output, hpf_error *err)
{
    const hpr_colour ground = scene->background;
    if (ground.red < 1 || ground.green < 1 || ground.blue < 1) {
        hpr__cairo_paint_background(cr, scene);
    }
    hpf_status status = hpr__cairo_draw_page(cr, page, output->fonts, err);
    cairo_show_page(cr);
    return status;
}

/* Ends the document and frees surface and context. Returns `status` of the pages, or a later
 * error. */
static hpf_status finish(cairo_t *cr, hpf_sink *sink, hpf_status status, hpf_error *err)
{
    cairo_surface_t *surface = cairo_surface_reference(cairo_get_target(cr));
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    status = status ? status : hpr__cairo_status(cairo_surface_status(surface), err);
    cairo_surface_destroy(surface);
    return status != HPF_OK ? status : hpf_sink_flush(sink, err);
}

/* --- PDF ------------------------------------------------------------------------------------ */

#define ISO_DATE_BYTES 20

typedef struct moment {
    int year, month, day, hour, minute, second;
} moment;

static int month_number(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++) {
        if (strncmp(names + (size_t)i * 3, name, 3) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool read_ctime(moment *d, const char *text)
{
    char month[4] = "";
    char rest[16] = "";
    int n =
        sscanf(text, "%*3s %3s %2d %2d:%2d%15[: 0-9]", month, &d->day, &d->hour, &d->minute, rest);
    d->month = month_number(month);
    return n == 5 && (sscanf(rest, ":%2d %4d", &d->second, &d->year) == 2 ||
                      sscanf(rest, " %4d", &d->year) == 1);
}

static bool is_sane(const moment *d)
{
    return d->year >= 1900 && d->year <= 9999 && d->month >= 1 && d->month <= 12 && d->day >= 1 &&
           d->day <= 31 && d->hour >= 0 && d->hour <= 23 && d->minute >= 0 && d->minute <= 59 &&
           d->second >= 0 && d->second <= 60;
}

/* Writes a date of GHC ("Thu Aug 31 20:07 2023"), ctime ("Thu Aug 31 20:07:05 2023") or ISO 8601 as
 * "YYYY-MM-DDThh:mm:ss". Returns false for any other text. Not by strptime, which reads the month
 * names of the locale. */
static bool iso_date(char out[ISO_DATE_BYTES], const char *text)
{
    moment d = {0};
    if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%2d", &d.year, &d.month, &d.day, &d.hour, &d.minute,
               &d.second) < 5) {
        d = (moment){0};
        if (!read_ctime(&d, text)) {
            return false;
        }
    }
    if (!is_sane(&d)) {
        return false;
    }
    int n = snprintf(out, ISO_DATE_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", d.year, d.month, d.day,
                     d.hour, d.minute, d.second);
    return n == ISO_DATE_BYTES - 1;
}

static cairo_status_t write_pdf_bytes(void *sink, const unsigned char *bytes, unsigned n_bytes)
{
    hpf_sink_write(sink, bytes, n_bytes);
    return CAIRO_STATUS_SUCCESS;
}

static hpf_status write_pdf(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        write_pdf_bytes, sink, scene->width_pt, scene->height_pt);
    /* Without a date, cairo would write the current one. */
    char date[ISO_DATE_BYTES];
    if (!iso_date(date, output->date ? output->date : scene->date)) {
        iso_date(date, "1970-01-01T00:00:00");
    }
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, scene->creator);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_t *cr = cairo_create(surface);
    cairo_surface_destroy(surface);
    hpf_status status = HPF_OK;
    size_t at = 0;
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(scene, &at, &page);) {
        status = draw_page(cr, scene, &page, output, err);
    }
    return finish(cr, sink, status, err);
}

/* Each page has the size of the drawing area. */
const hpr_backend hpr__backend_pdf = {
    .name = "pdf",
    .extension = "pdf",
    .summary = "Portable Document Format",
    .is_graphical = true,
    .write = write_pdf,
};

/* --- PostScript ----------------------------------------------------------------------------- */

/* Removes the lines of cairo's header with its name and the current date: add_comment writes
 * others. */
typedef struct ps_stream {
    hpf_sink *sink;
    int line;       /* number, from 0 to 3 */
    char text[128]; /* of this line */
    size_t n_bytes;
} ps_stream;

static cairo_status_t write_ps_bytes(void *context, const unsigned char *bytes, unsigned n_bytes)
{
    ps_stream *s = context;
    unsigned i = 0;
    for (; s->line < 3 && i < n_bytes; i++) {
        s->text[s->n_bytes++] = (char)bytes[i];
        if (bytes[i] == '\n' || s->n_bytes == sizeof s->text) {
            bool is_replaced = strncmp(s->text, "%%Creator: ", 11) == 0 ||
                               strncmp(s->text, "%%CreationDate: ", 16) == 0;
            hpf_sink_write(s->sink, s->text, is_replaced ? 0 : s->n_bytes);
            s->line++;
            s->n_bytes = 0;
        }
    }
    hpf_sink_write(s->sink, bytes + i, n_bytes - i);
    return CAIRO_STATUS_SUCCESS;
}

/* Adds a comment to the header: plain text as it is, other text as a PostScript string, cut at the
 * 255 bytes that a line may have (Document Structuring Conventions 3.0, section 4.6, <text>). */
static void add_comment(cairo_surface_t *surface, const char *key, const char *text)
{
    char line[256];
    bool is_plain = text[0] != '(';
    for (const char *c = text; *c; c++) {
        is_plain = is_plain && *c >= ' ' && *c <= '~';
    }
    size_t n = (size_t)snprintf(line, sizeof line, "%%%%%s: %s", key, is_plain ? "" : "(");
    for (const char *c = text; *c && n + 5 < sizeof line; c++) {
        if (*c < ' ' || *c > '~') {
            n += (size_t)snprintf(line + n, 5, "\\%03o", (unsigned)(unsigned char)*c);
        } else {
            bool is_escaped = !is_plain && strchr("()\\", *c);
            n += (size_t)snprintf(line + n, 3, "%s%c", is_escaped ? "\\" : "", *c);
        }
    }
    snprintf(line + n, 2, "%s", is_plain ? "" : ")");
    cairo_ps_surface_dsc_comment(surface, line);
}

/* Adds the box of the page: cairo would write the box of the drawn shapes. */
static void add_boxes(cairo_surface_t *surface, const hpr_paper *paper)
{
    char box[128];
    long width = lround(paper->width_pt * 10000), height = lround(paper->height_pt * 10000);
    snprintf(box, sizeof box, "0 0 %ld %ld", (width + 5000) / 10000, (height + 5000) / 10000);
    add_comment(surface, "BoundingBox", box);
    snprintf(box, sizeof box, "0 0 %ld.%04ld %ld.%04ld", width / 10000, width % 10000,
             height / 10000, height % 10000);
    add_comment(surface, "HiResBoundingBox", box);
}

/* Sets paper of whole points, because cairo would round the height up and shift the drawing. The
 * matrix of the paper has y upwards, as in PostScript. */
static void set_paper(cairo_t *cr, const hpr_scene *scene, const hpr_paper *paper)
{
    const double *m = paper->matrix;
    double height_pt = ceil(paper->height_pt);
    cairo_matrix_t matrix;
    cairo_ps_surface_set_size(cairo_get_target(cr), ceil(paper->width_pt), height_pt);
    cairo_matrix_init(&matrix, m[0], -m[1], -m[2], m[3], m[2] * scene->height_pt + m[4],
                      height_pt - m[3] * scene->height_pt - m[5]);
    cairo_set_matrix(cr, &matrix);
}

static hpf_status write_postscript(const hpr_scene *scene, const hpr_output *output, bool is_eps,
                                   hpf_sink *sink, hpf_error *err)
{
    ps_stream stream = {.sink = sink};
    cairo_surface_t *surface = cairo_ps_surface_create_for_stream(
        write_ps_bytes, &stream, scene->width_pt, scene->height_pt);
    cairo_ps_surface_restrict_to_level(surface, CAIRO_PS_LEVEL_2);
    cairo_ps_surface_set_eps(surface, is_eps);
    add_comment(surface, "Title", scene->title);
    add_comment(surface, "Creator", scene->creator);
    add_comment(surface, "CreationDate", output->date ? output->date : scene->date);
    cairo_t *cr = cairo_create(surface);
    hpf_status status = HPF_OK;
    size_t at = 0;
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(scene, &at, &page);) {
        bool is_last = at == scene->n_items;
        /* The paper that the scene chose for such a document, else the drawing area. */
        hpr_paper paper = {scene->width_pt, scene->height_pt, {1, 0, 0, 1, 0, 0}};
        if (page.paper->width_pt > 0 && is_eps == scene->is_encapsulated) {
            paper = *page.paper;
        }
        if (is_eps && is_last) {
            add_boxes(surface, &paper);
        }
        if (!is_eps || is_last) {
            set_paper(cr, scene, &paper);
            status = draw_page(cr, scene, &page, output, err);
        }
    }
    cairo_surface_destroy(surface);
    return finish(cr, sink, status, err);
}

static hpf_status write_ps(const hpr_chart *chart, const hpr_scene *scene, const hpr_output *output,
                           hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    return write_postscript(scene, output, scene->is_encapsulated, sink, err);
}

static hpf_status write_eps(const hpr_chart *chart, const hpr_scene *scene,
                            const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)chart;
    return write_postscript(scene, output, true, sink, err);
}

/* Level 2; EPS when the scene is encapsulated. */
const hpr_backend hpr__backend_ps = {
    .name = "ps",
    .extension = "ps",
    .summary = "PostScript",
    .is_graphical = true,
    .write = write_ps,
};

/* Only the last page, which has the graph. */
const hpr_backend hpr__backend_eps = {
    .name = "eps",
    .extension = "eps",
    .summary = "Encapsulated PostScript",
    .is_graphical = true,
    .write = write_eps,
};
