/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader, stacks, heap, engine and output of one process, and what its peak looked like.
 */
#include "base/arena.h"
#include "native_profile.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "core/log.h"
#include "core/marks.h"
#include "native_bins.h"
#include "native_report.h"
#include "native_throws.h"
#include "census/snapshot.h"
#include "core/title.h"

enum { MAX_WORDS = sizeof((hpp_window_head *)0)->command };

/* A census with a biography. */
typedef struct era {
    uint32_t number; /* of the window */
    uint64_t live_bytes;
    uint64_t watched_bytes; /* with objects: what all watched blocks represent */
} era;

/* The live blocks of all groups at a moment. */
typedef struct alive_list {
    hpp__alive *groups;
    size_t n, capacity;
} alive_list;

/* A thread that is in the event log. */
typedef struct logged_thread {
    uint32_t id; /* 0: none */
    char name[sizeof((hpp__native_thread_event *)0)->name];
} logged_thread;

struct hpp__native_profile {
    const hpp_options *options;
    hpf_arena *arena;
    const char *base;
    char date[32];
    hpf_str words[MAX_WORDS]; /* copies */
    size_t n_words;
    hpp__window_reader reader; /* as of the last snapshot */
    hpp__native_stacks stacks;
    hpp__native_stacks calls; /* with lines, for `costs` and the event log */
    hpp__native_heap heap;
    hpp__native_objects objects;
    hpp_census *engine;
    hpp__output output;
    alive_list peak, last;
    hpf_stack_totals *totals; /* by id of the stack, as far as they are known */
    size_t n_totals;
    hpp__native_ticks ticks; /* of the last snapshot */
    hpp__shared_costs *costs;
    uint64_t n_ticks;       /* that are in the event log */
    logged_thread *threads; /* by slot */
    size_t threads_capacity;
    hpp__native_throws throws;
    uint64_t begin_ns; /* CLOCK_MONOTONIC when the profile was created */
    bool has_lives;
    hpp__native_lives lives;
    hpp__native_watch watch; /* with objects */
    era *eras;               /* by census of the engine */
    size_t eras_capacity;
    hpp__marks marks;         /* with a biography: to be written again */
    hpf_error snapshot_error; /* the first of a heap snapshot */
    hpp_process_figures figures;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- Titles ---- */

static bool copy_words(hpp__native_profile *p)
{
    hpp__text command = {0};
    size_t at = 0;
    for (;;) {
        hpf_str word = hpp__window_reader_word(&p->reader, &at);
        hpf_str copy = word.data ? hpf_arena_str(p->arena, word) : word;
        if (!copy.data) {
            break;
        }
        p->words[p->n_words++] = copy;
        hpp__text_add(&command, command.length > 0 ? HPF_STR(" ") : HPF_STR(""));
        hpp__text_add(&command, copy);
    }
    p->figures.command = hpf_arena_str(p->arena, hpp__text_str(&command));
    hpp__text_finish(&command);
    return p->figures.command.data != NULL;
}

static hpf_str program_of(const hpp__native_profile *p)
{
    return p->n_words > 0 ? hpp__title_program(p->words[0].data) : HPF_STR("program");
}

static void emit_headers(hpp__native_profile *p)
{
    hpp__text job = {0};
    hpp__text_add(&job, program_of(p));
    for (size_t i = 1; i < p->n_words; i++) {
        hpp__title_add_word(&job, p->words[i].data);
    }
    hpp__title_add_breakdown(&job, p->options);
    hpp__output_headers(&p->output, hpp__text_str(&job), (hpf_str){p->date, strlen(p->date)},
                        false);
    hpp__text_finish(&job);
}

/* ---- Files ---- */

/* Returns the path of a file of the profile, in the arena; NULL without memory. */
static const char *path_of(const hpp__native_profile *p, const char *suffix)
{
    size_t length = strlen(p->base);
    char *path = hpf_arena_alloc(p->arena, length + strlen(suffix) + 1);
    if (path) {
        memcpy(path, p->base, length);
        strcpy(path + length, suffix);
    }
    return path;
}

/* Returns whether the event log has the totals of each stack. The bands of a restricted
 * profile are only a part of the stacks. */
static bool logs_totals(const hpp__native_profile *p)
{
    return p->options->with_eventlog && p->options->census.n_restrictions == 0;
}

static hpf_status open_files(hpp__native_profile *p, hpf_error *err)
{
    const char *path = path_of(p, ".hp");
    const char *sidecar = path_of(p, ".lines");
    const char *log = path_of(p, ".eventlog");
    if (!path || !sidecar || !log) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    if (!p->options->is_compact) {
        status = hpp__output_open(&p->output, path, err);
        status = status == HPF_OK ? hpp__output_open_sidecar(&p->output, sidecar, err) : status;
    }
    if (status == HPF_OK && p->options->with_eventlog) {
        status =
            hpp__output_open_log(&p->output, log, p->options, p->engine, logs_totals(p), NULL, err);
    }
    return status;
}

/* ---- Life ---- */

/* Returns whether a census or a restriction asks for a property. */
bool hpp__native_asks_for(const hpp_census_options *census, hpf_breakdown property)
{
    bool asks = census->breakdown == property;
    for (size_t i = 0; i < census->n_restrictions && !asks; i++) {
        asks = census->restrictions[i].selector == property;
    }
    return asks;
}

bool hpp__native_profile_needs_images(const hpp_options *profile)
{
    const hpp_census_options *census = &profile->census;
    return hpp__native_asks_for(census, HPF_BREAKDOWN_RETAINER) ||
           (hpp__native_asks_for(census, HPF_BREAKDOWN_TYPE) &&
            !hpp__native_asks_for(census, HPF_BREAKDOWN_BIOGRAPHY));
}

bool hpp__native_profile_logs_threads(const hpp_options *profile)
{
    return profile->with_eventlog && profile->log_classes & HPP_LOG_SCHEDULER;
}

static bool logs_ticks(const hpp__native_profile *p)
{
    return p->options->with_eventlog && p->options->report != HPP_REPORT_NONE;
}

/* Returns whether the event log has the stacks with lines that allocated the blocks of each band.
 */
static bool logs_stacks(const hpp__native_profile *p)
{
    const hpp_census_options *census = &p->options->census;
    hpf_breakdown by = census->breakdown;
    return p->options->with_eventlog && !p->has_lives && !census->savings &&
           (by == HPF_BREAKDOWN_NONE || by == HPF_BREAKDOWN_COST_CENTRE ||
            by == HPF_BREAKDOWN_TYPE || by == HPF_BREAKDOWN_RETAINER);
}

static hpf_status init_parts(hpp__native_profile *p, const hpp__native_profile_options *options,
                             hpf_error *err)
{
    bool has_log = p->options->with_eventlog;
    bool has_lines = has_log || options->costs || p->options->print_on_abort;
    hpf_status status = hpp__native_stacks_init(&p->stacks, options->names, &p->reader,
                                                options->process_id, options->max_depth, err);
    if (status == HPF_OK && has_lines) {
        status = hpp__native_stacks_init(&p->calls, options->names, &p->reader, options->process_id,
                                         options->max_depth, err);
    }
    p->calls.with_lines = true;
    p->stacks.without_c = p->calls.without_c = options->python == HPP_PYTHON_ALONE;
    if (status == HPF_OK) {
        status = hpp__native_heap_init(&p->heap, &p->stacks, has_log ? &p->calls : NULL, &p->reader,
                                       err);
        p->heap.without_inherited = options->without_inherited;
        p->heap.with_types = hpp__native_asks_for(&p->options->census, HPF_BREAKDOWN_TYPE);
    }
    const hpp_census_options *census = &p->options->census;
    if (status == HPF_OK) {
        status = hpp__graph_heap_init(&p->objects.heap, &p->heap, options->retainer_sites,
                                      census->retaining.identity == HPF_BREAKDOWN_COST_CENTRE, err);
    }
    if (status == HPF_OK) {
        bool by_objects = hpp__native_profile_needs_images(p->options);
        status = hpp_census_create(&p->engine, by_objects ? &p->objects.heap.heap : &p->heap.heap,
                                   census, err);
    }
    p->has_lives = status == HPF_OK && hpp_census_has_biography(p->engine);
    if (status == HPF_OK && logs_stacks(p)) {
        status = hpp__census_divide_by_stack(p->engine, err);
    }
    if (status == HPF_OK && p->options->with_census) {
        status = open_files(p, err);
    }
    if (status == HPF_OK) {
        hpp__output_add(&p->output, options->events, options->events_context);
        emit_headers(p);
        if (logs_ticks(p)) {
            hpp__output_begin_time(&p->output, p->options->tick_ns);
        }
    }
    return status;
}

hpf_status hpp__native_profile_create(hpp__native_profile **out,
                                      const hpp__native_profile_options *options,
                                      const hpp__window_reader *reader, hpf_error *err)
{
    *out = NULL;
    hpp__native_profile *p = calloc(1, sizeof *p);
    if (!p) {
        return hpf_error_set_memory(err);
    }
    p->options = options->profile;
    p->costs = options->costs;
    p->throws.print = p->options->print_on_abort ? options->print : NULL;
    p->throws.print_context = options->print_context;
    p->reader = *reader;
    p->begin_ns = now_ns();
    p->figures.process_id = options->process_id;
    hpp__title_date(p->date, sizeof p->date);
    p->arena = hpf_arena_create();
    if (p->arena) {
        p->base = hpf_arena_text(p->arena, (hpf_str){options->base, strlen(options->base)});
    }
    hpf_status status =
        p->base && copy_words(p) ? init_parts(p, options, err) : hpf_error_set_memory(err);
    if (status != HPF_OK) {
        hpp__native_profile_destroy(p);
        return status;
    }
    *out = p;
    return HPF_OK;
}

void hpp__native_profile_destroy(hpp__native_profile *p)
{
    if (!p) {
        return;
    }
    hpp__output_drop(&p->output);
    hpp_census_destroy(p->engine);
    hpp__native_objects_finish(&p->objects);
    hpp__native_heap_finish(&p->heap);
    hpp__native_stacks_finish(&p->stacks);
    hpp__native_stacks_finish(&p->calls);
    hpp__native_lives_finish(&p->lives);
    hpp__native_watch_finish(&p->watch);
    hpp__marks_finish(&p->marks);
    free(p->eras);
    free(p->totals);
    free(p->ticks.by_stack);
    free(p->threads);
    free(p->peak.groups);
    free(p->last.groups);
    hpf_arena_destroy(p->arena);
    free(p);
}

static const char *const suffixes[] = {".hp",        ".lines",     ".eventlog",    ".prof",
                                       ".time.bins", ".heap.bins", ".heapsnapshot"};
enum { N_SUFFIXES = sizeof suffixes / sizeof *suffixes };

void hpp__native_profile_discard(hpp__native_profile *p)
{
    for (size_t i = 0; p->options->with_census && i < N_SUFFIXES; i++) {
        const char *path = path_of(p, suffixes[i]);
        if (path) {
            unlink(path);
        }
    }
}

void hpp__native_profile_rename_files(const char *base, const char *new_base)
{
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        char from[PATH_MAX], to[PATH_MAX];
        int n_from = snprintf(from, sizeof from, "%s%s", base, suffixes[i]);
        int n_to = snprintf(to, sizeof to, "%s%s", new_base, suffixes[i]);
        if (n_from < PATH_MAX && n_to < PATH_MAX) {
            (void)rename(from, to);
        }
    }
}

