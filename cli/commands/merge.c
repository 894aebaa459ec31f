/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census merge: adds up profiles of several processes.
 *
 * All profiles are read side by side, once. A sample of the sum takes the samples that are less
 * than a fourth of an interval apart, at most one of each profile. Profiles that have none in it
 * count with their last one, until they end.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "hpfile/sink.h"
#include "hpfile/format.h"
#include "hprender/units.h"

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "merge/merge_input.h"
#include "output.h"
#include "path.h"

enum { BY_NAME, BY_FILE, CLOCK_ELAPSED = 0, CLOCK_MUTATOR, CLOCK_DATE };
enum { MOST_PIECE_BYTES = 65536, LEAST_PIECE_BYTES = 4096, ALL_PIECES_BYTES = 4 << 20 };

typedef struct merge_values {
    const char *output, *to;
    int by, clock, max_name;
} merge_values;

/* The sum of a band over the profiles whose current samples have it. */
typedef struct band_sum {
    uint64_t whole;
    double real;
    uint32_t n_costs;
} band_sum;

typedef struct merger {
    const merge_values *values;
    char **paths;
    size_t n;
    merge_input *inputs;
    merge_bands bands;
    band_sum *sums;
    size_t n_sums, sums_capacity;
    hpf_cost *costs; /* of the sample that is written */
    size_t costs_capacity;
    char *piece;
    size_t n_piece;
    uint32_t n_named; /* bands that the writer knows */
    size_t n_marked;
    const merge_input *failed; /* where an error happened; NULL: in the output */
} merger;

/* ---- sums ---- */

static hpf_status make_sums(merger *m, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(m->sums, m->sums_capacity, m->bands.n) ||
        !HPF__ARRAY_RESERVE(m->costs, m->costs_capacity, m->bands.n)) {
        return hpf_error_set_memory(err);
    }
    for (; m->n_sums < m->bands.n; m->n_sums++) {
        m->sums[m->n_sums] = (band_sum){0};
    }
    return HPF_OK;
}

