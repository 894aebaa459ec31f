/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names to rows by matching them, then amounts.
 */
#include "base/array.h"
#include "hpfile/survey.h"
#include "hpfile/diff.h"
#include "hpfile/match.h"

#include <math.h>
#include <stdlib.h>

#include "hpfile/str.h"

/* ---- Alignment of times ---------------------------------------------------------------------- */

/* What is shifted by at most this share of the run is aligned, if that makes the totals more alike
 * by this share of the peak. Totals that differ by at most the third share are nearly the same. */
static const double most_shift = 0.06, least_gain = 0.01, alike = 0.03;

enum { MOST_MARKS = 2000 }; /* that are compared; the rest is left out */

/* One of the two runs, without the empty samples at its end. */
typedef struct run {
    const hpf_overview *overview;
    size_t n;
    double first, last;
} run;

static run begin_run(hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    size_t n = hpf_survey_end_index(survey) + 1;
    n = n > 1 ? n : o->n_drawn;
    return (run){.overview = o,
                 .n = n,
                 .first = n > 0 ? o->drawn[0].time : 0,
                 .last = n > 0 ? o->drawn[n - 1].time : 0};
}

/* ---- Marks ---- */

/* Adds a knot if both times increase. The list has room. */
static void add_knot(hpf_alignment *a, double old_time, double new_time)
{
    const hpf_knot *last = a->n_knots > 0 ? &a->knots[a->n_knots - 1] : NULL;
    if (!last || (old_time > last->old_time && new_time > last->new_time)) {
        a->knots[a->n_knots++] = (hpf_knot){old_time, new_time};
    }
}

/* Returns the marks of a run that have labels and are inside it, at most MOST_MARKS; NULL without
 * memory. */
static const hpf_mark **labelled_marks(const run *r, size_t *n)
{
    const hpf_mark **out = calloc(r->overview->n_marks + 1, sizeof *out);
    *n = 0;
    for (size_t i = 0; out && i < r->overview->n_marks && *n < MOST_MARKS; i++) {
        const hpf_mark *m = &r->overview->marks[i];
        if (m->label.length > 0 && m->time > r->first && m->time < r->last) {
            out[(*n)++] = m;
        }
    }
    return out;
}

/* Adds a knot for each mark of the longest common sequence of labels. */
static hpf_status add_marks(hpf_alignment *a, const run runs[2], hpf_error *err)
{
    size_t n, m;
    const hpf_mark **old_marks = labelled_marks(&runs[0], &n);
    const hpf_mark **new_marks = labelled_marks(&runs[1], &m);
    /* By index in both: the length of the longest common sequence from there on. */
    uint16_t *lengths = calloc((n + 1) * (m + 1), sizeof *lengths);
    hpf_knot *knots = realloc(a->knots, (n + 2) * sizeof *knots);
    hpf_status status =
        old_marks && new_marks && lengths && knots ? HPF_OK : hpf_error_set_memory(err);
    a->knots = knots ? knots : a->knots;
    if (status == HPF_OK) {
        for (size_t i = n; i-- > 0;) {
            for (size_t k = m; k-- > 0;) {
                uint16_t *at = &lengths[i * (m + 1) + k], down = at[m + 1], right = at[1];
                *at = hpf_str_equal(old_marks[i]->label, new_marks[k]->label)
                          ? (uint16_t)(at[m + 2] + 1)
                      : down > right ? down
                                     : right;
            }
        }
        for (size_t i = 0, k = 0; i < n && k < m;) {
            if (hpf_str_equal(old_marks[i]->label, new_marks[k]->label)) {
                a->n_marks++;
                add_knot(a, old_marks[i++]->time, new_marks[k++]->time);
            } else if (lengths[(i + 1) * (m + 1) + k] >= lengths[i * (m + 1) + k + 1]) {
                i++;
            } else {
                k++;
            }
        }
    }
    free(lengths);
    free(old_marks);
    free(new_marks);
    return status;
}

/* ---- Shifts ---- */

