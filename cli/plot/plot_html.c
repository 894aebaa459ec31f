/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From inputs to a page: what options say there, and who is told about what.
 */
#include "plot_html.h"

#include <stdlib.h>

#include "hprender/html.h"

const hpr_backend plot_html = {
    .name = "html",
    .extension = "html",
    .summary = "an interactive page, in one file that needs no network",
    .is_graphical = true,
};

/* As MOST_BANDS of the page's script (render/html/chart.js). */
enum { MOST_BANDS = 200 };

/* A page has the size, the fonts and the ink of its reader. */
static bool has_paper(const plot_values *v)
{
    return v->width_pt > 0 || v->height_pt > 0 || v->dpi > 0 || v->font || v->text_pt > 0 ||
           v->preset != 0 || v->latex;
}

const char *plot_html_misfit(const plot_values *v)
{
    if (v->look != HPR_LOOK_MODERN) {
        return "html has a look of its own: no --look classic";
    }
    if (has_paper(v)) {
        return "--width, --height, --dpi, --font, --font-size, --for and --latex are not for html, "
               "which has its reader's";
    }
    if (v->print || v->theme == HPR_THEME_PRINT || v->theme == HPR_THEME_SLIDE) {
        return "html is light or dark: no --print, no --theme print or slide";
    }
    if (v->legend != HPR_LEGEND_AUTO || v->no_title) {
        return "--legend, --no-title and --same-scale are not for html";
    }
    if (v->gc) {
        return "--gc is not for html";
    }
    if (v->x != 0) {
        return "html is over time: no --x sample";
    }
    if (v->lines && v->normalise) {
        return "html shows lines or percents: one of --lines and --normalise";
    }
    if (v->n_bands > MOST_BANDS) {
        return "html has at most 200 bands at a time; OTHER opens there";
    }
    if (v->trace_percent >= 0 && !v->combine) {
        return "html leaves no names out: use --trace with --combine";
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