void hpp__native_profile_set_base(hpp__native_profile *p, const char *base)
{
    const char *copy = hpf_arena_text(p->arena, (hpf_str){base, strlen(base)});
    p->base = copy ? copy : p->base;
}

/* ---- Snapshots ---- */

/* Copies the live blocks of each group. */
static void keep_alive(alive_list *alive, const hpp__native_heap *heap)
{
    alive->n =
        HPF__ARRAY_RESERVE(alive->groups, alive->capacity, heap->n_groups) ? heap->n_groups : 0;
    for (size_t i = 0; i < alive->n; i++) {
        const hpp__costs *costs = &heap->costs[i];
        alive->groups[i] = hpp__native_heap_shows(heap, i)
                               ? (hpp__alive){.bytes = hpp__costs_live_bytes(costs),
                                              .blocks = hpp__costs_live_blocks(costs)}
                               : (hpp__alive){0};
    }
}

/* Copies the live blocks of an image, which is a little older than the sums. */
static void keep_objects(alive_list *alive, const hpp__native_objects *objects)
{
    size_t n = objects->n_live;
    alive->n = HPF__ARRAY_RESERVE(alive->groups, alive->capacity, n) ? n : 0;
    for (size_t i = 0; i < alive->n; i++) {
        alive->groups[i] = objects->live[i];
    }
}

