/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Costs of sites go to their stacks; for the report, stacks and functions become the arrays that
 * the `.prof` writer takes.
 */
#include "stack_costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"

#include "base/array.h"
#include "base/names.h"
#include "census/census.h"
#include "core/report.h"

void hpp__stack_ticks_count(hpp__stack_ticks *t, hpp__site_heap *heap, const hpp__window_sums *sums)
{
    for (uint32_t i = HPP_FIRST_SITE; i < sums->n_sites; i++) {
        hpp_window_site site;
        if (sums->sites[i].allocations == 0 || !hpp__window_reader_site(heap->reader, i, &site) ||
            site.call != HPP_CALL_TICK) {
            continue;
        }
        const hpp__stack *stack = hpp__named_stacks_place(heap->stacks, site.node);
        stack = stack ? stack : heap->stacks->root;
        if (HPF__ARRAY_RESERVE_ZEROED(t->by_stack, t->capacity, stack->id + (size_t)1)) {
            t->by_stack[stack->id] += sums->sites[i].allocations;
        }
    }
}

hpf_status hpp__all_costs_count(hpp__all_costs *out, hpp__named_stacks *s,
                                const hpp__window_sums *sums, hpf_error *err)
{
    for (uint32_t i = HPP_SITE_UNKNOWN; i < sums->n_sites; i++) {
        if ((sums->sites[i].allocations | sums->sites[i].frees) != 0) {
            hpp__named_stacks_of_site(s, i); /* finds new stacks */
        }
    }
    *out = (hpp__all_costs){.list = calloc(s->n_stacks, sizeof *out->list), .n = s->n_stacks};
    for (size_t i = 0; out->list && i < out->n; i++) {
        out->list[i].stack = s->by_id[i];
    }
    for (uint32_t i = HPP_SITE_UNKNOWN; out->list && i < sums->n_sites; i++) {
        const hpp__costs *site = &sums->sites[i];
        if ((site->allocations | site->frees) == 0) {
            continue;
        }
        uint32_t id = hpp__named_stacks_of_site(s, i)->id; /* new if the site was not complete */
        id = id < out->n ? id : 0;
        hpp_stack_costs *costs = &out->list[id].costs;
        hpp_window_site record;
        if (i >= HPP_FIRST_SITE && hpp__window_reader_site(s->reader, i, &record) &&
            !hpp_call_is_block(record.call)) {
            uint64_t *count = record.call == HPP_CALL_TICK ? &costs->ticks : &out->list[id].entries;
            *count += site->allocations;
            out->has_entries |= record.call == HPP_CALL_ENTRY;
            continue;
        }
        costs->allocations += site->allocations;
        costs->allocated_bytes += site->allocated_bytes;
        costs->live_blocks += hpp__costs_live_blocks(site);
        costs->live_bytes += hpp__costs_live_bytes(site);
    }
    return out->list ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__shared_costs_replace(hpp__shared_costs *shared, const hpp__all_costs *costs)
{
    pthread_mutex_lock(&shared->lock);
    free(shared->costs.list);
    shared->costs = *costs;
    pthread_mutex_unlock(&shared->lock);
}

void hpp__shared_costs_sample(hpp__shared_costs *shared, const hpp_latest *latest)
{
    size_t n_bytes = latest->n_bands * sizeof *latest->bands;
    hpp_latest_band *bands = malloc(n_bytes + 1);
    if (!bands) {
        return;
    }
    memcpy(bands, latest->bands, n_bytes);
    pthread_mutex_lock(&shared->lock);
    free((void *)(uintptr_t)shared->latest.bands);
    shared->latest = *latest;
    shared->latest.bands = bands;
    pthread_mutex_unlock(&shared->lock);
}

void hpp__shared_costs_clear(hpp__shared_costs *shared)
{
    pthread_mutex_lock(&shared->lock);
    free(shared->costs.list);
    free((void *)(uintptr_t)shared->latest.bands);
    shared->costs = (hpp__all_costs){0};
    shared->latest = (hpp_latest){0};
    pthread_mutex_unlock(&shared->lock);
}

void hpp__shared_costs_visit_latest(hpp__shared_costs *shared, hpp_visit_latest *visit,
                                    void *context)
{
    pthread_mutex_lock(&shared->lock);
    if (shared->latest.n_samples > 0) {
        visit(context, &shared->latest);
    }
    pthread_mutex_unlock(&shared->lock);
}

void hpp__shared_costs_visit(hpp__shared_costs *shared, hpp_visit_costs *visit, void *context)
{
    enum { MAX_FRAMES = 512 };
    hpf_frame frames[MAX_FRAMES];
    pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->costs.n; i++) {
        const struct hpp__stack_entry *at = &shared->costs.list[i];
        if ((at->costs.allocations | at->costs.live_bytes | at->costs.ticks) != 0) {
            size_t n =
                hpp__stack_frames(&hpp__named_stacks_view, NULL, at->stack, frames, MAX_FRAMES);
            n = n < MAX_FRAMES ? n : MAX_FRAMES;
            visit(context, frames, n, &at->costs);
        }
    }
    pthread_mutex_unlock(&shared->lock);
}

