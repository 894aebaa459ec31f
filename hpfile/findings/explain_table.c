/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each name becomes a row with the figures that can be added up; rows with the same text are then
 * added up.
 */
#include "findings/explain_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/frame.h"
#include "base/names.h"
#include "hpfile/str.h"
#include "hpfile/prof.h"
#include "hpfile/survey.h"

/* Moments of the time, and the peak. */
enum { N_MOMENTS = 4, PEAK = N_MOMENTS, N_AMOUNTS };

enum { MOST_FRAMES = 64, MOST_CALLERS = 4 };

/* --- frames ---------------------------------------------------------------------------------- */

/* Returns a place without its folders; an empty text without a line. */
static hpf_str short_place(hpf_str source)
{
    hpf_str base = hpf__base_name(source);
    bool has_line = base.length > 0 && memchr(base.data, ':', base.length);
    return has_line && base.data[0] != '<' ? base : HPF_STR("");
}

hpf_str hpf__explain_place(const hpf_explain_recording *r, hpf_str label)
{
    const hpf_prof *prof = r->in->report ? hpf_prof_file_report(r->in->report) : NULL;
    for (size_t i = 0; prof && i < prof->n_centres; i++) {
        if (hpf_str_equal(prof->centres[i].label, label) && !prof->centres[i].is_caf) {
            return short_place(prof->centres[i].srcloc);
        }
    }
    return HPF_STR("");
}

/* Joins the labels of callers, innermost first. */
static hpf_str join_callers(const hpf_frame *frames, size_t n, hpf_arena *arena)
{
    hpf__buffer text = {0};
    bool is_ok = true;
    for (size_t i = 0; i < n && i < MOST_CALLERS && is_ok; i++) {
        hpf_str label = frames[i].label;
        is_ok = (i == 0 || hpf__buffer_append(&text, " < ", 3)) && hpf__buffer_add(&text, label);
    }
    is_ok = is_ok && (n <= MOST_CALLERS || hpf__buffer_append(&text, " < ...", 6));
    hpf_str joined = is_ok ? hpf_arena_str(arena, hpf__buffer_str(&text)) : HPF_STR("");
    hpf__buffer_finish(&text);
    return joined;
}

/* Describes who allocated the objects of a name by its stack. */
static void describe_maker(hpf_explain_part *part, const hpf_explain_recording *r,
                           const hpf_frame *frames, size_t n, hpf_arena *arena)
{
    const hpf_frame_rules *rules = hpf_survey_frame_rules(r->in->survey);
    size_t own = hpf_frame_rules_own(rules, frames, n);
    bool is_cut = n > 0 && hpf_str_ends(frames[n - 1].label, "...");
    part->is_cut = is_cut && (own + 1 >= n ||
                              hpf_frame_rules_owner(rules, &frames[own]) != HPF_FRAME_OF_PROGRAM);
    const hpf_frame *outermost = &frames[n - 1];
    bool is_caf = outermost->is_caf || hpf_str_ends(outermost->label, ".CAF");
    bool is_of_library =
        hpf_str_begins(outermost->label, "GHC.") || hpf_str_begins(outermost->module, "GHC.");
    /* `main` is one, too, but a program runs it once and does not keep it. */
    bool is_main = n > 1 && hpf_str_is(frames[n - 2].label, "main");
    part->is_constant = is_caf && !is_of_library && !is_main;
    if (part->is_constant) { /* name the constant, not the functions that it calls */
        own = n > 1 ? n - 2 : 0;
    }
    part->name = frames[own].label;
    part->place = short_place(frames[own].source);
    part->place = part->place.length ? part->place : hpf__explain_place(r, part->name);
    part->callers = join_callers(&frames[own + 1], n - own - 1, arena);
}

/* --- contents and holders -------------------------------------------------------------------- */

static hpf_explain_object_kind kind_of(const hpf_explain_recording *r, hpf_str name)
{
    hpf_breakdown by = r->by;
    name = name.data ? name : HPF_STR("");
    bool is_kind = by == HPF_BREAKDOWN_CLOSURE_TYPE || by == HPF_BREAKDOWN_INFO_TABLE ||
                   (by == HPF_BREAKDOWN_TYPE && r->has_closures);
    hpf_str last = name;
    for (const char *dot; (dot = memchr(last.data, '.', last.length)) && last.length > 1 &&
                          dot + 1 < last.data + last.length;) {
        last = hpf_str_from(last, (size_t)(dot + 1 - last.data));
    }
    if (hpf_str_begins(name, "->") || hpf_str_begins(name, "FUN") || hpf_str_begins(name, "PAP") ||
        hpf_str_ends(name, "\\")) {
        return HPF_EXPLAIN_FUNCTION;
    }
    if (hpf_str_ends(name, "BLACKHOLE") ||
        (is_kind && (hpf_str_begins(name, "THUNK") || hpf_str_begins(name, "AP")))) {
        return HPF_EXPLAIN_EXPRESSION;
    }
    bool is_code =
        name.length && (name.data[0] == '<' || (last.data[0] >= 'a' && last.data[0] <= 'z'));
    return is_code && by == HPF_BREAKDOWN_CLOSURE_DESCR ? HPF_EXPLAIN_EXPRESSION : HPF_EXPLAIN_DATA;
}

