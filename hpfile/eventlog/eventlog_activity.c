/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One record of statistics is one collection, however many capabilities took part. Activity is
 * added up in cells. Capabilities are independent of each other, because each writes blocks of its
 * own; only pauses, of which each has a part, are merged at the end. A capability that has nothing
 * to do waits for the next collection inside of one; so the pause is the time of the capability
 * that leads the collection and writes its statistics.
 */
#include "eventlog/eventlog_activity.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/big_endian.h"
#include "eventlog/eventlog_tags.h"

#define GENERATION_AT  4u /* after the capability set */
#define GENERATION_END 6u

static hpf_status add(hpf_eventlog_gc *gc, const hpf_event *event, bool is_major, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(gc->list, gc->capacity, gc->n + 1)) {
        return hpf_error_set_memory(err);
    }
    gc->list[gc->n++] = (hpf_collection){(double)event->time_ns / 1e9, is_major};
    return HPF_OK;
}

hpf_status hpf_eventlog_gc_note(hpf_eventlog_gc *gc, const hpf_event *event, hpf_error *err)
{
    hpf_str payload = event->payload;
    if (event->type->id == HPF__EVENT_GC_STATS_GHC && payload.length >= GENERATION_END) {
        gc->n = gc->has_statistics ? gc->n : 0;
        gc->has_statistics = true;
        return add(gc, event, hpf__read2(payload.data + GENERATION_AT) > 0, err);
    }
    if (event->type->id == HPF__EVENT_GC_START && !gc->has_statistics) {
        return add(gc, event, false, err);
    }
    return HPF_OK;
}

static int compare(const void *left, const void *right)
{
    const hpf_collection *a = left;
    const hpf_collection *b = right;
    int order = (a->time_s > b->time_s) - (a->time_s < b->time_s);
    return order ? order : a->is_major - b->is_major;
}

void hpf_eventlog_gc_settle(hpf_eventlog_gc *gc)
{
    if (gc->n) {
        qsort(gc->list, gc->n, sizeof *gc->list, compare);
    }
}

void hpf_eventlog_gc_finish(hpf_eventlog_gc *gc)
{
    free(gc->list);
    *gc = (hpf_eventlog_gc){0};
}

/* --- activity -------------------------------------------------------------------------------- */

enum { N_CELLS = 4096, MAX_CAPS = 4096 };

/* What is added up in cells. Sparks are counted by the run-time system, or are single events. */
typedef enum sum {
    ALLOCATED,
    PAUSED,
    RUNNING,
    SPARKS_COUNTED,
    RUN_COUNTED,
    SPARKS_SINGLE,
    RUN_SINGLE,
    N_SUMS
} sum;

/* A number that only grows, as of its last record. */
typedef struct counter {
    double time_s, value;
} counter;

typedef struct capability {
    double running_since_s, paused_since_s; /* negative: it is not */
    counter allocated, sparks, run_sparks;
    bool has_run, leads_collection;
} capability;

typedef struct span {
    double begin_s, end_s;
} span;

typedef struct pause {
    span time;
    bool has_statistics;
} pause;

struct hpf_eventlog_activity {
    hpf_activity public;
    hpf_arena *arena; /* texts of messages */
    double end_s;
    capability *caps;
    size_t n_caps, caps_capacity;
    pause *pauses;
    size_t n_pauses, pauses_capacity;
    hpf_mark *messages;
    size_t messages_capacity;
    bool has[N_SUMS];
    double cells[N_SUMS][N_CELLS];
};

hpf_eventlog_activity *hpf_eventlog_activity_create(double begin_s, double end_s)
{
    hpf_eventlog_activity *a = calloc(1, sizeof *a);
    if (!a || !(a->arena = hpf_arena_create())) {
        free(a);
        return NULL;
    }
    a->public = (hpf_activity){
        .begin_s = begin_s, .cell_s = (end_s - begin_s) / N_CELLS, .n_cells = N_CELLS};
    a->end_s = end_s;
    return a;
}

void hpf_eventlog_activity_destroy(hpf_eventlog_activity *a)
{
    if (a) {
        hpf_arena_destroy(a->arena);
        free(a->caps);
        free(a->pauses);
        free(a->messages);
        free(a);
    }
}

