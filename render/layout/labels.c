/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Places labels inside bands, in the margin or in a legend. All heights are measured upwards.
 */
#include "base/arena.h"
#include "base/intern.h"
#include "base/names.h"
#include "layout/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "layout/elide.h"
#include "layout/geometry.h"
#include "layout/label_space.h"

enum { PADDING_PT = 3 }; /* left and right of a text inside its band */

/* A thinner OTHER gets no label, which would take width from all other bands. */
static const double least_named_other_pt = 2;

double hpr__swatch_width_pt(const hpr_chart *chart)
{
    double width = chart->is_lines ? 16 : HPR__SWATCH_PT;
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        width = chart->bands[i].fill.hatch_gap_pt > 0 ? fmax(width, 12) : width;
    }
    return width;
}

double hpr__margin_extra_pt(const hpr_chart *chart)
{
    return HPR__LEADER_PT + hpr__swatch_width_pt(chart) + HPR__SWATCH_GAP_PT;
}

static hpr_text_size measure(const hpr__label_style *style, const char *text, double size_pt)
{
    return style->measurer.measure(style->measurer.context, text, size_pt, false);
}

static const char *without_id(const hpr_band *band)
{
    return hpf__without_id(hpf_str_of(band->text)).data;
}

/* Returns whether `shown`, elided or not, could also stand for a name. */
static bool could_be(const char *shown, hpf_str name)
{
    const char *cut = strstr(shown, hpr__ellipsis);
    size_t head = cut ? (size_t)(cut - shown) : strlen(shown);
    const char *tail = cut ? cut + strlen(hpr__ellipsis) : "";
    size_t n_tail = strlen(tail);
    bool has_length = cut ? name.length >= head + n_tail : name.length == head;
    return has_length && memcmp(name.data, shown, head) == 0 &&
           memcmp(name.data + name.length - n_tail, tail, n_tail) == 0;
}

/* Returns whether the name of a band has to differ from that of another one. */
static bool is_beside(const hpr_band *other, const hpr_band *band)
{
    return other != band && !other->is_other && !other->is_named_elsewhere;
}

/* Returns whether the name of a band, elided or not, could also be the name of another band. */
static bool is_mistakable(const hpr__chart *chart, const hpr_band *band, const char *shown)
{
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const hpr_band *other = &chart->public.bands[i];
        if (is_beside(other, band) && could_be(shown, hpf_str_of(without_id(other)))) {
            return true;
        }
    }
    return false;
}

/* Returns the name of OTHER, with the number of its names; NULL if there is no memory. */
static const char *name_of_other(hpr__chart *chart, const hpr_band *band)
{
    size_t n_bytes = strlen(band->text) + 32;
    char *name = hpf_arena_alloc(chart->arena, n_bytes);
    if (name) {
        snprintf(name, n_bytes, "OTHER (%u name%s)", (unsigned)band->n_names,
                 band->n_names == 1 ? "" : "s");
    }
    return name;
}

/* Sets whole names, without ids where they stay different. */
static hpf_status name_whole(hpr__chart *chart, hpf_error *err)
{
    uint32_t n = chart->public.n_bands;
    hpf_str *names = hpf_arena_array(chart->arena, n, sizeof *names);
    for (uint32_t i = 0; names && i < n; i++) {
        names[i] = hpf_str_of(chart->bands[i].text);
    }
    bool is_ok = names && hpf__drop_ids(names, n);
    for (uint32_t i = 0; i < n && is_ok; i++) {
        hpr_band *band = &chart->bands[i];
        band->shown = band->is_other ? name_of_other(chart, band) : names[i].data;
        is_ok = band->shown != NULL;
    }
    return is_ok ? HPF_OK : hpf_error_set_memory(err);
}

/* Returns how long a prefix that ends with a separator all names share; 0 if it is not worth
 * leaving out. */