/* Adds the current sample of a profile, or takes it away. */
static void change(merger *m, const merge_input *in, bool is_added)
{
    const merge_sample *s = merge_input_current(in);
    for (size_t i = 0; s && i < s->n_costs; i++) {
        const hpf_cost *cost = &in->costs[s->begin + i];
        band_sum *sum = &m->sums[cost->name];
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

static hpf_status write_sample(merger *m, double time, hpf_writer *writer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    size_t n = 0;
    for (; m->n_named < m->bands.n && status == HPF_OK; m->n_named++) {
        status = hpf_writer_events.name(writer, m->n_named, m->bands.names[m->n_named], err);
    }
    for (;
         m->n_marked < m->bands.n_marks && m->bands.marks[m->n_marked] <= time && status == HPF_OK;
         m->n_marked++) {
        status = hpf_writer_events.mark(writer, m->bands.marks[m->n_marked], (hpf_str){"", 0}, err);
    }
    for (uint32_t i = 0; i < m->n_sums; i++) {
        const band_sum *sum = &m->sums[i];
        if (sum->real > 0) {
            m->costs[n++] =
                (hpf_cost){.name = i, .is_real = 1, .real = sum->real + (double)sum->whole};
        } else if (sum->whole > 0) {
            m->costs[n++] = (hpf_cost){.name = i, .whole = sum->whole};
        }
    }
    const hpf_sample sample = {.time = time, .costs = m->costs, .n_costs = n};
    return status == HPF_OK ? hpf_writer_events.sample(writer, &sample, err) : status;
}

/* ---- the common clock ---- */

/* Returns the time of a sample on the common clock; moved times are in microseconds, as in files.
 */
static double time_of(const merge_input *in, const merge_sample *s)
{
    return in->shift == 0 ? s->time : round((s->time + in->shift) * 1e6) / 1e6;
}

static double time_ahead(const merge_input *in, size_t i)
{
    const merge_sample *s = merge_input_ahead(in, i);
    return s ? time_of(in, s) : HUGE_VAL;
}

/* Returns the time before which samples are one: a fourth of the shortest interval after the first
 * of them. A profile that ends has the next sample where it would have been. */
static double end_of_sample(const merger *m, double *first)
{
    double shortest = HUGE_VAL;
    *first = HUGE_VAL;
    for (size_t i = 0; i < m->n; i++) {
        const merge_input *in = &m->inputs[i];
        double next = time_ahead(in, 0), after = time_ahead(in, 1);
        if (next < HUGE_VAL) {
            const merge_sample *current = merge_input_current(in);
            double interval = current ? next - time_of(in, current) : 0;
            shortest = fmin(shortest, after < HUGE_VAL ? after - next : interval);
        }
        *first = fmin(*first, next);
    }
    return *first + shortest / 4;
}

/* Takes away profiles that have ended, unless all have. Returns whether there were any, so that the
 * sum steps down. */
static bool end_profiles(merger *m)
{
    bool has_more = false, has_ended = false;
    for (size_t i = 0; i < m->n; i++) {
        has_more |= merge_input_ahead(&m->inputs[i], 0) != NULL;
    }
    for (size_t i = 0; i < m->n && has_more; i++) {
        merge_input *in = &m->inputs[i];
        if (merge_input_current(in) && !merge_input_ahead(in, 0)) {
            change(m, in, false);
            merge_input_advance(in);
            has_ended = true;
        }
    }
    return has_ended;
}

/* Writes the next sample of the sum. Returns HPF_END when there is none. */
static hpf_status merge_next(merger *m, hpf_writer *writer, hpf_error *err)
{
    double first, last = -HUGE_VAL, end = end_of_sample(m, &first);
    hpf_status status = make_sums(m, err);
    if (status != HPF_OK || first == HUGE_VAL) {
        return status != HPF_OK ? status : HPF_END;
    }
    for (size_t i = 0; i < m->n && status == HPF_OK; i++) {
        merge_input *in = &m->inputs[i];
        double next = time_ahead(in, 0);
        if (next <= first || next < end) {
            change(m, in, false);
            merge_input_advance(in);
            change(m, in, true);
            last = fmax(last, next);
        }
    }
    status = write_sample(m, last, writer, err);
    for (size_t i = 0; i < m->n && status == HPF_OK; i++) {
        m->failed = &m->inputs[i];
        status = merge_input_fill(&m->inputs[i], 2, m->piece, m->n_piece, err);
    }
    if (status != HPF_OK) {
        return status;
    }
    m->failed = NULL;
    return end_profiles(m) ? write_sample(m, last, writer, err) : HPF_OK;
}

/* An event log may lack headers. */
static hpf_str header_of(const merger *m, hpf_header which)
{
    return m->bands.headers[which].data ? m->bands.headers[which] : HPF_STR("");
}

/* Moves the times of profiles that began later. */
static hpf_status set_clock(merger *m, hpf_error *err)
{
    uint64_t begin_s = UINT64_MAX;
    for (size_t i = 0; i < m->n && m->values->clock == CLOCK_DATE; i++) {
        if (m->inputs[i].date_s == 0) {
            m->failed = &m->inputs[i];
            return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                                 "--clock date needs a DATE such as \"Sat Nov 21 02:07 2026\"");
        }
        begin_s = m->inputs[i].date_s < begin_s ? m->inputs[i].date_s : begin_s;
    }
    for (size_t i = 0; i < m->n && m->values->clock == CLOCK_DATE; i++) {
        double per_second = hpr_units_per_second(header_of(m, HPF_HEADER_SAMPLE_UNIT));
        m->inputs[i].shift = (double)(m->inputs[i].date_s - begin_s) * per_second;
    }
    return HPF_OK;
}

/* ---- a profile ---- */

static hpf_status open_inputs(merger *m, hpf_error *err)
{
    char **names = path_short_names(m->paths, m->n);
    hpf_status status = names ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < m->n && status == HPF_OK; i++) {
        merge_input *in = &m->inputs[i];
        m->failed = in;
        in->is_first = i == 0;
        in->has_one_band = m->values->by == BY_FILE;
        status = merge_input_open(in, m->paths[i], &m->bands, m->values->clock == CLOCK_MUTATOR,
                                  (size_t)m->values->max_name << 20, err);
        if (status == HPF_OK && in->has_one_band) {
            hpf_str name = {names[i], strlen(names[i])};
            status = merge_bands_add(&m->bands, name, &in->band, err);
        }
        if (status == HPF_OK) {
            status = merge_input_fill(in, 2, m->piece, m->n_piece, err);
        }
    }
    m->failed = status == HPF_OK ? NULL : m->failed;
    path_free_names(names, m->n);
    return status;
}