/* Spreads an amount evenly over the time in which it arose, or adds it at one time. What is outside
 * of the cells is left out. */
static void add_span(hpf_eventlog_activity *a, sum which, span over, double amount)
{
    double length = (over.end_s - over.begin_s) / a->public.cell_s;
    double begin = (over.begin_s - a->public.begin_s) / a->public.cell_s;
    double end = begin + fmax(length, 0);
    if (end < 0 || begin > N_CELLS || !(amount > 0)) {
        return;
    }
    a->has[which] = true;
    if (length <= 0) {
        a->cells[which][(size_t)fmin(begin, N_CELLS - 1)] += amount;
        return;
    }
    for (size_t i = (size_t)fmax(begin, 0); i < N_CELLS && (double)i < end; i++) {
        double share = fmin(end, (double)i + 1) - fmax(begin, (double)i);
        a->cells[which][i] += amount * share / length;
    }
}

/* Adds what a counter has grown since its last record. */
static void add_growth(hpf_eventlog_activity *a, sum which, counter *c, double time_s, double value)
{
    if (value > c->value) {
        add_span(a, which, (span){c->time_s, fmax(time_s, c->time_s)}, value - c->value);
    }
    *c = (counter){time_s, value};
}

/* Returns the state of a capability; NULL without memory. */
static capability *cap_of(hpf_eventlog_activity *a, uint16_t cap)
{
    size_t n = (size_t)cap + 1;
    if (!HPF__ARRAY_RESERVE(a->caps, a->caps_capacity, n)) {
        return NULL;
    }
    for (; a->n_caps < n; a->n_caps++) {
        a->caps[a->n_caps] = (capability){.running_since_s = -1, .paused_since_s = -1};
    }
    return &a->caps[cap];
}

static void stop_running(hpf_eventlog_activity *a, capability *cap, double time_s)
{
    if (cap->running_since_s >= 0) {
        double since_s = cap->running_since_s;
        add_span(a, RUNNING, (span){since_s, time_s}, time_s - since_s);
    }
    cap->running_since_s = -1;
}

static hpf_status end_pause(hpf_eventlog_activity *a, capability *cap, double time_s,
                            hpf_error *err)
{
    if (cap->paused_since_s >= 0) {
        if (!HPF__ARRAY_RESERVE(a->pauses, a->pauses_capacity, a->n_pauses + 1)) {
            return hpf_error_set_memory(err);
        }
        a->pauses[a->n_pauses++] = (pause){{cap->paused_since_s, time_s}, cap->leads_collection};
    }
    cap->paused_since_s = -1;
    cap->leads_collection = false;
    return HPF_OK;
}

static hpf_status keep_message(hpf_eventlog_activity *a, double time_s, hpf_str text,
                               hpf_error *err)
{
    if (time_s < a->public.begin_s || time_s > a->end_s) {
        return HPF_OK;
    }
    if (a->public.n_messages == HPF_MAX_MESSAGES) {
        a->public.n_more_messages++;
        return HPF_OK;
    }
    while (text.length && text.data[text.length - 1] == '\0') {
        text.length--;
    }
    const char *copy = hpf_arena_text(a->arena, text);
    if (!copy || !HPF__ARRAY_RESERVE(a->messages, a->messages_capacity, a->public.n_messages + 1)) {
        return hpf_error_set_memory(err);
    }
    a->messages[a->public.n_messages++] = (hpf_mark){time_s, {copy, text.length}};
    return HPF_OK;
}