static size_t common_prefix(const hpr__chart *chart)
{
    enum { LEAST_BYTES = 4 };
    const char *first = NULL;
    size_t length = 0;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const char *name = without_id(&chart->bands[i]);
        if (chart->bands[i].is_other) {
            continue;
        }
        size_t same = 0;
        while (first && same < length && name[same] && name[same] == first[same]) {
            same++;
        }
        length = first ? same : strlen(name);
        first = first ? first : name;
        length -= name[length] == '\0' && length > 0; /* something stays */
    }
    while (length > 0 && !strchr(".:/", first[length - 1])) {
        length--;
    }
    return length >= LEAST_BYTES ? length : 0;
}

/* Returns whether the callers of two stacks can be the same: `x` and `y` are equal, or one was cut
 * by its producer. */
static bool are_like(const char *x, const char *y)
{
    size_t n_x = strlen(x), n_y = strlen(y);
    bool is_x_cut = n_x > 3 && strcmp(x + n_x - 3, "...") == 0;
    bool is_y_cut = n_y > 3 && strcmp(y + n_y - 3, "...") == 0;
    n_x -= is_x_cut ? 3 : 0;
    n_y -= is_y_cut ? 3 : 0;
    return strncmp(x, y, n_x < n_y ? n_x : n_y) == 0 &&
           (n_x == n_y || (n_x < n_y ? is_x_cut : is_y_cut));
}

/* Finds out whether the innermost functions of all stacks are different. */
static hpf_status are_different(bool *are, const hpr__chart *chart, hpf_error *err)
{
    hpf__intern functions = {0};
    hpf_status status = HPF_OK;
    *are = true;
    for (uint32_t i = 0; !status && *are && i < chart->public.n_bands; i++) {
        const char *name = without_id(&chart->bands[i]);
        uint32_t number;
        if (!chart->bands[i].is_other) {
            status = hpf__intern_add(&functions, (hpf_str){name, strcspn(name, "/")}, &number, are);
        }
    }
    hpf__intern_finish(&functions);
    return status ? hpf_error_set_memory(err) : HPF_OK;
}

/* Finds the callers that all stacks have in common, from the first "/" on, if their innermost
 * functions tell them apart; else NULL. */
static hpf_status find_common_callers(const char **common, const hpr__chart *chart, hpf_error *err)
{
    const char *longest = NULL;
    bool is_enough;
    *common = NULL;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const char *name = without_id(&chart->bands[i]);
        const char *callers = strchr(name, '/');
        if (chart->bands[i].is_other) {
            continue;
        }
        if (!callers || callers == name || (longest && !are_like(callers, longest))) {
            return HPF_OK;
        }
        longest = longest && strlen(longest) >= strlen(callers) ? longest : callers;
    }
    hpf_status status = are_different(&is_enough, chart, err);
    *common = !status && is_enough ? longest : NULL;
    return status;
}

hpf_status hpr__labels_name(hpr__chart *chart, hpf_error *err)
{
    chart->public.common = (hpr_label){.place = HPR_LABEL_NONE};
    return name_whole(chart, err);
}

/* Sets the names of all bands without the prefix or the callers. */
static hpf_status shorten(hpr__chart *chart, size_t prefix, const char *callers, hpf_error *err)
{
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        hpr_band *band = &chart->bands[i];
        const char *name = without_id(band);
        hpf_str function = {name, strcspn(name, "/")};
        if (!band->is_other && (prefix > 0 || callers)) {
            band->shown = prefix > 0 ? name + prefix : hpf_arena_text(chart->arena, function);
        }
        if (!band->shown) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

hpf_status hpr__labels_shorten(hpr__chart *chart, hpf_error *err)
{
    size_t n_names = 0;
    const char *any = "", *callers = NULL;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        n_names += !chart->bands[i].is_other;
        any = chart->bands[i].is_other ? any : without_id(&chart->bands[i]);
    }
    size_t prefix = n_names > 1 ? common_prefix(chart) : 0;
    if ((n_names > 1 && prefix == 0 && find_common_callers(&callers, chart, err)) ||
        shorten(chart, prefix, callers, err)) {
        return HPF_ERR_MEMORY;
    }
    if (prefix > 0 || callers) {
        size_t n_bytes = prefix + strlen(callers ? callers : "") + sizeof "names: \u2026";
        char *text = hpf_arena_alloc(chart->arena, n_bytes);
        if (!text) {
            return hpf_error_set_memory(err);
        }
        snprintf(text, n_bytes, "names: %.*s%s%s", (int)prefix, any, hpr__ellipsis,
                 callers ? callers : "");
        chart->public.common.text = text;
    }
    return HPF_OK;
}

