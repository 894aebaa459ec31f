/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiles become changes of bands, which are sorted by time and added up.
 */
#include "run_tree.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/arena.h"
#include "base/hash_table.h"
#include "base/names.h"
#include "base/utf8.h"
#include "detect/reader.h"
#include "hpfile/breakdown.h"
#include "event/format_row.h"
#include "hpfile/format.h"

#include "diag.h"

enum { MOST_COMMAND_BYTES = 40 };

/* The change of a band at a time of the run. What a process had at its end goes after the sample of
 * that time. */
typedef struct change {
    double time_s;
    bool is_end;
    uint32_t process, band;
    int64_t bytes;
} change;

/* The costs of a band: in the process that is being read, before and in the current sample; when
 * the changes are added up, `now` is the sum over all processes. */
typedef struct band {
    hpf_str name;
    uint64_t before_bytes, now_bytes;
} band;

typedef struct adder {
    run_tree tree;
    hpf_arena *texts;
    hpf__hash_table numbers; /* of bands, by name */
    band *bands;
    size_t bands_capacity;
    uint32_t n_bands;
    change *changes;
    size_t n_changes, changes_capacity;
    uint64_t n_samples;
    hpf_str headers[HPF_N_HEADERS]; /* of the first process that was read */
    char path[PATH_MAX];            /* of the file that is being read or written */
    const char *suffix;             /* of the profiles */
    /* The process that is being read. */
    uint32_t process;
    double start_s, last_s;
    uint32_t process_band;
    uint32_t *band_of_name;
    size_t n_names, names_capacity;
} adder;

/* ---- Reading ---- */

/* Stores the number of the band with a name, which is new if it was not known. */
static hpf_status add_band(adder *a, hpf_str name, uint32_t *number, hpf_error *err)
{
    uint32_t hash = hpf__hash_bytes(name.data, name.length);
    hpf__hash_probe probe = {0};
    do {
        *number = hpf__hash_next(&a->numbers, hash, &probe);
    } while (*number != HPF__HASH_NONE && !hpf_str_equal(a->bands[*number].name, name));
    if (*number != HPF__HASH_NONE) {
        return HPF_OK;
    }
    band new = {.name = hpf_arena_str(a->texts, name)};
    *number = a->n_bands;
    if (!new.name.data || !hpf__hash_reserve(&a->numbers) ||
        !HPF__ARRAY_PUSH(a->bands, a->n_bands, a->bands_capacity, new)) {
        return hpf_error_set_memory(err);
    }
    hpf__hash_insert(&a->numbers, hash, *number);
    return HPF_OK;
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    adder *a = context;
    if (a->headers[which].data) {
        return HPF_OK;
    }
    hpf_str bands = HPF_STR(""), rest = HPF_STR("");
    if (which == HPF_HEADER_JOB && a->tree == RUN_TREE_PROCESSES) {
        bands = hpf_native_part_of_job(text);
        const char *comma = memchr(bands.data, ',', bands.length);
        rest = comma ? hpf_str_from(bands, (size_t)(comma - bands.data)) : rest;
    }
    size_t capacity = text.length + sizeof "process";
    char *copy = hpf_arena_alloc(a->texts, capacity);
    if (!copy) {
        return hpf_error_set_memory(err);
    }
    int n = snprintf(copy, capacity, "%.*s%s%.*s", (int)(text.length - bands.length), text.data,
                     bands.length > 0 ? "process" : "", (int)rest.length, rest.data);
    a->headers[which] = (hpf_str){copy, (size_t)n};
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    adder *a = context;
    uint32_t number = a->process_band;
    hpf_status status = HPF_OK;
    text = hpf__without_id(text);
    if (a->tree == RUN_TREE_NAMES) {
        status = add_band(a, text, &number, err);
    }
    if (status == HPF_OK &&
        !HPF__ARRAY_PUSH(a->band_of_name, a->n_names, a->names_capacity, number)) {
        status = hpf_error_set_memory(err);
    }
    (void)name; /* names are numbered in this order */
    return status;
}

/* Records the difference of two samples; at least one change, so that the sum has a sample at each
 * time. */
