/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile for a page. Names come largest first, each with its series, until the budget is spent;
 * the rest is one more series. Few series are fetched as numbers; many are packed while the samples
 * go by, or fetched some at a time, so that memory does not go with names times samples.
 */
#include "html/html_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "hpfile/arena.h"

#include "chart/tooltip.h"
#include "html/html_columns.h"
#include "layout/modern.h"
#include "chart/select.h"
#include "style/colour.h"
#include "style/palette.h"

#define BATCH_NUMBERS ((size_t)4 << 20) /* of series fetched at once */

/* Innermost ones of a stack that are told. */
enum { MOST_FRAMES = 40 };

/* A profile being written. */
typedef struct telling {
    hpf_json *json;
    hpf_survey *survey;
    const hpr_options *options;
    hpr_html_limits limits;
    hpf_arena *arena;
    hpr__assignment plan; /* all names, or groups of them, largest first */
    uint32_t *band_of;    /* by name: of the batch */
    double *numbers;      /* of the batch */
    size_t n_picks;
    uint32_t n_written; /* bands of the plan that have a series */
    size_t n_bytes;     /* packed */
    hpr__packed packed;
    hpf_error *err;
} telling;

void hpr__html_colour(hpf_json *json, const char *key, hpr_colour colour)
{
    char text[32];
    snprintf(text, sizeof text, "#%02x%02x%02x", hpr__colour_byte(colour.red),
             hpr__colour_byte(colour.green), hpr__colour_byte(colour.blue));
    hpf_json_text(json, key, text);
}

/* --- names ---------------------------------------------------------------------------------- */

/* The name with its colours on light and on dark ground. */
static void tell_name(hpf_json *json, hpf_str name, const hpr_colour *pinned)
{
    hpf_json_bytes(json, "name", name);
    hpf_json_array(json, "colour");
    hpr__html_colour(json, NULL, pinned ? *pinned : hpr__palette_of_name(name, false));
    hpr__html_colour(json, NULL, pinned ? *pinned : hpr__palette_of_name(name, true));
    hpf_json_close(json);
}

void hpr_html_names_json(const hpf_str *names, size_t n, hpf_sink *sink)
{
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_array(&json, NULL);
    for (size_t i = 0; i < n; i++) {
        hpf_json_object(&json, NULL);
        tell_name(&json, names[i], NULL);
        hpf_json_close(&json);
    }
    hpf_json_end(&json);
}

/* What is known beside a name: the whole of one that was cut, frames of a stack, members of a set.
 * False when there is no memory. */
static bool tell_more(telling *t, hpf_name name)
{
    hpf_frame frames[MOST_FRAMES];
    hpf_set set = {.members = {"", 0}};
    size_t n_frames = hpf_survey_frames(t->survey, name, frames, MOST_FRAMES);
    n_frames = n_frames < MOST_FRAMES ? n_frames : MOST_FRAMES;
    if (hpf_survey_set(t->survey, name, &set)) {
        hpf_json_bytes(t->json, "full", set.name);
    } else if (n_frames == 0) {
        return true;
    }
    hpf_sink *lines = hpf_sink_to_memory();
    if (!lines) {
        return false;
    }
    hpr__tooltip_lines(lines, frames, n_frames, set.members);
    bool is_whole = hpf_sink_flush(lines, NULL) == HPF_OK;
    hpf_json_bytes(t->json, "more", hpf_sink_bytes(lines));
    hpf_sink_destroy(lines);
    return is_whole;
}

/* --- series --------------------------------------------------------------------------------- */

static hpf_status tell_packed(telling *t, const char *key, const hpr__packed *packed)
{
    return hpr__packed_json(t->json, key, packed) ? HPF_OK : hpf_error_set_memory(t->err);
}

static hpf_status tell_numbers(telling *t, const char *key, const double *numbers, size_t n)
{
    return hpr__pack(&t->packed, numbers, n) ? tell_packed(t, key, &t->packed)
                                             : hpf_error_set_memory(t->err);
}