/* Maps a time on the line between the knots around it, or the nearest ones. */
static double map_time(const hpf_alignment *a, double time, bool is_new)
{
    size_t i;
    if (a->n_knots < 2) {
        return time;
    }
    HPF__ARRAY_BISECT(i, a->n_knots, k,
                      (is_new ? a->knots[k].new_time : a->knots[k].old_time) < time);
    i = i == 0 ? 1 : i == a->n_knots ? i - 1 : i;
    const hpf_knot *p = &a->knots[i - 1], *q = &a->knots[i];
    double old_step = q->old_time - p->old_time, new_step = q->new_time - p->new_time;
    return is_new ? p->old_time + (time - p->new_time) / new_step * old_step
                  : p->new_time + (time - p->old_time) / old_step * new_step;
}

double hpf_alignment_map(const hpf_alignment *a, double old_time)
{
    return map_time(a, old_time, false);
}

double hpf_alignment_map_back(const hpf_alignment *a, double new_time)
{
    return map_time(a, new_time, true);
}

/* Samples of the other run that belong to a sample: [first, last]. */
typedef struct partners {
    size_t first, last;
} partners;

/* A sample: its time on both clocks, as the base has it, and the knots of the base up to there. */
typedef struct place {
    double old_time, new_time;
    size_t segment;
    partners with;
} place;

/* A knot to be added; one that keeps times gives way to others. */
typedef struct shift {
    hpf_knot knot;
    bool keeps_times;
} shift;

/* Two runs while their shifts are looked for. */
typedef struct warp {
    const run *runs;
    const hpf_alignment *base;
    double peak, reach;
    place *places[2];     /* by sample */
    size_t *begins;       /* by sample of the older run: the first of the newer one within reach */
    size_t width;         /* most of them within reach */
    unsigned char *steps; /* by sample and place in `width`: how the best path gets there */
    double *costs;        /* of that path, for two samples in turn */
    shift *found;
    size_t n_found;
} warp;

enum { FROM_BOTH, FROM_OLD, FROM_NEW, FROM_NOWHERE };

static double total_of(const warp *w, int side, size_t i)
{
    return w->runs[side].overview->drawn[i].total;
}

static double cost_of(const warp *w, size_t i, size_t k)
{
    const double other_segment = 100, shift_weight = 0.1 * most_shift / w->reach;
    const place *a = &w->places[0][i], *b = &w->places[1][k];
    return fabs(total_of(w, 0, i) - total_of(w, 1, k)) / w->peak +
           shift_weight * fabs(a->new_time - b->new_time) +
           (a->segment == b->segment ? 0 : other_segment);
}

/* Returns the place of a cell in `width`; `width` if it is out of reach. */
static size_t at_of(const warp *w, size_t i, size_t k)
{
    bool is_inside = k >= w->begins[i] && k - w->begins[i] < w->width;
    return is_inside ? k - w->begins[i] : w->width;
}

static double known_cost(const warp *w, size_t i, size_t k)
{
    size_t at = at_of(w, i, k);
    return at < w->width ? w->costs[i % 2 * w->width + at] : HUGE_VAL;
}

/* Finds the path from the first samples of both to the last ones that costs least, by dynamic
 * programming (Sakoe and Chiba, "Dynamic programming algorithm optimization for spoken word
 * recognition", 1978, symmetric form). */
static void find_costs(warp *w)
{
    for (size_t i = 0; i < w->runs[0].n; i++) {
        for (size_t at = 0; at < w->width; at++) {
            size_t k = w->begins[i] + at;
            double best = i == 0 && k == 0 ? 0 : HUGE_VAL;
            unsigned char step = FROM_NOWHERE;
            double cost = k < w->runs[1].n ? cost_of(w, i, k) : HUGE_VAL;
            const double before[] = {
                i > 0 && k > 0 ? known_cost(w, i - 1, k - 1) + cost : HUGE_VAL,
                i > 0 ? known_cost(w, i - 1, k) : HUGE_VAL,
                k > 0 ? known_cost(w, i, k - 1) : HUGE_VAL,
            };
            for (unsigned char from = FROM_BOTH; from < FROM_NOWHERE; from++) {
                step = before[from] < best ? from : step;
                best = fmin(best, before[from]);
            }
            w->costs[i % 2 * w->width + at] = best + cost;
            w->steps[i * w->width + at] = step;
        }
    }
}

