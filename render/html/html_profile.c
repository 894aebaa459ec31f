/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a profile for a page: names, largest first, each with its series, until the budget is
 * spent; the sum of all others is one more series. Few series are fetched as numbers. Many are
 * packed during one pass over the samples, or fetched in batches, so that memory does not grow with
 * names times samples.
 */
#include "hpfile/survey.h"
#include "html/html_profile.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/names.h"
#include "base/options.h"

#include "chart/order.h"
#include "hpfile/sidecar.h"
#include "chart/select.h"
#include "chart/stack.h"
#include "chart/tooltip.h"
#include "html/html_pack.h"
#include "html/html_stacks.h"
#include "layout/lanes.h"
#include "layout/layout.h"
#include "style/colour.h"
#include "style/fill.h"

#define BATCH_NUMBERS ((size_t)4 << 20) /* of series fetched at once */

/* Innermost frames of a stack that are written. */
enum { MOST_FRAMES = 40 };

/* A profile being written. */
typedef struct profile_writer {
    hpf_json *json;
    hpf_survey *survey;
    const hpr__html_view *view; /* or NULL */
    const hpr_options *options;
    hpr_html_profile about;
    hpf_arena *arena;
    hpr__assignment assignment; /* all names, or groups, largest first */
    uint32_t *band_of;          /* by name: of the batch */
    double *numbers;            /* of the batch */
    double *spreads;            /* of bands, if blocks are a sample (hpf_survey_spread); or NULL */
    size_t n_drawn;
    bool si_units;
    bool has_stacks;      /* which say more than the details of names */
    bool has_only_series; /* of the names of groups: without texts and colours */
    uint32_t n_written;   /* bands with a series so far */
    size_t n_bytes;       /* packed */
    hpf__buffer packed;
    hpf_error *err;
} profile_writer;

void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour)
{
    char text[HPR__COLOUR_TEXT_BYTES];
    hpf_json_text(json, key, hpr__colour_text(text, colour));
}

/* --- names ---------------------------------------------------------------------------------- */

/* Writes a name with its colours on light and on dark background: they differ only if fixed. */
static void put_name(hpf_json *json, hpf_str name, hpr_colour light, hpr_colour dark)
{
    hpf_json_bytes(json, "name", name);
    hpf_json_array(json, "colour");
    hpr__html_colour(json, NULL, light);
    hpr__html_colour(json, NULL, dark);
    hpf_json_close(json);
}

void hpr_html_name_json(hpf_str name, const hpf_frame *frames, size_t n_frames, hpf_sink *sink)
{
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    put_name(&json, name, hpr__palette_of_name(name, false), hpr__palette_of_name(name, true));
    hpr__stack_json(&json, name, frames, n_frames);
    hpf_json_end(&json);
}

/* Writes details of a band with a text: the full text of one that was cut, frames of the stack of
 * `name`, unless the band is a group, members of a set. Returns false without memory. */
static bool put_details(profile_writer *w, hpf_str text, hpf_name name)
{
    hpf_frame frames[MOST_FRAMES];
    hpf_retainer_set set = {.members = {"", 0}};
    bool has_frames = !w->has_stacks && !w->assignment.texts;
    size_t n_frames = has_frames ? hpf_survey_frames(w->survey, name, frames, MOST_FRAMES) : 0;
    n_frames = n_frames < MOST_FRAMES ? n_frames : MOST_FRAMES;
    if (hpf_survey_retainer_set_named(w->survey, text, &set)) {
        hpf_json_bytes(w->json, "full", set.name);
    } else if (n_frames == 0) {
        return true;
    }
    hpf_sink *lines = hpf_sink_to_memory();
    if (!lines) {
        return false;
    }
    hpr__tooltip_lines(lines, frames, n_frames, set.members);
    bool is_whole = hpf_sink_flush(lines, NULL) == HPF_OK;
    hpf_json_bytes(w->json, "more", hpf_sink_bytes(lines));
    hpf_sink_destroy(lines);
    return is_whole;
}

