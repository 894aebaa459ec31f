/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a profile: its last sample, its reports, and the figures of the summary.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "stack_costs.h"
#include "profile_state.h"
#include "base/array.h"
#include "site_heap.h"
#include "hpfile/address_bins.h"
#include "hpfile/margin.h"

/* ---- Address bins ---- */

/* Returns the bin of a site; its address is 0 if it is unknown. */
static hpf_bin bin_of(hpp__site_heap *heap, const hpp__costs *costs, const hpp_window_site *site)
{
    hpf_bin bin = {0, costs->allocated_bytes};
    hpp_window_node node;
    if (site->call != HPP_CALL_TICK) {
        bin.address = hpp__named_stacks_producer(heap->stacks, site->node).return_address;
    } else {
        bin.count = costs->allocations;
        if (site->node != 0 && hpp__window_reader_node(heap->reader, site->node, &node)) {
            bin.address = node.address - (node.flags & HPP_NODE_EXACT ? 0 : 1);
        }
    }
    return bin;
}

static void collect(hpf_bins *out, hpf_bin *bins, hpp__site_heap *heap,
                    const hpp__window_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_sites; i++) {
        hpp_window_site site = {0};
        bool is_known = i >= HPP_FIRST_SITE && hpp__window_reader_site(heap->reader, i, &site);
        bool is_time = is_known && site.call == HPP_CALL_TICK;
        bool is_entry = is_known && site.call == HPP_CALL_ENTRY;
        if (is_entry || is_time != (out->kind == HPF_BINS_TIME)) {
            continue;
        }
        hpf_bin bin = is_known ? bin_of(heap, &sums->sites[i], &site)
                               : (hpf_bin){0, sums->sites[i].allocated_bytes};
        if (bin.address == 0) {
            out->unknown_count += bin.count;
        } else {
            bins[out->n_bins++] = bin;
        }
    }
    out->bins = bins;
}

/* The objects of a window, and the memory of their texts. */
typedef struct objects {
    hpf_bins_object *list;
    hpp_window_module **modules;
    size_t n, capacity, modules_capacity;
} objects;

static bool add_objects(objects *o, const hpp__window_reader *reader)
{
    hpp_window_module module;
    for (uint32_t i = 0; hpp__window_reader_module(reader, i, &module); i++) {
        hpp_window_module *copy = malloc(sizeof *copy);
        if (!copy || !HPF__ARRAY_RESERVE(o->list, o->capacity, o->n + 1) ||
            !HPF__ARRAY_RESERVE(o->modules, o->modules_capacity, o->n + 1)) {
            free(copy);
            return false;
        }
        *copy = module;
        o->modules[o->n] = copy;
        o->list[o->n++] = (hpf_bins_object){
            .start = module.begin,
            .end = module.end,
            .bias = module.bias,
            .path = hpf_str_of(copy->path),
            .build_id = {(const char *)copy->build_id, module.n_build_id},
        };
    }
    return true;
}

/* Writes the bins of the given sums to the file `path`. Allocation counts at the producer of a
 * block: allocators are skipped. Errors: IO, MEMORY. */
static hpf_status write_bins_of(const char *path, hpp__site_heap *heap,
                                const hpp__window_sums *sums, hpf_bins_kind kind, uint64_t unit,
                                hpf_error *err)
{
    hpf_bins bins = {.kind = kind, .unit = unit};
    objects o = {0};
    hpf_bin *list = calloc(sums->n_sites + (size_t)1, sizeof *list);
    hpf_status status = HPF_OK;
    if (list && add_objects(&o, heap->reader)) {
        collect(&bins, list, heap, sums);
        bins.objects = o.list;
        bins.n_objects = o.n;
        hpf_sink *sink = hpf_sink_to_path(path, err);
        if (sink) {
            hpf_bins_write(sink, &bins);
            status = hpf_sink_finish(sink, err);
        } else {
            status = err->status;
        }
        hpf_sink_destroy(sink);
    } else {
        status = hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < o.n; i++) {
        free(o.modules[i]);
    }
    free(o.modules);
    free(o.list);
    free(list);
    return status;
}