/* What the samples are: when, which of all, and how much in all. */
static hpf_status tell_samples(telling *t)
{
    const hpf_pick *picks = hpf_survey_overview(t->survey)->picks;
    double *numbers = t->numbers;
    for (size_t i = 0; i < t->n_picks; i++) {
        numbers[i] = picks[i].time;
    }
    hpf_status status = tell_numbers(t, "times", numbers, t->n_picks);
    for (size_t i = 0; i < t->n_picks; i++) {
        numbers[i] = (double)picks[i].sample_index;
    }
    status = status ? status : tell_numbers(t, "samples", numbers, t->n_picks);
    for (size_t i = 0; i < t->n_picks; i++) {
        numbers[i] = picks[i].total;
    }
    return status ? status : tell_numbers(t, "total", numbers, t->n_picks);
}

/* Fetches the bands [first, first + n) of the plan; with `as_one` as a single series. */
static hpf_status fetch(telling *t, uint32_t first, uint32_t n, bool as_one)
{
    for (uint32_t name = 0; name < hpf_survey_n_names(t->survey); name++) {
        uint32_t band = t->plan.band_of_name[name];
        bool is_in = band != HPF_NO_BAND && band >= first && band - first < n;
        t->band_of[name] = !is_in ? HPF_NO_BAND : as_one ? 0 : band - first;
    }
    return hpf_survey_series(t->survey, t->band_of, as_one ? 1 : n, t->numbers, t->err);
}

static hpf_str text_of(const telling *t, uint32_t band)
{
    return t->plan.texts ? t->plan.texts[band] : hpf_survey_name(t->survey, t->plan.names[band]);
}

/* Whether the series in `packed` still has a place. */
static bool is_affordable(const telling *t, uint32_t band)
{
    size_t cost = t->packed.n_bytes + text_of(t, band).length;
    return t->n_bytes + cost <= t->limits.most_bytes;
}

/* The next band, with its series. */
static hpf_status tell_band(telling *t, const hpr__packed *packed)
{
    uint32_t band = t->n_written;
    hpf_str text = text_of(t, band);
    hpf_json_object(t->json, NULL);
    tell_name(t->json, text, hpr__pinned_colour(t->options, text));
    if (!t->plan.texts && !tell_more(t, t->plan.names[band])) {
        return hpf_error_set_memory(t->err);
    }
    hpf_status status = tell_packed(t, "column", packed);
    hpf_json_close(t->json);
    t->n_bytes += packed->n_bytes + text.length;
    t->n_written++;
    return status;
}

/* Tells a band unless the budget is spent: then `*is_full` becomes true. */
static hpf_status tell_numbers_of_band(telling *t, const double *numbers, bool *is_full)
{
    if (!hpr__pack(&t->packed, numbers, t->n_picks)) {
        return hpf_error_set_memory(t->err);
    }
    *is_full = !is_affordable(t, t->n_written);
    return *is_full ? HPF_OK : tell_band(t, &t->packed);
}

static uint32_t batch_bands(const telling *t)
{
    size_t n = BATCH_NUMBERS / (t->n_picks ? t->n_picks : 1);
    size_t n_bands = t->plan.n_bands;
    n = n < 1 ? 1 : n;
    return (uint32_t)(n < n_bands ? n : n_bands);
}

/* Some at a time, each time from the samples. */
static hpf_status tell_by_batches(telling *t, uint32_t most)
{
    bool is_full = false;
    hpf_status status = HPF_OK;
    while (!status && !is_full && t->n_written < most) {
        uint32_t n = batch_bands(t);
        n = n < most - t->n_written ? n : most - t->n_written;
        status = fetch(t, t->n_written, n, false);
        for (uint32_t i = 0; i < n && !status && !is_full; i++) {
            status = tell_numbers_of_band(t, t->numbers + (size_t)i * t->n_picks, &is_full);
        }
    }
    return status;
}