/* --- series --------------------------------------------------------------------------------- */

static hpf_status put_packed(profile_writer *w, const char *key, const hpf__buffer *packed)
{
    return hpr__packed_json(w->json, key, packed) ? HPF_OK : hpf_error_set_memory(w->err);
}

static hpf_status put_numbers(profile_writer *w, const char *key, const double *numbers, size_t n)
{
    return hpr__pack(&w->packed, numbers, n) ? put_packed(w, key, &w->packed)
                                             : hpf_error_set_memory(w->err);
}

/* Writes the time, the index and the total of each sample. */
static hpf_status put_samples(profile_writer *w)
{
    const hpf_drawn_sample *drawn = hpf_survey_overview(w->survey)->drawn;
    double *numbers = w->numbers;
    for (size_t i = 0; i < w->n_drawn; i++) {
        numbers[i] = drawn[i].time;
    }
    hpf_status status = put_numbers(w, "times", numbers, w->n_drawn);
    for (size_t i = 0; i < w->n_drawn; i++) {
        numbers[i] = (double)drawn[i].sample_index;
    }
    status = status ? status : put_numbers(w, "samples", numbers, w->n_drawn);
    for (size_t i = 0; i < w->n_drawn; i++) {
        numbers[i] = drawn[i].total;
    }
    return status ? status : put_numbers(w, "total", numbers, w->n_drawn);
}

/* Fetches the series of bands [first, first + n); with `as_one` their sum. */
static hpf_status fetch(profile_writer *w, uint32_t first, uint32_t n, bool as_one)
{
    for (uint32_t name = 0; name < hpf_survey_n_names(w->survey); name++) {
        uint32_t band = w->assignment.band_of_name[name];
        bool is_in = band != HPF_NO_BAND && band >= first && band - first < n;
        w->band_of[name] = !is_in ? HPF_NO_BAND : as_one ? 0 : band - first;
    }
    return hpf_survey_series(w->survey, w->band_of, as_one ? 1 : n, w->numbers, w->err);
}

static hpf_str text_of(const profile_writer *w, uint32_t band)
{
    return w->assignment.texts ? w->assignment.texts[band]
                               : hpf_survey_name(w->survey, w->assignment.names[band]);
}

/* Returns the bytes that a band takes in addition to its series: its name, colours, and the words
 * of JSON around them. */
static size_t bytes_around(const profile_writer *w, uint32_t band)
{
    enum { COLOURS_AND_WORDS = 64 };
    return text_of(w, band).length + COLOURS_AND_WORDS;
}

/* Writes the next band with its series. */
static hpf_status put_band(profile_writer *w, const hpf__buffer *packed)
{
    uint32_t band = w->n_written;
    hpf_str text = text_of(w, band);
    w->n_bytes += packed->length + bytes_around(w, band);
    w->n_written++;
    if (w->has_only_series) {
        return put_packed(w, NULL, packed);
    }
    hpf_json_object(w->json, NULL);
    const hpr_colour *pinned = hpr__pinned_colour(w->options, text);
    put_name(w->json, text, pinned ? *pinned : hpr__palette_of_name(text, false),
             pinned ? *pinned : hpr__palette_of_name(text, true));
    if (!put_details(w, text, w->assignment.texts ? 0 : w->assignment.names[band])) {
        return hpf_error_set_memory(w->err);
    }
    if (w->spreads) {
        hpf_json_number(w->json, "spread", w->spreads[band]);
    }
    hpf_status status = put_packed(w, "column", packed);
    hpf_json_close(w->json);
    return status;
}

/* Writes the next band, or sets `*is_full` if the budget is spent. */
static hpf_status put_band_if_affordable(profile_writer *w, const double *numbers, bool *is_full)
{
    if (!hpr__pack(&w->packed, numbers, w->n_drawn)) {
        return hpf_error_set_memory(w->err);
    }
    size_t cost = w->packed.length + bytes_around(w, w->n_written);
    *is_full = w->n_bytes + cost > w->about.most_bytes;
    return *is_full ? HPF_OK : put_band(w, &w->packed);
}