bool hpr__labels_are_cut(const hpr_chart *chart)
{
    for (uint32_t i = 0; i < chart->n_bands; i++) {
        const hpr_band *band = &chart->bands[i];
        bool is_cut = band->label.place != HPR_LABEL_NONE &&
                      strstr(band->label.text, hpr__ellipsis) && !strstr(band->text, hpr__ellipsis);
        if (is_cut || hpr__label_is_due(chart, band)) {
            return true;
        }
    }
    return false;
}

/* Returns where the first frame of a stack begins that another stack has not. */
static size_t find_difference(const char *stack, const char *other)
{
    size_t at = 0;
    while (stack[at] && stack[at] == other[at]) {
        at++;
    }
    while (at > 0 && stack[at - 1] != '/') {
        at--;
    }
    return at;
}

/* Returns the frame of a stack that tells it from all others that are shown. */
static hpf_str differing_frame(const hpr__chart *chart, const hpr_band *band)
{
    const char *stack = without_id(band);
    size_t at = 0;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const hpr_band *other = &chart->public.bands[i];
        if (is_beside(other, band)) {
            size_t difference = find_difference(stack, without_id(other));
            at = difference > at ? difference : at;
        }
    }
    return (hpf_str){stack + at, strcspn(stack + at, "/")};
}

/* Returns a frame of a stack, after the innermost one if `has_first`; NULL if there is no memory.
 */
static const char *frames_of(hpr__chart *chart, const char *stack, hpf_str frame, bool has_first)
{
    size_t first = strcspn(stack, "/"), at = (size_t)(frame.data - stack);
    size_t n_bytes = strlen(stack) + 16;
    const char *rest = stack[at + frame.length] ? "/\xE2\x80\xA6" : "";
    char *text = hpf_arena_alloc(chart->arena, n_bytes);
    if (text && has_first && at <= first + 1) {
        snprintf(text, n_bytes, "%.*s%s", (int)(at + frame.length), stack, rest);
    } else if (text) {
        snprintf(text, n_bytes, "%.*s%s%.*s%s", has_first ? (int)first : 0, stack,
                 has_first ? "/\xE2\x80\xA6/" : "\xE2\x80\xA6/", (int)frame.length, frame.data,
                 rest);
    }
    return text;
}

/* Returns whether an elided frame could also be the differing frame of another band, and stores how
 * many bytes at its beginning `frame` shares with any of these. */
static bool is_frame_mistakable(const hpr__chart *chart, const hpr_band *band, const char *shown,
                                hpf_str frame, size_t *common)
{
    bool is_mistakable = false;
    *common = 0;
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        const hpr_band *other = &chart->public.bands[i];
        if (is_beside(other, band)) {
            hpf_str theirs = differing_frame(chart, other);
            size_t n = 0;
            while (n < frame.length && n < theirs.length && frame.data[n] == theirs.data[n]) {
                n++;
            }
            *common = n > *common ? n : *common;
            is_mistakable |= could_be(shown, theirs);
        }
    }
    return is_mistakable;
}

/* Elides a frame so that it cannot be mistaken for the differing frame of another band: in the
 * middle, or else what they share at the beginning. Returns NULL if that is not possible. */
