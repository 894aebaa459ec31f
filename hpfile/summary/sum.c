/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Of each profile, only the next samples are in memory. The current samples of all profiles are
 * added to the sums of bands, and taken away. A file is opened for each piece, so that their number
 * is not limited by that of descriptors.
 */
#include "hpfile/sum.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/date.h"
#include "base/descriptor.h"
#include "base/intern.h"
#include "base/names.h"
#include "detect/reader.h"
#include "event/format_row.h"
#include "eventlog/eventlog_activity.h"
#include "hpfile/format.h"
#include "io/source.h"

enum { MOST_PIECE_BYTES = 65536, LEAST_PIECE_BYTES = 4096, ALL_PIECES_BYTES = 4 << 20 };

/* What all inputs share: bands by name, and the headers of the first one. */
typedef struct sum_bands {
    hpf__intern names;
    hpf_arena *arena; /* of headers */
    hpf_str headers[HPF_N_HEADERS];
    double *marks; /* times of the marks of the first profile */
    size_t n_marks, marks_capacity;
} sum_bands;

/* A sample that was read ahead. */
typedef struct sum_sample {
    double time;
    size_t begin, n_costs; /* in the costs of the input */
} sum_sample;

typedef struct sum_input {
    const char *path; /* borrowed, as are bands and options */
    sum_bands *bands;
    const hpf_sum_options *options;
    bool is_first;
    bool has_one_band;
    uint32_t band; /* if it has one */
    hpf_reader *reader;
    hpf_source *source; /* of input that cannot be read in pieces: a pipe, compressed, imported;
                           else NULL */
    hpf_eventlog_activity *clock; /* of the mutator, or NULL */
    uint64_t offset;
    bool is_at_end;
    uint32_t *band_of_name;
    size_t n_names, names_capacity;
    sum_sample *samples;
    size_t n_samples, samples_capacity;
    size_t next;     /* the first sample that is ahead; the one before it is the current one */
    hpf_cost *costs; /* of bands */
    size_t n_costs, costs_capacity;
    bool has_current;
    double shift;    /* added to its times */
    uint64_t date_s; /* when it began, since 1970; 0: unknown */
} sum_input;

/* The sum of a band over the profiles whose current samples have it. */
typedef struct band_sum {
    uint64_t whole;
    double real;
    uint32_t n_costs;
} band_sum;

struct hpf_sum {
    hpf_sum_options options;
    sum_input *inputs;
    size_t n;
    sum_bands bands;
    band_sum *sums;
    size_t n_sums, sums_capacity;
    hpf_cost *costs; /* of the sample that is emitted */
    size_t costs_capacity;
    char *piece;
    size_t n_piece;
    uint32_t n_named; /* bands that were emitted */
    size_t n_marked;
    const sum_input *failed; /* where an error happened; NULL: in the consumer */
};

static hpf_status add_band(sum_bands *b, hpf_str name, uint32_t *number, hpf_error *err)
{
    bool is_new;
    hpf_status status = hpf__intern_add(&b->names, name, number, &is_new);
    return status == HPF_ERR_LIMIT ? hpf_error_set(err, status, "more than 2^30 names")
           : status != HPF_OK      ? hpf_error_set_memory(err)
                                   : HPF_OK;
}

/* ---- events ---- */

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    sum_input *in = context;
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
    sum_input *in = context;
    uint32_t number = in->band;
    hpf_status status = HPF_OK;
    (void)name; /* names are numbered in this order */
    if (!in->has_one_band) {
        status = add_band(in->bands, hpf__without_id(text), &number, err);
    }
    if (status == HPF_OK &&
        !HPF__ARRAY_PUSH(in->band_of_name, in->n_names, in->names_capacity, number)) {
        status = hpf_error_set_memory(err);
    }
    return status;
}

static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    sum_input *in = context;
    const sum_sample new = {sample->time, in->n_costs, sample->n_costs};
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
    sum_input *in = context;
    sum_bands *b = in->bands;
    (void)label;
    return !in->is_first || HPF__ARRAY_PUSH(b->marks, b->n_marks, b->marks_capacity, time)
               ? HPF_OK
               : hpf_error_set_memory(err);
}

static void warn(void *context, const hpf_error *warning)
{
    const sum_input *in = context;
    if (in->options->warning) {
        in->options->warning(in->path, warning);
    }
}

/* ---- reading ---- */