/* Stores the partners of all samples. Returns false if no path is within reach. */
static bool find_partners(const warp *w)
{
    size_t i = w->runs[0].n - 1, k = w->runs[1].n - 1;
    if (!(known_cost(w, i, k) < HUGE_VAL)) {
        return false;
    }
    w->places[0][i].with = (partners){k, k};
    w->places[1][k].with = (partners){i, i};
    while (i > 0 || k > 0) {
        unsigned char step = w->steps[i * w->width + at_of(w, i, k)];
        i -= step != FROM_NEW;
        k -= step != FROM_OLD;
        w->places[0][i].with = (partners){k, step == FROM_NEW ? w->places[0][i].with.last : k};
        w->places[1][k].with = (partners){i, step == FROM_OLD ? w->places[1][k].with.last : i};
    }
    return true;
}

/* Returns the total of a run at a time. */
static double total_at(const run *r, double time)
{
    const hpf_drawn_sample *drawn = r->overview->drawn;
    size_t n;
    HPF__ARRAY_BISECT(n, r->n, i, drawn[i].time <= time);
    if (n == 0 || n == r->n) {
        return drawn[n > 0 ? n - 1 : 0].total;
    }
    double share = (time - drawn[n - 1].time) / (drawn[n].time - drawn[n - 1].time);
    return drawn[n - 1].total + share * (drawn[n].total - drawn[n - 1].total);
}

/* Returns where the rise or fall after the sample `i` ends, or with `by` -1 begins. A few samples
 * in it may be equal. */
static size_t end_of_step(const warp *w, int side, size_t i, int by)
{
    enum { MOST_EQUAL = 3 };
    double change = total_of(w, side, i + 1) - total_of(w, side, i);
    size_t at = by > 0 ? i + 1 : i, end = at;
    for (int n_equal = 0; n_equal <= MOST_EQUAL; n_equal++) {
        if (by > 0 ? at + 1 == w->runs[side].n : at == 0) {
            break;
        }
        double next = (total_of(w, side, by > 0 ? at + 1 : at - 1) - total_of(w, side, at)) * by;
        if (next * change < 0) {
            break;
        }
        at = by > 0 ? at + 1 : at - 1;
        n_equal = next * change > 0 ? -1 : n_equal;
        end = next * change > 0 ? at : end;
    }
    return end;
}

/* Returns by how much the total rises in all around the sample after `i`, or falls. */
static double step_at(const warp *w, int side, size_t i)
{
    return total_of(w, side, end_of_step(w, side, i, 1)) -
           total_of(w, side, end_of_step(w, side, i, -1));
}

/* Returns whether both steps are up, or down, and of about the same size. */
static bool are_alike(double step, double other)
{
    const double most_ratio = 1.5;
    return step * other > 0 && step / other < most_ratio && other / step < most_ratio;
}

/* Finds when the other run has nearly the total of a sample, which begins a step, is in it or ends
 * it: where it crosses that in such a step, or else at the partner nearest to the step; NAN without
 * one. Returns false if the total is hardly nearer than without a shift. */