static hpf_status write_headers(merger *m, hpf_writer *writer, hpf_error *err)
{
    hpf_status status = HPF_OK;
    hpf_sink *job = hpf_sink_to_memory();
    if (!job) {
        return hpf_error_set_memory(err);
    }
    if (m->n > 1) {
        hpf_sink_printf(job, "%zu x ", m->n);
    }
    hpf_sink_str(job, header_of(m, HPF_HEADER_JOB));
    for (int i = 0; i < HPF_N_HEADERS && status == HPF_OK; i++) {
        hpf_str text = i == HPF_HEADER_JOB ? hpf_sink_bytes(job) : header_of(m, (hpf_header)i);
        status = hpf_writer_events.header(writer, (hpf_header)i, text, err);
    }
    hpf_sink_destroy(job);
    return status;
}

static hpf_status merge_to(merger *m, hpf_sink *sink, hpf_error *err)
{
    hpf_writer *writer = NULL;
    hpf_status status = open_inputs(m, err);
    status = status == HPF_OK ? set_clock(m, err) : status;
    status =
        status == HPF_OK ? hpf_writer_create(&writer, &hpf_format_hp, sink, NULL, err) : status;
    status = status == HPF_OK ? write_headers(m, writer, err) : status;
    while (status == HPF_OK) {
        status = merge_next(m, writer, err);
    }
    status = status == HPF_END ? hpf_writer_finish(writer, err) : status;
    hpf_writer_destroy(writer);
    return status;
}

/* Merges into the file `path`, or standard output. Returns an exit status. */
static int merge_into(const merge_values *values, const char *path, char **paths, size_t n)
{
    const char *name;
    hpf_error err;
    merger m = {.values = values, .paths = paths, .n = n, .bands.arena = hpf_arena_create()};
    m.n_piece = ALL_PIECES_BYTES / n;
    m.n_piece = m.n_piece < LEAST_PIECE_BYTES  ? LEAST_PIECE_BYTES
                : m.n_piece > MOST_PIECE_BYTES ? MOST_PIECE_BYTES
                                               : m.n_piece;
    m.inputs = calloc(n, sizeof *m.inputs);
    m.piece = malloc(m.n_piece);
    hpf_sink *sink = output_open(path, &name);
    bool has_room = m.inputs && m.piece && m.bands.arena;
    hpf_status status = sink && has_room ? merge_to(&m, sink, &err) : HPF_ERR_MEMORY;
    int exit_status = EXIT_FAILED;
    if (sink && !has_room) {
        diag_say("out of memory");
    } else if (sink && status != HPF_OK) {
        diag_error(m.failed ? m.failed->path : name, &err);
    } else if (sink) {
        exit_status = output_close(sink, name);
        sink = NULL;
    }
    hpf_sink_destroy(sink);
    for (size_t i = 0; i < n && m.inputs; i++) {
        merge_input_close(&m.inputs[i]);
    }
    merge_bands_finish(&m.bands);
    free(m.inputs);
    free(m.sums);
    free(m.costs);
    free(m.piece);
    return exit_status;
}

/* ---- the command ---- */

