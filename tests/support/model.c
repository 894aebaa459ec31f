/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Samples, marks and points of lines as arrays in order of arrival; all costs in one array.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/arena.h"
#include "hpfile/str.h"

typedef struct stored_sample {
    double time;
    size_t first_cost;
    size_t n_costs;
    uint64_t begin_offset;
    uint64_t end_offset;
} stored_sample;

typedef struct stored_mark {
    double time;
    hpf_str label;
    size_t n_samples_before;
} stored_mark;

typedef struct stored_point {
    hpf_str line; /* equal names are equal pointers */
    hpf_quantity_point point;
    size_t n_samples_before;
} stored_point;

struct hpf_model {
    hpf_arena *arena;
    hpf_str headers[HPF_N_HEADERS];
    hpf_str *names;
    stored_sample *samples;
    stored_mark *marks;
    stored_point *points;
    hpf_str *lines; /* their names */
    hpf_cost *costs;
    size_t n_names, n_samples, n_marks, n_points, n_lines, n_costs;
    size_t names_capacity, samples_capacity, marks_capacity, points_capacity, lines_capacity,
        costs_capacity;
};

hpf_model *hpf_model_create(void)
{
    hpf_model *m = calloc(1, sizeof *m);
    if (m && !(m->arena = hpf_arena_create())) {
        free(m);
        return NULL;
    }
    return m;
}

void hpf_model_destroy(hpf_model *m)
{
    if (!m) {
        return;
    }
    hpf_arena_destroy(m->arena);
    free(m->names);
    free(m->samples);
    free(m->marks);
    free(m->points);
    free(m->lines);
    free(m->costs);
    free(m);
}