static const char *elide_frame(hpr__chart *chart, const hpr_band *band, hpf_str frame,
                               double width_pt, const hpr__label_style *style, double size_pt)
{
    enum { MOST_BANDS = 64 };
    const char *whole = hpf_arena_text(chart->arena, frame);
    size_t n_bytes = whole ? hpr__elided_bytes(whole) : 0, common;
    char *out = whole ? hpf_arena_alloc(chart->arena, n_bytes) : NULL;
    if (!out || chart->public.n_bands > MOST_BANDS) {
        return NULL;
    }
    hpr__elide(out, whole, width_pt, size_pt, false, style->measurer);
    if (!is_frame_mistakable(chart, band, out, frame, &common)) {
        return out;
    }
    while (common > 0 && hpr__is_inside_character(whole[common])) {
        common--; /* not inside a character */
    }
    snprintf(out, n_bytes, "%s%s", hpr__ellipsis, whole + common);
    bool fits = measure(style, out, size_pt).width_pt <= width_pt;
    return fits && !is_frame_mistakable(chart, band, out, frame, &common) ? out : NULL;
}

const char *hpr__label_text(hpr__chart *chart, const hpr_band *band, double width_pt,
                            const hpr__label_style *style, double size_pt)
{
    const char *shown = hpr_band_shown(band), *bare = without_id(band);
    char *out =
        hpf_arena_alloc(chart->arena, hpr__elided_bytes(band->is_other ? shown : band->text));
    if (!out) {
        return NULL;
    }
    hpr__elide(out, shown, width_pt, size_pt, false, style->measurer);
    bool has_frames = strchr(bare, '/') && (shown == bare || shown == band->text);
    if (!has_frames || strcmp(out, shown) == 0 || width_pt == HUGE_VAL) {
        return out;
    }
    hpr__elide(out, bare, width_pt, size_pt, false, style->measurer);
    if (!is_mistakable(chart, band, out)) {
        return out;
    }
    if (shown == bare) {
        hpf_str frame = differing_frame(chart, band);
        for (int has_first = 1; has_first >= 0; has_first--) {
            const char *frames = frames_of(chart, bare, frame, has_first);
            if (!frames || measure(style, frames, size_pt).width_pt <= width_pt) {
                return frames;
            }
        }
        const char *elided = elide_frame(chart, band, frame, width_pt, style, size_pt);
        if (elided) {
            return elided;
        }
    }
    hpr__elide(out, band->text, width_pt, size_pt, false, style->measurer);
    return out;
}

/* The space of a band between two curves. */
typedef struct slot {
    const hpr__columns *columns;
    const hpr__extent *lower, *upper;
    bool avoids_rules;
} slot;

/* Sets `text` inside the band if it fits; returns whether it does. */
static bool try_inside(hpr__chart *chart, hpr_band *band, const slot *between, const char *text,
                       double size_pt, const hpr__label_style *style)
{
    hpr_text_size line = measure(style, text, size_pt);
    const hpr__box box = {line.width_pt + 2 * PADDING_PT, line.ascent_pt + line.descent_pt,
                          between->avoids_rules};
    double x, y;
    if (!hpr__label_space_find(between->columns, between->lower, between->upper, &box, &x, &y)) {
        return false;
    }
    band->label = (hpr_label){
        .place = HPR_LABEL_INSIDE,
        .text = text,
        .x_pt = chart->public.plot_x_pt + x,
        .y_pt = hpr__y_of(&chart->public, 0) + y - (line.ascent_pt - line.descent_pt) / 2,
        .size_pt = size_pt,
    };
    return true;
}

/* Sets the widest elided name that fits inside, if it is wider than in the margin. */
static hpf_status place_cut(hpr__chart *chart, hpr_band *band, const slot *between,
                            double whole_width_pt, const hpr__label_style *style, hpf_error *err)
{
    enum { N_TRIES = 5 };
    double size = style->smallest_pt;
    for (int i = 1; i <= N_TRIES; i++) {
        double share = (double)i / (N_TRIES + 1);
        double width = whole_width_pt + share * (style->margin_text_pt - whole_width_pt);
        const char *text = width > 0 ? hpr__label_text(chart, band, width, style, size) : "";
        if (!text) {
            return hpf_error_set_memory(err);
        }
        if (*text && try_inside(chart, band, between, text, size, style)) {
            break;
        }
    }
    return HPF_OK;
}

