/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws a heap profile on a page of the caller's own, under a line of text: hprender_page FILE
 * OUT.pdf
 */
#include <cairo-pdf.h>
#include <stdio.h>

#include "hprender/cairo.h"

/* Draws a chart of 7 x 4 inches on a page of 8 x 6. */
static hpf_status draw_page(cairo_t *cr, hpf_survey *survey, hpf_error *err)
{
    hpr_fonts *fonts = NULL;
    hpr_chart *chart = NULL;
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.width_pt = 504;
    options.height_pt = 288;
    hpf_status status = hpr_fonts_create(&fonts, NULL, NULL, err);
    if (status == HPF_OK) {
        status = hpr_chart_create(&chart, survey, &options, hpr_fonts_measurer(fonts), err);
    }
    if (status == HPF_OK) {
        cairo_set_font_size(cr, 14);
        cairo_move_to(cr, 36, 48);
        cairo_show_text(cr, "Figure 1. The heap, drawn on a page of ours");
        cairo_translate(cr, 36, 72);
        status = hpr_draw_chart(cr, chart, &options, fonts, err);
        cairo_show_page(cr);
    }
    hpr_chart_destroy(chart);
    hpr_fonts_destroy(fonts);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: hprender_page FILE OUT.pdf\n", stderr);
        return 2;
    }
    hpf_error err = {0};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_source_options options = {.size = sizeof options, .keep = true};
    cairo_surface_t *surface = cairo_pdf_surface_create(argv[2], 576, 432);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2026-01-01T00:00:00");
    cairo_t *cr = cairo_create(surface);
    hpf_status status = hpf_source_open(&source, argv[1], &options, &err);
    if (status == HPF_OK) {
        status = hpf_survey_create(&survey, source, NULL, &err);
    }
    if (status == HPF_OK) {
        status = draw_page(cr, survey, &err);
    }
    if (status != HPF_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status == HPF_OK ? 0 : 1;
}