static void count_totals(hpp__native_profile *p)
{
    hpp__costs all = {0};
    for (size_t i = 0; i < p->heap.n_groups; i++) {
        if (hpp__native_heap_shows(&p->heap, i)) {
            hpp__costs_add(&all, &p->heap.costs[i]);
        }
    }
    p->figures.allocations = all.allocations;
    p->figures.allocated_bytes = all.allocated_bytes;
    p->figures.frees = all.frees;
    p->figures.freed_bytes = all.freed_bytes;
}

static uint64_t larger(uint64_t known, double seen)
{
    return seen > (double)known ? (uint64_t)seen : known;
}

/* `live_bytes`: of all blocks, watched or not. */
static void note_figures(hpp__native_profile *p, const hpp__snapshot *snapshot,
                         const hpp_census_result *result, uint64_t live_bytes)
{
    hpp_process_figures *f = &p->figures;
    f->n_samples++;
    f->last_objects_s = hpp__native_profile_needs_images(p->options) ? snapshot->time_s : 0;
    f->resident_bytes = larger(f->resident_bytes, snapshot->resident_bytes);
    f->profiler_bytes = larger(f->profiler_bytes, snapshot->profiler_bytes);
    if (result->size_bytes > f->peak_bytes) {
        f->peak_bytes = result->size_bytes;
        f->peak_s = result->time_s;
        f->types = p->objects.types;
        if (hpp__native_profile_needs_images(p->options)) {
            keep_objects(&p->peak, &p->objects);
        } else {
            keep_alive(&p->peak, &p->heap);
        }
    }
    /* Watched blocks stand for all: without any, a sample of a biography is empty. */
    bool stands_for_all =
        p->reader.window->head.biography_bytes != 0 && p->options->census.n_restrictions == 0;
    if (stands_for_all && live_bytes > f->peak_bytes + f->peak_bytes / 10 &&
        live_bytes > f->missed_peak_bytes) {
        f->missed_peak_bytes = live_bytes;
        f->missed_peak_s = result->time_s;
    } else if (f->missed_peak_bytes <= f->peak_bytes) {
        f->missed_peak_bytes = 0;
    }
}

