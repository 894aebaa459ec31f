/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells of time, each with the time in which threads ran, that in which the capability collected,
 * its sparks, and the thread that ran longest. That thread is found by a majority vote: the time of
 * all others counts against it. When a time is after the last cell, pairs of cells are merged.
 */
#include "eventlog/eventlog_processors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"

enum { N_CELLS = 1 << 14, N_SHOWN = 4096, MOST_ROWS = 16, MOST_THREADS = 4096 };

static const double first_cell_s = 0x1p-17;
static const uint32_t other_threads = UINT32_MAX; /* those above MOST_THREADS */

typedef struct cell {
    float running_s, collecting_s;
    float sparks[2]; /* created, run */
    float lead_s;    /* of the thread in the vote */
    uint32_t thread;
} cell;

typedef struct row {
    cell *cells; /* N_CELLS of them; or NULL */
    hpf_processor_cell *shown;
    double *shown_sparks[2], n_sparks[2];
    double running_since_s, collecting_since_s; /* negative: it does not */
    uint32_t thread;
    bool has_run;
} row;

struct hpf__processors {
    row rows[MOST_ROWS];
    hpf_processor public[MOST_ROWS];
    double cell_s;
    bool has_more;                    /* than MOST_ROWS processors run threads */
    hpf_thread threads[MOST_THREADS]; /* by id */
    size_t n_threads;
    hpf_thread shown[MOST_THREADS];                  /* the running ones, the longest first */
    uint32_t rank[MOST_THREADS];                     /* in `shown` */
    char names[MOST_THREADS * HPF_MOST_THREAD_NAME]; /* by when they came */
    cell whole[N_SHOWN];
    double elapsed_s[N_SHOWN];
};

/* --- cells --- */

static void vote(cell *c, uint32_t thread, float time_s)
{
    float lead_s = c->thread == thread ? c->lead_s + time_s : c->lead_s - time_s;
    c->thread = lead_s < 0 ? thread : c->thread;
    c->lead_s = fabsf(lead_s);
}

static void add_cell(cell *to, const cell *from, float share)
{
    to->running_s += from->running_s * share;
    to->collecting_s += from->collecting_s * share;
    to->sparks[0] += from->sparks[0] * share;
    to->sparks[1] += from->sparks[1] * share;
    if (from->lead_s > 0) {
        vote(to, from->thread, from->lead_s * share);
    }
}

static void make_room(hpf__processors *p, double time_s)
{
    for (; time_s >= p->cell_s * N_CELLS; p->cell_s *= 2) {
        for (size_t i = 0; i < MOST_ROWS; i++) {
            cell *cells = p->rows[i].cells;
            for (size_t k = 0; cells && k < N_CELLS; k++) {
                cell merged = k < N_CELLS / 2 ? cells[2 * k] : (cell){0};
                if (k < N_CELLS / 2) {
                    add_cell(&merged, &cells[2 * k + 1], 1);
                }
                cells[k] = merged;
            }
        }
    }
}

/* Adds to cell `i` what is in it of the time of a thread, or of a collection. */
static void add_part(const hpf__processors *p, const row *r, cell *to, size_t i, double begin_s,
                     double end_s, bool is_collection)
{
    double from_s = fmax(begin_s, (double)i * p->cell_s);
    double to_s = fmin(end_s, (double)(i + 1) * p->cell_s);
    float time_s = (float)(to_s - from_s);
    if (time_s > 0) {
        const cell part = is_collection
                              ? (cell){.collecting_s = time_s}
                              : (cell){.running_s = time_s, .lead_s = time_s, .thread = r->thread};
        add_cell(to, &part, 1);
    }
}

static void add_span(hpf__processors *p, row *r, double begin_s, double end_s, bool is_collection)
{
    make_room(p, end_s);
    for (size_t i = (size_t)(begin_s / p->cell_s); (double)i * p->cell_s < end_s; i++) {
        add_part(p, r, &r->cells[i], i, begin_s, end_s, is_collection);
    }
}

static void stop(hpf__processors *p, row *r, double time_s, bool is_collection)
{
    double *since_s = is_collection ? &r->collecting_since_s : &r->running_since_s;
    if (*since_s >= 0) {
        add_span(p, r, *since_s, time_s, is_collection);
    }
    *since_s = -1;
}

/* --- threads --- */

/* Returns the index of the first thread whose number is not less: the entry of other threads is the
 * greatest. */
static size_t find_thread(const hpf__processors *p, uint32_t id)
{
    size_t first;
    HPF__ARRAY_BISECT(first, p->n_threads, i, p->threads[i].id < id);
    return first;
}

/* Sets the name of a thread to its label; without one, to its number unless it has a name. Returns
 * the thread that it is counted as. */
