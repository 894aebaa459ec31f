/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A file is opened for each piece, so that their number is not limited by the number of
 * descriptors.
 */
#include "merge_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/date.h"
#include "base/names.h"
#include "diag.h"
#include "event/format_row.h"
#include "hpfile/eventlog_activity.h"
#include "hpfile/format.h"
#include "hpfile/live.h"
#include "hpfile/source.h"

#include "import.h"
#include "input.h"

/* ---- bands ---- */

hpf_status merge_bands_add(merge_bands *b, hpf_str name, uint32_t *number, hpf_error *err)
{
    uint32_t hash = hpf__hash_bytes(name.data, name.length);
    hpf__hash_probe probe = {0};
    do {
        *number = hpf__hash_next(&b->numbers, hash, &probe);
    } while (*number != HPF__HASH_NONE && !hpf_str_equal(b->names[*number], name));
    if (*number != HPF__HASH_NONE) {
        return HPF_OK;
    }
    hpf_str kept = hpf_arena_str(b->arena, name);
    *number = b->n;
    if (!kept.data || !hpf__hash_reserve(&b->numbers) ||
        !HPF__ARRAY_PUSH(b->names, b->n, b->names_capacity, kept)) {
        return hpf_error_set_memory(err);
    }
    hpf__hash_insert(&b->numbers, hash, *number);
    return HPF_OK;
}

void merge_bands_finish(merge_bands *b)
{
    hpf_arena_destroy(b->arena);
    hpf__hash_finish(&b->numbers);
    free(b->names);
    free(b->marks);
}

/* ---- events ---- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    merge_input *in = context;
    hpf_str *first = &in->bands->headers[which];
    if (which == HPF_HEADER_DATE && !hpf__date_parse(text, &in->date_s)) {
        in->date_s = 0;
    }
    if (in->is_first) {
        *first = hpf_arena_str(in->bands->arena, text);
        return first->data ? HPF_OK : hpf_error_set_memory(err);
    }
    bool is_unit = which == HPF_HEADER_SAMPLE_UNIT || which == HPF_HEADER_VALUE_UNIT;
    if (is_unit && first->data && !hpf_str_equal(*first, text)) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "the unit \"%.*s\" cannot be merged with \"%.*s\" of the first profile",
            (int)text.length, text.data, (int)first->length, first->data);
    }
    return HPF_OK;
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    merge_input *in = context;
    uint32_t number = in->band;
    hpf_status status = HPF_OK;
    (void)name; /* names are numbered in this order */
    if (!in->has_one_band) {
        status = merge_bands_add(in->bands, hpf__without_id(text), &number, err);
    }
    if (status == HPF_OK &&
        !HPF__ARRAY_PUSH(in->band_of_name, in->n_names, in->names_capacity, number)) {
        status = hpf_error_set_memory(err);
    }
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    merge_input *in = context;
    const merge_sample new = {sample->time, in->n_costs, sample->n_costs};
    if (!HPF__ARRAY_RESERVE(in->costs, in->costs_capacity, in->n_costs + sample->n_costs) ||
        !HPF__ARRAY_PUSH(in->samples, in->n_samples, in->samples_capacity, new)) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_cost *cost = &in->costs[in->n_costs++];
        *cost = sample->costs[i];
        cost->name = in->band_of_name[cost->name];
    }
    return HPF_OK;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    merge_input *in = context;
    merge_bands *b = in->bands;
    (void)label;
    return !in->is_first || HPF__ARRAY_PUSH(b->marks, b->n_marks, b->marks_capacity, time)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static void warn(void *context, const hpf_error *warning)
{
    const merge_input *in = context;
    diag_warning(in->path, warning);
}

/* ---- reading ---- */