/* ---- The end ---- */

/* Returns the margin of all blocks of a list. */
static double margin_of(const hpp__site_heap *heap, const hpp__alive *alive, size_t n)
{
    double variance, bytes = hpp__site_heap_sum(heap, alive, n, &variance);
    return hpf_margin(bytes, variance, heap->rate_now);
}

static void note_losses(hpp__profile *p)
{
    const hpp_window_head *head = &p->reader.window->head;
    hpp_process_figures *f = &p->figures;
    f->peak_margin = margin_of(&p->heap, p->peak.groups, p->peak.n);
    f->end_margin = margin_of(&p->heap, p->last.groups, p->last.n);
    f->lost_margin = margin_of(&p->heap, p->objects.lost, p->objects.n_lost);
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
    f->is_restricted = p->options->census->n_restrictions > 0;
    uint32_t events = head->events;
    f->was_isolated = (events & HPP_EVENT_ISOLATED) != 0;
    f->was_traced = (events & HPP_EVENT_TRACED) != 0;
    f->has_own_malloc = (events & HPP_EVENT_OWN_MALLOC) != 0;
    f->started_sanitizer = (events & HPP_EVENT_STARTED_SANITIZER) != 0;
    f->started_other = (events & HPP_EVENT_STARTED_OTHER) != 0;
    f->left_network = (events & HPP_EVENT_LEFT_NETWORK) != 0;
    uint32_t python = head->python_state;
    f->python = python == HPP_PYTHON_UNKNOWN           ? HPP_NO_PYTHON_VERSION
                : python == HPP_PYTHON_DIFFERENT       ? HPP_NO_PYTHON_LAYOUT
                : python == HPP_PYTHON_WALKED_UNLOCKED ? HPP_NO_PYTHON_TYPES
                : python == HPP_PYTHON_UNLOCKED        ? HPP_NO_PYTHON_LOCK
                                                       : HPP_PYTHON_PROFILED;
    f->python_version = head->python_version;
    f->n_apart = head->n_apart;
    uint64_t resident_bytes = head->most_resident_bytes;
    bool is_possible = resident_bytes <= UINT64_C(1) << 56;
    if (head->biography_bytes == 0 && is_possible) { /* see emit_lines */
        double own_bytes = (double)resident_bytes - (double)f->profiler_bytes;
        f->resident_bytes = hpp__larger(f->resident_bytes, own_bytes);
    }
    f->biography.sample_bytes =
        head->biography_bytes > 0 && f->rate_bytes > 0 ? f->rate_bytes : head->biography_bytes;
    f->biography.n_samples = head->n_samples;
    f->biography.n_unsampled = head->n_unsampled;
    f->biography.n_retired = head->n_retired;
    f->biography.n_lost = head->n_lost_lives;
    f->biography.end = events & HPP_EVENT_NO_PAGEMAP      ? HPP_BIOGRAPHY_NO_PAGEMAP
                       : events & HPP_EVENT_LOCKED_MEMORY ? HPP_BIOGRAPHY_LOCKED_MEMORY
                       : events & HPP_EVENT_RAW_FORK      ? HPP_BIOGRAPHY_RAW_FORK
                                                          : HPP_BIOGRAPHY_COMPLETE;
}

static hpf_status fill_report(hpp__profile *p, const hpp__window_sums *sums, hpf_sink *sink,
                              hpf_error *err)
{
    const hpp__report_title title = {
        .date = hpf_str_of(p->date),
        .program = hpp__profile_program(p),
        .command = p->n_words > 0 ? p->words[0] : hpp__profile_program(p),
        .arguments = p->n_words > 0 ? &p->words[1] : NULL,
        .n_arguments = p->n_words > 0 ? p->n_words - 1 : 0,
    };
    if (hpp_census_has_retainers(p->engine) && p->options->report != HPP_REPORT_JSON) {
        hpp__retainer_log_write(&p->objects.log, p->engine, sink);
    }
    hpf_status status = p->options->report == HPP_REPORT_NONE
                            ? HPF_OK
                            : hpp__cost_report_write(sink, &p->heap, sums, p->options, &title, err);
    return status == HPF_OK ? hpf_sink_finish(sink, err) : status;
}

