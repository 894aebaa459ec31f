/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cairo's vector surfaces, streaming into the sink. The sink remembers its own failures, so cairo
 * always hears that a write went well.
 */
#include "cairo_vector.h"

#include <cairo-pdf.h>
#include <cairo-ps.h>
#include <math.h>

#include "cairo_ink.h"
#include "iso_date.h"
#include "ps_header.h"

static cairo_status_t on_ps_bytes(void *context, const unsigned char *bytes, unsigned n_bytes)
{
    hpr__ps_header_write(context, bytes, n_bytes);
    return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t on_pdf_bytes(void *context, const unsigned char *bytes, unsigned n_bytes)
{
    hpf_sink_write(context, bytes, n_bytes);
    return CAIRO_STATUS_SUCCESS;
}

static bool is_white(hpr_colour colour)
{
    return colour.red >= 1 && colour.green >= 1 && colour.blue >= 1;
}

/* Ends the document and frees everything. `status` is what is known so far. */
static hpf_status finish(cairo_surface_t *surface, cairo_t *cr, hpf_sink *sink, hpf_status status,
                         hpf_error *err)
{
    cairo_status_t drawn = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    cairo_status_t written = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == HPF_OK) {
        status = hpr__cairo_status(drawn != CAIRO_STATUS_SUCCESS ? drawn : written, err);
    }
    return status != HPF_OK ? status : hpf_sink_flush(sink, err);
}

static hpf_status draw_page(cairo_t *cr, const hpr_scene *scene, const hpr__page *page,
                            const hpr_output *output, hpf_error *err)
{
    hpf_status status = HPF_OK;
    if (!is_white(scene->background)) {
        hpr__cairo_ground(cr, scene);
    }
    for (size_t i = 0; i < page->n_items && status == HPF_OK; i++) {
        status = hpr__cairo_draw(cr, &page->items[i], output->fonts, err);
    }
    cairo_show_page(cr);
    return status;
}

/* From the scene's coordinates (y down) to cairo's (y down, on a page `page_height_pt` high) by way
 * of the paper's matrix, which like all PostScript has y upwards. */
static void place_on_paper(cairo_t *cr, const hpr_scene *scene, const hpr_paper *paper,
                           double page_height_pt)
{
    const double *m = paper->matrix;
    cairo_matrix_t matrix;
    cairo_matrix_init(&matrix, m[0], -m[1], -m[2], m[3], m[2] * scene->height_pt + m[4],
                      page_height_pt - m[3] * scene->height_pt - m[5]);
    cairo_set_matrix(cr, &matrix);
}

/* Draws a page on paper of whole points: cairo rounds the height up, and would shift the drawing.
 */
static hpf_status draw_on_paper(cairo_t *cr, const hpr_scene *scene, const hpr__page *page,
                                const hpr_paper *paper, const hpr_output *output, hpf_error *err)
{
    double height_pt = ceil(paper->height_pt);
    cairo_ps_surface_set_size(cairo_get_target(cr), ceil(paper->width_pt), height_pt);
    place_on_paper(cr, scene, paper, height_pt);
    return draw_page(cr, scene, page, output, err);
}

hpf_status hpr__cairo_postscript(const hpr_scene *scene, const hpr_output *output, bool is_eps,
                                 hpf_sink *sink, hpf_error *err)
{
    hpr__ps_header header = {.sink = sink, .scene = scene, .is_eps = is_eps};
    cairo_surface_t *surface =
        cairo_ps_surface_create_for_stream(on_ps_bytes, &header, scene->width_pt, scene->height_pt);
    cairo_ps_surface_restrict_to_level(surface, CAIRO_PS_LEVEL_2);
    cairo_ps_surface_set_eps(surface, is_eps);
    cairo_t *cr = cairo_create(surface);
    hpf_status status = HPF_OK;
    size_t at = 0;
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(scene, &at, &page);) {
        if (is_eps && at < scene->n_items) {
            continue;
        }
        hpr_paper paper = hpr__scene_paper(scene, &page, is_eps);
        header.paper = paper;
        status = draw_on_paper(cr, scene, &page, &paper, output, err);
    }
    return finish(surface, cr, sink, status, err);
}

/* The profile's date, not the clock's: equal input gives equal bytes. A date that cannot be read
 * becomes the first that there is, since without one cairo would ask the clock. */
static void set_metadata(cairo_surface_t *surface, const hpr_scene *scene)
{
    char date[HPR__ISO_DATE_BYTES];
    if (!hpr__iso_date(date, scene->date)) {
        hpr__iso_date(date, "1970-01-01T00:00:00");
    }
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, scene->creator);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
}

hpf_status hpr__cairo_pdf(const hpr_scene *scene, const hpr_output *output, hpf_sink *sink,
                          hpf_error *err)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(on_pdf_bytes, sink, scene->width_pt, scene->height_pt);
    set_metadata(surface, scene);
    cairo_t *cr = cairo_create(surface);
    hpf_status status = HPF_OK;
    size_t at = 0;
    for (hpr__page page; status == HPF_OK && hpr__scene_next_page(scene, &at, &page);) {
        status = draw_page(cr, scene, &page, output, err);
    }
    return finish(surface, cr, sink, status, err);
}