/* A sampled biography takes pages of watched blocks out of the page table, which the resident set
 * does not count then. */
static void emit_lines(hpp__native_profile *p, const hpp__snapshot *snapshot, uint64_t live_bytes)
{
    bool has_resident = p->reader.window->head.biography_bytes == 0;
    const struct {
        hpf_str name;
        double value;
    } lines[] = {
        {HPF_STR("live"), (double)live_bytes},
        {HPF_STR("resident"), has_resident ? snapshot->resident_bytes : -1},
        {HPF_STR("profiler"), snapshot->profiler_bytes},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].value >= 0) {
            hpp__output_line(&p->output, snapshot->time_s, lines[i].name, lines[i].value);
        }
    }
}

/* Returns the number of ticks that all processors together can have had, from some time before the
 * profile began. */
static uint64_t most_ticks(const hpp__native_profile *p)
{
    static const uint64_t before_ns = UINT64_C(10000000000);
    long n_processors = sysconf(_SC_NPROCESSORS_CONF);
    uint64_t tick_ns = p->options->tick_ns;
    uint64_t n_each = tick_ns > 0 ? (now_ns() - p->begin_ns + before_ns) / tick_ns : 0;
    return n_each * (uint64_t)(n_processors > 0 ? n_processors : 1);
}

/* Writes the ticks since the last snapshot into the event log, with the time of this one. A program
 * may have stored any number of them: no more are written than there was time for. */
static void log_ticks(hpp__native_profile *p, const hpp__snapshot *snapshot)
{
    enum { MAX_FRAMES = 255 };
    hpf_frame frames[MAX_FRAMES];
    hpp__native_ticks now = {0};
    uint64_t most = most_ticks(p);
    hpp__native_ticks_count(&now, &p->heap, &snapshot->sums);
    for (size_t id = 0; id < now.capacity && id < p->stacks.n_stacks; id++) {
        uint64_t n_logged = id < p->ticks.capacity ? p->ticks.by_stack[id] : 0;
        size_t n_frames = 0;
        if (now.by_stack[id] > n_logged) {
            n_frames = hpp__stack_frames(&hpp__native_stacks_view, NULL, p->stacks.by_id[id],
                                         frames, MAX_FRAMES);
        }
        for (; n_logged < now.by_stack[id] && p->n_ticks < most; n_logged++) {
            hpp__output_tick(&p->output, snapshot->time_s, ++p->n_ticks, frames,
                             n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES);
        }
    }
    free(p->ticks.by_stack);
    p->ticks = now;
}

static size_t frames_of_stack(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    const hpp__native_stacks *stacks = context;
    return hpp__stack_frames(&hpp__native_stacks_view, NULL, stacks->by_id[stack], frames, room);
}

/* Writes what each stack has allocated, and what of it was live in the largest sample, into the
 * event log. A snapshot of a peak has only the live amounts, which are no more than what was
 * allocated. */
static void log_totals(hpp__native_profile *p, double time_s, bool is_last)
{
    size_t n = p->calls.n_stacks;
    hpf_stack_totals *totals = calloc(n, sizeof *totals);
    for (size_t i = 0; totals && i < p->heap.n_groups; i++) {
        const hpp__stack *stack = p->heap.groups[i].calls;
        hpf_stack_totals *to = &totals[stack ? stack->id : 0];
        if (i != HPP__GROUP_TICKS) {
            to->allocated_bytes += p->heap.costs[i].allocated_bytes;
            to->peak_bytes += i < p->peak.n ? p->peak.groups[i].bytes : 0;
            to->peak_blocks += i < p->peak.n ? p->peak.groups[i].blocks : 0;
        }
    }
    if (!totals) {
        return;
    }
    for (size_t id = 0; id < p->n_totals; id++) {
        if (totals[id].allocated_bytes < p->totals[id].allocated_bytes) {
            totals[id].allocated_bytes = p->totals[id].allocated_bytes;
        }
    }
    hpp__output_totals(&p->output, time_s, totals, n, frames_of_stack, &p->calls, is_last);
    free(p->totals);
    p->totals = totals;
    p->n_totals = n;
}