static hpf_status write_report(hpp__profile *p, const hpp__window_sums *sums, hpf_error *err)
{
    bool has_report = p->options->report != HPP_REPORT_NONE || hpp_census_has_retainers(p->engine);
    if (!has_report || p->files.without_prof) {
        return HPF_OK;
    }
    const char *path = hpp__profile_path(p, ".prof");
    if (!path) {
        return hpf_error_set_memory(err);
    }
    hpf_sink *sink = hpf_sink_to_path(path, err);
    hpf_status status = sink ? fill_report(p, sums, sink, err) : err->status;
    hpf_sink_destroy(sink);
    return status;
}

static hpf_status write_bins(hpp__profile *p, const hpp__window_sums *sums, hpf_error *err)
{
    const hpp_options *o = p->options;
    hpf_status status = HPF_OK;
    if (o->time_bins) {
        const char *path = hpp__profile_path(p, ".time.bins");
        status = path ? write_bins_of(path, &p->heap, sums, HPF_BINS_TIME, o->tick_ns, err)
                      : hpf_error_set_memory(err);
    }
    if (o->heap_bins && status == HPF_OK) {
        const char *path = hpp__profile_path(p, ".heap.bins");
        status = path ? write_bins_of(path, &p->heap, sums, HPF_BINS_HEAP, 1, err)
                      : hpf_error_set_memory(err);
    }
    return status;
}

/* Notes the largest site at the end, and writes it with who killed the process if that needs to be
 * explained. */
static void note_death(hpp__profile *p, hpf_process_end how, int code)
{
    hpp_site_figures site;
    hpp_process_figures *f = &p->figures;
    f->end = how;
    f->end_code = code;
    if (hpp__profile_top(p, HPP_AT_END, &site, 1) == 1) {
        f->memory.holder = site.place;
        f->memory.holder_bytes = site.live_bytes;
    }
    const double near = 0.9;
    if (how == HPF_PROCESS_KILLED || f->memory.killer != HPF_KILLER_UNKNOWN ||
        hpf_memory_part(&f->memory, hpf_memory_nearest(&f->memory)) >= near) {
        hpp__profile_record_memory(p);
    }
}

/* Says in the recording how the process has ended. */
static void end_in_recording(hpp__profile *p, double end_s, int wait_status)
{
    const hpp__recording *r = p->files.recording;
    hpf_process_end how = wait_status == HPP__STATUS_RUNS      ? HPF_PROCESS_LEFT
                          : wait_status == HPP__STATUS_UNKNOWN ? HPF_PROCESS_ENDED
                          : WIFSIGNALED(wait_status)           ? HPF_PROCESS_KILLED
                                                               : HPF_PROCESS_EXITED;
    int code = how == HPF_PROCESS_KILLED   ? WTERMSIG(wait_status)
               : how == HPF_PROCESS_EXITED ? WEXITSTATUS(wait_status)
                                           : 0;
    note_death(p, how, code);
    hpp__profile_end_recording(p, end_s, how, code);
    if (r && !hpp__recording_has_name(r) && p->recording_error.status == HPF_OK) {
        (void)hpf_error_set(&p->recording_error, HPF_ERR_IO, "the recording was removed meanwhile");
    }
}

/* The sums of an attached program have its older blocks with what malloc needs itself; images have
 * each block. So that what is left can be compared with the peak, it is counted as there. */