/* Merges to a temporary file, and converts that. */
static int merge_and_convert(const merge_values *v, char **paths, size_t n)
{
    char path[PATH_MAX];
    char convert[] = "convert", from[] = "--from=hp", output[] = "-o", to[] = "--to";
    int length = snprintf(path, sizeof path, "%s/census-merge-XXXXXX", input_temporary_dir());
    errno = ENAMETOOLONG;
    int fd = length < (int)sizeof path ? mkstemp(path) : -1;
    if (fd < 0) {
        diag_say("cannot create a temporary file in %s: %s", input_temporary_dir(),
                 strerror(errno));
        return EXIT_FAILED;
    }
    close(fd);
    int status = merge_into(v, path, paths, n);
    if (status == EXIT_DONE) {
        char *target = strdup(v->output ? v->output : "-"), *format = v->to ? strdup(v->to) : NULL;
        char *words[] = {convert, from, output, target, path, format ? to : NULL, format, NULL};
        const cmd *command = cmd_find(convert);
        status = command->run(command, format ? 7 : 5, words);
        free(target);
        free(format);
    }
    unlink(path);
    return status;
}

static const char *const by_names[] = {[BY_NAME] = "name", [BY_FILE] = "file", NULL};
static const char *const clock_names[] = {
    [CLOCK_ELAPSED] = "elapsed", [CLOCK_MUTATOR] = "mutator", [CLOCK_DATE] = "date", NULL};

static const char *format_names[32]; /* of the formats that are written, ends with NULL */

#define AT(member) offsetof(merge_values, member)
static const opt merge_options[] = {
    {'o', "output", OPT_TEXT, AT(output), "FILE", "write to FILE (default or -: standard output)",
     NULL, 0, 0},
    {0, "to", OPT_TEXT, AT(to), "FORMAT",
     "output format, any of census convert (default: from the name of the output, or hp)",
     format_names, 0, 0},
    {0, "by", OPT_CHOICE, AT(by), "BANDS",
     "name (default): bands of all profiles are added up by name; file: a band for each profile",
     by_names, 0, 0},
    {0, "clock", OPT_CHOICE, AT(clock), "CLOCK",
     "elapsed (default): all profiles begin at time 0; mutator: the same, with event logs in time "
     "in which threads run; date: as far apart as their dates",
     clock_names, 0, 0},
    INPUT_MAX_NAME(AT(max_name)),
    {0, NULL, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};
#undef AT

static const opt *all_options(void)
{
    size_t n = 0, most = sizeof format_names / sizeof *format_names - 1;
    for (const hpf_format *const *f = hpf_formats(); *f && n < most; f++) {
        if ((*f)->writer) {
            format_names[n++] = (*f)->name;
        }
    }
    return merge_options;
}

/* Returns whether the name of the output or --to names a format of profiles. */
static bool has_format(const merge_values *v)
{
    const char *output = v->output ? v->output : "-";
    bool has = !v->to && strcmp(output, "-") == 0;
    const char *dot = strrchr(output, '.');
    const char *word = v->to ? v->to : dot ? dot + 1 : "";
    for (const hpf_format *const *f = hpf_formats(); *f && !has; f++) {
        has = (*f)->writer &&
              (strcmp((*f)->name, word) == 0 || (!v->to && strcmp((*f)->extension, word) == 0));
    }
    return has;
}

static int run(const cmd *self, int argc, char **argv)
{
    merge_values values = {.output = NULL};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2) {
        return cmd_misused(self, "no profiles given");
    }
    if (!has_format(&values)) {
        return cmd_misused(self,
                           "no output format: use -o NAME.hp, .csv, .json, .eventlog, or --to "
                           "FORMAT as for census convert");
    }
    for (int i = 1; i < argc && values.output; i++) {
        if (path_is_same_file(argv[i], values.output)) {
            return cmd_misused(self, "the output '%s' would overwrite a profile", argv[i]);
        }
    }
    hpf_str name = {values.output ? values.output : "-",
                    strlen(values.output ? values.output : "-")};
    bool is_hp = values.to ? strcmp(values.to, "hp") == 0
                           : hpf_str_is(name, "-") || path_drop_suffix(&name, ".hp");
    size_t n = (size_t)argc - 1;
    return is_hp ? merge_into(&values, values.output, argv + 1, n)
                 : merge_and_convert(&values, argv + 1, n);
}

const cmd cmd_merge = {
    .name = "merge",
    .summary = "Add up the profiles of several processes",
    .operands = "FILE...",
    .make_options = all_options,
    .run = run,
};