static uint32_t name_thread(hpf__processors *p, uint32_t id, hpf_str label)
{
    char number[HPF_MOST_THREAD_NAME];
    size_t i = find_thread(p, id);
    bool has_name = i < p->n_threads && p->threads[i].id == id;
    if (has_name && label.length == 0) {
        return id;
    }
    if (!has_name && p->n_threads == MOST_THREADS) {
        return other_threads;
    }
    if (label.length == 0) {
        snprintf(number, sizeof number, "thread %u", (unsigned)id);
        label = hpf_str_of(number);
    }
    label.length = label.length < HPF_MOST_THREAD_NAME ? label.length : HPF_MOST_THREAD_NAME;
    if (!has_name) {
        memmove(p->threads + i + 1, p->threads + i, (p->n_threads - i) * sizeof *p->threads);
        p->threads[i] = (hpf_thread){id, {p->names + HPF_MOST_THREAD_NAME * p->n_threads++, 0}, 0};
    }
    size_t at = (size_t)(p->threads[i].name.data - p->names);
    memcpy(p->names + at, label.data, label.length);
    p->threads[i].name.length = label.length;
    return id;
}

hpf__processors *hpf__processors_create(void)
{
    hpf__processors *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->cell_s = first_cell_s;
    name_thread(p, other_threads, HPF_STR("other threads"));
    for (size_t i = 0; i < MOST_ROWS; i++) {
        p->rows[i].running_since_s = p->rows[i].collecting_since_s = -1;
    }
    return p;
}

void hpf__processors_destroy(hpf__processors *p)
{
    if (p) {
        for (size_t i = 0; i < MOST_ROWS; i++) {
            free(p->rows[i].cells);
            free(p->rows[i].shown);
            free(p->rows[i].shown_sparks[0]);
            free(p->rows[i].shown_sparks[1]);
        }
        free(p);
    }
}

/* --- events --- */

bool hpf__processors_want(uint16_t type)
{
    return type == HPF__EVENT_RUN_THREAD || type == HPF__EVENT_STOP_THREAD ||
           type == HPF__EVENT_THREAD_LABEL ||
           (type >= HPF__EVENT_GC_START && type <= HPF__EVENT_GC_END) ||
           (type >= HPF__EVENT_GC_IDLE && type <= HPF__EVENT_GC_DONE);
}

static row *row_of(hpf__processors *p, uint16_t cap)
{
    row *r = cap < MOST_ROWS ? &p->rows[cap] : NULL;
    if (r && !r->cells) {
        r->cells = calloc(N_CELLS, sizeof *r->cells);
        r->shown = calloc(N_SHOWN, sizeof *r->shown);
        r->shown_sparks[0] = calloc(N_SHOWN, sizeof *r->shown_sparks[0]);
        r->shown_sparks[1] = calloc(N_SHOWN, sizeof *r->shown_sparks[1]);
    }
    return r && r->cells && r->shown && r->shown_sparks[0] && r->shown_sparks[1] ? r : NULL;
}

hpf_status hpf__processors_note(hpf__processors *p, const hpf_event *event, hpf_error *err)
{
    double time_s = (double)event->time_ns / 1e9;
    hpf_str payload = event->payload;
    uint16_t type = event->type->id;
    bool has_thread = payload.length >= 4;
    if (type == HPF__EVENT_THREAD_LABEL && has_thread) {
        name_thread(p, hpf__read4(payload.data), hpf_str_from(payload, 4));
    }
    p->has_more |= type == HPF__EVENT_RUN_THREAD && event->cap >= MOST_ROWS;
    if (event->cap >= MOST_ROWS || type == HPF__EVENT_THREAD_LABEL || !hpf__processors_want(type)) {
        return HPF_OK;
    }
    row *r = row_of(p, event->cap);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    switch (type) {
    case HPF__EVENT_RUN_THREAD:
        stop(p, r, time_s, false);
        r->running_since_s = time_s;
        r->thread = name_thread(p, has_thread ? hpf__read4(payload.data) : 0, HPF_STR(""));
        r->has_run = true;
        return HPF_OK;
    case HPF__EVENT_STOP_THREAD:
        stop(p, r, time_s, false);
        return HPF_OK;
    case HPF__EVENT_GC_START:
    case HPF__EVENT_GC_WORK:
        r->collecting_since_s = time_s;
        return HPF_OK;
    default: /* its part has ended: from then on it waits */
        stop(p, r, time_s, true);
        return HPF_OK;
    }
}

hpf_status hpf__processors_add_sparks(hpf__processors *p, uint16_t cap, bool are_run,
                                      double begin_s, double end_s, double n, hpf_error *err)
{
    if (cap >= MOST_ROWS) {
        return HPF_OK;
    }
    row *r = row_of(p, cap);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    make_room(p, end_s);
    r->n_sparks[are_run] += n;
    double begin = begin_s / p->cell_s, end = end_s / p->cell_s;
    for (size_t i = (size_t)begin; i == (size_t)begin || (double)i < end; i++) {
        double part = fmin(end, (double)i + 1) - fmax(begin, (double)i);
        double share = end > begin ? part / (end - begin) : 1;
        r->cells[i].sparks[are_run] += (float)(n * share);
    }
    return HPF_OK;
}

