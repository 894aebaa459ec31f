/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One record of statistics is one collection, however many capabilities took part. Activity is
 * added up in cells, from the begin of the log on; when a time is after the last cell, pairs of
 * cells are merged. So the cells depend only on the records. Capabilities are independent of each
 * other, because each writes blocks of its own; only pauses, of which each has a part, are merged.
 * A capability that has nothing to do waits for the next collection inside of one; so the pause is
 * the time of the capability that leads the collection and writes its statistics.
 *
 * The mutator's clock is the sum of the cells of running threads: it stops while none runs, so also
 * during collections and the census inside of them, and runs twice as fast while two run.
 */
#include "eventlog/eventlog_activity.h"

#include "eventlog/eventlog_processors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"

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

/* Returns whether a record is what its number means: the log may declare another length for it. */
static bool is_statistics(const hpf_event *event)
{
    return event->type->id == HPF__EVENT_GC_STATS_GHC && hpf_event_name(event->type) &&
           event->payload.length >= GENERATION_END;
}

hpf_status hpf_eventlog_gc_note(hpf_eventlog_gc *gc, const hpf_event *event, hpf_error *err)
{
    hpf_str payload = event->payload;
    if (is_statistics(event)) {
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

void hpf_eventlog_gc_sort(hpf_eventlog_gc *gc, const hpf_eventlog_activity *clock)
{
    for (size_t i = 0; clock && i < gc->n; i++) {
        gc->list[i].time_s = hpf__eventlog_activity_time(clock, gc->list[i].time_s);
    }
    HPF__ARRAY_SORT(gc->list, gc->n, compare);
}

void hpf_eventlog_gc_finish(hpf_eventlog_gc *gc)
{
    free(gc->list);
    *gc = (hpf_eventlog_gc){0};
}

/* --- activity -------------------------------------------------------------------------------- */

enum {
    N_CELLS = 1 << 15, /* at least half of them are in use */
    N_SHOWN = 4096,    /* cells of the result */
    MAX_CAPS = 4096,
    MOST_PAUSES = 8192,
    MOST_MESSAGE_BYTES = 1 << 20,
};

/* A power of two, so that whole seconds are at the edges of cells. */
static const double first_cell_s = 0x1p-18;

/* What is added up in cells. */
typedef enum sum { ALLOCATED, PAUSED, RUNNING, SPARKS, RUN_SPARKS, N_SUMS } sum;

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

/* The first cells of a sum; all others are 0. */
typedef struct cell_list {
    double *list;
    size_t n, capacity;
} cell_list;

typedef struct shown_cells {
    double of[N_SUMS][N_SHOWN], elapsed_s[N_SHOWN];
    double clock_s[N_CELLS + 1]; /* of the mutator, at the begin of each of its cells */
    double scratch[N_CELLS];     /* cells with what is not over yet */
} shown_cells;

struct hpf_eventlog_activity {
    hpf_activity public;
    hpf_arena *arena; /* texts of messages */
    size_t message_bytes;
    capability *caps;
    size_t n_caps, caps_capacity;
    span *pauses; /* the latest, in the order of time, without overlap; the others are in cells */
    size_t n_pauses, pauses_capacity;
    double paused_until_s; /* pauses in cells end before */
    double latest_s;       /* time of a record */
    double first_run_s;    /* of a thread; HUGE_VAL: none has run */
    bool has_statistics;   /* pauses come from capabilities that lead a collection */
    bool counts_sparks;    /* by records with numbers of them; single events do not count */
    hpf_mark *messages;    /* in the order of time */
    size_t n_messages, messages_capacity;
    double cell_s;
    cell_list cells[N_SUMS];
    bool is_mutator; /* shown times are of the mutator's clock */
    double clock_cell_s;
    hpf_mark *shown_messages;
    size_t shown_capacity;
    shown_cells *shown;
    hpf__processors *processors;
};

hpf_eventlog_activity *hpf_eventlog_activity_create(void)
{
    hpf_eventlog_activity *a = calloc(1, sizeof *a);
    if (!a || !(a->arena = hpf_arena_create()) || !(a->shown = malloc(sizeof *a->shown)) ||
        !(a->processors = hpf__processors_create())) {
        hpf_eventlog_activity_destroy(a);
        return NULL;
    }
    a->cell_s = first_cell_s;
    a->paused_until_s = -HUGE_VAL;
    a->first_run_s = HUGE_VAL;
    return a;
}

void hpf_eventlog_activity_destroy(hpf_eventlog_activity *a)
{
    if (a) {
        hpf_arena_destroy(a->arena);
        free(a->shown);
        hpf__processors_destroy(a->processors);
        free(a->caps);
        free(a->pauses);
        free(a->messages);
        free(a->shown_messages);
        for (size_t which = 0; which < N_SUMS; which++) {
            free(a->cells[which].list);
        }
        free(a);
    }
}

/* Makes sure that a list has `n` cells. Returns false without memory. */
static bool extend(cell_list *cells, size_t n)
{
    if (n > cells->n) {
        if (!HPF__ARRAY_RESERVE(cells->list, cells->capacity, n)) {
            return false;
        }
        memset(cells->list + cells->n, 0, (n - cells->n) * sizeof *cells->list);
        cells->n = n;
    }
    return true;
}

static void merge_pairs(cell_list *cells)
{
    for (size_t i = 0; i < cells->n / 2; i++) {
        cells->list[i] = cells->list[2 * i] + cells->list[2 * i + 1];
    }
    if (cells->n % 2 > 0) {
        cells->list[cells->n / 2] = cells->list[cells->n - 1];
    }
    cells->n = (cells->n + 1) / 2;
}

/* Makes cells wider until `time_s` is before the end of the last one. */
static void make_room(hpf_eventlog_activity *a, double time_s)
{
    for (; time_s >= a->cell_s * N_CELLS; a->cell_s *= 2) {
        for (size_t which = 0; which < N_SUMS; which++) {
            merge_pairs(&a->cells[which]);
        }
    }
}

/* Spreads an amount evenly over the time in which it arose, or adds it at one time, which must be
 * before the end of the last cell. Returns false without memory. */
static bool spread(cell_list *cells, double cell_s, span over, double amount)
{
    double begin = over.begin_s / cell_s;
    double length = (over.end_s - over.begin_s) / cell_s;
    double end = fmin(begin + length, N_CELLS);
    size_t first = (size_t)begin, n = (size_t)ceil(end);
    n = n > first ? n : first + 1;
    if (!extend(cells, n)) {
        return false;
    }
    if (length <= 0) {
        cells->list[first] += amount;
        return true;
    }
    cells->list[first] += amount * (fmin(end, (double)first + 1) - begin) / length;
    for (size_t i = first + 1; i < n - 1; i++) {
        cells->list[i] += amount / length;
    }
    if (n - 1 > first) {
        cells->list[n - 1] += amount * (end - (double)(n - 1)) / length;
    }
    return true;
}

static hpf_status add_span(hpf_eventlog_activity *a, sum which, span over, double amount,
                           hpf_error *err)
{
    if (amount > 0) {
        make_room(a, over.end_s);
        if (!spread(&a->cells[which], a->cell_s, over, amount)) {
            return hpf_error_set_memory(err);
        }
    }
    return HPF_OK;
}

/* Returns what a counter has grown since its last record, in the time between the two. */
static double grow(counter *c, double time_s, double value, span *over)
{
    counter last = *c;
    *c = (counter){time_s, value};
    *over = (span){fmin(last.time_s, time_s), time_s};
    return fmax(value - last.value, 0);
}

/* Adds sparks of a capability, to its own sum and to the sum of all. */
static hpf_status add_sparks(hpf_eventlog_activity *a, uint16_t cap, sum which, span over, double n,
                             hpf_error *err)
{
    if (n == 0) {
        return HPF_OK;
    }
    hpf_status status = hpf__processors_add_sparks(a->processors, cap, which == RUN_SPARKS,
                                                   over.begin_s, over.end_s, n, err);
    return status == HPF_OK ? add_span(a, which, over, n, err) : status;
}

/* Reads the number of sparks that a capability has created and run so far. Single events before the
 * first such number are forgotten. */
static hpf_status count_sparks(hpf_eventlog_activity *a, uint16_t cap, double time_s,
                               double n_created, double n_run, hpf_error *err)
{
    span created, run;
    n_created = grow(&a->caps[cap].sparks, time_s, n_created, &created);
    n_run = grow(&a->caps[cap].run_sparks, time_s, n_run, &run);
    if (!a->counts_sparks && n_created + n_run > 0) {
        a->counts_sparks = true;
        a->cells[SPARKS].n = a->cells[RUN_SPARKS].n = 0;
        hpf__processors_forget_sparks(a->processors);
    }
    hpf_status status = add_sparks(a, cap, SPARKS, created, n_created, err);
    return status == HPF_OK ? add_sparks(a, cap, RUN_SPARKS, run, n_run, err) : status;
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

static hpf_status stop_running(hpf_eventlog_activity *a, capability *cap, double time_s,
                               hpf_error *err)
{
    double since_s = cap->running_since_s;
    cap->running_since_s = -1;
    return since_s >= 0 ? add_span(a, RUNNING, (span){since_s, time_s}, time_s - since_s, err)
                        : HPF_OK;
}

/* Moves the older half of the pauses to the cells. */
static hpf_status store_pauses(hpf_eventlog_activity *a, hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_t n = a->n_pauses / 2;
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        const span *p = &a->pauses[i];
        status = add_span(a, PAUSED, *p, p->end_s - p->begin_s, err);
    }
    a->paused_until_s = a->pauses[n - 1].end_s;
    a->n_pauses -= n;
    memmove(a->pauses, a->pauses + n, a->n_pauses * sizeof *a->pauses);
    return status;
}

/* Adds a pause, merged with the pauses that overlap with it. */
static hpf_status add_pause(hpf_eventlog_activity *a, span time, hpf_error *err)
{
    time.begin_s = fmax(time.begin_s, a->paused_until_s);
    if (time.end_s <= time.begin_s) {
        return HPF_OK;
    }
    if (!HPF__ARRAY_RESERVE(a->pauses, a->pauses_capacity, a->n_pauses + 1)) {
        return hpf_error_set_memory(err);
    }
    size_t end = a->n_pauses;
    while (end > 0 && a->pauses[end - 1].begin_s > time.end_s) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && a->pauses[begin - 1].end_s >= time.begin_s) {
        begin--;
        time.begin_s = fmin(time.begin_s, a->pauses[begin].begin_s);
        time.end_s = fmax(time.end_s, a->pauses[begin].end_s);
    }
    memmove(a->pauses + begin + 1, a->pauses + end, (a->n_pauses - end) * sizeof *a->pauses);
    a->pauses[begin] = time;
    a->n_pauses = a->n_pauses + 1 - (end - begin);
    return a->n_pauses > MOST_PAUSES ? store_pauses(a, err) : HPF_OK;
}

/* Counts the time in which a capability that leads a collection collected; without statistics, as
 * in old logs, that in which any capability did. */
static hpf_status end_pause(hpf_eventlog_activity *a, capability *cap, double time_s,
                            hpf_error *err)
{
    span time = {cap->paused_since_s, time_s};
    bool leads = cap->leads_collection;
    cap->paused_since_s = -1;
    cap->leads_collection = false;
    if (time.begin_s < 0 || (a->has_statistics && !leads)) {
        return HPF_OK;
    }
    if (leads && !a->has_statistics) {
        a->has_statistics = true;
        a->n_pauses = 0;
        a->paused_until_s = -HUGE_VAL;
        a->cells[PAUSED].n = 0;
    }
    return add_pause(a, time, err);
}

static hpf_status keep_message(hpf_eventlog_activity *a, double time_s, hpf_str text,
                               hpf_error *err)
{
    while (text.length && text.data[text.length - 1] == '\0') {
        text.length--;
    }
    if (a->n_messages == HPF_MAX_MESSAGES || text.length > MOST_MESSAGE_BYTES - a->message_bytes) {
        a->public.n_more_messages++;
        return HPF_OK;
    }
    const char *copy = hpf_arena_text(a->arena, text);
    if (!copy || !HPF__ARRAY_RESERVE(a->messages, a->messages_capacity, a->n_messages + 1) ||
        !HPF__ARRAY_RESERVE(a->shown_messages, a->shown_capacity, a->n_messages + 1)) {
        return hpf_error_set_memory(err);
    }
    a->message_bytes += text.length;
    size_t at = a->n_messages++;
    for (; at > 0 && a->messages[at - 1].time > time_s; at--) {
        a->messages[at] = a->messages[at - 1];
    }
    a->messages[at] = (hpf_mark){time_s, {copy, text.length}};
    return HPF_OK;
}

static double total_of(const cell_list *cells)
{
    double total = 0;
    for (size_t i = 0; i < cells->n; i++) {
        total += cells->list[i];
    }
    return total;
}

bool hpf__eventlog_activity_wants(uint16_t type)
{
    static const uint16_t wanted[] = {
        HPF__EVENT_RUN_THREAD,     HPF__EVENT_STOP_THREAD,    HPF__EVENT_GC_START,
        HPF__EVENT_GC_END,         HPF__EVENT_GC_STATS_GHC,   HPF__EVENT_USER_MSG,
        HPF__EVENT_SPARK_COUNTERS, HPF__EVENT_SPARK_CREATE,   HPF__EVENT_SPARK_RUN,
        HPF__EVENT_SPARK_STEAL,    HPF__EVENT_HEAP_ALLOCATED,
    };
    size_t i = 0;
    while (i < sizeof wanted / sizeof *wanted && wanted[i] != type) {
        i++;
    }
    return i < sizeof wanted / sizeof *wanted || hpf__processors_want(type);
}

hpf_status hpf_eventlog_activity_note(hpf_eventlog_activity *a, const hpf_event *event,
                                      hpf_error *err)
{
    enum { CAPSET_BYTES = 4, COUNTER_BYTES = 7 * 8, RUN_AT = 3 * 8 };
    double time_s = (double)event->time_ns / 1e9;
    hpf_str p = event->payload;
    if (!hpf_event_name(event->type)) {
        return HPF_OK;
    }
    a->latest_s = fmax(a->latest_s, time_s);
    if (event->type->id == HPF__EVENT_USER_MSG) {
        return keep_message(a, time_s, p, err);
    }
    hpf_status noted = hpf__processors_note(a->processors, event, err);
    if (noted != HPF_OK || event->cap >= MAX_CAPS ||
        !hpf__eventlog_activity_wants(event->type->id)) {
        return noted;
    }
    capability *cap = cap_of(a, event->cap);
    if (!cap) {
        return hpf_error_set_memory(err);
    }
    switch (event->type->id) {
    case HPF__EVENT_HEAP_ALLOCATED:
        if (p.length >= CAPSET_BYTES + 8) {
            span over;
            double n_bytes =
                grow(&cap->allocated, time_s, (double)hpf__read8(p.data + CAPSET_BYTES), &over);
            return add_span(a, ALLOCATED, over, n_bytes, err);
        }
        break;
    case HPF__EVENT_GC_START:
        cap->paused_since_s = time_s;
        break;
    case HPF__EVENT_GC_STATS_GHC:
        cap->leads_collection |= is_statistics(event);
        break;
    case HPF__EVENT_GC_END:
        return end_pause(a, cap, time_s, err);
    case HPF__EVENT_RUN_THREAD: {
        hpf_status status = stop_running(a, cap, time_s, err);
        cap->running_since_s = time_s;
        cap->has_run = true;
        a->first_run_s = fmin(a->first_run_s, time_s);
        return status;
    }
    case HPF__EVENT_STOP_THREAD:
        return stop_running(a, cap, time_s, err);
    case HPF__EVENT_SPARK_COUNTERS:
        return p.length < COUNTER_BYTES
                   ? HPF_OK
                   : count_sparks(a, event->cap, time_s, (double)hpf__read8(p.data),
                                  (double)hpf__read8(p.data + RUN_AT), err);
    case HPF__EVENT_SPARK_CREATE:
    case HPF__EVENT_SPARK_RUN:
    case HPF__EVENT_SPARK_STEAL: {
        sum which = event->type->id == HPF__EVENT_SPARK_CREATE ? SPARKS : RUN_SPARKS;
        return add_sparks(a, event->cap, which, (span){time_s, time_s}, !a->counts_sparks, err);
    }
    default:
        break;
    }
    return HPF_OK;
}

/* Returns whether a capability runs before `end_s` and has not stopped yet. */
static bool is_running(const hpf_eventlog_activity *a, double end_s)
{
    size_t i = 0;
    while (i < a->n_caps &&
           !(a->caps[i].running_since_s >= 0 && a->caps[i].running_since_s < end_s)) {
        i++;
    }
    return i < a->n_caps;
}

/* Fills the scratch cells with the cells of a sum and what is not over yet, as of `end_s`. Returns
 * their width; 0 if there is nothing. The cells of the sum remain as they are, so that the next
 * call gives what it would give without this one. */
static double fill_scratch(const hpf_eventlog_activity *a, sum which, double end_s,
                           cell_list *cells)
{
    double cell_s = a->cell_s;
    *cells = (cell_list){a->shown->scratch, a->cells[which].n, N_CELLS};
    if (cells->n == 0 && !(which == PAUSED && a->n_pauses > 0) &&
        !(which == RUNNING && is_running(a, end_s))) {
        return 0;
    }
    if (cells->n > 0) {
        memcpy(cells->list, a->cells[which].list, cells->n * sizeof *cells->list);
    }
    double latest_s = a->n_pauses > 0 ? fmax(end_s, a->pauses[a->n_pauses - 1].end_s) : end_s;
    for (; latest_s >= cell_s * N_CELLS; cell_s *= 2) {
        merge_pairs(cells);
    }
    for (size_t i = 0; which == PAUSED && i < a->n_pauses; i++) {
        const span *p = &a->pauses[i];
        spread(cells, cell_s, *p, p->end_s - p->begin_s);
    }
    for (size_t i = 0; which == RUNNING && i < a->n_caps; i++) {
        double since_s = a->caps[i].running_since_s;
        if (since_s >= 0 && since_s < end_s) {
            spread(cells, cell_s, (span){since_s, end_s}, end_s - since_s);
        }
    }
    return cell_s;
}

bool hpf_eventlog_activity_use_mutator_clock(hpf_eventlog_activity *a)
{
    cell_list cells;
    double cell_s = fill_scratch(a, RUNNING, a->latest_s, &cells);
    bool has_threads = cell_s > 0;
    if (has_threads) {
        spread(&cells, cell_s, (span){0, a->first_run_s}, a->first_run_s);
    } else if ((cell_s = fill_scratch(a, PAUSED, a->latest_s, &cells)) == 0) {
        return false;
    }
    double *clock_s = a->shown->clock_s;
    clock_s[0] = 0;
    for (size_t i = 0; i < N_CELLS; i++) {
        double amount = i < cells.n ? cells.list[i] : 0;
        clock_s[i + 1] = clock_s[i] + (has_threads ? amount : fmax(0, cell_s - amount));
    }
    a->clock_cell_s = cell_s;
    a->is_mutator = true;
    return true;
}

double hpf__eventlog_activity_time(const hpf_eventlog_activity *a, double elapsed_s)
{
    if (!a->is_mutator) {
        return elapsed_s;
    }
    double at = elapsed_s / a->clock_cell_s;
    const double *clock_s = &a->shown->clock_s[at < N_CELLS ? (size_t)at : N_CELLS - 1];
    double rest = fmin(at - (double)(clock_s - a->shown->clock_s), 1);
    return round((clock_s[0] + rest * (clock_s[1] - clock_s[0])) * 1e9) / 1e9;
}

/* Adds an amount to the shown cells that a span overlaps with. It does not end before them. */
static void show_span(const hpf_activity *public, double *shown, span over, double amount)
{
    double begin = (over.begin_s - public->begin_s) / public->cell_s;
    double length = (over.end_s - over.begin_s) / public->cell_s;
    if (length <= 0) {
        shown[(size_t)fmin(begin, N_SHOWN - 1)] += amount;
        return;
    }
    double end = fmin(begin + length, N_SHOWN);
    for (size_t i = (size_t)fmax(begin, 0); (double)i < end; i++) {
        double share = fmin(end, (double)i + 1) - fmax(begin, (double)i);
        shown[i] += amount * share / length;
    }
}

/* Shows the cells of a sum between two times; NULL if there is nothing. A cell has what it would
 * have if all of it were like the elapsed time in it. */
static const double *show(hpf_eventlog_activity *a, sum which, double end_s)
{
    cell_list cells;
    double *shown = a->shown->of[which], *elapsed_s = a->shown->elapsed_s;
    double cell_s = fill_scratch(a, which, a->is_mutator ? a->latest_s : end_s, &cells);
    if (cell_s == 0) {
        return NULL;
    }
    memset(shown, 0, sizeof a->shown->of[which]);
    memset(elapsed_s, 0, sizeof a->shown->elapsed_s);
    span over = {0, hpf__eventlog_activity_time(a, 0)};
    for (size_t i = 0; i < N_CELLS && over.end_s <= end_s; i++) {
        over.begin_s = over.end_s;
        over.end_s = hpf__eventlog_activity_time(a, ((double)i + 1) * cell_s);
        if (over.end_s >= a->public.begin_s) {
            show_span(&a->public, shown, over, i < cells.n ? cells.list[i] : 0);
            show_span(&a->public, elapsed_s, over, cell_s);
        }
    }
    double amount = 0, all_s = 0;
    for (size_t i = 0; i < N_SHOWN; i++) {
        amount += shown[i];
        all_s += elapsed_s[i];
    }
    if (which == PAUSED) {
        a->public.paused_share = all_s > 0 ? amount / all_s : 0;
    }
    for (size_t i = 0; i < N_SHOWN; i++) {
        shown[i] *= elapsed_s[i] > 0 ? a->public.cell_s / elapsed_s[i] : 0;
    }
    return shown;
}

static double time_of(const void *activity, double elapsed_s)
{
    return hpf__eventlog_activity_time(activity, elapsed_s);
}

const hpf_activity *hpf_eventlog_activity_between(hpf_eventlog_activity *a, double begin_s,
                                                  double end_s)
{
    hpf_activity *public = &a->public;
    public->begin_s = begin_s;
    public->cell_s = (end_s - begin_s) / N_SHOWN;
    public->n_cells = N_SHOWN;
    public->n_processors = 0;
    for (size_t i = 0; i < a->n_caps; i++) {
        public->n_processors += a->caps[i].has_run;
    }
    public->allocated_bytes = show(a, ALLOCATED, end_s);
    public->paused_s = show(a, PAUSED, end_s);
    public->running_s = show(a, RUNNING, end_s);
    public->sparks = show(a, SPARKS, end_s);
    public->run_sparks = public->sparks ? show(a, RUN_SPARKS, end_s) : NULL;
    if (public->sparks && !public->run_sparks) {
        public->run_sparks = memset(a->shown->of[RUN_SPARKS], 0, sizeof a->shown->of[RUN_SPARKS]);
    }
    public->n_sparks = total_of(&a->cells[SPARKS]);
    public->n_run_sparks = total_of(&a->cells[RUN_SPARKS]);
    double until_s = a->is_mutator ? a->latest_s : end_s;
    hpf__processors_show(a->processors, public, until_s, time_of, a);
    public->messages = a->shown_messages;
    public->n_messages = 0;
    for (size_t i = 0; i < a->n_messages; i++) {
        hpf_mark message = a->messages[i];
        message.time = hpf__eventlog_activity_time(a, message.time);
        if (message.time >= begin_s && message.time <= end_s) {
            a->shown_messages[public->n_messages++] = message;
        }
    }
    return public;
}

static hpf_status want(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err)
{
    (void)context;
    (void)err;
    *is_wanted = hpf__eventlog_activity_wants(type->id);
    return HPF_OK;
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_activity_note(context, event, err);
}

hpf_status hpf__eventlog_activity_read(hpf_eventlog_activity **out, hpf_source *source,
                                       hpf_error *err)
{
    static const hpf_event_visitor visitor = {.type = want, .event = note};
    hpf_eventlog_activity *a = *out = hpf_eventlog_activity_create();
    hpf_status status =
        a ? hpf_eventlog_read_source(NULL, source, &visitor, a, err) : hpf_error_set_memory(err);
    status = status == HPF_OK ? hpf_source_rewind(source, err) : status;
    if (status == HPF_OK && !hpf_eventlog_activity_use_mutator_clock(a)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--clock mutator: the event log has no threads or collections, from "
                             "which the time of the mutator is computed: record them with +RTS -l, "
                             "not with -l-a");
    }
    return status;
}

bool hpf_activity_is_empty(const hpf_activity *a)
{
    return !a->allocated_bytes && !a->paused_s && !a->running_s && !a->sparks && a->n_messages == 0;
}

bool hpf__eventlog_activity_has_records(const hpf_eventlog_activity *a)
{
    return a->n_caps > 0 || a->n_messages > 0;
}