static uint32_t batch_bands(const profile_writer *w)
{
    size_t n = BATCH_NUMBERS / (w->n_drawn ? w->n_drawn : 1);
    size_t n_bands = w->assignment.n_bands;
    n = n < 1 ? 1 : n;
    return (uint32_t)(n < n_bands ? n : n_bands);
}

/* Writes at most `most` bands in batches, with one pass over the samples for each. */
static hpf_status put_by_batches(profile_writer *w, uint32_t most)
{
    bool is_full = false;
    hpf_status status = HPF_OK;
    while (!status && !is_full && w->n_written < most) {
        uint32_t n = batch_bands(w);
        n = n < most - w->n_written ? n : most - w->n_written;
        status = fetch(w, w->n_written, n, false);
        for (uint32_t i = 0; i < n && !status && !is_full; i++) {
            status = put_band_if_affordable(w, w->numbers + (size_t)i * w->n_drawn, &is_full);
        }
    }
    return status;
}

/* Writes at most `most` bands, packed in one pass over the samples. Error: UNSUPPORTED when that is
 * not possible; then nothing was written. */
static hpf_status put_in_one_pass(profile_writer *w, uint32_t most)
{
    size_t *costs = hpf_arena_array(w->arena, most, sizeof *costs);
    hpr__columns columns = {.most_bytes = w->about.most_bytes, .n = most, .costs = costs};
    if (!costs) {
        return hpf_error_set_memory(w->err);
    }
    for (uint32_t i = 0; i < most; i++) {
        costs[i] = bytes_around(w, i);
    }
    hpf_status status = hpr__columns_pack(&columns, w->survey, w->assignment.band_of_name, w->err);
    for (uint32_t i = 0; i < columns.n && !status; i++) {
        status = put_band(w, &columns.packers[i].packed);
    }
    hpr__columns_finish(&columns);
    return status;
}

static hpf_status put_bands(profile_writer *w)
{
    uint32_t most = w->assignment.n_bands;
    if (w->about.most_names && most > w->about.most_names) {
        most = w->about.most_names;
    }
    hpf_json_array(w->json, w->has_only_series ? "columns" : "names");
    hpf_status status = most > batch_bands(w) ? put_in_one_pass(w, most) : HPF_ERR_UNSUPPORTED;
    if (status == HPF_ERR_UNSUPPORTED) {
        status = put_by_batches(w, most);
    }
    hpf_json_close(w->json);
    return status;
}

/* Writes the sum of all names without a series of their own. */
static hpf_status put_rest(profile_writer *w)
{
    uint32_t n = w->assignment.n_bands - w->n_written;
    hpf_status status = HPF_OK;
    if (n == 0) {
        hpf_json_text(w->json, "rest", NULL);
        return status;
    }
    status = fetch(w, w->n_written, n, true);
    hpf_json_object(w->json, "rest");
    hpf_json_whole(w->json, "n", n);
    status = status ? status : put_numbers(w, "column", w->numbers, w->n_drawn);
    hpf_json_close(w->json);
    return status;
}

/* Pins the colours of bands by their names and, for other profiles, by their names without ids. */
static hpf_status pin_bands(hpr_options *options, hpf_arena *arena, const hpr_chart *picture,
                            hpf_error *err)
{
    size_t n = options->n_pins;
    hpr_pin *pins = hpf_arena_array(arena, n + 2 * (size_t)picture->n_bands, sizeof *pins);
    if (!pins) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        pins[i] = options->pins[i];
    }
    options->pins = pins;
    for (uint32_t i = 0; i < picture->n_bands; i++) {
        const hpr_band *band = &picture->bands[i];
        hpr_colour colour;
        if (band->is_other || hpr__palette_fixed(&colour, band->name, false)) {
            continue;
        }
        hpf_str name = hpf_arena_str(arena, band->name), bare = hpf__without_id(name);
        if (!name.data) {
            return hpf_error_set_memory(err);
        }
        if (bare.length < name.length && !hpr__pinned_colour(options, bare)) {
            pins[n++] = (hpr_pin){bare, band->fill.colour};
        }
        pins[n++] = (hpr_pin){name, band->fill.colour};
        options->n_pins = n;
    }
    return HPF_OK;
}

