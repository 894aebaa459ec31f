/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A process is a profile of the sum, moved to the time at which the process began.
 */
#include "run_tree.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "hpfile/breakdown.h"
#include "event/format_row.h"
#include "hpfile/sink.h"
#include "hpfile/sum.h"

#include "diag.h"

enum { MOST_COMMAND_BYTES = 40 };

/* Writes the name of the band of a process: its command, without the folder of the program, and its
 * number. */
static void name_process(char *name, size_t room, const hpp_process_figures *f)
{
    hpf_str command = f->command;
    for (size_t i = 0; i < f->command.length && f->command.data[i] != ' '; i++) {
        if (f->command.data[i] == '/') {
            command = (hpf_str){f->command.data + i + 1, f->command.length - i - 1};
        }
    }
    int n = snprintf(name, room, "%.*s%s(%u)", (int)hpf_utf8_cut(command, MOST_COMMAND_BYTES),
                     command.data, command.length > MOST_COMMAND_BYTES ? "..." : "", f->process_id);
    for (int i = 0; i < n; i++) { /* names of the other profiles have no blanks either */
        name[i] = isspace((unsigned char)name[i]) ? '_' : name[i];
    }
}

/* Adds the profiles of all processes that have one. */
static hpf_status add_processes(hpf_sum *sum, hpf_arena *paths, hpp_collector *collector,
                                run_tree tree, const char *suffix, hpf_error *err)
{
    char path[PATH_MAX], name[MOST_COMMAND_BYTES + 40];
    hpf_status status = HPF_OK;
    size_t n = 0;
    for (size_t i = 0; i < hpp_collector_n_processes(collector) && status == HPF_OK; i++) {
        hpp_process_figures f;
        hpp_collector_figures(collector, i, &f);
        if (f.error.status != HPF_OK || f.n_samples == 0) { /* an error has been reported */
            continue;
        }
        int length = snprintf(path, sizeof path, "%s%s", f.base, suffix);
        length = length < (int)sizeof path ? length : (int)sizeof path - 1;
        hpf_str kept = hpf_arena_str(paths, (hpf_str){path, (size_t)length});
        name_process(name, sizeof name, &f);
        status = kept.data
                     ? hpf_sum_add(sum, kept.data, tree == RUN_TREE_PROCESSES ? name : NULL, err)
                     : hpf_error_set_memory(err);
        hpf_sum_shift(sum, n++, f.start_s);
    }
    return status;
}

/* Writes a header of the first process; its JOB says that the bands are processes if they are. */
static hpf_status write_header(const hpf_sum *sum, run_tree tree, hpf_header which,
                               hpf_writer *writer, hpf_error *err)
{
    hpf_str text = hpf_sum_header(sum, which), bands = HPF_STR(""), rest = HPF_STR("");
    if (which == HPF_HEADER_JOB && tree == RUN_TREE_PROCESSES) {
        bands = hpf_native_part_of_job(text);
        const char *comma = memchr(bands.data, ',', bands.length);
        rest = comma ? hpf_str_from(bands, (size_t)(comma - bands.data)) : rest;
    }
    hpf_sink *job = hpf_sink_to_memory();
    if (!job) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_write(job, text.data, text.length - bands.length);
    hpf_sink_text(job, bands.length > 0 ? "process" : "");
    hpf_sink_str(job, rest);
    hpf_status status = hpf_writer_events.header(writer, which, hpf_sink_bytes(job), err);
    hpf_sink_destroy(job);
    return status;
}

static hpf_status write_file(const char *path, hpf_sum *sum, run_tree tree, hpf_error *err)
{
    hpf_events events = hpf_writer_events;
    events.mark = NULL;
    hpf_sink *sink = hpf_sink_to_path(path, err);
    if (!sink) {
        return err->status;
    }
    hpf_writer *writer;
    hpf_status status = hpf_writer_create(&writer, &hpf_format_hp, sink, NULL, err);
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = write_header(sum, tree, (hpf_header)i, writer, err);
    }
    status = status == HPF_OK ? hpf_sum_emit(sum, &events, writer, err) : status;
    status = status == HPF_OK ? hpf_writer_finish(writer, err) : status;
    status = status == HPF_OK ? hpf_sink_finish(sink, err) : status;
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
    return status;
}

uint64_t run_tree_write(const char *path, hpp_collector *collector, run_tree tree,
                        const char *suffix, uint64_t interval_ns)
{
    const hpf_sum_options options = {.interval = (double)interval_ns / 1e9};
    hpf_sum *sum = NULL;
    hpf_error err;
    hpf_arena *paths = hpf_arena_create();
    hpf_status status =
        paths ? hpf_sum_create(&sum, hpp_collector_n_processes(collector), &options, &err)
              : hpf_error_set_memory(&err);
    status = status == HPF_OK ? add_processes(sum, paths, collector, tree, suffix, &err) : status;
    status = status == HPF_OK ? write_file(path, sum, tree, &err) : status;
    if (status != HPF_OK) {
        const char *failed = sum ? hpf_sum_failed(sum) : NULL;
        diag_error(failed ? failed : path, &err);
    }
    uint64_t n_samples = status == HPF_OK ? hpf_sum_n_samples(sum) : 0;
    hpf_sum_destroy(sum);
    hpf_arena_destroy(paths);
    return n_samples;
}