/* Sums the lives of an era when `live_bytes` were live. */
static hpp_phase_bytes add_lives(hpp__native_profile *p, uint32_t number, uint64_t live_bytes)
{
    bool is_sample = p->reader.window->head.biography_bytes != 0;
    hpp__native_lives_advance(&p->lives, number);
    return hpp__native_heap_add_lives(&p->heap, &p->lives, is_sample ? &live_bytes : NULL);
}

/* Keeps what the biography of this census needs at the end. */
static void keep_era(hpp__native_profile *p, const era *now)
{
    uint32_t n = hpp_census_n_eras(p->engine);
    if (n > 0 && HPF__ARRAY_RESERVE(p->eras, p->eras_capacity, n)) {
        p->eras[n - 1] = *now;
    }
}

/* Returns a result in which watched blocks stand for all. */
static hpp_census_result scale(hpp__native_profile *p, const hpp_census_result *result,
                               const era *of)
{
    hpp_census_result out = *result;
    if (of->watched_bytes > 0) {
        bool is_sample = p->reader.window->head.biography_bytes != 0;
        out.live_bytes = of->live_bytes;
        hpp__native_watch_scale(&p->watch, &out,
                                is_sample ? (double)of->live_bytes / (double)of->watched_bytes : 1);
    }
    return out;
}

static void close_image(hpp__snapshot *snapshot)
{
    hpp__image_close(snapshot->image);
    snapshot->image = NULL;
}

/* Writes the open objects as a heap snapshot. */
static void write_objects(hpp__native_profile *p, const hpp__snapshot *snapshot)
{
    hpf_error err;
    const char *path = path_of(p, ".heapsnapshot");
    const hpp__heap_snapshot_options options = {.by_type = p->heap.with_types};
    hpf_status status = path ? hpp__heap_snapshot_write(&p->objects.heap.heap, options, path, &err)
                             : hpf_error_set_memory(&err);
    if (status == HPF_OK) {
        p->figures.snapshot_bytes = 0;
        for (size_t i = 0; i < p->objects.graph.n_blocks; i++) {
            p->figures.snapshot_bytes += p->objects.graph.nodes[i].size_bytes;
        }
        p->figures.snapshot_s = snapshot->time_s;
        p->figures.n_snapshots++;
    } else if (p->snapshot_error.status == HPF_OK) {
        p->snapshot_error = err;
    }
}

/* Follows the lives of the blocks of an image whose objects are open. */
static bool follow_lives(hpp__native_profile *p, const hpp__snapshot *snapshot, era *now)
{
    if (!p->has_lives || !hpp__native_profile_needs_images(p->options)) {
        return true;
    }
    if (!hpp__native_watch_follow(&p->watch, p->engine, snapshot->image, snapshot->era)) {
        p->objects.n_failed++;
        return false;
    }
    p->objects.heap.watch = &p->watch;
    now->watched_bytes = p->watch.bytes;
    now->live_bytes = 0;
    for (size_t i = 0; i < p->objects.graph.n_blocks; i++) {
        now->live_bytes += p->objects.graph.nodes[i].size_bytes;
    }
    return true;
}

/* Takes a census of an image if the profile is one of objects, and a heap snapshot if one is
 * wanted. Returns the result; NULL without an image, or if its graph cannot be made. */
static const hpp_census_result *take_objects(hpp__native_profile *p, hpp__snapshot *snapshot,
                                             era *now)
{
    const hpp_census_result *result = NULL;
    hpp__native_watch_note(&p->watch, p->engine, snapshot->deaths, snapshot->n_deaths);
    if (snapshot->image &&
        hpp__native_objects_open(&p->objects, snapshot->image,
                                 hpp__names_resolver(p->stacks.names)) &&
        follow_lives(p, snapshot, now)) {
        close_image(snapshot); /* the graph is all that is needed */
        if (hpp__native_profile_needs_images(p->options)) {
            result = hpp_census_take(p->engine, snapshot->time_s);
            if (hpp_census_has_retainers(p->engine)) {
                hpp__native_objects_record(&p->objects, &p->output, result);
            }
            p->objects.heap.watch = NULL;
            /* Of blocks that the image still has: later uses. */
            hpp__native_watch_note(&p->watch, p->engine, snapshot->deaths, snapshot->n_deaths);
        }
        if (snapshot->keeps_objects) {
            write_objects(p, snapshot);
        }
    }
    hpp__native_objects_close(&p->objects);
    close_image(snapshot);
    return result;
}

/* Without memory, the costs stay those of an earlier snapshot. */
static void share_costs(hpp__native_profile *p, const hpp__snapshot *snapshot)
{
    hpp__native_costs costs;
    if (hpp__native_costs_count(&costs, &p->calls, &snapshot->sums, NULL) == HPF_OK) {
        hpp__shared_costs_replace(p->costs, &costs);
    }
}