static hpf_status copy_text(hpf_model *m, hpf_str *out, hpf_str text, hpf_error *err)
{
    char *copy = hpf_arena_text(m->arena, text);
    *out = (hpf_str){copy, text.length};
    return copy ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    hpf_model *m = context;
    return copy_text(m, &m->headers[which], text, err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    hpf_model *m = context;
    if (!HPF__ARRAY_RESERVE(m->names, m->names_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = copy_text(m, &m->names[name], text, err);
    m->n_names = status == HPF_OK ? (size_t)name + 1 : m->n_names;
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    hpf_model *m = context;
    if (!HPF__ARRAY_RESERVE(m->costs, m->costs_capacity, m->n_costs + sample->n_costs + 1)) {
        return hpf_error_set_memory(err);
    }
    if (!HPF__ARRAY_RESERVE(m->samples, m->samples_capacity, m->n_samples + 1)) {
        return hpf_error_set_memory(err);
    }
    m->samples[m->n_samples++] = (stored_sample){sample->time, m->n_costs, sample->n_costs,
                                                 sample->begin_offset, sample->end_offset};
    if (sample->n_costs) {
        memcpy(m->costs + m->n_costs, sample->costs, sample->n_costs * sizeof *m->costs);
    }
    m->n_costs += sample->n_costs;
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf_model *m = context;
    if (!HPF__ARRAY_RESERVE(m->marks, m->marks_capacity, m->n_marks + 1)) {
        return hpf_error_set_memory(err);
    }
    stored_mark *mark = &m->marks[m->n_marks];
    *mark = (stored_mark){.time = time, .n_samples_before = m->n_samples};
    hpf_status status = copy_text(m, &mark->label, label, err);
    m->n_marks += status == HPF_OK;
    return status;
}

/* The one copy of a line's name. */
static hpf_status find_line(hpf_model *m, hpf_str name, hpf_str *out, hpf_error *err)
{
    for (size_t i = 0; i < m->n_lines; i++) {
        if (hpf_str_equal(m->lines[i], name)) {
            *out = m->lines[i];
            return HPF_OK;
        }
    }
    if (!HPF__ARRAY_RESERVE(m->lines, m->lines_capacity, m->n_lines + 1)) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = copy_text(m, &m->lines[m->n_lines], name, err);
    *out = m->lines[m->n_lines];
    m->n_lines += status == HPF_OK;
    return status;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf_model *m = context;
    if (!HPF__ARRAY_RESERVE(m->points, m->points_capacity, m->n_points + 1)) {
        return hpf_error_set_memory(err);
    }
    stored_point *stored = &m->points[m->n_points];
    *stored = (stored_point){.point = point, .n_samples_before = m->n_samples};
    hpf_status status = find_line(m, name, &stored->line, err);
    m->n_points += status == HPF_OK;
    return status;
}

const hpf_events hpf_model_events = {.header = on_header,
                                     .name = on_name,
                                     .sample = on_sample,
                                     .mark = on_mark,
                                     .quantity = on_line};

hpf_str hpf_model_header(const hpf_model *m, hpf_header which)
{
    return m->headers[which];
}

uint32_t hpf_model_n_names(const hpf_model *m)
{
    return (uint32_t)m->n_names;
}

hpf_str hpf_model_name(const hpf_model *m, hpf_name name)
{
    return m->names[name];
}

size_t hpf_model_n_samples(const hpf_model *m)
{
    return m->n_samples;
}

hpf_sample hpf_model_sample(const hpf_model *m, size_t index)
{
    const stored_sample *s = &m->samples[index];
    return (hpf_sample){.time = s->time,
                        .costs = m->costs + s->first_cost,
                        .n_costs = s->n_costs,
                        .begin_offset = s->begin_offset,
                        .end_offset = s->end_offset};
}

size_t hpf_model_n_marks(const hpf_model *m)
{
    return m->n_marks;
}

double hpf_model_mark(const hpf_model *m, size_t index, hpf_str *label)
{
    if (label) {
        *label = m->marks[index].label;
    }
    return m->marks[index].time;
}

static hpf_status replay_beginning(const hpf_model *m, const hpf_events *to, void *context,
                                   hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (int i = 0; i < HPF_N_HEADERS && to->header && status == HPF_OK; i++) {
        status = to->header(context, (hpf_header)i, m->headers[i], err);
    }
    for (size_t i = 0; i < m->n_names && to->name && status == HPF_OK; i++) {
        status = to->name(context, (hpf_name)i, m->names[i], err);
    }
    return status;
}

/* The marks from `*at` on that came before the sample `index`. */
static hpf_status replay_marks(const hpf_model *m, size_t *at, size_t index, const hpf_events *to,
                               void *context, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (; *at < m->n_marks && m->marks[*at].n_samples_before <= index && status == HPF_OK; ++*at) {
        if (to->mark) {
            status = to->mark(context, m->marks[*at].time, m->marks[*at].label, err);
        }
    }
    return status;
}

/* The same for points of lines. */
static hpf_status replay_points(const hpf_model *m, size_t *at, size_t index, const hpf_events *to,
                                void *context, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (; *at < m->n_points && m->points[*at].n_samples_before <= index && status == HPF_OK;
         ++*at) {
        if (to->quantity) {
            status = to->quantity(context, m->points[*at].line, m->points[*at].point, err);
        }
    }
    return status;
}

hpf_status hpf_model_replay(const hpf_model *m, const hpf_events *to, void *context, hpf_error *err)
{
    size_t next_mark = 0;
    size_t next_point = 0;
    hpf_status status = replay_beginning(m, to, context, err);
    for (size_t i = 0; i <= m->n_samples && status == HPF_OK; i++) {
        status = replay_marks(m, &next_mark, i, to, context, err);
        if (status == HPF_OK) {
            status = replay_points(m, &next_point, i, to, context, err);
        }
        if (status == HPF_OK && i < m->n_samples && to->sample) {
            hpf_sample sample = hpf_model_sample(m, i);
            status = to->sample(context, &sample, err);
        }
    }
    return status;
}

static bool same_amount(const hpf_cost *a, const hpf_cost *b)
{
    return a->is_real == b->is_real && (a->is_real ? a->real == b->real : a->whole == b->whole);
}

static bool same_sample(const hpf_model *a, const hpf_model *b, size_t index)
{
    hpf_sample x = hpf_model_sample(a, index);
    hpf_sample y = hpf_model_sample(b, index);
    bool same = x.time == y.time && x.n_costs == y.n_costs;
    for (size_t i = 0; i < x.n_costs && same; i++) {
        same = same_amount(&x.costs[i], &y.costs[i]) &&
               hpf_str_equal(a->names[x.costs[i].name], b->names[y.costs[i].name]);
    }
    return same;
}

static bool same_point(const stored_point *a, const stored_point *b)
{
    return a->point.time == b->point.time && a->point.value == b->point.value &&
           hpf_str_equal(a->line, b->line);
}

bool hpf_model_equal(const hpf_model *a, const hpf_model *b)
{
    bool same =
        a->n_samples == b->n_samples && a->n_marks == b->n_marks && a->n_points == b->n_points;
    for (int i = 0; i < HPF_N_HEADERS && same; i++) {
        same = hpf_str_equal(a->headers[i], b->headers[i]);
    }
    for (size_t i = 0; same && i < a->n_marks; i++) {
        same = a->marks[i].time == b->marks[i].time &&
               hpf_str_equal(a->marks[i].label, b->marks[i].label);
    }
    for (size_t i = 0; same && i < a->n_points; i++) {
        same = same_point(&a->points[i], &b->points[i]);
    }
    for (size_t i = 0; same && i < a->n_samples; i++) {
        same = same_sample(a, b, i);
    }
    return same;
}