static bool is_regular(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

/* Reads a profile of a format that is read whole: names and marks now, samples from the spool. */
static hpf_status read_whole(sum_input *in, const hpf_format *format, hpf_source *given,
                             const hpf_reader_options *options, hpf_error *err)
{
    static const hpf_events first = {.header = on_header, .name = on_name, .mark = on_mark};
    static const hpf_events second = {.sample = on_sample};
    size_t failed;
    hpf_status status = hpf__source_create_spool(&in->source, given, err);
    in->reader = status == HPF_OK ? hpf_reader_create(&first, in, options) : NULL;
    if (in->reader) {
        status = hpf__reader_read(in->reader, format, &given, 1, in->source, &failed, err);
        hpf_reader_revisit(in->reader, &second, in);
    } else if (status == HPF_OK) {
        status = hpf_error_set_memory(err);
    }
    return status;
}

/* Opens a file of any format, and its clock. One that can be read in pieces is opened for each
 * piece. */
static hpf_status open_file(sum_input *in, const hpf_reader_options *options, hpf_error *err)
{
    const hpf_source_options keeping = {.size = sizeof keeping,
                                        .keep = true,
                                        .temporary_dir = in->options->temporary_dir,
                                        .process = in->options->process};
    const hpf_source_options reading = {.size = sizeof reading, .process = in->options->process};
    const hpf_format *format = NULL;
    hpf_source *source = NULL;
    hpf_status status = hpf_source_open(&source, in->path, &keeping, err);
    status = status == HPF_OK ? hpf_format_detect(&format, source, err) : status;
    if (status == HPF_OK && in->options->uses_mutator_clock && format == &hpf_format_eventlog) {
        status = hpf__eventlog_activity_read(&in->clock, source, err);
    }
    if (status == HPF_OK && hpf__reader_is_whole(format, options)) {
        status = read_whole(in, format, source, options, err);
    } else if (status == HPF_OK &&
               (*hpf_source_compression(source) || hpf_source_recording(source))) {
        status = hpf_source_open(&in->source, in->path, &reading, err);
    }
    hpf_source_destroy(source);
    return status;
}

static hpf_status open_input(sum_input *in, hpf_error *err)
{
    static const hpf_events events = {
        .header = on_header, .name = on_name, .sample = on_sample, .mark = on_mark};
    hpf_reader_options options = {.max_name_bytes = in->options->max_name_bytes,
                                  .warning = warn,
                                  .warning_context = in,
                                  .symbolise = in->options->symbolise,
                                  .symbolise_context = in->options->symbolise_context};
    hpf_status status = HPF_OK;
    if (is_regular(in->path)) {
        status = open_file(in, &options, err);
    } else if (in->options->uses_mutator_clock) {
        status = hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "the clock of the mutator needs event logs that can be read twice, not a pipe");
    } else {
        const hpf_source_options reading = {.size = sizeof reading,
                                            .process = in->options->process};
        status = hpf_source_open(&in->source, in->path, &reading, err);
    }
    if (status != HPF_OK || in->reader) {
        return status;
    }
    options.clock = in->clock;
    in->reader = hpf_reader_create(&events, in, &options);
    return in->reader ? HPF_OK : hpf_error_set_memory(err);
}

static void close_input(sum_input *in)
{
    hpf_reader_destroy(in->reader);
    hpf_source_destroy(in->source);
    hpf_eventlog_activity_destroy(in->clock);
    free(in->band_of_name);
    free(in->samples);
    free(in->costs);
}

