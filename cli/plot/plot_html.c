/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes pages, and rejects options that pages do not support.
 */
#include "plot_html.h"

#include <stdlib.h>

#include "hprender/html.h"

const hpr_backend plot_html = {
    .name = "html",
    .extension = "html",
    .summary = "interactive page in one file, needs no network",
    .is_graphical = true,
};

/* Same as MOST_BANDS in the script of the page (render/html/chart.js). */
enum { MOST_BANDS = 200 };

/* Returns whether options for size, fonts or print were given. */
static bool has_paper(const plot_values *v)
{
    return v->width_pt > 0 || v->height_pt > 0 || v->dpi > 0 || v->font || v->text_pt > 0 ||
           v->preset != 0 || v->latex;
}

const char *plot_html_conflict(const plot_values *v)
{
    if (v->look != HPR_LOOK_MODERN) {
        return "--look classic cannot be used with HTML output";
    }
    if (has_paper(v)) {
        return "--width, --height, --dpi, --font, --font-size, --for and --latex cannot be used "
               "with HTML output";
    }
    if (v->print || v->theme == HPR_THEME_PRINT || v->theme == HPR_THEME_SLIDE) {
        return "--print and --theme print or slide cannot be used with HTML output: it is light or "
               "dark";
    }
    if (v->legend != HPR_LEGEND_AUTO || v->no_title) {
        return "--legend and --no-title cannot be used with HTML output";
    }
    if (v->gc) {
        return "--gc cannot be used with HTML output";
    }
    if (v->x != 0) {
        return "--x sample cannot be used with HTML output";
    }
    if (v->lines && v->normalise) {
        return "--lines and --normalise exclude each other in HTML output";
    }
    if (v->n_bands > MOST_BANDS) {
        return "HTML output has at most 200 bands: use a smaller --bands (OTHER can be opened on "
               "the page)";
    }
    if (v->trace_percent >= 0 && !v->combine) {
        return "--trace needs --combine with HTML output, which leaves no names out";
    }
    return NULL;
}

hpf_status plot_html_write(const input *inputs, char *const *names, size_t n,
                           const hpr_page_options *options, hpf_sink *sink, hpf_error *err)
{
    hpf_survey **surveys = calloc(n, sizeof *surveys);
    hpr_html_profile *about = calloc(n, sizeof *about);
    hpf_status status = surveys && about ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && !status; i++) {
        surveys[i] = inputs[i].survey;
        about[i] = (hpr_html_profile){.id = (uint32_t)i, .file = names[i]};
    }
    status = status ? status : hpr_html_write(surveys, about, n, options, sink, err);
    free(surveys);
    free(about);
    return status;
}