/* All at once, packed while the samples go by. Errors: UNSUPPORTED where that cannot be: nothing
 * was told then. */
static hpf_status tell_in_one_pass(telling *t, uint32_t most)
{
    size_t *costs = hpf_arena_array(t->arena, most, sizeof *costs);
    hpr__columns columns = {.most_bytes = t->limits.most_bytes, .n = most, .costs = costs};
    if (!costs) {
        return hpf_error_set_memory(t->err);
    }
    for (uint32_t i = 0; i < most; i++) {
        costs[i] = text_of(t, i).length;
    }
    hpf_status status = hpr__columns_pack(&columns, t->survey, t->plan.band_of_name, t->err);
    for (uint32_t i = 0; i < columns.n && !status; i++) {
        status = tell_band(t, &columns.packers[i].packed);
    }
    hpr__columns_finish(&columns);
    return status;
}

static hpf_status tell_bands(telling *t)
{
    uint32_t most = t->plan.n_bands;
    if (t->limits.most_names && most > t->limits.most_names) {
        most = t->limits.most_names;
    }
    hpf_json_array(t->json, "names");
    hpf_status status = most > batch_bands(t) ? tell_in_one_pass(t, most) : HPF_ERR_UNSUPPORTED;
    if (status == HPF_ERR_UNSUPPORTED) {
        status = tell_by_batches(t, most);
    }
    hpf_json_close(t->json);
    return status;
}

/* All names that have no series of their own, in one. */
static hpf_status tell_rest(telling *t)
{
    uint32_t n = t->plan.n_bands - t->n_written;
    hpf_status status = HPF_OK;
    if (n == 0) {
        hpf_json_text(t->json, "rest", NULL);
        return status;
    }
    status = fetch(t, t->n_written, n, true);
    hpf_json_object(t->json, "rest");
    hpf_json_whole(t->json, "n", n);
    status = status ? status : tell_numbers(t, "column", t->numbers, t->n_picks);
    hpf_json_close(t->json);
    return status;
}

/* --- what stands beside --------------------------------------------------------------------- */

static void tell_marks(telling *t)
{
    const hpf_overview *o = hpf_survey_overview(t->survey);
    hpf_json_array(t->json, "marks");
    for (size_t i = 0; i < o->n_marks; i++) {
        hpf_json_object(t->json, NULL);
        hpf_json_number(t->json, "time", o->marks[i].time);
        hpf_json_bytes(t->json, "label", o->marks[i].label);
        hpf_json_close(t->json);
    }
    hpf_json_close(t->json);
}

static hpf_status tell_line(telling *t, const hpf_line *line)
{
    double *numbers = hpf_arena_array(t->arena, line->n_points, sizeof *numbers);
    if (!numbers) {
        return hpf_error_set_memory(t->err);
    }
    hpf_json_object(t->json, NULL);
    hpf_json_bytes(t->json, "name", line->name);
    for (size_t i = 0; i < line->n_points; i++) {
        numbers[i] = line->points[i].time;
    }
    hpf_status status = tell_numbers(t, "times", numbers, line->n_points);
    for (size_t i = 0; i < line->n_points; i++) {
        numbers[i] = line->points[i].value;
    }
    status = status ? status : tell_numbers(t, "values", numbers, line->n_points);
    hpf_json_close(t->json);
    return status;
}

static hpf_status tell_lines(telling *t)
{
    const hpf_overview *o = hpf_survey_overview(t->survey);
    hpf_status status = HPF_OK;
    hpf_json_array(t->json, "lines");
    for (size_t i = 0; i < o->n_lines && !status; i++) {
        status = tell_line(t, &o->lines[i]);
    }
    hpf_json_close(t->json);
    return status;
}