/* Describes a name by the break-down of the recording. `top` is the innermost frame, if any. */
static void describe_name(hpf_explain_part *part, const hpf_explain_recording *r, hpf_str name,
                          const hpf_frame *top)
{
    hpf_retainer_set set = {.name = name};
    bool is_table = top && top->table.length > 0;
    part->set = name;
    if (r->by == HPF_BREAKDOWN_RETAINER) {
        (void)hpf_survey_retainer_set_named(r->in->survey, name, &set);
    }
    part->name = hpf__without_id(set.name);
    part->kind = kind_of(r, part->name);
    if (is_table) {
        part->name = top->label.length ? top->label : top->table;
        part->place = short_place(top->source);
        part->kind = kind_of(r, hpf_closure_type_name(top->closure_type));
    } else if (r->question == HPF_EXPLAIN_HOLDER) {
        part->place = hpf__explain_place(r, part->name);
    }
}

/* --- tables ---------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const hpf_explain_part *x = a;
    const hpf_explain_part *y = b;
    int order = hpf_str_compare(x->name, y->name);
    return order ? order : (x->share < y->share) - (x->share > y->share);
}

static int compare_shares(const void *a, const void *b)
{
    const hpf_explain_part *x = a;
    const hpf_explain_part *y = b;
    return x->share != y->share ? (x->share < y->share) - (x->share > y->share)
                                : hpf_str_compare(x->name, y->name);
}

/* Adds up equal names; each sum has the texts of its largest row. Returns how many there are. */
static size_t add_up(hpf_explain_part *parts, size_t n)
{
    size_t n_sums = 0;
    qsort(parts, n, sizeof *parts, compare_names);
    for (size_t i = 0; i < n; i++) {
        hpf_explain_part *sum = n_sums ? &parts[n_sums - 1] : NULL;
        if (!sum || !hpf_str_equal(sum->name, parts[i].name)) {
            parts[n_sums++] = parts[i];
            continue;
        }
        sum->share += parts[i].share;
        for (int k = 0; k < N_AMOUNTS; k++) {
            sum->amounts[k] += parts[i].amounts[k];
        }
    }
    qsort(parts, n_sums, sizeof *parts, compare_shares);
    return n_sums;
}

/* Returns whether amounts never fall from a moment to the next, rise by a quarter, and by as much
 * of that in the second half: no warm-up. */
static bool rises(const double *amounts)
{
    double all = amounts[N_MOMENTS - 1] - amounts[0];
    bool is_rising = all > amounts[0] / 4 && amounts[N_MOMENTS - 1] - amounts[1] > all / 4;
    for (int k = 1; k < N_MOMENTS; k++) {
        is_rising &= amounts[k] >= amounts[k - 1];
    }
    return is_rising;
}

/* Stores the amounts of all names at the moments and at the peak, one row for each. */
static hpf_status read_amounts(const hpf_explain_recording *r, double *amounts, size_t n_names,
                               hpf_error *err)
{
    static const double moments[N_MOMENTS] = {0.25, 0.5, 0.75, 0.95};
    const hpf_overview *o = hpf_survey_overview(r->in->survey);
    hpf_status status = HPF_OK;
    for (int k = 0; k < N_MOMENTS && status == HPF_OK; k++) {
        double time = o->first_time + moments[k] * (o->last_time - o->first_time);
        status =
            hpf_survey_amounts_at(r->in->survey, time, &amounts[(size_t)k * n_names], NULL, err);
    }
    return status == HPF_OK
               ? hpf_survey_drawn_amounts(r->in->survey, hpf_survey_peak_index(r->in->survey),
                                          &amounts[PEAK * n_names], err)
               : status;
}

/* Returns what the break-down of a recording says of a stack, of the `n` frames before the
 * functions. */
static hpf_str name_of(const hpf_explain_recording *r, const hpf_frame *frames, size_t n)
{
    size_t i = 0;
    while (i < n && frames[i].further != r->by) {
        i++;
    }
    return frames[i < n ? i : 0].type;
}