void hpf__processors_forget_sparks(hpf__processors *p)
{
    for (size_t i = 0; i < MOST_ROWS; i++) {
        row *r = &p->rows[i];
        r->n_sparks[0] = r->n_sparks[1] = 0;
        for (size_t k = 0; r->cells && k < N_CELLS; k++) {
            r->cells[k].sparks[0] = r->cells[k].sparks[1] = 0;
        }
    }
}

/* --- results --- */

/* Adds the cells of a row to the shown ones, which have the share of the time in them. What has not
 * ended lasts until `until_s`. */
static void show_row(hpf__processors *p, const row *r, const hpf_activity *a, double until_s,
                     hpf__processors_time *time, const void *context)
{
    memset(p->whole, 0, sizeof p->whole);
    memset(p->elapsed_s, 0, sizeof p->elapsed_s);
    double end_s = time(context, 0);
    for (size_t i = 0; i < N_CELLS; i++) {
        double begin_s = end_s;
        end_s = time(context, (double)(i + 1) * p->cell_s);
        double begin = fmax((begin_s - a->begin_s) / a->cell_s, 0);
        double end = fmin((end_s - a->begin_s) / a->cell_s, N_SHOWN);
        double length = (end_s - begin_s) / a->cell_s;
        if (begin > N_SHOWN || end < 0) {
            continue;
        }
        cell whole = r->cells[i];
        if (r->running_since_s >= 0) {
            add_part(p, r, &whole, i, r->running_since_s, until_s, false);
        }
        if (r->collecting_since_s >= 0) {
            add_part(p, r, &whole, i, r->collecting_since_s, until_s, true);
        }
        if (length <= 0) {
            size_t k = (size_t)fmin(begin, N_SHOWN - 1);
            add_cell(&p->whole[k], &whole, 1);
            p->elapsed_s[k] += p->cell_s;
            continue;
        }
        for (size_t k = (size_t)begin; (double)k < end; k++) {
            double share = (fmin(end, (double)k + 1) - fmax(begin, (double)k)) / length;
            add_cell(&p->whole[k], &whole, (float)share);
            p->elapsed_s[k] += share * p->cell_s;
        }
    }
}

static int compare_threads(const void *left, const void *right)
{
    const hpf_thread *a = left, *b = right;
    int order = (a->running_s < b->running_s) - (a->running_s > b->running_s);
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

/* Fills the cells of a processor, whose threads are then indices by id. */
static void show_cells(hpf__processors *p, row *r, double cell_s)
{
    for (size_t k = 0; k < N_SHOWN; k++) {
        const cell *c = &p->whole[k];
        float per_s = p->elapsed_s[k] > 0 ? (float)(1 / p->elapsed_s[k]) : 0;
        size_t i = find_thread(p, c->thread);
        bool has_thread = c->running_s > 0;
        r->shown[k] =
            (hpf_processor_cell){has_thread ? (uint32_t)i : HPF_NO_THREAD,
                                 fminf(c->running_s * per_s, 1), fminf(c->collecting_s * per_s, 1)};
        for (size_t are_run = 0; are_run < 2; are_run++) {
            r->shown_sparks[are_run][k] = (double)(c->sparks[are_run] * per_s) * cell_s;
        }
        if (has_thread) {
            p->shown[i].running_s += (double)c->running_s;
        }
    }
}

void hpf__processors_show(hpf__processors *p, hpf_activity *a, double until_s,
                          hpf__processors_time *time, const void *context)
{
    a->processors = p->public;
    a->threads = p->shown;
    a->n_rows = a->n_threads = 0;
    make_room(p, until_s);
    memcpy(p->shown, p->threads, p->n_threads * sizeof *p->shown);
    for (uint32_t i = 0; i < MOST_ROWS && !p->has_more; i++) {
        if (p->rows[i].has_run) {
            show_row(p, &p->rows[i], a, until_s, time, context);
            row *r = &p->rows[i];
            show_cells(p, r, a->cell_s);
            p->public[a->n_rows++] = (hpf_processor){i,
                                                     r->shown,
                                                     r->shown_sparks[0],
                                                     r->shown_sparks[1],
                                                     r->n_sparks[0],
                                                     r->n_sparks[1]};
        }
    }
    qsort(p->shown, p->n_threads, sizeof *p->shown, compare_threads);
    for (uint32_t i = 0; i < p->n_threads; i++) {
        p->rank[find_thread(p, p->shown[i].id)] = i;
        a->n_threads += p->shown[i].running_s > 0;
    }
    for (size_t i = 0; i < a->n_rows; i++) {
        hpf_processor_cell *cells = p->rows[p->public[i].number].shown;
        for (size_t k = 0; k < N_SHOWN; k++) {
            uint32_t thread = cells[k].thread;
            cells[k].thread = thread == HPF_NO_THREAD ? thread : p->rank[thread];
        }
    }
}