hpf_status hpr__html_picture(hpr_chart **out, hpf_survey *survey, hpr_options *options,
                             hpf_arena *arena, hpf_error *err)
{
    hpr__assignment assignment;
    hpr__chart *chart;
    hpr_options light = *options;
    light.theme = HPR_THEME_LIGHT;
    *out = NULL;
    hpf_status status = hpr__chart_begin(&chart, err);
    if (status) {
        return status;
    }
    *out = &chart->public;
    status = hpr__modern_select(&assignment, chart->arena, survey, &light, err);
    status = status ? status : hpr__stack_fetch(chart, survey, &assignment, &light, err);
    status = status ? status : hpr__modern_order(chart, &assignment, &light, err);
    status = status ? status : hpr__modern_fill_bands(chart, NULL, &light, err);
    return status ? status : pin_bands(options, arena, *out, err);
}

/* Writes the order of the bands in the picture, bottom first: the names, and null for OTHER unless
 * it is on top, where the page has it by itself. */
static void put_order(const profile_writer *w)
{
    const hpr_chart *picture = w->view->picture;
    hpf_json_array(w->json, "order");
    for (uint32_t i = 0; i < picture->n_bands; i++) {
        const hpr_band *band = &picture->bands[i];
        if (!band->is_other) {
            hpf_json_bytes(w->json, NULL, band->name);
        } else if (i + 1 < picture->n_bands) {
            hpf_json_text(w->json, NULL, NULL);
        }
    }
    hpf_json_close(w->json);
}

/* --- marks, quantities, headers -------------------------------------------------------------- */

static void put_marks(profile_writer *w)
{
    const hpf_overview *o = hpf_survey_overview(w->survey);
    hpf_json_array(w->json, "marks");
    for (size_t i = 0; i < o->n_marks; i++) {
        hpf_json_object(w->json, NULL);
        hpf_json_number(w->json, "time", o->marks[i].time);
        hpf_json_bytes(w->json, "label", o->marks[i].label);
        hpf_json_close(w->json);
    }
    hpf_json_close(w->json);
}

static hpf_status put_quantity(profile_writer *w, const hpf_quantity *line)
{
    double *numbers = hpf_arena_array(w->arena, line->n_points, sizeof *numbers);
    if (!numbers) {
        return hpf_error_set_memory(w->err);
    }
    hpf_json_object(w->json, NULL);
    hpf_json_bytes(w->json, "name", line->name);
    for (size_t i = 0; i < line->n_points; i++) {
        numbers[i] = line->points[i].time;
    }
    hpf_status status = put_numbers(w, "times", numbers, line->n_points);
    for (size_t i = 0; i < line->n_points; i++) {
        numbers[i] = line->points[i].value;
    }
    status = status ? status : put_numbers(w, "values", numbers, line->n_points);
    hpf_json_close(w->json);
    return status;
}

static hpf_status put_quantities(profile_writer *w)
{
    const hpf_overview *o = hpf_survey_overview(w->survey);
    hpf_status status = HPF_OK;
    hpf_json_array(w->json, "lines");
    for (size_t i = 0; i < o->n_quantities && !status; i++) {
        /* The page has no axis for other units. */
        bool is_shown = !hpf_quantity_has_own_unit(o->quantities[i].name);
        status = is_shown ? put_quantity(w, &o->quantities[i]) : HPF_OK;
    }
    hpf_json_close(w->json);
    return status;
}