/* Stores the next piece of the input. Returns HPF_END after the last one. */
static hpf_status next_piece(sum_input *in, char *room, size_t n_room, hpf_str *out, hpf_error *err)
{
    if (in->source) {
        return hpf_source_next(in->source, out, err);
    }
    int fd = open(in->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? pread(fd, room, n_room, (off_t)in->offset) : -1;
    hpf_status status = n < 0 ? hpf_error_set_os(err, errno, "cannot read the profile") : HPF_OK;
    hpf__close(fd);
    in->offset += n > 0 ? (uint64_t)n : 0;
    *out = (hpf_str){room, n > 0 ? (size_t)n : 0};
    return status == HPF_OK && n == 0 ? HPF_END : status;
}

/* Drops the samples before the current one. */
static void drop_old(sum_input *in)
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

static hpf_status fill_input(sum_input *in, size_t n, char *piece, size_t n_piece, hpf_error *err)
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

static const sum_sample *current_of(const sum_input *in)
{
    return in->has_current ? &in->samples[in->next - 1] : NULL;
}

static const sum_sample *sample_ahead(const sum_input *in, size_t i)
{
    return in->next + i < in->n_samples ? &in->samples[in->next + i] : NULL;
}

static void advance(sum_input *in)
{
    in->has_current = in->next < in->n_samples;
    in->next += in->has_current;
}

/* ---- the profiles of a sum ---- */

hpf_status hpf_sum_create(hpf_sum **out, size_t n, const hpf_sum_options *options, hpf_error *err)
{
    hpf_sum *s = *out = calloc(1, sizeof *s);
    if (!s) {
        return hpf_error_set_memory(err);
    }
    size_t share = ALL_PIECES_BYTES / (n > 0 ? n : 1);
    s->n_piece = share < LEAST_PIECE_BYTES  ? LEAST_PIECE_BYTES
                 : share > MOST_PIECE_BYTES ? MOST_PIECE_BYTES
                                            : share;
    s->inputs = calloc(n + 1, sizeof *s->inputs);
    s->piece = malloc(s->n_piece);
    s->bands.arena = hpf_arena_create();
    return s->inputs && s->piece && s->bands.arena ? HPF__OPTIONS_COPY(&s->options, options, err)
                                                   : hpf_error_set_memory(err);
}

void hpf_sum_destroy(hpf_sum *s)
{
    for (size_t i = 0; s && i < s->n; i++) {
        close_input(&s->inputs[i]);
    }
    if (s) {
        hpf_arena_destroy(s->bands.arena);
        hpf__intern_finish(&s->bands.names);
        free(s->bands.marks);
        free(s->inputs);
        free(s->sums);
        free(s->costs);
        free(s->piece);
        free(s);
    }
}

hpf_status hpf_sum_add(hpf_sum *s, const char *path, const char *band, hpf_error *err)
{
    sum_input *in = &s->inputs[s->n];
    *in = (sum_input){.path = path,
                      .bands = &s->bands,
                      .options = &s->options,
                      .is_first = s->n == 0,
                      .has_one_band = band != NULL};
    s->n++;
    s->failed = in;
    hpf_status status = open_input(in, err);
    if (status == HPF_OK && band) {
        status = add_band(&s->bands, hpf_str_of(band), &in->band, err);
    }
    return status == HPF_OK ? fill_input(in, 2, s->piece, s->n_piece, err) : status;
}

/* An event log may lack headers. */
hpf_str hpf_sum_header(const hpf_sum *s, hpf_header which)
{
    return s->bands.headers[which].data ? s->bands.headers[which] : HPF_STR("");
}

hpf_status hpf_sum_shift_by_date(hpf_sum *s, double per_second, hpf_error *err)
{
    uint64_t begin_s = UINT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        const sum_input *in = &s->inputs[i];
        if (in->date_s == 0) {
            s->failed = in;
            return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                 "the date of its begin is not known: expected a DATE such as "
                                 "\"Sat Nov 21 02:07 2026\"");
        }
        begin_s = in->date_s < begin_s ? in->date_s : begin_s;
    }
    for (size_t i = 0; i < s->n; i++) {
        s->inputs[i].shift = (double)(s->inputs[i].date_s - begin_s) * per_second;
    }
    return HPF_OK;
}

const char *hpf_sum_failed(const hpf_sum *s)
{
    return s->failed ? s->failed->path : NULL;
}

/* ---- sums ---- */

static hpf_status make_sums(hpf_sum *s, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(s->sums, s->sums_capacity, s->bands.names.n_names) ||
        !HPF__ARRAY_RESERVE(s->costs, s->costs_capacity, s->bands.names.n_names)) {
        return hpf_error_set_memory(err);
    }
    for (; s->n_sums < s->bands.names.n_names; s->n_sums++) {
        s->sums[s->n_sums] = (band_sum){0};
    }
    return HPF_OK;
}

/* Adds the current sample of a profile, or takes it away. */
static void change(hpf_sum *s, const sum_input *in, bool is_added)
{
    const sum_sample *current = current_of(in);
    for (size_t i = 0; current && i < current->n_costs; i++) {
        const hpf_cost *cost = &in->costs[current->begin + i];
        band_sum *sum = &s->sums[cost->name];
        sum->n_costs += is_added ? 1 : UINT32_MAX;
        if (cost->is_real) {
            sum->real += is_added ? cost->real : -cost->real;
        } else {
            sum->whole += is_added ? cost->whole : -cost->whole;
        }
        if (sum->n_costs == 0) {
            *sum = (band_sum){0}; /* without what rounding left */
        }
    }
}