static hpf_status record_changes(adder *a, double time_s, bool is_end, hpf_error *err)
{
    size_t n_before = a->n_changes;
    for (uint32_t i = 0; i < a->n_bands; i++) {
        band *b = &a->bands[i];
        change c = {time_s, is_end, a->process, i, (int64_t)(b->now_bytes - b->before_bytes)};
        if (c.bytes != 0 && !HPF__ARRAY_PUSH(a->changes, a->n_changes, a->changes_capacity, c)) {
            return hpf_error_set_memory(err);
        }
        *b = (band){b->name, b->now_bytes, 0};
    }
    change none = {.time_s = time_s, .is_end = is_end, .process = a->process};
    bool has_room = a->n_changes > n_before ||
                    HPF__ARRAY_PUSH(a->changes, a->n_changes, a->changes_capacity, none);
    return has_room ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    adder *a = context;
    for (size_t i = 0; i < sample->n_costs; i++) {
        uint32_t number = a->band_of_name[sample->costs[i].name];
        a->bands[number].now_bytes += sample->costs[i].whole;
    }
    /* In microseconds, as in the files. */
    a->last_s = (double)(uint64_t)((a->start_s + sample->time) * 1e6 + 0.5) / 1e6;
    return record_changes(a, a->last_s, false, err);
}

static const hpf_events events = {.header = on_header, .name = on_name, .sample = on_sample};

static hpf_status read_process(adder *a, const hpp_process_figures *f, hpf_error *err)
{
    char name[MOST_COMMAND_BYTES + 40];
    snprintf(a->path, sizeof a->path, "%s%s", f->base, a->suffix);
    hpf_str command = f->command;
    for (size_t i = 0; i < f->command.length && f->command.data[i] != ' '; i++) {
        if (f->command.data[i] == '/') { /* without the folder of the program */
            command = (hpf_str){f->command.data + i + 1, f->command.length - i - 1};
        }
    }
    int n =
        snprintf(name, sizeof name, "%.*s%s(%u)", (int)hpf_utf8_cut(command, MOST_COMMAND_BYTES),
                 command.data, command.length > MOST_COMMAND_BYTES ? "..." : "", f->process_id);
    for (int i = 0; i < n; i++) { /* names of the other profiles have no blanks either */
        name[i] = isspace((unsigned char)name[i]) ? '_' : name[i];
    }
    a->start_s = a->last_s = f->start_s;
    a->n_names = 0;
    hpf_source *source = NULL;
    hpf_status status = HPF_OK;
    if (a->tree == RUN_TREE_PROCESSES) {
        status = add_band(a, (hpf_str){name, (size_t)n}, &a->process_band, err);
    }
    status = status == HPF_OK ? hpf_source_open(&source, a->path, NULL, err) : status;
    if (status == HPF_OK) {
        status = hpf_read_source(source, &events, a, NULL, err);
    }
    hpf_source_destroy(source);
    return status == HPF_OK ? record_changes(a, a->last_s, true, err) : status;
}

/* ---- Writing ---- */

static int by_time(const void *left, const void *right)
{
    const change *a = left, *b = right;
    int order = (a->time_s > b->time_s) - (a->time_s < b->time_s);
    return order ? order : a->is_end - b->is_end;
}

static hpf_status write_sample(adder *a, double time_s, hpf_cost *costs, hpf_writer *writer,
                               hpf_error *err)
{
    size_t n = 0;
    for (uint32_t i = 0; i < a->n_bands; i++) {
        if (a->bands[i].now_bytes > 0) {
            costs[n++] = (hpf_cost){.name = i, .whole = a->bands[i].now_bytes};
        }
    }
    const hpf_sample sample = {.time = time_s, .costs = costs, .n_costs = n};
    a->n_samples++;
    return hpf_writer_events.sample(writer, &sample, err);
}

/* Adds the changes from index `i` on up to the end of the next sample, and returns the index after
 * them. The collector samples one process after the other: samples of different processes that are
 * not further apart than `gap_s` are one sample. */