static bool find_shift(const warp *w, int side, size_t i, double *time)
{
    const run *own = &w->runs[side], *other = &w->runs[!side];
    const hpf_drawn_sample *drawn = other->overview->drawn;
    const place *p = &w->places[side][i];
    const double total = total_of(w, side, i), gain = least_gain * w->peak;
    double unshifted = fabs(total - total_at(other, side == 0 ? p->new_time : p->old_time));
    double before = i > 0 ? total - total_of(w, side, i - 1) : 0;
    double after = i + 1 < own->n ? total_of(w, side, i + 1) - total : 0;
    bool begins = fabs(after) > gain, is_inside = before * after > 0;
    double difference = HUGE_VAL;
    *time = NAN;
    if (!begins && fabs(before) <= gain) {
        return false;
    }
    double step = step_at(w, side, begins ? i : i - 1);
    for (size_t n = 0; n <= p->with.last - p->with.first && difference > alike * w->peak; n++) {
        size_t k = begins ? p->with.last - n : p->with.first + n;
        bool has_step = begins ? k + 1 < other->n && are_alike(step, step_at(w, !side, k))
                               : k > 0 && are_alike(step, step_at(w, !side, k - 1));
        if (has_step && fabs(drawn[k].total - total) < difference) {
            /* A little way into the step: what is level in one run may be one sample of the other.
             */
            const double way =
                begins ? drawn[k + 1].time - drawn[k].time : drawn[k - 1].time - drawn[k].time;
            difference = fabs(drawn[k].total - total);
            *time = drawn[k].time + 0.001 * way;
        }
    }
    size_t k = p->with.first > 0 ? p->with.first - 1 : 0;
    for (; k <= p->with.last && k + 1 < other->n && is_inside; k++) {
        double from = drawn[k].total - total, to = drawn[k + 1].total - total;
        if ((from < 0) != (to < 0) && are_alike(step, step_at(w, !side, k))) {
            difference = 0;
            *time = drawn[k].time + (drawn[k + 1].time - drawn[k].time) * from / (from - to);
        }
    }
    return unshifted - difference > gain;
}

/* Adds a knot for each sample that is shifted. Of the older run, those next to such a sample belong
 * to their partners, and all others keep their times. */
static void find_shifts(warp *w, int side)
{
    const size_t n = w->runs[side].n;
    const hpf_drawn_sample *others = w->runs[!side].overview->drawn;
    /* Of the sample before, of a sample, and of the one after it. */
    double times[3] = {NAN, NAN, NAN};
    bool are_shifted[3] = {false, false, find_shift(w, side, 0, &times[2])};
    for (size_t i = 0; i < n; i++) {
        const place *p = &w->places[side][i];
        for (int k = 0; k < 2; k++) {
            times[k] = times[k + 1];
            are_shifted[k] = are_shifted[k + 1];
        }
        are_shifted[2] = i + 1 < n && find_shift(w, side, i + 1, &times[2]);
        bool keeps_times = !are_shifted[0] && !are_shifted[1] && !are_shifted[2];
        if (side == 0) {
            bool is_of_step = !isnan(times[1]) && !keeps_times;
            double time = is_of_step       ? times[1]
                          : are_shifted[2] ? others[p->with.last].time
                          : are_shifted[0] ? others[p->with.first].time
                                           : p->new_time;
            w->found[w->n_found++] = (shift){{p->old_time, time}, keeps_times};
        } else if (are_shifted[1]) {
            w->found[w->n_found++] = (shift){{times[1], p->new_time}, false};
        }
    }
}

static int compare_shifts(const void *a, const void *b)
{
    const hpf_knot *x = &((const shift *)a)->knot, *y = &((const shift *)b)->knot;
    return x->old_time != y->old_time ? (x->old_time > y->old_time) - (x->old_time < y->old_time)
                                      : (x->new_time > y->new_time) - (x->new_time < y->new_time);
}

/* Removes knots on the line between their neighbours. */
static void drop_needless(hpf_alignment *a)
{
    const double tiny = 1e-9 * a->knots[a->n_knots - 1].new_time;
    size_t n = 1;
    for (size_t i = 1; i + 1 < a->n_knots; i++) {
        const hpf_knot *p = &a->knots[n - 1], *q = &a->knots[i], *r = &a->knots[i + 1];
        double share = (q->old_time - p->old_time) / (r->old_time - p->old_time);
        double straight = p->new_time + share * (r->new_time - p->new_time);
        if (fabs(q->new_time - straight) > tiny) {
            a->knots[n++] = *q;
        }
    }
    a->knots[n] = a->knots[a->n_knots - 1];
    a->n_knots = a->n_knots > 1 ? n + 1 : a->n_knots;
}

