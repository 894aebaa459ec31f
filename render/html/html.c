/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a page: the embedded files with data between them.
 */
#include "hpfile/sink.h"
#include "hprender/html.h"

#include <stdlib.h>

#include "base/arena.h"
#include "chart/select.h"
#include "html/html_profile.h"
#include "html/html_stacks.h"
#include "style/palette.h"
#include "base/options.h"

/* --- options and colours --------------------------------------------------------------------- */

static void put_overlay(hpf_json *json, const hpr_options *options)
{
    static const char *const words[] = {
        [HPR_OVERLAY_FITTING] = "fitting", [HPR_OVERLAY_ALL] = "all", [HPR_OVERLAY_NONE] = "none"};
    if (options->overlay == HPR_OVERLAY_NAMED) {
        hpf_json_array(json, "lines");
        for (size_t i = 0; i < options->n_overlay_names; i++) {
            hpf_json_bytes(json, NULL, options->overlay_names[i]);
        }
        hpf_json_close(json);
    } else {
        hpf_json_text(json, "lines", words[options->overlay]);
    }
}

/* Adds the member "view": the first view, from the options. */
static void put_view(hpf_json *json, const hpr_options *options, const char *caption)
{
    const hpr_order order = options->order == HPR_ORDER_DEFAULT ? HPR_ORDER_WIGGLE : options->order;
    bool is_known = options->theme <= HPR_THEME_DARK;

    hpf_json_object(json, "view");
    hpf_json_number(json, "bands", options->n_bands);
    hpf_json_bool(json, "has_high_bands", options->fit_bands);
    hpf_json_number(json, "trace", options->trace_percent);
    hpf_json_text(json, "order", hpr_order_names[order]);
    hpf_json_bool(json, "reverse", options->reverse);
    hpf_json_text(json, "mode",
                  options->as_lines    ? "lines"
                  : options->normalise ? "share"
                                       : "stacked");
    hpf_json_bool(json, "steps", options->as_steps);
    hpf_json_text(json, "theme", hpr_theme_names[is_known ? options->theme : HPR_THEME_LIGHT]);
    hpf_json_bool(json, "si", options->si_units);
    hpf_json_bool(json, "marks", !options->no_marks);
    put_overlay(json, options);
    hpf_json_bool(json, "same_scale", options->same_scale);
    hpf_json_text(json, "caption", caption);
    hpf_json_bool(json, "grouped", options->group != HPR_GROUP_NONE);
    hpf_json_close(json);
}

static void put_theme(hpf_json *json, const char *key, hpr_theme which)
{
    const hpr__theme *theme = hpr__theme_of(which);
    hpf_json_object(json, key);
    hpr__html_colour(json, "background", theme->background);
    hpr__html_colour(json, "ink", theme->text);
    hpr__html_colour(json, "faint", theme->muted);
    hpr__html_colour(json, "rule", theme->rule);
    hpr__html_colour(json, "grid", theme->grid);
    hpr__html_colour(json, "outline", theme->outline);
    hpr__html_colour(json, "edge", theme->edge);
    hpr__html_colour(json, "other", hpr__palette_grey(which == HPR_THEME_DARK));
    hpf_json_close(json);
}

void hpr__html_look(hpf_json *json)
{
    hpf_json_object(json, "look");
    put_theme(json, "light", HPR_THEME_LIGHT);
    put_theme(json, "dark", HPR_THEME_DARK);
    hpf_json_close(json);
}

/* Adds an array with an object for each file, with the lines that are known. */
static void put_sources(hpf_json *json, const char *key, const hpr_source_line *lines, size_t n)
{
    hpf_json_array(json, key);
    for (size_t i = 0; i < n;) {
        hpf_str file = lines[i].file;
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "file", file);
        hpf_json_array(json, "lines");
        for (; i < n && hpf_str_equal(lines[i].file, file); i++) {
            hpf_json_array(json, NULL);
            hpf_json_whole(json, NULL, lines[i].line);
            hpf_json_bytes(json, NULL, lines[i].text);
            hpf_json_close(json);
        }
        hpf_json_close(json);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

void hpr_html_sources_json(const hpr_source_line *lines, size_t n, hpf_sink *sink)
{
    hpf_json json = hpf_json_begin_line(sink);
    put_sources(&json, NULL, lines, n);
    hpf_json_end(&json);
}

/* --- page ------------------------------------------------------------------------------------ */

void hpr__html_piece_write(hpf_sink *sink, const hpr__html_piece *piece)
{
    hpf_sink_write(sink, piece->bytes, piece->n_bytes);
}

/* Writes everything before the list of profiles. Returns the open JSON text. */
static hpf_json begin(const char *events_url, const char *source_url, const hpr_options *options,
                      const char *caption, hpf_sink *sink)
{
    hpr__html_piece_write(sink, &hpr__html_pieces[0]);
    hpf_sink_text(sink, events_url ? "'self'" : "'none'");
    hpr__html_piece_write(sink, &hpr__html_pieces[1]);
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "version", 1);
    hpf_json_text(&json, "events", events_url);
    hpf_json_text(&json, "source_url", source_url);
    hpr__html_look(&json);
    put_view(&json, options, caption);
    put_sources(&json, "sources", options->sources, options->n_sources);
    hpf_json_array(&json, "profiles");
    return json;
}