/* Sets a name in the largest size that fits, elided if the margin would cut it even shorter. */
static hpf_status place_in_slot(hpr__chart *chart, hpr_band *band, const slot *between,
                                const hpr__label_style *style, hpf_error *err)
{
    double thickest = hpr__label_space_thickest(between->columns, between->lower, between->upper);
    if (thickest < style->smallest_pt) {
        return HPF_OK;
    }
    const char *text = hpr__label_text(chart, band, HUGE_VAL, style, style->smallest_pt);
    if (!text) {
        return hpf_error_set_memory(err);
    }
    for (double size = style->largest_pt; size >= style->smallest_pt; size--) {
        if (try_inside(chart, band, between, text, size, style)) {
            return HPF_OK;
        }
    }
    double width = measure(style, text, style->smallest_pt).width_pt;
    if (width <= style->margin_text_pt || band->is_other) {
        return HPF_OK;
    }
    return place_cut(chart, band, between, width, style, err);
}

/* Sets a name off the rules, even if it must be smaller, or else on them. */
static hpf_status place_inside(hpr__chart *chart, hpr_band *band, slot between,
                               const hpr__label_style *style, hpf_error *err)
{
    between.avoids_rules = between.columns->n_rules > 0;
    hpf_status status = place_in_slot(chart, band, &between, style, err);
    if (!status && between.avoids_rules && band->label.place == HPR_LABEL_NONE) {
        between.avoids_rules = false;
        status = place_in_slot(chart, band, &between, style, err);
    }
    return status;
}

hpf_status hpr__labels_inside(hpr__chart *chart, const hpr__label_style *style, const double *x_pt,
                              hpf_error *err)
{
    const hpr_chart *public = &chart->public;
    double scale = hpr__height_of(public, 1);
    hpr__columns columns;
    hpr__extent extents[2];
    double *rules = hpf_arena_array(chart->arena, public->n_marks, sizeof *rules);
    if (!rules ||
        !hpr__columns_init(&columns, chart->arena, x_pt, public->n_points, public->plot_width_pt) ||
        !hpr__extent_init(&extents[0], chart->arena, &columns) ||
        !hpr__extent_init(&extents[1], chart->arena, &columns)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < public->n_marks; i++) {
        if (public->marks[i].is_ruled) {
            rules[columns.n_rules++] =
                hpr__x_of_time(public, public->marks[i].time) - public->plot_x_pt;
        }
    }
    columns.rules_pt = rules;
    const double *below = public->base;
    for (uint32_t i = 0; i < public->n_bands; i++) {
        hpr_band *band = &chart->bands[i];
        const double *lower = below;
        below = band->upper;
        band->label = (hpr_label){.place = HPR_LABEL_NONE};
        if (public->is_lines || band->is_named_elsewhere ||
            hpr__height_of(public, band->max) < style->smallest_pt) {
            continue; /* no text is wanted, or none fits */
        }
        hpr__extent_fill(&extents[0], &columns, lower, scale);
        hpr__extent_fill(&extents[1], &columns, band->upper, scale);
        hpf_status status = place_inside(
            chart, band, (slot){&columns, &extents[0], &extents[1], false}, style, err);
        if (status) {
            return status;
        }
    }
    return HPF_OK;
}

bool hpr__label_is_due(const hpr_chart *chart, const hpr_band *band)
{
    /* Lanes make bands thinner, but do not change which are named. */
    double whole = (chart->plot_height_pt + chart->lanes_pt) / chart->plot_height_pt;
    double thickest = hpr__height_of(chart, band->max) * whole;
    return hpr__is_shown(chart, band) && !band->is_named_elsewhere &&
           band->label.place == HPR_LABEL_NONE &&
           thickest > (band->is_other ? least_named_other_pt : 0);
}

typedef struct margin {
    hpr__chart *chart;
    const hpr__label_style *style;
    hpr_band **bands; /* without a label, bottom first */
    size_t n;
    double text_x_pt, text_width_pt;
    double low_pt, high_pt;
    double size_pt;
    hpr_text_size line; /* height of the font in that size */
} margin;