/* Adds what was found between the knots of the base, except for what keeps times but is in the way
 * of the next one that does not. */
static void add_shifts(hpf_alignment *a, const warp *w)
{
    const hpf_alignment *base = w->base;
    size_t done = 0, shifted = 0;
    for (size_t i = 0; i <= w->n_found; i++) {
        const shift *next = i < w->n_found ? &w->found[i] : NULL;
        while (done < base->n_knots &&
               (!next || base->knots[done].old_time <= next->knot.old_time)) {
            add_knot(a, base->knots[done].old_time, base->knots[done].new_time);
            done++;
        }
        while (shifted < w->n_found && (shifted < i || w->found[shifted].keeps_times)) {
            shifted++;
        }
        bool is_free = next && (!next->keeps_times || shifted == w->n_found ||
                                (next->knot.old_time < w->found[shifted].knot.old_time &&
                                 next->knot.new_time < w->found[shifted].knot.new_time));
        if (is_free && done < base->n_knots && next->knot.new_time < base->knots[done].new_time) {
            add_knot(a, next->knot.old_time, next->knot.new_time);
        }
    }
    drop_needless(a);
}

/* Finds the places of all samples, and what is within reach of each. Returns the number of cells.
 */
static size_t find_reach(warp *w)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < w->runs[side].n; i++) {
            double time = w->runs[side].overview->drawn[i].time;
            place *p = &w->places[side][i];
            p->old_time = side == 0 ? time : hpf_alignment_map_back(w->base, time);
            p->new_time = side == 0 ? hpf_alignment_map(w->base, time) : time;
            HPF__ARRAY_BISECT(p->segment, w->base->n_knots, k,
                              w->base->knots[k].new_time <= p->new_time);
        }
    }
    for (size_t i = 0; i < w->runs[0].n; i++) {
        double time = w->places[0][i].new_time;
        size_t end;
        HPF__ARRAY_BISECT(w->begins[i], w->runs[1].n, k,
                          w->places[1][k].new_time < time - w->reach);
        HPF__ARRAY_BISECT(end, w->runs[1].n, k, w->places[1][k].new_time <= time + w->reach);
        w->width = end - w->begins[i] > w->width ? end - w->begins[i] : w->width;
    }
    return w->runs[0].n * w->width;
}

static void finish_warp(warp *w)
{
    free(w->places[0]);
    free(w->places[1]);
    free(w->begins);
    free(w->steps);
    free(w->costs);
    free(w->found);
}

/* Replaces the knots by ones that also align what happened a little earlier or later. */
static hpf_status refine(hpf_alignment *a, const run runs[2], hpf_error *err)
{
    const size_t n = runs[0].n + runs[1].n;
    hpf_alignment finer = *a;
    warp w = {.runs = runs,
              .base = a,
              .peak = fmax(runs[0].overview->peak_total, runs[1].overview->peak_total),
              .reach = most_shift * (runs[1].last - runs[1].first),
              .places = {calloc(n, sizeof(place)), calloc(n, sizeof(place))},
              .begins = calloc(n, sizeof *w.begins),
              .found = calloc(n, sizeof *w.found)};
    finer.n_knots = 0;
    finer.knots = calloc(a->n_knots + n + 1, sizeof *finer.knots);
    bool has_room = w.places[0] && w.places[1] && w.begins && w.found && finer.knots;
    if (has_room) {
        w.steps = calloc(find_reach(&w) + 1, sizeof *w.steps);
        w.costs = calloc(2 * w.width + 1, sizeof *w.costs);
        has_room = w.steps && w.costs;
    }
    if (has_room && w.peak > 0) {
        find_costs(&w);
        if (find_partners(&w)) {
            hpf_knot *before = a->knots;
            find_shifts(&w, 0);
            find_shifts(&w, 1);
            qsort(w.found, w.n_found, sizeof *w.found, compare_shifts);
            add_shifts(&finer, &w);
            *a = finer;
            finer.knots = before;
        }
    }
    free(finer.knots);
    finish_warp(&w);
    return has_room ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- The alignment ---- */

void hpf_alignment_finish(hpf_alignment *a)
{
    free(a->knots);
    *a = (hpf_alignment){.by = HPF_ALIGN_TIME};
}

hpf_status hpf_alignment_make(hpf_alignment *out, hpf_survey *old_one, hpf_survey *new_one,
                              hpf_align by, hpf_error *err)
{
    run runs[2] = {begin_run(old_one), begin_run(new_one)};
    bool has_times = runs[0].last > runs[0].first && runs[1].last > runs[1].first;
    *out = (hpf_alignment){.by = HPF_ALIGN_TIME};
    if (by == HPF_ALIGN_TIME || !has_times) {
        return HPF_OK;
    }
    out->knots = calloc(2, sizeof *out->knots);
    hpf_status status = out->knots ? HPF_OK : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        add_knot(out, runs[0].first, runs[1].first);
        status = by == HPF_ALIGN_SHARE ? HPF_OK : add_marks(out, runs, err);
    }
    if (status == HPF_OK && by == HPF_ALIGN_MARKS && out->n_marks == 0) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                               "the two profiles have no mark with the same label");
    }
    if (status == HPF_OK) {
        out->by = out->n_marks > 0 ? HPF_ALIGN_MARKS : HPF_ALIGN_SHARE;
        add_knot(out, runs[0].last, runs[1].last);
        status = refine(out, runs, err);
    }
    if (status != HPF_OK) {
        hpf_alignment_finish(out);
    }
    return status;
}

