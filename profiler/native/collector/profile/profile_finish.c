/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a profile: its last sample, its reports, and the figures of the summary.
 */
#include <string.h>
#include <sys/wait.h>

#include "site_bins.h"
#include "stack_costs.h"
#include "profile_state.h"

static void note_losses(hpp__profile *p)
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
    f->is_restricted = p->options->census->n_restrictions > 0;
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
        f->resident_bytes = hpp__larger(f->resident_bytes, own_bytes);
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
        status = path ? hpp__site_bins_write(path, &p->heap, sums, HPF_BINS_TIME, o->tick_ns, err)
                      : hpf_error_set_memory(err);
    }
    if (o->heap_bins && status == HPF_OK) {
        const char *path = hpp__profile_path(p, ".heap.bins");
        status = path ? hpp__site_bins_write(path, &p->heap, sums, HPF_BINS_HEAP, 1, err)
                      : hpf_error_set_memory(err);
    }
    return status;
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
    hpp__profile_end_recording(p, end_s, how, code);
    if (r && !hpp__recording_has_name(r) && p->recording_error.status == HPF_OK) {
        (void)hpf_error_set(&p->recording_error, HPF_ERR_IO, "the recording was removed meanwhile");
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
    hpp__profile_count_totals(p);
    note_losses(p);
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