static void set_size(margin *m, double size_pt)
{
    m->size_pt = size_pt;
    m->line = measure(m->style, "Ag", size_pt);
}

static double pitch_of(const margin *m)
{
    return m->line.ascent_pt + m->line.descent_pt + 0.25;
}

/* Returns how many rows fit. */
static size_t capacity_of(const margin *m)
{
    double rows = floor((m->high_pt - m->low_pt) / pitch_of(m) + 1e-6);
    return rows > 0 ? (size_t)fmin(rows, 1e6) : 0;
}

/* Sets the label of a band with its middle at a height, unless not even an ellipsis fits. */
static hpf_status put_label(margin *m, hpr_band *band, hpr_label_place place, double middle_pt,
                            hpf_error *err)
{
    const char *text = hpr__label_text(m->chart, band, m->text_width_pt, m->style, m->size_pt);
    if (!text) {
        return hpf_error_set_memory(err);
    }
    if (*text == '\0' && *band->text != '\0') {
        return HPF_OK;
    }
    band->label = (hpr_label){
        .place = place,
        .text = text,
        .x_pt = m->text_x_pt,
        .y_pt = middle_pt - (m->line.ascent_pt - m->line.descent_pt) / 2,
        .size_pt = m->size_pt,
        .box_x_pt = m->text_x_pt - HPR__SWATCH_GAP_PT - hpr__swatch_width_pt(&m->chart->public),
        .box_y_pt = middle_pt - HPR__SWATCH_PT / 2,
    };
    return HPF_OK;
}

/* Returns the thickness of the whole stack at a point. */
static double thickness_at(const hpr_chart *chart, size_t point)
{
    if (!chart->base || chart->n_bands == 0) {
        return chart->totals[point];
    }
    return chart->bands[chart->n_bands - 1].upper[point] - chart->base[point];
}

size_t hpr__end_point(const hpr_chart *chart)
{
    const double *times = chart->xs;
    size_t last = chart->n_points ? chart->n_points - 1 : 0;
    size_t end = last;
    for (size_t i = last; i > 0 && last - i < 2; i--) {
        bool is_late = times[i - 1] >= times[last] - (times[last] - times[0]) / 10;
        bool is_less = thickness_at(chart, end) < thickness_at(chart, i - 1) * 0.6;
        end = is_late && is_less ? i - 1 : end;
    }
    return end;
}

/* Returns the height of the middle of a band, or of its line, at the end point. */
static double right_end_of(const hpr_chart *chart, const hpr_band *band)
{
    if (chart->n_points == 0) {
        return chart->plot_y_pt;
    }
    size_t end = hpr__end_point(chart);
    double amount = chart->is_lines ? band->values[end] : band->upper[end] - band->values[end] / 2;
    return hpr__y_of(chart, amount);
}

/* Sorts lines by their ends, the lowest first; equal ones by their maxima. */
static int compare_ends(const void *a, const void *b)
{
    const hpr_band *x = *(hpr_band *const *)a;
    const hpr_band *y = *(hpr_band *const *)b;
    if (x->label.anchor_y_pt != y->label.anchor_y_pt) {
        return x->label.anchor_y_pt < y->label.anchor_y_pt ? -1 : 1;
    }
    return x->max < y->max ? -1 : x->max > y->max;
}

/* Places all names next to their bands. */
static hpf_status fill_margin(margin *m, hpf_error *err)
{
    hpr__label_slot *items = hpf_arena_array(m->chart->arena, m->n, sizeof *items);
    if (!items) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < m->n; i++) {
        m->bands[i]->label.anchor_y_pt = right_end_of(&m->chart->public, m->bands[i]);
    }
    if (m->chart->public.is_lines) {
        qsort(m->bands, m->n, sizeof *m->bands, compare_ends);
    }
    for (size_t i = 0; i < m->n; i++) {
        items[i].wanted = m->bands[i]->label.anchor_y_pt;
    }
    double half = pitch_of(m) / 2;
    hpr__space_labels(items, m->n, pitch_of(m), m->low_pt + half, m->high_pt - half);
    for (size_t i = 0; i < m->n; i++) {
        if (put_label(m, m->bands[i], HPR_LABEL_MARGIN, items[i].at, err)) {
            return HPF_ERR_MEMORY;
        }
        m->bands[i]->label.anchor_y_pt = items[i].wanted;
    }
    return HPF_OK;
}