/* --- lanes of event logs --------------------------------------------------------------------- */

/* Adds the amounts of a lane, in thousandths of its height. */
static hpf_status put_cells(profile_writer *w, const char *key, const hpf_activity *a,
                            const double *cells, double high)
{
    double *numbers = hpf_arena_array(w->arena, a->n_cells, sizeof *numbers);
    if (!numbers) {
        return hpf_error_set_memory(w->err);
    }
    for (size_t i = 0; i < a->n_cells; i++) {
        double share = fmin(cells[i] / a->cell_s / high, 1);
        numbers[i] = share > 0 ? fmax(round(share * 1000), 1) : 0;
    }
    return put_numbers(w, key, numbers, a->n_cells);
}

/* Adds what a processor did: shares in thousandths, and threads by number, 0 for none. */
static hpf_status put_processor(profile_writer *w, const hpf_activity *a,
                                const hpf_processor_cell *cells)
{
    double *numbers = hpf_arena_array(w->arena, 3 * a->n_cells, sizeof *numbers);
    if (!numbers) {
        return hpf_error_set_memory(w->err);
    }
    double *running = numbers, *collecting = running + a->n_cells,
           *threads = collecting + a->n_cells;
    for (size_t i = 0; i < a->n_cells; i++) {
        running[i] = ceil((double)cells[i].running * 1000);
        collecting[i] = ceil((double)cells[i].collecting * 1000);
        threads[i] = cells[i].thread == HPF_NO_THREAD ? 0 : (double)cells[i].thread + 1;
    }
    uint32_t keys[HPR__LANE_KEYS];
    size_t n_keys = hpr__lane_keys(keys, cells, a->n_cells);
    hpf_json_array(w->json, "keys");
    for (size_t i = 0; i < n_keys; i++) {
        hpf_json_whole(w->json, NULL, keys[i]);
    }
    hpf_json_close(w->json);
    hpf_status status = put_numbers(w, "values", running, a->n_cells);
    status = status ? status : put_numbers(w, "parts", collecting, a->n_cells);
    return status ? status : put_numbers(w, "threads", threads, a->n_cells);
}

static void put_threads(hpf_json *json, const hpf_activity *a)
{
    char colour[HPR__COLOUR_TEXT_BYTES];
    hpf_json_array(json, "threads");
    for (uint32_t i = 0; i < a->n_threads; i++) {
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "name", a->threads[i].name);
        hpf_json_text(json, "colour",
                      hpr__colour_text(colour, hpr__colour_hex(hpr__thread_colour(i))));
        hpf_json_close(json);
    }
    hpf_json_close(json);
    hpf_json_text(json, "collection",
                  hpr__colour_text(colour, hpr__colour_hex(HPR__COLLECTION_COLOUR)));
}

static hpf_status put_lanes(profile_writer *w, const char *key, const hpf_activity *a)
{
    hpr__lane_source sources[HPR__MOST_LANES];
    hpf_status status = HPF_OK;
    size_t n = hpr__lanes_list(sources, a);
    hpf_json_object(w->json, key);
    hpf_json_number(w->json, "begin", a->begin_s);
    hpf_json_number(w->json, "cell", a->cell_s);
    put_threads(w->json, a);
    if (a->n_rows > 0 && a->paused_s) {
        status = put_cells(w, "pauses", a, a->paused_s, 1);
    }
    hpf_json_array(w->json, "all");
    for (size_t i = 0; i < n && !status; i++) {
        const hpr__lane_source *s = &sources[i];
        char note[HPR__NOTE_BYTES];
        hpr__lane_note(note, s, a, w->si_units);
        hpf_json_object(w->json, NULL);
        hpf_json_text(w->json, "name", s->name);
        hpf_json_text(w->json, "note", note);
        hpf_json_bool(w->json, "is_line", s->kind == HPR__LANE_ALLOCATION);
        status = s->processor ? put_processor(w, a, s->processor)
                              : put_cells(w, "values", a, s->cells, s->high);
        if (!status && s->parts) {
            status = put_cells(w, "parts", a, s->parts, s->high);
        }
        hpf_json_close(w->json);
    }
    hpf_json_close(w->json);
    hpf_json_array(w->json, "messages");
    for (size_t i = 0; i < a->n_messages; i++) {
        hpf_json_object(w->json, NULL);
        hpf_json_number(w->json, "time", a->messages[i].time);
        hpf_json_bytes(w->json, "label", a->messages[i].label);
        hpf_json_close(w->json);
    }
    hpf_json_close(w->json);
    hpf_json_close(w->json);
    return status;
}