/* Returns whether a name is left out of a recording by use that is one of what is unused. */
static bool is_in_use(const hpf_explain_recording *r, hpf_str name)
{
    return r->is_waste && r->by == HPF_BREAKDOWN_BIOGRAPHY && !hpf_str_is(name, "DRAG") &&
           !hpf_str_is(name, "VOID");
}

/* Makes the shares parts of their sum. */
static void normalise(hpf_explain_part *parts, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += parts[i].share;
    }
    for (size_t i = 0; i < n && sum > 0; i++) {
        parts[i].share /= sum;
    }
}

hpf_status hpf__explain_table_make(hpf_explain_table *out, const hpf_explain_recording *r,
                                   hpf__explain_key key, const hpf_str *only, hpf_arena *arena,
                                   hpf_error *err)
{
    const hpf_survey *survey = r->in->survey;
    const hpf_overview *o = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    hpf_explain_part *parts = hpf_arena_array(arena, n_names, sizeof *parts);
    double *amounts = hpf_arena_array(arena, (size_t)n_names * N_AMOUNTS, sizeof *amounts);
    *out = (hpf_explain_table){parts, 0};
    if (!parts || !amounts) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = read_amounts(r, amounts, n_names, err);
    for (hpf_name i = 0; i < n_names && status == HPF_OK; i++) {
        const hpf_totals *totals = hpf_survey_totals(survey, i);
        hpf_frame room[MOST_FRAMES], *frames = room;
        size_t n = hpf_survey_frames(survey, i, frames, MOST_FRAMES);
        n = n < MOST_FRAMES ? n : MOST_FRAMES;
        hpf_str name = hpf_survey_name(survey, i);
        bool is_stack = r->question == HPF_EXPLAIN_MAKER;
        if (n > 0 && hpf__frame_is_type(frames)) { /* the stack follows */
            size_t first = hpf__n_types(frames, n);
            name = name_of(r, frames, first);
            is_stack = is_stack || key == HPF__EXPLAIN_BY_MAKER;
            frames += first;
            n -= first;
        } else if (n == 0 && is_stack) {
            n = hpf__frames_of_name(name, frames, MOST_FRAMES);
            n = n < MOST_FRAMES ? n : MOST_FRAMES;
        }
        hpf_explain_part part = {.share = o->total.trapezium > 0
                                              ? totals->trapezium / o->total.trapezium
                                          : o->total.sum > 0 ? totals->sum / o->total.sum
                                                             : 0};
        describe_name(&part, r, name, n > 0 ? frames : NULL);
        bool is_left_out = is_in_use(r, name) || (only && !hpf_str_equal(*only, part.name)) ||
                           totals->n_samples == 0 ||
                           (key == HPF__EXPLAIN_BY_MAKER && (!is_stack || n == 0));
        if (is_left_out) {
            continue;
        }
        if (is_stack && n > 0 &&
            (key == HPF__EXPLAIN_BY_MAKER || r->question == HPF_EXPLAIN_MAKER)) {
            describe_maker(&part, r, frames, n, arena);
        }
        for (size_t k = 0; k < N_AMOUNTS; k++) {
            part.amounts[k] = amounts[k * n_names + i];
        }
        parts[out->n++] = part;
    }
    out->n = add_up(parts, out->n);
    if (r->is_waste && r->by == HPF_BREAKDOWN_BIOGRAPHY) {
        normalise(parts, out->n);
    }
    for (size_t i = 0; i < out->n; i++) {
        parts[i].grows = o->n_samples >= HPF_EXPLAIN_FEWEST_SAMPLES && rises(parts[i].amounts);
    }
    return status;
}

hpf_status hpf__explain_table_of_savings(hpf_explain_table *out, const hpf_explain_recording *r,
                                         const hpf_saving *savings, size_t n, hpf_arena *arena,
                                         hpf_error *err)
{
    hpf_explain_part *parts = hpf_arena_array(arena, n, sizeof *parts);
    double all = 0;
    *out = (hpf_explain_table){parts, 0};
    for (size_t i = 0; i < n; i++) {
        all += savings[i].area;
    }
    for (size_t i = 0; parts && i < n; i++) {
        hpf_frame frames[MOST_FRAMES];
        parts[i] = (hpf_explain_part){.share = all > 0 ? savings[i].area / all : 0};
        describe_name(&parts[i], r, savings[i].retainers, NULL);
        if (r->question == HPF_EXPLAIN_MAKER) {
            size_t n_frames = hpf__frames_of_name(savings[i].producer, frames, MOST_FRAMES);
            n_frames = n_frames < MOST_FRAMES ? n_frames : MOST_FRAMES;
            describe_maker(&parts[i], r, frames, n_frames, arena);
        }
    }
    out->n = parts ? add_up(parts, n) : 0;
    return parts ? HPF_OK : hpf_error_set_memory(err);
}