void hpp__native_profile_take(hpp__native_profile *p, hpp__snapshot *snapshot)
{
    p->reader = snapshot->reader;
    hpp_resolver_expect_code(hpp__names_resolver(p->stacks.names));
    hpp__native_heap_add_up(&p->heap, &snapshot->sums);
    if (p->costs && !snapshot->is_peak) {
        share_costs(p, snapshot);
    }
    p->figures.duration_s = snapshot->time_s;
    uint64_t live_bytes = hpp__native_heap_live_bytes(&p->heap);
    if (p->has_lives && hpp__native_lives_load(&p->lives, &p->reader)) {
        add_lives(p, UINT32_MAX, live_bytes);
    }
    hpp__native_throws_report(&p->throws, &p->calls, p->figures.process_id, program_of(p));
    era now = {snapshot->era, live_bytes, 0};
    const hpp_census_result *result = take_objects(p, snapshot, &now);
    if (!hpp__native_profile_needs_images(p->options)) {
        result = hpp_census_take(p->engine, snapshot->time_s);
    }
    if (!result) {
        return;
    }
    keep_era(p, &now);
    hpp_census_result shown = scale(p, result, &now);
    note_figures(p, snapshot, &shown, live_bytes);
    if (p->options->with_eventlog && !snapshot->is_peak) {
        count_totals(p);
        hpp__log_allocated((hpp__log_moment){&p->output, snapshot->time_s},
                           p->figures.allocated_bytes);
    }
    if (logs_ticks(p) && !snapshot->is_peak) {
        log_ticks(p, snapshot);
    }
    if (logs_totals(p)) {
        log_totals(p, snapshot->time_s, false);
    }
    emit_lines(p, snapshot, shown.live_bytes);
    hpp__output_result(&p->output, &shown);
}

void hpp__native_profile_mark(hpp__native_profile *p, double time_s, hpf_str label)
{
    hpp__output_mark(&p->output, time_s, label);
    if (p->has_lives) {
        hpp__marks_add(&p->marks, time_s, label);
    }
}

/* ---- Threads ---- */

/* Each slot is a processor of the log that runs the threads that hold the slot one after the other:
 * when they wait is not known. Slot 0 belongs to no thread. */
static void log_thread(hpp__native_profile *p, size_t slot_index, double time_s,
                       hpp_log_thread_event event)
{
    hpp__log_thread((hpp__log_moment){&p->output, time_s}, p->threads[slot_index].id, event,
                    (uint16_t)(slot_index > 0 ? slot_index - 1 : 0));
}

static void end_thread(hpp__native_profile *p, size_t slot_index, double time_s)
{
    if (p->threads[slot_index].id != 0) {
        log_thread(p, slot_index, time_s, HPP_THREAD_ENDED);
        p->threads[slot_index].id = 0;
    }
}

void hpp__native_profile_thread(hpp__native_profile *p, double time_s,
                                const hpp__native_thread_event *event)
{
    uint32_t slot_index = event->slot_index;
    if (!HPF__ARRAY_RESERVE_ZEROED(p->threads, p->threads_capacity, (size_t)slot_index + 1)) {
        return;
    }
    logged_thread *thread = &p->threads[slot_index];
    if (event->begins) {
        end_thread(p, slot_index, time_s); /* the one before ended without notice */
        *thread = (logged_thread){.id = event->thread_id};
        log_thread(p, slot_index, time_s, HPP_THREAD_CREATED);
        log_thread(p, slot_index, time_s, HPP_THREAD_RUNS);
    }
    if (thread->id != event->thread_id) {
        return;
    }
    if (event->name[0] && strcmp(event->name, thread->name) != 0) {
        memcpy(thread->name, event->name, sizeof thread->name);
        hpp__log_thread_name((hpp__log_moment){&p->output, time_s}, thread->id,
                             (hpf_str){thread->name, strlen(thread->name)});
    }
    if (event->ends) {
        end_thread(p, slot_index, time_s);
    }
}

/* ---- The end ---- */

