/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile of one process: its parts, titles and files, from creation to removal.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/names.h"
#include "core/title.h"
#include "hpfile/margin.h"
#include "hpfile/waste.h"
#include "native/machine/clock.h"
#include "profile_state.h"

static bool copy_words(hpp__profile *p)
{
    hpp__text command = {0};
    size_t at = 0;
    for (;;) {
        hpf_str word = hpp__window_reader_word(&p->reader, &at);
        hpf_str copy = word.data ? hpf_arena_str(p->arena, word) : word;
        if (!copy.data || !HPF__ARRAY_RESERVE(p->words, p->words_capacity, p->n_words + 1)) {
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

hpf_str hpp__profile_program(const hpp__profile *p)
{
    return p->n_words > 0 ? hpp__title_program(p->words[0].data) : HPF_STR("program");
}

void hpp__profile_emit_headers(hpp__profile *p)
{
    hpp__text job = {0};
    hpp__text_add(&job, hpp__profile_program(p));
    for (size_t i = 1; i < p->n_words; i++) {
        hpp__title_add_word(&job, p->words[i].data);
    }
    hpp__title_add_breakdown(&job, p->options);
    hpp__output_headers(&p->output, hpp__text_str(&job), hpf_str_of(p->date), false);
    hpp__text_finish(&job);
}

const char *hpp__profile_path(const hpp__profile *p, const char *suffix)
{
    size_t length = strlen(p->base);
    char *path = hpf_arena_alloc(p->arena, length + strlen(suffix) + 1);
    if (path) {
        memcpy(path, p->base, length);
        strcpy(path + length, suffix);
    }
    return path;
}

static hpf_status open_files(hpp__profile *p, hpf_error *err)
{
    const char *path = hpp__profile_path(p, ".hp");
    const char *log = hpp__profile_path(p, ".eventlog");
    if (!path || !log) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    if (!p->files.without_hp) {
        status = hpp__output_open(&p->output, path, err);
    }
    p->output.has_generations = p->files.haskell != NULL;
    if (status == HPF_OK && p->has_log_file) {
        status = hpp__output_open_log(&p->output, log, p->options, p->engine,
                                      hpp__profile_logs_totals(p), NULL, err);
    }
    return status == HPF_OK && p->files.recording ? hpp__profile_begin_recording(p, NULL, err)
                                                  : status;
}

bool hpp__profile_needs_images(const hpp_options *profile)
{
    const hpp_census_options *census = profile->census;
    return hpp_census_asks_for(census, HPF_BREAKDOWN_RETAINER) ||
           hpp_census_asks_for(census, HPF_BREAKDOWN_TYPE);
}

bool hpp__profile_counts_closures(const hpp_options *profile)
{
    const hpp_census_options *census = profile->census;
    return hpp_census_asks_for(census, HPF_BREAKDOWN_CLOSURE_TYPE) &&
           !hpp_census_asks_for(census, HPF_BREAKDOWN_BIOGRAPHY) &&
           !hpp__profile_needs_images(profile);
}

bool hpp__profile_has_closures(const hpp_options *profile)
{
    const hpp_census_options *census = profile->census;
    bool has_objects =
        profile->snapshot != HPP_SNAPSHOT_NEVER || hpp__profile_needs_images(profile);
    return hpp__profile_counts_closures(profile) ||
           (has_objects && !hpp_census_asks_for(census, HPF_BREAKDOWN_BIOGRAPHY));
}

static hpf_status init_parts(hpp__profile *p, const hpp__profile_options *options, hpf_error *err)
{
    bool has_log = p->options->with_eventlog;
    bool has_lines = has_log || options->costs || p->options->print_on_abort;
    hpf_status status = hpp__named_stacks_init(&p->stacks, options->names, &p->reader,
                                               options->process_id, options->max_depth, err);
    if (status == HPF_OK && has_lines) {
        status = hpp__named_stacks_init(&p->calls, options->names, &p->reader, options->process_id,
                                        options->max_depth, err);
    }
    p->calls.with_lines = p->calls.keeps_all = true;
    p->stacks.keeps_all = options->skips_none;
    p->stacks.skips_none = p->calls.skips_none = options->skips_none;
    if (status == HPF_OK) {
        status =
            hpp__site_heap_init(&p->heap, &p->stacks, has_log ? &p->calls : NULL, &p->reader, err);
    }
    if (status == HPF_OK) {
        p->heap.with_types = hpp_census_asks_for(p->options->census, HPF_BREAKDOWN_TYPE);
        p->figures.rate_bytes = p->options->rate_bytes;
        p->heap.rate_bytes = (double)p->options->rate_bytes;
        p->heap.groups[HPP__GROUP_UNKNOWN].rate_bytes = p->heap.rate_bytes;
        p->heap.groups[HPP__GROUP_INHERITED].rate_bytes = p->heap.rate_bytes;
    }
    const hpp_census_options *census = p->options->census;
    if (status == HPF_OK) {
        status = hpp__graph_heap_init(&p->objects.heap, &p->heap, options->retainer_sites,
                                      census->retaining.identity == HPF_BREAKDOWN_COST_CENTRE, err);
        p->objects.heap.is_sample = p->heap.rate_bytes > 0;
    }
    if (status == HPF_OK && options->haskell) {
        status = hpp__closure_heap_init(&p->closures, &p->heap, options->haskell,
                                        hpp__names_resolver(options->names), err);
    }
    if (status == HPF_OK) {
        const hpp_heap *heap = hpp__profile_needs_images(p->options) ? &p->objects.heap.heap
                               : hpp__profile_sums_closures(p)       ? &p->closures.heap
                                                                     : &p->heap.heap;
        status = hpp_census_create(&p->engine, heap, census, err);
    }
    p->has_lives = status == HPF_OK && hpp_census_has_biography(p->engine);
    if (status == HPF_OK && hpp__profile_logs_stacks(p)) {
        status = hpp__census_divide_by_stack(p->engine, census, err);
    }
    if (status == HPF_OK && p->options->with_census) {
        status = open_files(p, err);
    }
    if (status == HPF_OK) {
        hpp__output_add(&p->output, options->events, options->events_context);
        hpp__profile_emit_headers(p);
        if (hpp__profile_logs_ticks(p)) {
            hpp__output_begin_time(&p->output, p->options->tick_ns);
        }
    }
    return status;
}

hpf_status hpp__profile_create(hpp__profile **out, const hpp__profile_options *options,
                               const hpp__window_reader *reader, hpf_error *err)
{
    *out = NULL;
    hpp__profile *p = calloc(1, sizeof *p);
    if (!p) {
        return hpf_error_set_memory(err);
    }
    p->options = options->profile;
    p->costs = options->costs;
    p->files = *options;
    p->has_log_file = p->options->with_eventlog && !options->without_eventlog;
    p->throws.print = p->options->print_on_abort ? options->print : NULL;
    p->throws.print_context = options->print_context;
    p->reader = *reader;
    p->log.begin_ns = hpp__now_ns();
    p->figures.process_id = options->process_id;
    hpp__title_date(p->date, sizeof p->date);
    p->arena = hpf_arena_create();
    if (p->arena) {
        p->base = hpf_arena_text(p->arena, hpf_str_of(options->base));
    }
    hpf_status status =
        p->base && copy_words(p) ? init_parts(p, options, err) : hpf_error_set_memory(err);
    if (status != HPF_OK) {
        hpp__profile_destroy(p);
        return status;
    }
    *out = p;
    return HPF_OK;
}

void hpp__profile_destroy(hpp__profile *p)
{
    if (!p) {
        return;
    }
    hpp__output_drop(&p->output);
    hpp_census_destroy(p->engine);
    hpp__objects_finish(&p->objects);
    hpp__closure_heap_finish(&p->closures);
    hpp__site_heap_finish(&p->heap);
    hpp__named_stacks_finish(&p->stacks);
    hpp__named_stacks_finish(&p->calls);
    hpp__life_sums_finish(&p->biography.lives);
    hpp__followed_finish(&p->biography.watch);
    hpp__marks_finish(&p->biography.marks);
    free(p->biography.eras);
    free(p->log.totals);
    free(p->log.ticks.by_stack);
    free(p->log.threads);
    free(p->peak.groups);
    for (int i = 0; i <= HPP_MAX_FURTHER_BANDS; i++) {
        free(p->peak_bands[i].bands);
    }
    free(p->last.groups);
    free(p->words);
    hpf_arena_destroy(p->arena);
    free(p);
}

/* Lists the suffixes of the files that a profile may have, and ends them with NULL. Other files
 * with its base belong to the user. */
static void list_suffixes(const hpp__profile_options *options, const char *out[7])
{
    const hpp_options *o = options->profile;
    bool has_report =
        o->report != HPP_REPORT_NONE || hpp_census_asks_for(o->census, HPF_BREAKDOWN_RETAINER);
    const struct {
        bool is_written;
        const char *suffix;
    } files[] = {{!options->without_hp, ".hp"},
                 {o->with_eventlog && !options->without_eventlog, ".eventlog"},
                 {has_report && !options->without_prof, ".prof"},
                 {o->time_bins, ".time.bins"},
                 {o->heap_bins, ".heap.bins"},
                 {true, ".heapsnapshot"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].is_written) {
            *out++ = files[i].suffix;
        }
    }
    *out = NULL;
}

void hpp__profile_discard(hpp__profile *p, double now_s)
{
    const char *suffixes[7];
    list_suffixes(&p->files, suffixes);
    hpp__output_drop(&p->output);
    hpp__profile_end_recording(p, now_s, HPF_PROCESS_ENDED, 0);
    for (size_t i = 0; p->options->with_census && suffixes[i]; i++) {
        const char *path = hpp__profile_path(p, suffixes[i]);
        if (path) {
            unlink(path);
        }
    }
}

void hpp__profile_rename_files(const hpp__profile_options *options, const char *base,
                               const char *new_base)
{
    const char *suffixes[7];
    list_suffixes(options, suffixes);
    for (size_t i = 0; suffixes[i]; i++) {
        char from[PATH_MAX], to[PATH_MAX];
        int n_from = snprintf(from, sizeof from, "%s%s", base, suffixes[i]);
        int n_to = snprintf(to, sizeof to, "%s%s", new_base, suffixes[i]);
        if (n_from < PATH_MAX && n_to < PATH_MAX) {
            (void)rename(from, to);
        }
    }
}

void hpp__profile_set_base(hpp__profile *p, const char *base)
{
    const char *copy = hpf_arena_text(p->arena, hpf_str_of(base));
    p->base = copy ? copy : p->base;
}

uint32_t hpp__profile_number(const hpp__profile *p)
{
    return p->last_number;
}

const hpp_process_figures *hpp__profile_figures(const hpp__profile *p)
{
    return &p->figures;
}

static int by_size(const void *a, const void *b)
{
    const hpp_band *x = a, *y = b;
    return x->size_bytes != y->size_bytes ? (x->size_bytes < y->size_bytes ? 1 : -1)
                                          : hpf_str_compare(x->name, y->name);
}

/* Stores the largest bands of a break-down in the largest sample, without numbers of retainer sets.
 * Of a sample, their bytes have the spread of all: see share_sample in profile_take.c. */
static size_t top_bands(const hpp__profile *p, hpp__peak_bands *all, hpp_site_figures *out,
                        size_t n_most)
{
    size_t n = all->n < n_most ? all->n : n_most;
    HPF__ARRAY_SORT(all->bands, all->n, by_size);
    double variance, all_bytes = hpp__site_heap_sum(&p->heap, p->peak.groups, p->peak.n, &variance);
    bool is_known = p->options->census->n_restrictions == 0 && all_bytes > 0;
    double spread = is_known ? variance / all_bytes : p->heap.rate_now;
    for (size_t i = 0; i < n; i++) {
        double bytes = (double)all->bands[i].size_bytes;
        out[i] = (hpp_site_figures){.place = hpf__without_id(all->bands[i].name),
                                    .live_bytes = all->bands[i].size_bytes,
                                    .margin = hpf_margin(bytes, bytes * spread, p->heap.rate_now)};
    }
    return n;
}

static size_t top_waste(const hpp__waste *waste, hpp_site_figures *out, size_t n_most)
{
    size_t n = 0;
    for (; n < n_most && n < waste->n_rows && waste->rows[n].kind != HPF_WASTE_SIZE; n++) {
        const hpf_waste *row = &waste->rows[n];
        out[n] = (hpp_site_figures){.place = row->type,
                                    .module = hpf_str_of(hpf_waste_phrase(row->kind)),
                                    .path = row->site,
                                    .live_bytes = row->bytes,
                                    .live_blocks = row->n_blocks};
    }
    return n;
}

size_t hpp__profile_top(hpp__profile *p, hpp_moment moment, hpp_site_figures *out, size_t n_most)
{
    if (moment == HPP_WASTE) {
        return top_waste(&p->objects.most_waste, out, n_most);
    }
    bool is_at_peak = moment <= HPP_AT_PEAK_BY_THIRD;
    if (is_at_peak && (moment != HPP_AT_PEAK || p->peak_bands[0].n > 0)) {
        return top_bands(p, &p->peak_bands[moment - HPP_AT_PEAK], out, n_most);
    }
    const hpp__alive_list moments[HPP_N_MOMENTS] = {
        [HPP_AT_PEAK] = p->peak,
        [HPP_AT_END] = p->last,
        [HPP_LOST] = {p->objects.lost, p->objects.n_lost, 0},
    };
    return hpp__site_heap_top(&p->heap, moments[moment].groups, moments[moment].n, out, n_most,
                              p->arena);
}