static void tell_head(telling *t, const hpr_html_profile *about)
{
    const hpf_overview *o = hpf_survey_overview(t->survey);
    hpf_json_whole(t->json, "id", about->id);
    hpf_json_whole(t->json, "epoch", about->epoch);
    hpf_json_bytes(t->json, "title", hpf_survey_header(t->survey, HPF_HEADER_JOB));
    hpf_json_text(t->json, "file", about->file);
    hpf_json_bytes(t->json, "date", hpf_survey_header(t->survey, HPF_HEADER_DATE));
    hpf_json_bytes(t->json, "sample_unit", hpf_survey_header(t->survey, HPF_HEADER_SAMPLE_UNIT));
    hpf_json_bytes(t->json, "value_unit", hpf_survey_header(t->survey, HPF_HEADER_VALUE_UNIT));
    hpf_json_text(t->json, "state", about->state ? about->state : "ended");
    hpf_json_whole(t->json, "n_samples", o->n_samples);
}

/* --- all of it ------------------------------------------------------------------------------ */

static hpf_status prepare(telling *t)
{
    hpr_options all = *t->options; /* every name, largest first */
    uint32_t n_names = hpf_survey_n_names(t->survey);
    all.n_bands = 0;
    all.trace_percent = 0;
    t->n_picks = hpf_survey_overview(t->survey)->n_picks;
    t->arena = hpf_arena_create();
    if (!t->arena) {
        return hpf_error_set_memory(t->err);
    }
    hpf_status status = hpr__modern_select(&t->plan, t->arena, t->survey, &all, t->err);
    if (status) {
        return status;
    }
    t->band_of = hpf_arena_array(t->arena, n_names, sizeof *t->band_of);
    size_t n_rows = batch_bands(t);
    t->numbers = calloc((n_rows ? n_rows : 1) * (t->n_picks ? t->n_picks : 1), sizeof *t->numbers);
    return t->band_of && t->numbers ? HPF_OK : hpf_error_set_memory(t->err);
}

static hpf_status list_chosen(const telling *t, uint32_t **chosen)
{
    uint32_t n_names = hpf_survey_n_names(t->survey);
    uint32_t *place = calloc(n_names ? n_names : 1, sizeof *place);
    for (uint32_t name = 0; place && name < n_names; name++) {
        uint32_t band = t->plan.band_of_name[name];
        place[name] = band != HPF_NO_BAND && band < t->n_written ? band : UINT32_MAX;
    }
    *chosen = place;
    return place ? HPF_OK : hpf_error_set_memory(t->err);
}

static hpf_status tell(telling *t, const hpr_html_profile *about)
{
    hpf_json_object(t->json, NULL);
    tell_head(t, about);
    hpf_status status = tell_samples(t);
    status = status ? status : tell_bands(t);
    status = status ? status : tell_rest(t);
    if (!status) {
        tell_marks(t);
        status = tell_lines(t);
    }
    hpf_json_close(t->json);
    return status;
}

hpf_status hpr__html_profile(hpf_json *json, hpf_survey *survey, const hpr_html_profile *about,
                             const hpr_html_limits *limits, const hpr_options *options,
                             uint32_t **chosen, hpf_error *err)
{
    telling t = {.json = json, .survey = survey, .options = options, .err = err};
    t.limits = limits ? *limits : (hpr_html_limits){0};
    t.limits.most_bytes = t.limits.most_bytes ? t.limits.most_bytes : HPR__HTML_MOST_BYTES;
    hpf_status status = prepare(&t);
    status = status ? status : tell(&t, about);
    if (!status && chosen) {
        status = list_chosen(&t, chosen);
    }
    hpr__packed_finish(&t.packed);
    free(t.numbers);
    hpf_arena_destroy(t.arena);
    return status;
}

hpf_status hpr_html_profile_json(hpf_survey *survey, const hpr_html_profile *about,
                                 const hpr_html_limits *limits, hpf_sink *sink, uint32_t **chosen,
                                 hpf_error *err)
{
    const hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpf_json json = hpf_json_begin_line(sink);
    if (chosen) {
        *chosen = NULL;
    }
    hpf_status status = hpr__html_profile(&json, survey, about, limits, &options, chosen, err);
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
