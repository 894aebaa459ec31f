/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Takes a census of a snapshot, and keeps what the summary says of the largest one.
 */
#include <stdlib.h>

#include "base/array.h"
#include "core/log.h"
#include "hpfile/margin.h"
#include "native/collector/roots/found_heap.h"
#include "stack_costs.h"
#include "profile_state.h"
#include "symbol/resolve.h"

void hpp__profile_keep_alive(hpp__alive_list *alive, const hpp__site_heap *heap)
{
    alive->n =
        HPF__ARRAY_RESERVE(alive->groups, alive->capacity, heap->n_groups) ? heap->n_groups : 0;
    for (size_t i = 0; i < alive->n; i++) {
        const hpp__costs *costs = &heap->costs[i];
        alive->groups[i] = i != HPP__GROUP_TICKS
                               ? (hpp__alive){.bytes = hpp__costs_live_bytes(costs),
                                              .blocks = hpp__costs_live_blocks(costs)}
                               : (hpp__alive){0};
    }
}

/* Copies the live blocks of an image, which is a little older than the sums. */
static void keep_objects(hpp__alive_list *alive, const hpp__objects *objects)
{
    size_t n = objects->n_live;
    alive->n = HPF__ARRAY_RESERVE(alive->groups, alive->capacity, n) ? n : 0;
    for (size_t i = 0; i < alive->n; i++) {
        alive->groups[i] = objects->live[i];
    }
}

void hpp__profile_note_totals(hpp__profile *p, hpp__costs all)
{
    p->figures.allocations = all.allocations;
    p->figures.allocated_bytes = all.allocated_bytes;
    p->figures.frees = all.frees;
    p->figures.freed_bytes = all.freed_bytes;
}

void hpp__profile_count_totals(hpp__profile *p)
{
    hpp__costs all = {0};
    for (size_t i = 0; i < p->heap.n_groups; i++) {
        if (i != HPP__GROUP_TICKS) {
            hpp__costs_add(&all, &p->heap.costs[i]);
        }
    }
    hpp__profile_note_totals(p, all);
}

/* Keeps the bands of a break-down in the largest sample. Places that allocate are kept as groups,
 * which no restriction leaves out. */
static void keep_bands(hpp__peak_bands *to, const hpp_bands *from, bool is_restricted)
{
    bool is_kept = (from->by == HPF_BREAKDOWN_TYPE || from->by == HPF_BREAKDOWN_RETAINER ||
                    from->by == HPF_BREAKDOWN_BIOGRAPHY || is_restricted) &&
                   HPF__ARRAY_RESERVE(to->bands, to->capacity, from->n_bands);
    to->by = from->by;
    to->n = is_kept ? from->n_bands : 0;
    for (size_t i = 0; i < to->n; i++) {
        to->bands[i] = from->bands[i];
    }
}

static void keep_all_bands(hpp__profile *p, const hpp_census_result *result)
{
    const hpp_bands first = {p->options->census->breakdown, result->bands, result->n_bands};
    bool is_restricted = p->options->census->n_restrictions > 0 || hpp__profile_sums_closures(p);
    keep_bands(&p->peak_bands[0], &first, is_restricted);
    for (int i = 0; i < HPP_MAX_FURTHER_BANDS; i++) {
        keep_bands(&p->peak_bands[1 + i], &result->further[i], is_restricted);
        p->figures.further[i] = result->further[i].by;
    }
}

bool hpp__profile_note_peak(hpp__profile *p, const hpp_census_result *result)
{
    hpp_process_figures *f = &p->figures;
    if (result->size_bytes <= f->peak_bytes) {
        return false;
    }
    f->peak_bytes = result->size_bytes;
    f->peak_s = result->time_s;
    keep_all_bands(p, result);
    return true;
}

/* `live_bytes`: of all blocks, watched or not. */
static void note_figures(hpp__profile *p, const hpp__process_sample *snapshot,
                         const hpp_census_result *result, uint64_t live_bytes)
{
    hpp_process_figures *f = &p->figures;
    f->n_samples++;
    f->last_objects_s = hpp__profile_needs_images(p->options) ? snapshot->time_s : 0;
    f->resident_bytes = hpp__larger(f->resident_bytes, snapshot->resident_bytes);
    f->profiler_bytes = hpp__larger(f->profiler_bytes, snapshot->profiler_bytes);
    if (hpp__profile_note_peak(p, result)) {
        f->types = p->objects.types;
        if (hpp__profile_needs_images(p->options)) {
            keep_objects(&p->peak, &p->objects);
        } else {
            hpp__profile_keep_alive(&p->peak, &p->heap);
        }
    }
    /* Watched blocks stand for all: without any, a sample of a biography is empty. */
    bool stands_for_all =
        p->reader.window->head.biography_bytes != 0 && p->options->census->n_restrictions == 0;
    if (stands_for_all && live_bytes > f->peak_bytes + f->peak_bytes / 10 &&
        live_bytes > f->missed_peak_bytes) {
        f->missed_peak_bytes = live_bytes;
        f->missed_peak_s = result->time_s;
    } else if (f->missed_peak_bytes <= f->peak_bytes) {
        f->missed_peak_bytes = 0;
    }
}

