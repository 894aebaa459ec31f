/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks and each line are rows in the order of time: the one whose next comes first is sent.
 */
#include "interleave.h"

#include <math.h>
#include <stdlib.h>

typedef struct interleaving {
    const hpf_overview *overview;
    const hpf_events *to;
    void *context;
    size_t next_mark;
    size_t *next_point; /* by line */
} interleaving;

static double time_of_mark(const interleaving *i)
{
    const hpf_overview *o = i->overview;
    return i->next_mark < o->n_marks ? o->marks[i->next_mark].time : HUGE_VAL;
}

static double time_of_point(const interleaving *i, size_t line)
{
    const hpf_line *l = &i->overview->lines[line];
    return i->next_point[line] < l->n_points ? l->points[i->next_point[line]].time : HUGE_VAL;
}

/* The line whose next point is the earliest; as many as there are, if none has any left. */
static size_t earliest_line(const interleaving *i)
{
    size_t n = i->overview->n_lines, found = n;
    double time = HUGE_VAL;
    for (size_t k = 0; k < n; k++) {
        if (time_of_point(i, k) < time) {
            time = time_of_point(i, k);
            found = k;
        }
    }
    return found;
}

static hpf_status send_mark(interleaving *i, hpf_error *err)
{
    const hpf_mark *mark = &i->overview->marks[i->next_mark++];
    return i->to->mark ? i->to->mark(i->context, mark->time, mark->label, err) : HPF_OK;
}

static hpf_status send_point(interleaving *i, size_t line, hpf_error *err)
{
    const hpf_line *l = &i->overview->lines[line];
    hpf_line_point point = l->points[i->next_point[line]++];
    return i->to->line ? i->to->line(i->context, l->name, point, err) : HPF_OK;
}

/* All that is not later than `time`. */
static hpf_status send_until(interleaving *i, double time, hpf_error *err)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK) {
        size_t line = earliest_line(i);
        double point = line < i->overview->n_lines ? time_of_point(i, line) : HUGE_VAL;
        double mark = time_of_mark(i);
        if (fmin(point, mark) > time || (isinf(point) && isinf(mark))) {
            break;
        }
        status = mark <= point ? send_mark(i, err) : send_point(i, line, err);
    }
    return status;
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    const interleaving *i = context;
    return i->to->header ? i->to->header(i->context, which, text, err) : HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    const interleaving *i = context;
    return i->to->name ? i->to->name(i->context, name, text, err) : HPF_OK;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    interleaving *i = context;
    hpf_status status = send_until(i, sample->time, err);
    return status == HPF_OK && i->to->sample ? i->to->sample(i->context, sample, err) : status;
}

hpf_status interleave_emit(hpf_survey *survey, const hpf_events *events, void *context,
                           hpf_error *err)
{
    static const hpf_events own = {.header = on_header, .name = on_name, .sample = on_sample};
    const hpf_overview *overview = hpf_survey_overview(survey);
    interleaving i = {.overview = overview,
                      .to = events,
                      .context = context,
                      .next_point = calloc(overview->n_lines + 1, sizeof *i.next_point)};
    if (!i.next_point) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_survey_emit(survey, true, &own, &i, err);
    status = status == HPF_OK ? send_until(&i, HUGE_VAL, err) : status;
    free(i.next_point);
    return status;
}