hpf_status hpr_html_lanes_json(const hpf_activity *activity, bool si_units, hpf_sink *sink,
                               hpf_error *err)
{
    hpf_json json = hpf_json_begin_line(sink);
    profile_writer w = {
        .json = &json, .arena = hpf_arena_create(), .si_units = si_units, .err = err};
    hpf_status status = w.arena ? put_lanes(&w, NULL, activity) : hpf_error_set_memory(err);
    if (!status) {
        hpf_json_end(&json);
        status = hpf_sink_flush(sink, err);
    }
    hpf__buffer_finish(&w.packed);
    hpf_arena_destroy(w.arena);
    return status;
}

/* --- begin and end --------------------------------------------------------------------------- */

/* Computes the spreads of bands: means over their names, by their largest amounts. */
static bool find_spreads(profile_writer *w)
{
    uint32_t n = w->assignment.n_bands;
    double *sums = hpf_arena_array(w->arena, n + 1, sizeof *sums);
    w->spreads = hpf_arena_array(w->arena, n + 1, sizeof *w->spreads);
    for (hpf_name name = 0; sums && w->spreads && name < hpf_survey_n_names(w->survey); name++) {
        uint32_t band = w->assignment.band_of_name[name];
        if (band < n) {
            double most = hpf_survey_totals(w->survey, name)->max;
            sums[band] += most;
            w->spreads[band] += most * hpf_survey_spread(w->survey, name);
        }
    }
    for (uint32_t i = 0; sums && w->spreads && i < n; i++) {
        w->spreads[i] /= sums[i] > 0 ? sums[i] : 1;
    }
    return sums && w->spreads;
}

static hpf_status prepare(profile_writer *w)
{
    hpr_options all = *w->options; /* all names, largest first */
    uint32_t n_names = hpf_survey_n_names(w->survey);
    all.n_bands = 0;
    all.trace_percent = 0;
    w->n_drawn = hpf_survey_overview(w->survey)->n_drawn;
    w->arena = hpf_arena_create();
    if (!w->arena) {
        return hpf_error_set_memory(w->err);
    }
    hpf_status status = hpr__modern_select(&w->assignment, w->arena, w->survey, &all, w->err);
    if (status) {
        return status;
    }
    w->band_of = hpf_arena_array(w->arena, n_names, sizeof *w->band_of);
    size_t n_rows = batch_bands(w);
    w->numbers = calloc((n_rows ? n_rows : 1) * (w->n_drawn ? w->n_drawn : 1), sizeof *w->numbers);
    bool has_spreads = hpf_survey_rate_bytes(w->survey) <= 0 || find_spreads(w);
    return w->band_of && w->numbers && has_spreads ? HPF_OK : hpf_error_set_memory(w->err);
}

static void finish(profile_writer *w)
{
    hpf__buffer_finish(&w->packed);
    free(w->numbers);
    hpf_arena_destroy(w->arena);
}

/* --- stacks ---------------------------------------------------------------------------------- */