/* Adds the member "aligned": pairs of a time of the first profile and one of the second. */
static void put_alignment(hpf_json *json, const hpf_alignment *a)
{
    hpf_json_array(json, "aligned");
    for (size_t i = 0; i < a->n_knots; i++) {
        hpf_json_array(json, NULL);
        hpf_json_number(json, NULL, a->knots[i].old_time);
        hpf_json_number(json, NULL, a->knots[i].new_time);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static hpf_status end(hpf_json *json, hpf_sink *sink, hpf_error *err)
{
    hpf_json_end(json);
    hpr__html_piece_write(sink, &hpr__html_pieces[2]);
    return hpf_sink_flush(sink, err);
}

hpf_status hpr_html_write(hpf_survey *const *surveys, const char *const *names, size_t n_profiles,
                          const hpr_options *options, hpf_sink *sink, hpf_error *err)
{
    hpr_options fitted;
    hpf_status status = HPF__OPTIONS_COPY(&fitted, options, err);
    if (status) {
        return status;
    }
    hpf_arena *arena = hpf_arena_create();
    hpr_chart **pictures = arena ? hpf_arena_array(arena, n_profiles, sizeof(hpr_chart *)) : NULL;
    const char *caption = NULL;
    status = pictures ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; fitted.compares && i < n_profiles && !status; i++) {
        if (!hpr__has_stacks(surveys[i])) {
            status =
                hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                              "a page can only compare call stacks, and %s has none", names[i]);
        }
    }
    if (!status && n_profiles == 1 && fitted.fit_bands) {
        status = hpr__fit_bands(&fitted, &caption, arena, surveys[0], err);
    }
    for (size_t i = 0; i < n_profiles && !status; i++) {
        status = hpr__html_picture(&pictures[i], surveys[i], &fitted, arena, err);
    }
    hpf_json json = begin(NULL, NULL, &fitted, caption, sink);
    for (size_t i = 0; i < n_profiles && !status; i++) {
        const hpr__html_view view = {&fitted, pictures[i],
                                     fitted.allocated ? fitted.allocated[i] : NULL,
                                     fitted.findings ? fitted.findings[i] : HPF_STR("")};
        const hpr_html_profile about = {
            .id = (uint32_t)i,
            .file = names[i],
            .most_bytes = HPR__HTML_MOST_BYTES / n_profiles,
            .resident = fitted.resident ? fitted.resident + i * HPR_N_RESIDENT : NULL};
        status = hpr__html_profile(&json, surveys[i], &about, &view, NULL, err);
    }
    if (fitted.compares && !status) {
        hpf_json_close(&json);
        status = hpr__moved_frames_json(&json, surveys, err);
        put_alignment(&json, fitted.compares);
    }
    for (size_t i = 0; pictures && i < n_profiles; i++) {
        hpr_chart_destroy(pictures[i]);
    }
    hpf_arena_destroy(arena);
    return status ? status : end(&json, sink, err);
}

extern const hpr_backend hpr__backend_html;

const hpr_backend hpr__backend_html = {
    .name = "html",
    .extension = "html",
    .summary = "interactive page in one file, needs no network",
    .most_samples = 10240, /* more would make zooming slow */
    .write_profiles = hpr_html_write,
};

hpf_status hpr_html_write_live(const char *events_url, const char *source_url,
                               const hpr_options *options, hpf_sink *sink, hpf_error *err)
{
    hpr_options own;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status) {
        return status;
    }
    hpf_json json = begin(events_url, source_url, &own, NULL, sink);
    return end(&json, sink, err);
}