static size_t add_changes(adder *a, size_t i, double gap_s, double *time_of_process)
{
    double first_s = a->changes[i].time_s;
    for (; i < a->n_changes; i++) {
        const change *c = &a->changes[i];
        double *known_s = &time_of_process[c->process];
        if (c->is_end || c->time_s > first_s + gap_s ||
            (*known_s >= first_s && *known_s < c->time_s)) {
            break;
        }
        *known_s = c->time_s;
        a->bands[c->band].now_bytes += (uint64_t)c->bytes;
    }
    return i;
}

static hpf_status write_samples(adder *a, double gap_s, double *time_of_process, hpf_cost *costs,
                                hpf_writer *writer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (uint32_t i = 0; i < a->process; i++) {
        time_of_process[i] = -1;
    }
    for (size_t i = 0; i < a->n_changes && status == HPF_OK;) {
        i = add_changes(a, i, gap_s, time_of_process);
        double time_s = a->changes[i - 1].time_s;
        status = write_sample(a, time_s, costs, writer, err);
        bool has_ends = i < a->n_changes && a->changes[i].is_end;
        for (; i < a->n_changes && a->changes[i].is_end; i++) {
            a->bands[a->changes[i].band].now_bytes += (uint64_t)a->changes[i].bytes;
        }
        if (status == HPF_OK && has_ends && i < a->n_changes) {
            status = write_sample(a, time_s, costs, writer, err); /* a step down */
        }
    }
    return status;
}

static hpf_status write_profile(adder *a, double gap_s, hpf_writer *writer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        status = hpf_writer_events.header(writer, (hpf_header)i, a->headers[i], err);
    }
    for (uint32_t i = 0; i < a->n_bands && status == HPF_OK; i++) {
        a->bands[i].now_bytes = 0;
        status = hpf_writer_events.name(writer, i, a->bands[i].name, err);
    }
    qsort(a->changes, a->n_changes, sizeof *a->changes, by_time);
    hpf_cost *costs = calloc((size_t)a->n_bands + 1, sizeof *costs);
    double *time_of_process = calloc((size_t)a->process + 1, sizeof *time_of_process);
    if (!costs || !time_of_process) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        status = write_samples(a, gap_s, time_of_process, costs, writer, err);
    }
    free(costs);
    free(time_of_process);
    return status == HPF_OK ? hpf_writer_finish(writer, err) : status;
}

static hpf_status write_file(adder *a, const char *path, double gap_s, hpf_error *err)
{
    snprintf(a->path, sizeof a->path, "%s", path);
    hpf_sink *sink = hpf_sink_to_path(path, err);
    if (!sink) {
        return err->status;
    }
    hpf_writer *writer;
    hpf_status status = hpf_writer_create(&writer, &hpf_format_hp, sink, NULL, err);
    status = status == HPF_OK ? write_profile(a, gap_s, writer, err) : status;
    status = status == HPF_OK ? hpf_sink_finish(sink, err) : status;
    hpf_writer_destroy(writer);
    hpf_sink_destroy(sink);
    return status;
}

uint64_t run_tree_write(const char *path, hpp_collector *collector, run_tree tree,
                        const char *suffix, uint64_t interval_ns)
{
    adder a = {.tree = tree, .suffix = suffix, .texts = hpf_arena_create()};
    hpf_error err;
    bool has_room = a.texts && HPF__ARRAY_RESERVE(a.bands, a.bands_capacity, 1);
    hpf_status status = has_room ? HPF_OK : hpf_error_set_memory(&err);
    if (has_room) {
        a.bands[0] = (band){.now_bytes = 0}; /* for changes of nothing, if there are no bands */
    }
    for (size_t i = 0; i < hpp_collector_n_processes(collector) && status == HPF_OK; i++) {
        hpp_process_figures f;
        hpp_collector_figures(collector, i, &f);
        if (f.error.status == HPF_OK && f.n_samples > 0) { /* an error has been reported */
            status = read_process(&a, &f, &err);
            a.process++;
        }
    }
    if (status == HPF_OK) {
        status = write_file(&a, path, (double)interval_ns / 4e9, &err);
    }
    if (status != HPF_OK) {
        diag_error(a.path[0] ? a.path : path, &err);
    }
    hpf_arena_destroy(a.texts);
    hpf__hash_finish(&a.numbers);
    free(a.bands);
    free(a.changes);
    free(a.band_of_name);
    return status == HPF_OK ? a.n_samples : 0;
}