static void close_image(hpp__process_sample *snapshot)
{
    hpp__image_close(snapshot->image);
    snapshot->image = NULL;
}

/* Writes the open objects as a heap snapshot, and closes them. */
static void write_objects(hpp__profile *p, hpp__process_sample *snapshot, const uint64_t *addresses)
{
    hpf_error err;
    const char *path = hpp__profile_path(p, ".heapsnapshot");
    bool is_sample = p->objects.heap.is_sample;
    p->objects.heap.is_sample = false; /* each block has its own size */
    uint64_t n_bytes = hpp__graph_bytes(&p->objects.graph);
    hpf_status status =
        path ? hpp__objects_write(&p->objects, addresses, hpp__names_resolver(p->stacks.names),
                                  p->reader.window->head.key, path, &err)
             : hpf_error_set_memory(&err);
    p->objects.heap.is_sample = is_sample;
    snapshot->is_written = status == HPF_OK;
    if (status == HPF_OK) {
        p->figures.snapshot_bytes = n_bytes;
        p->figures.snapshot_s = snapshot->time_s;
        p->figures.n_snapshots++;
        bool was_unsettled = p->snapshot_error.status == HPF_ERR_UNSUPPORTED;
        p->snapshot_error = was_unsettled ? (hpf_error){.status = HPF_OK} : p->snapshot_error;
    } else if (p->snapshot_error.status == HPF_OK) {
        p->snapshot_error = err;
    }
}

/* Follows the lives of the blocks of an image whose objects are open. */
static bool follow_lives(hpp__profile *p, const hpp__process_sample *snapshot, hpp__era *now)
{
    if (!p->has_lives || !hpp__profile_needs_images(p->options)) {
        return true;
    }
    if (!hpp__followed_follow(&p->biography.watch, p->engine, snapshot->image, snapshot->era)) {
        p->objects.n_failed++;
        return false;
    }
    p->objects.heap.watch = &p->biography.watch;
    now->watched_bytes = p->biography.watch.bytes;
    now->live_bytes = hpp__objects_bytes(&p->objects);
    return true;
}

/* Adds the blocks that are older than the profile, or, where it matters which block holds another,
 * those that are not in the sample. Returns false without an image, if a sample is all that can be
 * known, or without memory. */
static bool add_others(hpp__profile *p, hpp__image *image, bool keeps_objects)
{
    hpf_error err;
    bool is_sample = p->options->rate_bytes > 0;
    bool is_wanted =
        is_sample ? hpp_census_has_retainers(p->engine) || keeps_objects : p->files.is_attached;
    uint32_t site = is_sample ? HPP_SITE_NONE : HPP_SITE_INHERITED;
    hpf_status status = image && is_wanted ? hpp__found_heap_add_others(image, site, &err) : HPF_OK;
    bool is_good = status == HPF_OK || (status == HPF_ERR_UNSUPPORTED && !is_sample);
    p->figures.has_unknown_blocks |= status == HPF_ERR_UNSUPPORTED && is_sample;
    p->objects.n_failed += !is_good;
    return image && is_good;
}

/* Looks for waste if a heap snapshot is wanted, or, with types, if the heap has grown. */
static void find_waste(hpp__profile *p, const hpp__process_sample *snapshot)
{
    hpp__objects *o = &p->objects;
    if (snapshot->keeps_objects || (p->heap.with_types && hpp__objects_have_grown(o))) {
        hpp__objects_find_waste(o, snapshot->image);
        bool is_most = o->found_waste == &o->most_waste;
        p->figures.waste_s = is_most ? snapshot->time_s : p->figures.waste_s;
        p->figures.waste_of_bytes = o->waste_of_bytes;
    }
}

/* Takes a census of an image if the profile is one of objects, and a heap snapshot if one is
 * wanted. Returns the result; NULL without an image, or if its graph cannot be made. */