int hpr__compare_areas(const void *a, const void *b)
{
    const hpr_band *x = *(hpr_band *const *)a;
    const hpr_band *y = *(hpr_band *const *)b;
    if (x->trapezium != y->trapezium) {
        return x->trapezium > y->trapezium ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

static int compare_places(const void *a, const void *b)
{
    const hpr_band *x = *(hpr_band *const *)a;
    const hpr_band *y = *(hpr_band *const *)b;
    return x < y ? -1 : x > y;
}

/* If not all names fit, keeps the names of the largest bands, and leaves the last row free for the
 * number of the others. */
static void keep_largest(margin *m)
{
    size_t capacity = capacity_of(m);
    if (m->n > capacity) {
        qsort(m->bands, m->n, sizeof *m->bands, hpr__compare_areas);
        m->n = capacity > 0 ? capacity - 1 : 0;
        qsort(m->bands, m->n, sizeof *m->bands, compare_places);
    }
}

/* Places the names in a legend. */
static hpf_status fill_legend(margin *m, hpf_error *err)
{
    keep_largest(m);
    double middle = m->high_pt - pitch_of(m) / 2;
    for (size_t i = m->n; i-- > 0;) {
        if (put_label(m, m->bands[i], HPR_LABEL_LEGEND, middle, err)) {
            return HPF_ERR_MEMORY;
        }
        middle -= pitch_of(m);
    }
    return HPF_OK;
}

/* Lists the bands without a label, and sets the largest size in which their names fit between the
 * heights of the margin, or the smallest one. */
static hpf_status init_margin(margin *m, hpf_error *err)
{
    hpr__chart *chart = m->chart;
    m->bands = hpf_arena_array(chart->arena, chart->public.n_bands, sizeof *m->bands);
    if (!m->bands) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < chart->public.n_bands; i++) {
        if (hpr__label_is_due(&chart->public, &chart->bands[i])) {
            m->bands[m->n++] = &chart->bands[i];
        }
    }
    double size = m->style->largest_pt;
    set_size(m, size);
    while (m->n > capacity_of(m) && size - 1 >= m->style->smallest_pt) {
        size--;
        set_size(m, size);
    }
    return HPF_OK;
}

hpf_status hpr__labels_margin_width(double *width_pt, hpr__chart *chart,
                                    const hpr__label_style *style, double height_pt, hpf_error *err)
{
    margin m = {.chart = chart, .style = style, .high_pt = height_pt};
    double extra = hpr__margin_extra_pt(&chart->public);
    *width_pt = 0;
    if (init_margin(&m, err)) {
        return HPF_ERR_MEMORY;
    }
    keep_largest(&m);
    for (size_t i = 0; i < m.n; i++) {
        const char *text = hpr__label_text(chart, m.bands[i], HUGE_VAL, style, style->largest_pt);
        if (!text) {
            return hpf_error_set_memory(err);
        }
        *width_pt = fmax(*width_pt, measure(style, text, style->largest_pt).width_pt + extra);
    }
    return HPF_OK;
}

hpf_status hpr__labels_margin(hpr__chart *chart, const hpr__label_style *style,
                              const hpr__margin_box *box, bool as_legend, hpf_error *err)
{
    double extra = hpr__margin_extra_pt(&chart->public);
    margin m = {
        .chart = chart,
        .style = style,
        .text_x_pt = hpr__right_of_plot(&chart->public) + extra,
        .text_width_pt = box->width_pt - extra,
        .low_pt = box->low_pt,
        .high_pt = box->high_pt,
    };
    if (init_margin(&m, err)) {
        return HPF_ERR_MEMORY;
    }
    return m.n <= capacity_of(&m) && !as_legend ? fill_margin(&m, err) : fill_legend(&m, err);
}