struct hpf_diff {
    hpf_survey *surveys[2];
    hpf_match *match;
    hpf_diff_row *rows;
    uint32_t n_rows;
    hpf_diff_row total;
};

/* ---- Names to rows ---- */

static bool is_used(const hpf_survey *survey, hpf_name name)
{
    return hpf_survey_totals(survey, name)->n_samples > 0;
}

static void count_names(hpf_diff *d, int side)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(d->surveys[side]); i++) {
        if (is_used(d->surveys[side], i)) {
            d->rows[hpf_match_row(d->match, (size_t)side, i)].n_names[side]++;
        }
    }
}

static hpf_status make_rows(hpf_diff *d, bool moves_lines, hpf_error *err)
{
    hpf_status status = hpf_match_create(&d->match, d->surveys, 2, moves_lines, err);
    if (status != HPF_OK) {
        return status;
    }
    d->n_rows = hpf_match_n_rows(d->match);
    d->rows = calloc((size_t)d->n_rows + 1, sizeof *d->rows);
    if (!d->rows) {
        return hpf_error_set_memory(err);
    }
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->rows[i] = (hpf_diff_row){.name = hpf_match_name(d->match, i),
                                    .moved_from = hpf_match_moved_from(d->match, i),
                                    .number = i};
    }
    count_names(d, 0);
    count_names(d, 1);
    return HPF_OK;
}

/* ---- Amounts ---- */

static void add_means(hpf_diff *d, int side)
{
    const hpf_survey *survey = d->surveys[side];
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        if (is_used(survey, i)) {
            hpf_diff_row *row = &d->rows[hpf_match_row(d->match, (size_t)side, i)];
            row->amounts[side][HPF_DIFF_MEAN] +=
                hpf_survey_mean(survey, hpf_survey_totals(survey, i));
        }
    }
    d->total.amounts[side][HPF_DIFF_MEAN] =
        hpf_survey_mean(survey, &hpf_survey_overview(survey)->total);
}

/* Adds what the names cost in one sample. `buffer` has room for all of them. */
static hpf_status add_drawn(hpf_diff *d, int side, size_t drawn_sample, hpf_diff_measure measure,
                            double *buffer, hpf_error *err)
{
    hpf_survey *survey = d->surveys[side];
    hpf_status status = hpf_survey_drawn_amounts(survey, drawn_sample, buffer, err);
    for (hpf_name i = 0; i < hpf_survey_n_names(survey) && status == HPF_OK; i++) {
        if (is_used(survey, i)) {
            d->rows[hpf_match_row(d->match, (size_t)side, i)].amounts[side][measure] += buffer[i];
        }
    }
    d->total.amounts[side][measure] = hpf_survey_overview(survey)->drawn[drawn_sample].total;
    return status;
}