static const hpp_census_result *take_objects(hpp__profile *p, hpp__process_sample *snapshot,
                                             hpp__era *now)
{
    const hpp_census_result *result = NULL;
    hpp__followed_note(&p->biography.watch, p->engine, snapshot->deaths, snapshot->n_deaths);
    if (p->closures.census && snapshot->image) {
        hpp__closure_heap_take_out(&p->closures, snapshot->image);
    }
    if (add_others(p, snapshot->image, snapshot->keeps_objects) &&
        hpp__objects_open(&p->objects, snapshot->image, hpp__names_resolver(p->stacks.names),
                          p->files.haskell ? &p->closures : NULL, snapshot->keeps_objects) &&
        follow_lives(p, snapshot, now)) {
        uint64_t *addresses =
            snapshot->keeps_objects ? hpp__image_addresses(snapshot->image) : NULL;
        find_waste(p, snapshot);
        hpp__closure_heap_close(&p->closures);
        close_image(snapshot); /* the graph is all that is needed */
        if (hpp__profile_needs_images(p->options)) {
            result = hpp_census_take(p->engine, snapshot->time_s);
            if (hpp_census_has_retainers(p->engine)) {
                hpp__objects_record(&p->objects, &p->output, result);
            }
            p->objects.heap.watch = NULL;
            /* Of blocks that the image still has: later uses. */
            hpp__followed_note(&p->biography.watch, p->engine, snapshot->deaths,
                               snapshot->n_deaths);
        }
        if (snapshot->keeps_objects) {
            write_objects(p, snapshot, addresses);
        }
        free(addresses);
    }
    hpp__objects_close(&p->objects);
    hpp__closure_heap_close(&p->closures);
    close_image(snapshot);
    return result;
}

/* Looks for the closures in an image. Closes the image if it shows no moment at which they are
 * known. */
static void open_closures(hpp__profile *p, hpp__process_sample *snapshot)
{
    if (!snapshot->image) {
        return;
    }
    bool for_graph = snapshot->keeps_objects || hpp__profile_needs_images(p->options);
    snapshot->is_unsettled = !hpp__closure_heap_open(&p->closures, snapshot->image, for_graph);
    if (snapshot->is_unsettled) {
        close_image(snapshot);
        if (snapshot->keeps_objects && p->figures.n_snapshots == 0 &&
            p->snapshot_error.status == HPF_OK) {
            hpf_error_set(&p->snapshot_error, HPF_ERR_UNSUPPORTED,
                          "no heap snapshot: Haskell code ran, or all of its heap was being "
                          "collected");
        }
    }
    if (p->closures.census) {
        hpp__profile_log_generations(p, snapshot->time_s);
    }
    p->figures.n_unsettled = p->closures.n_skipped;
    p->figures.haskell = p->closures.n_counted == 0 && p->closures.n_unfit > 0
                             ? HPP_NO_HASKELL_LAYOUT
                             : HPP_HASKELL_PROFILED;
}

/* Takes a census of the sums of closures. Returns the result; NULL without an image, or without
 * memory. The image is closed unless a heap snapshot needs it. */
static const hpp_census_result *take_closures(hpp__profile *p, hpp__process_sample *snapshot)
{
    bool is_counted = snapshot->image && hpp__closure_heap_count(&p->closures, snapshot->image);
    if (!snapshot->keeps_objects) {
        hpp__closure_heap_close(&p->closures);
        close_image(snapshot);
    }
    return is_counted ? hpp_census_take(p->engine, snapshot->time_s) : NULL;
}

/* Without memory, the costs of an earlier snapshot stay. */
static void share_costs(hpp__profile *p, const hpp__process_sample *snapshot)
{
    hpp__all_costs costs;
    if (hpp__all_costs_count(&costs, &p->calls, &snapshot->sums, NULL) == HPF_OK) {
        hpp__shared_costs_replace(p->costs, &costs);
    }
}

/* Returns how much of the variance of its estimate each live byte has. Restrictions leave out
 * blocks of unknown sizes: then it is the largest one, as of small blocks. */
static double spread_of(const hpp__profile *p)
{
    double bytes = 0, variance = 0;
    for (size_t i = 0; i < p->heap.n_groups && p->options->census->n_restrictions == 0; i++) {
        const hpp__costs *costs = &p->heap.costs[i];
        double live = i != HPP__GROUP_TICKS ? (double)hpp__costs_live_bytes(costs) : 0;
        bytes += live;
        variance += live > 0 ? hpf_margin_variance(live, (double)hpp__costs_live_blocks(costs),
                                                   p->heap.groups[i].rate_bytes)
                             : 0;
    }
    return bytes > 0 ? variance / bytes : p->heap.rate_now;
}