/* Functions in the order in which they are first met on a stack. */
typedef struct centres {
    hpf_prof_centre *list;
    size_t n;
    uint32_t *index_of; /* by function: index + 1 */
    size_t index_of_capacity, capacity;
    uint32_t max_label_bytes; /* 0: no limit */
} centres;

/* Shortens a label: a table as wide as the longest C++ name could not be read. */
static hpf_str shorten(const centres *c, hpf_str label)
{
    return c->max_label_bytes == 0 || label.length <= c->max_label_bytes
               ? label
               : (hpf_str){label.data, hpf_utf8_cut(label, c->max_label_bytes)};
}

/* Returns where a function begins: in a table, without folders. */
static hpf_str source_of(const centres *c, const hpp__function *function)
{
    hpf_str source = function->source;
    return source.length == 0        ? HPF_STR("<no location info>")
           : c->max_label_bytes == 0 ? source
                                     : hpf__base_name(source);
}

static bool add_centre(centres *c, const hpp__function *function, uint32_t *index)
{
    if (!HPF__ARRAY_RESERVE_ZEROED(c->index_of, c->index_of_capacity,
                                   function->index + (size_t)1) ||
        !HPF__ARRAY_RESERVE(c->list, c->capacity, c->n + 1)) {
        return false;
    }
    if (c->index_of[function->index] == 0) {
        c->list[c->n++] = (hpf_prof_centre){
            .label = shorten(c, function->label),
            .module = function->module,
            .srcloc = source_of(c, function),
            .id = function->index + UINT64_C(1),
            .is_hidden = function->is_overhead,
        };
        c->index_of[function->index] = (uint32_t)c->n;
    }
    *index = c->index_of[function->index] - 1;
    return true;
}

/* Lists the stacks, parents first. Special stacks are children of the root here. */
static hpf_prof_stack *list_stacks(const hpp__all_costs *costs, centres *c)
{
    hpf_prof_stack *list = calloc(costs->n, sizeof *list);
    for (size_t i = 0; list && i < costs->n; i++) {
        const struct hpp__stack_entry *at = &costs->list[i];
        const hpp__stack *parent = at->stack->parent;
        list[i].parent_index = i == 0 ? HPF_PROF_NO_PARENT : parent ? parent->id : 0;
        list[i].id = i + UINT64_C(1);
        list[i].ticks = at->costs.ticks;
        list[i].entries = at->entries;
        list[i].allocated_bytes = at->costs.allocated_bytes;
        if (!add_centre(c, at->stack->function, &list[i].centre_index)) {
            free(list);
            list = NULL;
        }
    }
    return list;
}

hpf_status hpp__cost_report_write(hpf_sink *sink, hpp__site_heap *heap,
                                  const hpp__window_sums *sums, const hpp_options *options,
                                  const hpp__report_title *title, hpf_error *err)
{
    hpp__all_costs costs;
    centres c = {0};
    c.max_label_bytes = options->report == HPP_REPORT_JSON ? 0 : options->census->max_name_bytes;
    hpf_status status = hpp__all_costs_count(&costs, heap->stacks, sums, err);
    hpf_prof_stack *stacks = status == HPF_OK ? list_stacks(&costs, &c) : NULL;
    if (stacks) {
        const hpf_prof prof = {
            .date = title->date,
            .program = title->program,
            .command = title->command,
            .options = options->words,
            .n_options = options->n_words,
            .arguments = title->arguments,
            .n_arguments = title->n_arguments,
            .tick_us = options->tick_ns / 1000,
            .n_processors = 1, /* ticks are processor time already */
            .without_entries = !costs.has_entries,
            .centres = c.list,
            .n_centres = c.n,
            .stacks = stacks,
            .n_stacks = (uint32_t)costs.n,
        };
        status = hpp__report_write_kind(sink, &prof, options->report, err);
    } else {
        status = hpf_error_set_memory(err);
    }
    free(costs.list);
    free(c.list);
    free(c.index_of);
    free(stacks);
    return status;
}