hpf_status hpf_eventlog_activity_note(hpf_eventlog_activity *a, const hpf_event *event,
                                      hpf_error *err)
{
    enum { CAPSET_BYTES = 4, COUNTER_BYTES = 7 * 8, RUN_AT = 3 * 8 };
    double time_s = (double)event->time_ns / 1e9;
    hpf_str p = event->payload;
    if (event->type->id == HPF__EVENT_USER_MSG) {
        return keep_message(a, time_s, p, err);
    }
    if (event->cap >= MAX_CAPS) {
        return HPF_OK;
    }
    capability *cap = cap_of(a, event->cap);
    if (!cap) {
        return hpf_error_set_memory(err);
    }
    switch (event->type->id) {
    case HPF__EVENT_HEAP_ALLOCATED:
        if (p.length >= CAPSET_BYTES + 8) {
            add_growth(a, ALLOCATED, &cap->allocated, time_s,
                       (double)hpf__read8(p.data + CAPSET_BYTES));
        }
        break;
    case HPF__EVENT_GC_START:
        cap->paused_since_s = time_s;
        break;
    case HPF__EVENT_GC_STATS_GHC:
        cap->leads_collection = true;
        break;
    case HPF__EVENT_GC_END:
        return end_pause(a, cap, time_s, err);
    case HPF__EVENT_RUN_THREAD:
        stop_running(a, cap, time_s);
        cap->running_since_s = time_s;
        cap->has_run = true;
        break;
    case HPF__EVENT_STOP_THREAD:
        stop_running(a, cap, time_s);
        break;
    case HPF__EVENT_SPARK_COUNTERS:
        if (p.length >= COUNTER_BYTES) {
            add_growth(a, SPARKS_COUNTED, &cap->sparks, time_s, (double)hpf__read8(p.data));
            add_growth(a, RUN_COUNTED, &cap->run_sparks, time_s,
                       (double)hpf__read8(p.data + RUN_AT));
        }
        break;
    case HPF__EVENT_SPARK_CREATE:
        add_span(a, SPARKS_SINGLE, (span){time_s, time_s}, 1);
        break;
    case HPF__EVENT_SPARK_RUN:
    case HPF__EVENT_SPARK_STEAL:
        add_span(a, RUN_SINGLE, (span){time_s, time_s}, 1);
        break;
    default:
        break;
    }
    return HPF_OK;
}

static int compare_pauses(const void *left, const void *right)
{
    const pause *a = left, *b = right;
    return (a->time.begin_s > b->time.begin_s) - (a->time.begin_s < b->time.begin_s);
}

/* Adds the times in which a capability that leads a collection collected; without statistics, as in
 * old logs, those in which any capability did. */
static void add_pauses(hpf_eventlog_activity *a)
{
    bool has_statistics = false;
    for (size_t i = 0; i < a->n_pauses; i++) {
        has_statistics |= a->pauses[i].has_statistics;
    }
    if (a->n_pauses) {
        qsort(a->pauses, a->n_pauses, sizeof *a->pauses, compare_pauses);
    }
    double free_from_s = -HUGE_VAL;
    for (size_t i = 0; i < a->n_pauses; i++) {
        span rest = a->pauses[i].time;
        rest.begin_s = fmax(rest.begin_s, free_from_s);
        if (a->pauses[i].has_statistics == has_statistics && rest.end_s > rest.begin_s) {
            add_span(a, PAUSED, rest, rest.end_s - rest.begin_s);
            free_from_s = rest.end_s;
        }
    }
}

static int compare_messages(const void *left, const void *right)
{
    const hpf_mark *a = left, *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

const hpf_activity *hpf_eventlog_activity_settle(hpf_eventlog_activity *a)
{
    hpf_activity *public = &a->public;
    for (size_t i = 0; i < a->n_caps; i++) {
        stop_running(a, &a->caps[i], a->end_s);
        public->n_processors += a->caps[i].has_run;
    }
    add_pauses(a);
    if (public->n_messages) {
        qsort(a->messages, public->n_messages, sizeof *a->messages, compare_messages);
    }
    bool is_counted = a->has[SPARKS_COUNTED];
    bool has_sparks = is_counted || a->has[SPARKS_SINGLE];
    public->allocated_bytes = a->has[ALLOCATED] ? a->cells[ALLOCATED] : NULL;
    public->paused_s = a->has[PAUSED] ? a->cells[PAUSED] : NULL;
    public->running_s = a->has[RUNNING] ? a->cells[RUNNING] : NULL;
    if (has_sparks) {
        public->sparks = a->cells[is_counted ? SPARKS_COUNTED : SPARKS_SINGLE];
        public->run_sparks = a->cells[is_counted ? RUN_COUNTED : RUN_SINGLE];
    }
    public->messages = a->messages;
    return public;
}