static void count_older_blocks(hpp__profile *p)
{
    const hpp__objects *o = &p->objects;
    bool is_known = hpp__profile_needs_images(p->options) && o->n_live > HPP__GROUP_INHERITED &&
                    p->last.n > HPP__GROUP_INHERITED;
    uint64_t bytes = is_known ? o->live[HPP__GROUP_INHERITED].bytes : 0;
    if (bytes > 0 && p->last.groups[HPP__GROUP_INHERITED].bytes > bytes) {
        p->figures.allocated_bytes -= p->last.groups[HPP__GROUP_INHERITED].bytes - bytes;
        p->last.groups[HPP__GROUP_INHERITED].bytes = bytes;
    }
}

/* Keeps the largest amount that no sample has, if it is a tenth more than the largest one: what the
 * program has noted, or, without an image of the end, what is not freed there. With restrictions,
 * samples have less. */
static void keep_missed_peak(hpp__profile *p, const hpp__process_sample *last)
{
    hpp_process_figures *f = &p->figures;
    uint64_t end_bytes = f->allocated_bytes - f->freed_bytes;
    uint64_t worth_bytes = f->peak_bytes + f->peak_bytes / 10;
    if (f->is_restricted) {
        return;
    }
    if (last->peak_bytes > worth_bytes && last->peak_bytes > f->missed_peak_bytes) {
        f->missed_peak_bytes = last->peak_bytes;
        f->missed_peak_s = last->peak_s;
    }
    if (last->lacks_image && f->biography.sample_bytes == 0 && end_bytes > worth_bytes &&
        end_bytes > f->missed_peak_bytes) {
        f->missed_peak_bytes = end_bytes;
        f->missed_peak_s = f->duration_s;
    }
}

void hpp__profile_finish(hpp__profile *p, hpp__process_sample *last, const char *title,
                         int wait_status)
{
    hpf_str command = p->figures.command;
    bool has_title = strncmp(title, command.data, strlen(title)) != 0;
    p->title = has_title ? hpf_arena_text(p->arena, hpf_str_of(title)) : NULL;
    if (p->title) {
        p->figures.command = hpf_str_of(p->title);
    }
    hpp__profile_take(p, last);
    hpp__profile_keep_alive(&p->last, &p->heap);
    /* Notes how much of the largest sample the program had mapped itself; with restrictions, it is
     * not known. */
    size_t n_groups = p->options->census->n_restrictions > 0 ? 0 : p->peak.n;
    for (size_t i = 0; i < n_groups; i++) {
        bool is_mapped = hpf_str_is(p->heap.groups[i].shape->kind, "mmap");
        p->figures.mapped_bytes += is_mapped ? p->peak.groups[i].bytes : 0;
    }
    if (last->is_of_row) {
        hpp__profile_note_totals(p, hpp__window_sums_total(&last->sums));
    } else {
        hpp__profile_count_totals(p);
    }
    count_older_blocks(p);
    note_losses(p);
    keep_missed_peak(p, last);
    if (hpp__profile_logs_totals(p)) {
        hpp__profile_log_totals(p, last->time_s, true);
    }
    hpp__profile_end_threads(p, last->time_s);
    hpp__throw_log_end(&p->throws, &p->calls);
    hpf_error of_files = {0};
    hpf_error of_report = {0};
    hpf_status status = hpp__output_close(&p->output, &of_files);
    if (status == HPF_OK && p->has_lives && p->options->with_census) {
        status = hpp__profile_rewrite(p, last->time_s, &of_files);
    }
    hpp__profile_record_sets(p);
    end_in_recording(p, last->time_s, wait_status);
    p->figures.error = status != HPF_OK                      ? of_files
                       : p->recording_error.status != HPF_OK ? p->recording_error
                                                             : p->snapshot_error;
    if (status == HPF_OK && (write_report(p, &last->sums, &of_report) != HPF_OK ||
                             write_bins(p, &last->sums, &of_report) != HPF_OK)) {
        p->figures.error = of_report;
    }
}