/* Writes what each stack has allocated by the last sample; its nodes follow the nodes of names. */
static hpf_status put_allocated(profile_writer *w, hpr__stacks *stacks)
{
    hpf_survey *survey = w->view ? w->view->allocated : NULL;
    size_t n_drawn = survey ? hpf_survey_overview(survey)->n_drawn : 0;
    if (n_drawn == 0) {
        return HPF_OK;
    }
    uint32_t n = hpf_survey_n_names(survey);
    double *bytes = hpf_arena_array(w->arena, n, sizeof *bytes);
    if (!bytes) {
        return hpf_error_set_memory(w->err);
    }
    hpf_status status = hpf_survey_drawn_amounts(survey, n_drawn - 1, bytes, w->err);
    for (hpf_name name = 0; name < n && !status; name++) {
        status = hpr__stacks_add(stacks, survey, name, w->err);
    }
    hpf_json_whole(w->json, "n_allocated", n);
    return status ? status : put_numbers(w, "allocated", bytes, n);
}

static hpf_status put_tree(profile_writer *w)
{
    hpr__stacks stacks = {0};
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < w->n_written && !status; i++) {
        status = hpr__stacks_add(&stacks, w->survey, w->assignment.names[i], w->err);
    }
    status = status ? status : put_allocated(w, &stacks);
    if (!status && !hpr__stacks_json(w->json, &stacks)) {
        status = hpf_error_set_memory(w->err);
    }
    hpr__stacks_finish(&stacks);
    return status;
}

/* Writes the stacks of groups: the series of their names, the sum of those beyond the budget, and
 * the group of each. */
static hpf_status put_stacks_of_groups(const profile_writer *groups)
{
    hpr_options options = *groups->options;
    profile_writer w = {.json = groups->json,
                        .survey = groups->survey,
                        .view = groups->view,
                        .options = &options,
                        .has_only_series = true,
                        .err = groups->err};
    options.group = HPR_GROUP_NONE;
    w.about.most_bytes = groups->about.most_bytes - groups->n_bytes;
    hpf_status status = prepare(&w);
    status = status ? status : put_bands(&w);
    status = status ? status : put_rest(&w);
    status = status ? status : put_tree(&w);
    double *bands = status ? NULL : hpf_arena_array(w.arena, w.n_written, sizeof *bands);
    if (!status && !bands) {
        status = hpf_error_set_memory(w.err);
    }
    for (uint32_t i = 0; i < w.n_written && !status; i++) {
        bands[i] = groups->assignment.band_of_name[w.assignment.names[i]];
    }
    status = status ? status : put_numbers(&w, "bands", bands, w.n_written);
    finish(&w);
    return status;
}

static hpf_status put_stacks(profile_writer *w)
{
    if (!w->has_stacks) {
        return HPF_OK;
    }
    hpf_json_object(w->json, "stacks");
    hpf_status status = w->assignment.texts ? put_stacks_of_groups(w) : put_tree(w);
    hpf_json_close(w->json);
    return status;
}

/* --- all of it
 * --------------------------------------------------------------------------------------- */

static void put_head(profile_writer *w)
{
    const hpr_html_profile *about = &w->about;
    const hpf_overview *o = hpf_survey_overview(w->survey);
    hpf_json_whole(w->json, "id", about->id);
    hpf_json_whole(w->json, "epoch", about->epoch);
    hpf_json_bytes(w->json, "title", hpf_survey_header(w->survey, HPF_HEADER_JOB));
    hpf_json_text(w->json, "file", about->file);
    hpf_json_bytes(w->json, "date", hpf_survey_header(w->survey, HPF_HEADER_DATE));
    hpf_json_bytes(w->json, "sample_unit", hpf_survey_header(w->survey, HPF_HEADER_SAMPLE_UNIT));
    hpf_json_bytes(w->json, "value_unit", hpf_survey_header(w->survey, HPF_HEADER_VALUE_UNIT));
    hpf_json_number(w->json, "rate_bytes", hpf_survey_rate_bytes(w->survey));
    hpf_json_number(w->json, "spread", hpf_survey_spread_of_all(w->survey));
    hpf_json_text(w->json, "state", about->state ? about->state : "ended");
    hpf_json_whole(w->json, "n_samples", o->n_samples);
}