static bool is_regular(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

/* Returns whether a file can be read in pieces: it is not compressed. */
static bool is_plain(const char *path)
{
    static const char *const magics[] = {"\x1f\x8b", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd"};
    char first[6] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && pread(fd, first, sizeof first - 1, 0) >= 0;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        is = is && strncmp(first, magics[i], strlen(magics[i])) != 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return is;
}

/* Turns a profile of another tool into a temporary file as hp, which the input reads. */
static hpf_status import_file(merge_input *in, const hpf_format *format, hpf_source *given,
                              const hpf_reader_options *options, hpf_error *err)
{
    size_t failed;
    int fd = input_temporary_file(err);
    hpf_sink *profile = fd >= 0 ? hpf_sink_to_fd(fd) : NULL;
    in->frames = hpf_frame_table_create();
    const import_output to = {profile, hpf_sink_to_memory(), in->frames};
    hpf_status status = fd < 0                               ? err->status
                        : to.profile && to.rest && to.frames ? HPF_OK
                                                             : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        status = import_profile(format, &given, 1, options, &to, &failed, err);
    }
    hpf_sink_destroy(profile);
    hpf_sink_destroy(to.rest);
    if (status == HPF_OK && lseek(fd, 0, SEEK_SET) != 0) {
        status = hpf_error_set_os(err, errno, "cannot read a temporary file");
    }
    in->spool = fd;
    return status == HPF_OK ? hpf_source_from_fd(&in->source, fd, NULL, err) : status;
}

/* Opens a file of any format, and its clock. One that can be read in pieces is opened for each
 * piece. */
static hpf_status open_file(merge_input *in, bool uses_mutator_clock,
                            const hpf_reader_options *options, hpf_error *err)
{
    const hpf_source_options keeping = {.keep = true, .temporary_dir = input_temporary_dir()};
    const hpf_format *format = NULL;
    hpf_source *source = NULL;
    hpf_status status = hpf_source_open(&source, in->path, &keeping, err);
    status = status == HPF_OK ? hpf_format_detect(&format, source, err) : status;
    if (status == HPF_OK && uses_mutator_clock && format == &hpf_format_eventlog) {
        status = hpf_eventlog_read_mutator_clock(&in->clock, source, err);
    }
    if (status == HPF_OK && !format->is_streamed) {
        status = import_file(in, format, source, options, err);
    } else if (status == HPF_OK && !is_plain(in->path)) {
        status = hpf_source_open(&in->source, in->path, NULL, err);
    }
    hpf_source_destroy(source);
    return status;
}

hpf_status merge_input_open(merge_input *in, const char *path, merge_bands *bands,
                            bool uses_mutator_clock, size_t max_name_bytes, hpf_error *err)
{
    static const hpf_events events = {
        .header = on_header, .name = on_name, .sample = on_sample, .mark = on_mark};
    hpf_reader_options options = {
        .max_name_bytes = max_name_bytes, .warning = warn, .warning_context = in};
    in->path = path;
    in->bands = bands;
    in->spool = -1;
    hpf_status status = HPF_OK;
    if (is_regular(path)) {
        status = open_file(in, uses_mutator_clock, &options, err);
    } else if (uses_mutator_clock) {
        status =
            hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                          "--clock mutator reads event logs twice: it cannot be used with pipes");
    } else {
        status = hpf_source_open(&in->source, path, NULL, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    options.clock = in->clock;
    options.frames = in->frames;
    in->reader = hpf_reader_create(&events, in, &options);
    return in->reader ? HPF_OK : hpf_error_set_memory(err);
}

void merge_input_close(merge_input *in)
{
    hpf_reader_destroy(in->reader);
    hpf_frame_table_destroy(in->frames);
    hpf_source_destroy(in->source);
    hpf_eventlog_activity_destroy(in->clock);
    if (in->spool > 0) {
        close(in->spool);
    }
    free(in->band_of_name);
    free(in->samples);
    free(in->costs);
}

/* Stores the next piece of the input. Returns HPF_END after the last one. */
static hpf_status next_piece(merge_input *in, char *room, size_t n_room, hpf_str *out,
                             hpf_error *err)
{
    if (in->source) {
        return hpf_source_next(in->source, out, err);
    }
    int fd = open(in->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? pread(fd, room, n_room, (off_t)in->offset) : -1;
    hpf_status status = n < 0 ? hpf_error_set_os(err, errno, "cannot read the profile") : HPF_OK;
    if (fd >= 0) {
        close(fd);
    }
    in->offset += n > 0 ? (uint64_t)n : 0;
    *out = (hpf_str){room, n > 0 ? (size_t)n : 0};
    return status == HPF_OK && n == 0 ? HPF_END : status;
}

/* Drops the samples before the current one. */
static void drop_old(merge_input *in)
{
    size_t n_gone = in->next - in->has_current;
    size_t n_costs_gone = n_gone < in->n_samples ? in->samples[n_gone].begin : in->n_costs;
    if (n_gone == 0) {
        return;
    }
    in->n_samples -= n_gone;
    in->n_costs -= n_costs_gone;
    in->next -= n_gone;
    memmove(in->samples, in->samples + n_gone, in->n_samples * sizeof *in->samples);
    if (in->n_costs > 0) {
        memmove(in->costs, in->costs + n_costs_gone, in->n_costs * sizeof *in->costs);
    }
    for (size_t i = 0; i < in->n_samples; i++) {
        in->samples[i].begin -= n_costs_gone;
    }
}

hpf_status merge_input_fill(merge_input *in, size_t n, char *piece, size_t n_piece, hpf_error *err)
{
    hpf_status status = HPF_OK;
    while (status == HPF_OK && !in->is_at_end && in->n_samples < in->next + n) {
        hpf_str bytes;
        drop_old(in);
        status = next_piece(in, piece, n_piece, &bytes, err);
        if (status == HPF_END) {
            in->is_at_end = true;
            status = hpf_reader_finish(in->reader, err);
            hpf_reader_destroy(in->reader); /* its memory is for the others */
            in->reader = NULL;
        } else if (status == HPF_OK) {
            status = hpf_reader_feed(in->reader, bytes.data, bytes.length, err);
        }
    }
    return status;
}

const merge_sample *merge_input_current(const merge_input *in)
{
    return in->has_current ? &in->samples[in->next - 1] : NULL;
}

const merge_sample *merge_input_ahead(const merge_input *in, size_t i)
{
    return in->next + i < in->n_samples ? &in->samples[in->next + i] : NULL;
}

void merge_input_advance(merge_input *in)
{
    in->has_current = in->next < in->n_samples;
    in->next += in->has_current;
}