static void note_losses(hpp__native_profile *p)
{
    const hpp_window_head *head = &p->reader.window->head;
    hpp_process_figures *f = &p->figures;
    f->n_sites = p->reader.n_sites;
    f->n_stacks = p->stacks.n_stacks;
    f->n_lost_stacks = head->n_lost_stacks;
    f->n_uncounted = head->n_uncounted;
    f->uncounted_bytes = head->uncounted_bytes;
    f->n_missed_frees = head->n_missed_frees;
    f->n_cut_stacks = head->n_cut_stacks;
    f->n_checked = head->n_checked;
    f->n_cache_mismatches = head->n_cache_mismatches;
    f->n_peer_mismatches = head->n_peer_mismatches;
    f->n_peer_cut = head->n_peer_cut;
    f->lost_bytes = p->objects.all_lost.bytes;
    f->lost_blocks = p->objects.all_lost.blocks;
    f->indirect_bytes = p->objects.all_lost.indirect_bytes;
    f->indirect_blocks = p->objects.all_lost.indirect_blocks;
    f->n_without_graph = p->objects.n_failed;
    f->has_graph = p->objects.log.n > 0;
    uint32_t events = head->events;
    f->was_isolated = (events & HPP_EVENT_ISOLATED) != 0;
    f->has_own_malloc = (events & HPP_EVENT_OWN_MALLOC) != 0;
    f->started_sanitizer = (events & HPP_EVENT_STARTED_SANITIZER) != 0;
    f->started_other = (events & HPP_EVENT_STARTED_OTHER) != 0;
    f->left_network = (events & HPP_EVENT_LEFT_NETWORK) != 0;
    uint32_t python = head->python_state;
    f->python = python == HPP_PYTHON_UNKNOWN         ? HPP_NO_PYTHON_VERSION
                : python == HPP_PYTHON_DIFFERENT     ? HPP_NO_PYTHON_LAYOUT
                : python == HPP_PYTHON_FREE_THREADED ? HPP_NO_PYTHON_LOCK
                                                     : HPP_PYTHON_PROFILED;
    f->python_version = head->python_version;
    f->n_apart = head->n_apart;
    uint64_t resident_bytes = head->most_resident_bytes;
    bool is_possible = resident_bytes <= UINT64_C(1) << 56;
    if (head->biography_bytes == 0 && is_possible) { /* see emit_lines */
        double own_bytes = (double)resident_bytes - (double)f->profiler_bytes;
        f->resident_bytes = larger(f->resident_bytes, own_bytes);
    }
    f->biography.sample_bytes = head->biography_bytes;
    f->biography.n_samples = head->n_samples;
    f->biography.n_unsampled = head->n_unsampled;
    f->biography.n_retired = head->n_retired;
    f->biography.n_lost = head->n_lost_lives;
    f->biography.end = events & HPP_EVENT_NO_PAGEMAP      ? HPP_BIOGRAPHY_NO_PAGEMAP
                       : events & HPP_EVENT_LOCKED_MEMORY ? HPP_BIOGRAPHY_LOCKED_MEMORY
                       : events & HPP_EVENT_RAW_FORK      ? HPP_BIOGRAPHY_RAW_FORK
                                                          : HPP_BIOGRAPHY_COMPLETE;
}

static hpf_status fill_report(hpp__native_profile *p, const hpp__window_sums *sums, hpf_sink *sink,
                              hpf_error *err)
{
    const hpp__report_title title = {
        .date = {p->date, strlen(p->date)},
        .program = program_of(p),
        .command = p->n_words > 0 ? p->words[0] : program_of(p),
        .arguments = p->n_words > 0 ? &p->words[1] : NULL,
        .n_arguments = p->n_words > 0 ? p->n_words - 1 : 0,
    };
    if (hpp_census_has_retainers(p->engine) && p->options->report != HPP_REPORT_JSON) {
        hpp__retainer_log_write(&p->objects.log, p->engine, sink);
    }
    hpf_status status =
        p->options->report == HPP_REPORT_NONE
            ? HPF_OK
            : hpp__native_report_write(sink, &p->heap, sums, p->options, &title, err);
    return status == HPF_OK ? hpf_sink_finish(sink, err) : status;
}

static hpf_status write_report(hpp__native_profile *p, const hpp__window_sums *sums, hpf_error *err)
{
    if (p->options->report == HPP_REPORT_NONE && !hpp_census_has_retainers(p->engine)) {
        return HPF_OK;
    }
    const char *path = path_of(p, ".prof");
    if (!path) {
        return hpf_error_set_memory(err);
    }
    hpf_sink *sink = hpf_sink_to_path(path, err);
    hpf_status status = sink ? fill_report(p, sums, sink, err) : err->status;
    hpf_sink_destroy(sink);
    return status;
}

static hpf_status write_bins(hpp__native_profile *p, const hpp__window_sums *sums, hpf_error *err)
{
    const hpp_options *o = p->options;
    hpf_status status = HPF_OK;
    if (o->time_bins) {
        const char *path = path_of(p, ".time.bins");
        status = path ? hpp__native_bins_write(path, &p->heap, sums, HPF_BINS_TIME, o->tick_ns, err)
                      : hpf_error_set_memory(err);
    }
    if (o->heap_bins && status == HPF_OK) {
        const char *path = path_of(p, ".heap.bins");
        status = path ? hpp__native_bins_write(path, &p->heap, sums, HPF_BINS_HEAP, 1, err)
                      : hpf_error_set_memory(err);
    }
    return status;
}