static hpf_status list_chosen(const profile_writer *w, uint32_t **chosen)
{
    uint32_t n_names = hpf_survey_n_names(w->survey);
    uint32_t *place = calloc(n_names ? n_names : 1, sizeof *place);
    for (uint32_t name = 0; place && name < n_names; name++) {
        uint32_t band = w->assignment.band_of_name[name];
        place[name] = band != HPF_NO_BAND && band < w->n_written ? band : UINT32_MAX;
    }
    *chosen = place;
    return place ? HPF_OK : hpf_error_set_memory(w->err);
}

/* Writes what the resident set is made of, and who pins it, as profiles of their own. */
static hpf_status put_resident(profile_writer *w)
{
    static const size_t most_bytes = (size_t)1 << 20;
    hpf_survey *const *surveys = w->about.resident;
    hpf_status status = HPF_OK;
    if (!surveys || !surveys[0]) {
        return HPF_OK;
    }
    hpf_json_array(w->json, "resident");
    for (uint32_t i = 0; i < HPR_N_RESIDENT && !status; i++) {
        const hpr_html_profile about = {.id = i, .most_bytes = most_bytes};
        if (surveys[i]) {
            status = hpr__html_profile(w->json, surveys[i], &about, NULL, NULL, w->err);
        }
    }
    hpf_json_close(w->json);
    return status;
}

static hpf_status put_profile(profile_writer *w)
{
    hpf_json_object(w->json, NULL);
    put_head(w);
    hpf_status status = put_samples(w);
    status = status ? status : put_bands(w);
    status = status ? status : put_rest(w);
    status = status ? status : put_stacks(w);
    if (!status) {
        if (w->view) {
            put_order(w);
        }
        if (w->view && w->view->findings.length > 0) {
            hpf_json_ready(w->json, "findings", w->view->findings);
        }
        put_marks(w);
        status = put_quantities(w);
    }
    const hpf_activity *activity = w->about.activity ? w->about.activity : w->options->activity;
    if (!status && activity) {
        status = put_lanes(w, "lanes", activity);
    }
    status = status ? status : put_resident(w);
    hpf_json_close(w->json);
    return status;
}

hpf_status hpr__html_profile(hpf_json *json, hpf_survey *survey, const hpr_html_profile *about,
                             const hpr__html_view *view, uint32_t **chosen, hpf_error *err)
{
    hpr_options defaults = hpr_options_default(HPR_LOOK_MODERN);
    defaults.group = about->group;
    profile_writer w = {.json = json,
                        .survey = survey,
                        .about = *about,
                        .view = view,
                        .options = view ? view->options : &defaults,
                        .si_units = view ? view->options->si_units : about->si_units,
                        .has_stacks = hpr__has_stacks(survey),
                        .err = err};
    w.about.most_bytes = about->most_bytes ? about->most_bytes : HPR__HTML_MOST_BYTES;
    hpf_status status = prepare(&w);
    status = status ? status : put_profile(&w);
    if (!status && chosen) {
        status = list_chosen(&w, chosen);
    }
    finish(&w);
    return status;
}

hpf_status hpr_html_profile_json(hpf_survey *survey, const hpr_html_profile *about, hpf_sink *sink,
                                 uint32_t **chosen, hpf_error *err)
{
    hpr_html_profile own;
    hpf_json json = hpf_json_begin_line(sink);
    if (chosen) {
        *chosen = NULL;
    }
    hpf_status status = HPF__OPTIONS_COPY(&own, about, err);
    status = status ? status : hpr__html_profile(&json, survey, &own, NULL, chosen, err);
    if (!status) {
        hpf_json_end(&json);
        status = hpf_sink_flush(sink, err);
    }
    if (status && chosen) {
        free(*chosen);
        *chosen = NULL;
    }
    return status;
}