static hpf_status emit_sample(hpf_sum *s, double time, const hpf_events *to, void *context,
                              hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_t n = 0;
    for (; s->n_named < s->bands.names.n_names && status == HPF_OK; s->n_named++) {
        status = to->name(context, s->n_named, s->bands.names.names[s->n_named], err);
    }
    for (; to->mark && s->n_marked < s->bands.n_marks && s->bands.marks[s->n_marked] <= time &&
           status == HPF_OK;
         s->n_marked++) {
        status = to->mark(context, s->bands.marks[s->n_marked], (hpf_str){"", 0}, err);
    }
    for (uint32_t i = 0; i < s->n_sums; i++) {
        const band_sum *sum = &s->sums[i];
        if (sum->real > 0) {
            s->costs[n++] =
                (hpf_cost){.name = i, .is_real = 1, .real = sum->real + (double)sum->whole};
        } else if (sum->whole > 0) {
            s->costs[n++] = (hpf_cost){.name = i, .whole = sum->whole};
        }
    }
    const hpf_sample sample = {.time = time, .costs = s->costs, .n_costs = n};
    return status == HPF_OK ? to->sample(context, &sample, err) : status;
}

/* ---- the common clock ---- */

/* Returns the time of a sample on the common clock; moved times are in microseconds, as in files.
 */
static double time_of(const sum_input *in, const sum_sample *sample)
{
    return in->shift == 0 ? sample->time : round((sample->time + in->shift) * 1e6) / 1e6;
}

static double time_ahead(const sum_input *in, size_t i)
{
    const sum_sample *sample = sample_ahead(in, i);
    return sample ? time_of(in, sample) : HUGE_VAL;
}

/* Returns the time before which samples are one: a fourth of an interval after the first of them,
 * and not after the second of a profile. A profile that ends has the next sample where it would
 * have been. */
static double end_of_sample(const hpf_sum *s, double *first)
{
    double shortest = HUGE_VAL, second = HUGE_VAL;
    *first = HUGE_VAL;
    for (size_t i = 0; i < s->n; i++) {
        const sum_input *in = &s->inputs[i];
        double next = time_ahead(in, 0), after = time_ahead(in, 1);
        if (next < HUGE_VAL) {
            const sum_sample *current = current_of(in);
            double interval = current ? next - time_of(in, current) : 0;
            shortest = fmin(shortest, after < HUGE_VAL ? after - next : interval);
        }
        *first = fmin(*first, next);
        second = fmin(second, after);
    }
    double interval = s->options.interval > 0 ? s->options.interval : shortest;
    return fmin(*first + interval / 4, second);
}

/* Takes away profiles that have ended, unless all have. Returns whether there were any, so that the
 * sum steps down. */
static bool end_profiles(hpf_sum *s)
{
    bool has_more = false, has_ended = false;
    for (size_t i = 0; i < s->n; i++) {
        has_more |= sample_ahead(&s->inputs[i], 0) != NULL;
    }
    for (size_t i = 0; i < s->n && has_more; i++) {
        sum_input *in = &s->inputs[i];
        if (current_of(in) && !sample_ahead(in, 0)) {
            change(s, in, false);
            advance(in);
            has_ended = true;
        }
    }
    return has_ended;
}

/* Emits the next sample of the sum. Returns HPF_END when there is none. */
static hpf_status emit_next(hpf_sum *s, const hpf_events *to, void *context, hpf_error *err)
{
    double first, last = -HUGE_VAL, end = end_of_sample(s, &first);
    hpf_status status = make_sums(s, err);
    if (status != HPF_OK || first == HUGE_VAL) {
        return status != HPF_OK ? status : HPF_END;
    }
    for (size_t i = 0; i < s->n && status == HPF_OK; i++) {
        sum_input *in = &s->inputs[i];
        double next = time_ahead(in, 0);
        if (next <= first || next < end) {
            change(s, in, false);
            advance(in);
            change(s, in, true);
            last = fmax(last, next);
        }
    }
    status = emit_sample(s, last, to, context, err);
    for (size_t i = 0; i < s->n && status == HPF_OK; i++) {
        s->failed = &s->inputs[i];
        status = fill_input(&s->inputs[i], 2, s->piece, s->n_piece, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    s->failed = NULL;
    return end_profiles(s) ? emit_sample(s, last, to, context, err) : HPF_OK;
}

hpf_status hpf_sum_emit(hpf_sum *s, const hpf_events *events, void *context, hpf_error *err)
{
    hpf_status status = HPF_OK;
    s->failed = NULL;
    while (status == HPF_OK) {
        status = emit_next(s, events, context, err);
    }
    return status == HPF_END ? HPF_OK : status;
}