static hpf_status add_amounts(hpf_diff *d, int side, hpf_error *err)
{
    hpf_survey *survey = d->surveys[side];
    double *buffer = calloc((size_t)hpf_survey_n_names(survey) + 1, sizeof *buffer);
    if (!buffer) {
        return hpf_error_set_memory(err);
    }
    add_means(d, side);
    hpf_status status =
        add_drawn(d, side, hpf_survey_peak_index(survey), HPF_DIFF_PEAK, buffer, err);
    if (status == HPF_OK) {
        status = add_drawn(d, side, hpf_survey_end_index(survey), HPF_DIFF_END, buffer, err);
    }
    free(buffer);
    for (uint32_t i = 0; i < d->n_rows; i++) {
        d->total.n_names[side] += d->rows[i].n_names[side];
    }
    return status;
}

hpf_status hpf_diff_create(hpf_diff **out, hpf_survey *old_one, hpf_survey *new_one,
                           bool moves_lines, hpf_error *err)
{
    hpf_diff *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) {
        return hpf_error_set_memory(err);
    }
    d->surveys[0] = old_one;
    d->surveys[1] = new_one;
    d->total.name = HPF_STR("");
    hpf_status status = make_rows(d, moves_lines, err);
    status = status == HPF_OK ? add_amounts(d, 0, err) : status;
    status = status == HPF_OK ? add_amounts(d, 1, err) : status;
    if (status != HPF_OK) {
        hpf_diff_destroy(d);
        return status;
    }
    hpf_diff_sort(d, HPF_DIFF_MEAN);
    *out = d;
    return HPF_OK;
}

void hpf_diff_destroy(hpf_diff *d)
{
    if (d) {
        hpf_match_destroy(d->match);
        free(d->rows);
        free(d);
    }
}

/* ---- What was found ---- */

uint32_t hpf_diff_n_rows(const hpf_diff *d)
{
    return d->n_rows;
}

const hpf_diff_row *hpf_diff_rows(const hpf_diff *d)
{
    return d->rows;
}

const hpf_diff_row *hpf_diff_total(const hpf_diff *d)
{
    return &d->total;
}

uint32_t hpf_diff_row_of_name(const hpf_diff *d, int side, hpf_name name)
{
    return hpf_match_row(d->match, (size_t)side, name);
}

static int compare_rows(const hpf_diff_row *a, const hpf_diff_row *b, hpf_diff_measure measure)
{
    double left = fabs(hpf_diff_change(a, measure));
    double right = fabs(hpf_diff_change(b, measure));
    if (left != right) {
        return left > right ? -1 : 1;
    }
    return hpf_str_compare(a->name, b->name);
}

static int compare_by_mean(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_MEAN);
}

static int compare_by_peak(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_PEAK);
}

static int compare_by_end(const void *a, const void *b)
{
    return compare_rows(a, b, HPF_DIFF_END);
}

void hpf_diff_sort(hpf_diff *d, hpf_diff_measure measure)
{
    static int (*const by[HPF_N_DIFF_MEASURES])(const void *, const void *) = {
        [HPF_DIFF_MEAN] = compare_by_mean,
        [HPF_DIFF_PEAK] = compare_by_peak,
        [HPF_DIFF_END] = compare_by_end,
    };
    qsort(d->rows, d->n_rows, sizeof *d->rows, by[measure]);
}

hpf_diff_row hpf_diff_join(const hpf_diff *d, uint32_t first)
{
    hpf_diff_row joined = {.name = HPF_STR("")};
    for (uint32_t i = first; i < d->n_rows; i++) {
        for (int side = 0; side < 2; side++) {
            joined.n_names[side] += d->rows[i].n_names[side];
            for (int m = 0; m < HPF_N_DIFF_MEASURES; m++) {
                joined.amounts[side][m] += d->rows[i].amounts[side][m];
            }
        }
    }
    return joined;
}