/* Notes how much of the largest sample the program had mapped itself. */
static void note_mapped(hpp__native_profile *p)
{
    for (size_t i = 0; i < p->peak.n; i++) {
        bool is_mapped = hpf_str_is(p->heap.groups[i].shape->kind, "mmap");
        p->figures.mapped_bytes += is_mapped ? p->peak.groups[i].bytes : 0;
    }
}

/* ---- Biography ---- */

static void note_biography(hpp__native_profile *p, uint64_t live_bytes,
                           const hpp_phase_bytes *phases)
{
    hpp_biography_figures *b = &p->figures.biography;
    if (live_bytes > b->live_bytes) {
        b->live_bytes = live_bytes;
        b->phases = *phases;
    }
}

/* Writes all samples again, with the phases that are known now. */
static hpf_status write_final_samples(hpp__native_profile *p, hpf_error *err)
{
    if (!hpp__native_lives_load(&p->lives, &p->reader) || p->marks.is_short) {
        return hpf_error_set_memory(err);
    }
    uint32_t n = hpp_census_n_eras(p->engine);
    for (uint32_t i = 0; i < n && i < p->eras_capacity; i++) {
        hpp_phase_bytes sum = add_lives(p, p->eras[i].number, p->eras[i].live_bytes);
        note_biography(p, p->eras[i].live_bytes, &sum);
        hpp_census_result shown = scale(p, hpp_census_final(p->engine, i), &p->eras[i]);
        hpp__marks_emit(&p->marks, shown.time_s, &p->output);
        hpp__output_result(&p->output, &shown);
    }
    hpp__marks_emit(&p->marks, HUGE_VAL, &p->output);
    return p->output.n_lost_samples == 0 ? HPF_OK : hpf_error_set_memory(err);
}

/* Replaces the provisional heap profile, which stays if that fails. */
static hpf_status rewrite(hpp__native_profile *p, double end_s, hpf_error *err)
{
    const char *path = path_of(p, ".hp");
    const char *log = path_of(p, ".eventlog");
    hpp__native_watch_end(&p->watch, p->engine);
    hpf_status status = path && log ? hpp_census_end(p->engine, err) : hpf_error_set_memory(err);
    if (status == HPF_OK && !p->options->is_compact) {
        status = hpp__output_replace(&p->output, path, err);
    }
    if (status == HPF_OK && p->options->with_eventlog) {
        status = hpp__output_open_log(&p->output, log, p->options, p->engine, logs_totals(p),
                                      &end_s, err);
    }
    if (status == HPF_OK) {
        emit_headers(p);
        status = p->options->with_eventlog ? hpp__output_copy_log(&p->output, log, err) : HPF_OK;
    }
    if (status == HPF_OK) {
        status = write_final_samples(p, err);
    }
    if (status != HPF_OK) {
        hpp__output_drop(&p->output);
        return status;
    }
    return hpp__output_close(&p->output, err);
}

void hpp__native_profile_finish(hpp__native_profile *p, hpp__snapshot *last)
{
    hpp__native_profile_take(p, last);
    keep_alive(&p->last, &p->heap);
    note_mapped(p);
    count_totals(p);
    note_losses(p);
    if (logs_totals(p)) {
        log_totals(p, last->time_s, true);
    }
    for (size_t i = 0; i < p->threads_capacity; i++) {
        end_thread(p, i, last->time_s);
    }
    hpp__native_throws_end(&p->throws, &p->calls);
    hpf_error of_files = {0};
    hpf_error of_report = {0};
    hpf_status status = hpp__output_close(&p->output, &of_files);
    if (status == HPF_OK && p->has_lives && p->options->with_census) {
        status = rewrite(p, last->time_s, &of_files);
    }
    p->figures.error = status == HPF_OK ? p->snapshot_error : of_files;
    if (status == HPF_OK && (write_report(p, &last->sums, &of_report) != HPF_OK ||
                             write_bins(p, &last->sums, &of_report) != HPF_OK)) {
        p->figures.error = of_report;
    }
}

const hpp_process_figures *hpp__native_profile_figures(const hpp__native_profile *p)
{
    return &p->figures;
}

size_t hpp__native_profile_top(hpp__native_profile *p, hpp_moment moment, hpp_site_figures *out,
                               size_t n_most)
{
    const alive_list moments[HPP_N_MOMENTS] = {
        [HPP_AT_PEAK] = p->peak,
        [HPP_AT_END] = p->last,
        [HPP_LOST] = {p->objects.lost, p->objects.n_lost, 0},
    };
    return hpp__native_top(&p->heap, moments[moment].groups, moments[moment].n, out, n_most,
                           p->arena);
}