/* Without memory, an earlier sample stays. */
static void share_sample(hpp__profile *p, const hpp__process_sample *snapshot,
                         const hpp_census_result *shown)
{
    double rate_bytes = p->heap.rate_now, spread = spread_of(p);
    double live = (double)shown->size_bytes, peak = (double)p->figures.peak_bytes;
    hpp_latest_band *bands = malloc((shown->n_bands + 1) * sizeof *bands);
    for (size_t i = 0; bands && i < shown->n_bands; i++) {
        bands[i] = (hpp_latest_band){shown->bands[i].name, shown->bands[i].size_bytes};
    }
    const hpp_latest latest = {
        .process_id = p->figures.process_id,
        .n_samples = p->figures.n_samples,
        .time_s = snapshot->time_s,
        .live_bytes = shown->size_bytes,
        .peak_bytes = p->figures.peak_bytes,
        .rate_bytes = (uint64_t)rate_bytes,
        .live_margin = hpf_margin(live, live * spread, rate_bytes),
        .peak_margin = hpf_margin(peak, peak * spread, rate_bytes),
        .resident_bytes = snapshot->resident_bytes,
        .memory = p->figures.memory,
        .bands = bands,
        .n_bands = shown->n_bands,
    };
    if (bands) {
        hpp__shared_costs_sample(p->files.latest, &latest);
    }
    free(bands);
}

/* Counts a sample of which only the row is kept. */
static void take_row(hpp__profile *p, const hpp__process_sample *snapshot)
{
    const hpp_census_result whole = {.time_s = snapshot->time_s,
                                     .size_bytes = hpp__window_sums_live_bytes(&snapshot->sums)};
    p->figures.duration_s = snapshot->time_s;
    hpp__profile_note_memory(p, &snapshot->memory);
    note_figures(p, snapshot, &whole, whole.size_bytes);
    hpp__profile_record(p, &whole, 0);
}

void hpp__profile_take(hpp__profile *p, hpp__process_sample *snapshot)
{
    p->reader = snapshot->reader;
    if (snapshot->is_of_row) {
        take_row(p, snapshot);
        return;
    }
    hpp__resolver_expect_code(hpp__names_resolver(p->stacks.names));
    hpp__site_heap_add_up(&p->heap, &snapshot->sums);
    if (p->costs && !snapshot->is_peak) {
        share_costs(p, snapshot);
    }
    p->figures.duration_s = snapshot->time_s;
    hpp__profile_note_memory(p, &snapshot->memory);
    uint64_t live_bytes = hpp__site_heap_live_bytes(&p->heap);
    if (p->has_lives && hpp__life_sums_load(&p->biography.lives, &p->reader)) {
        hpp__profile_add_lives(p, UINT32_MAX, live_bytes);
    }
    hpp__throw_log_report(&p->throws, &p->calls, p->figures.process_id, hpp__profile_program(p));
    hpp__era now = {.number = snapshot->era, .live_bytes = live_bytes};
    const hpp_census_result *closures = NULL;
    if (p->files.haskell) {
        open_closures(p, snapshot);
    }
    if (hpp__profile_sums_closures(p)) {
        closures = take_closures(p, snapshot);
    }
    const hpp_census_result *result = take_objects(p, snapshot, &now);
    if (hpp__profile_sums_closures(p)) {
        result = closures;
    } else if (!hpp__profile_needs_images(p->options)) {
        result = hpp_census_take(p->engine, snapshot->time_s);
    }
    if (!result) {
        return;
    }
    now.inherited_bytes = result->inherited_bytes;
    hpp__profile_keep_era(p, &now);
    hpp_census_result shown = hpp__profile_scale(p, result, &now);
    note_figures(p, snapshot, &shown, live_bytes);
    if (p->files.latest && !snapshot->is_peak) {
        share_sample(p, snapshot, &shown);
    }
    if (p->options->with_eventlog && !snapshot->is_peak) {
        hpp__profile_count_totals(p);
        hpp__log_allocated((hpp__log_moment){&p->output, snapshot->time_s},
                           p->figures.allocated_bytes);
    }
    if (hpp__profile_logs_ticks(p) && !snapshot->is_peak) {
        hpp__profile_log_ticks(p, snapshot);
    }
    if (hpp__profile_logs_totals(p)) {
        hpp__profile_log_totals(p, snapshot->time_s, false);
    }
    hpp__profile_log_quantities(p, snapshot, shown.live_bytes);
    hpp__profile_log_rate(p, snapshot);
    hpp__profile_log_resident(p, snapshot);
    hpp__profile_log_waste(p, snapshot);
    hpp__output_result(&p->output, &shown);
    hpp__profile_record(p, &shown, now.inherited_bytes);
}

void hpp__profile_mark(hpp__profile *p, double time_s, hpf_str label)
{
    hpp__output_mark(&p->output, time_s, label);
    if (p->has_lives) {
        hpp__marks_add(&p->biography.marks, time_s, label);
    }
}
