/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census convert: a profile in another format.
 *
 * The input is surveyed first, which gives names and the peak, and then read again into a writer.
 * Memory depends on the number of names, not on the number of samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/csv.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/json_profile.h"
#include "hpfile/str.h"
#include "hpfile/hp_writer.h"
#include "hprender/units.h"

#include "convert_stacks.h"
#include "bins/bins_report.h"
#include "diag.h"
#include "profile_command.h"
#include "plot/overlay.h"

typedef struct convert_values {
    const char *output; /* NULL: standard output */
    int from;           /* hpf_format, or -1 */
    int to;             /* index into `targets`, or -1 */
    stacks_options stacks;
    int profile; /* number in an event log; -1: the first */
} convert_values;

/* ---- Writers ---- */

static hpf_status write_hp(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    (void)values;
    hpf_hp_writer *writer = hpf_hp_writer_create(sink, false);
    if (!writer) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_survey_emit(in->survey, true, &hpf_hp_writer_events, writer, err);
    status = status == HPF_OK ? hpf_hp_writer_finish(writer, err) : status;
    hpf_hp_writer_destroy(writer);
    return status;
}

static hpf_status write_table(const input *in, hpf_csv_shape shape, hpf_sink *sink, hpf_error *err)
{
    hpf_csv_writer *writer = hpf_csv_writer_create(sink, shape);
    if (!writer) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_survey_emit(in->survey, false, &hpf_csv_writer_events, writer, err);
    status = status == HPF_OK ? hpf_csv_writer_finish(writer, err) : status;
    hpf_csv_writer_destroy(writer);
    return status;
}

static hpf_status write_csv(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    (void)values;
    return write_table(in, HPF_CSV_WIDE, sink, err);
}

static hpf_status write_tidy(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    (void)values;
    return write_table(in, HPF_CSV_TIDY, sink, err);
}

static hpf_status write_json(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    (void)values;
    hpf_json_profile_writer *writer = hpf_json_profile_writer_create(sink);
    if (!writer) {
        return hpf_error_set_memory(err);
    }
    hpf_status status =
        hpf_survey_emit(in->survey, false, &hpf_json_profile_writer_events, writer, err);
    status = status == HPF_OK ? hpf_json_profile_writer_finish(writer, err) : status;
    hpf_json_profile_writer_destroy(writer);
    return status;
}

static size_t frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_survey_frames(context, name, frames, room);
}

/* Cost-centre stacks in `.hp` files have lost their modules and remain labels. */
static hpf_breakdown breakdown_of_text(const input *in)
{
    hpf_breakdown asked = hpf_breakdown_of_job(hpf_survey_header(in->survey, HPF_HEADER_JOB));
    return asked == HPF_BREAKDOWN_COST_CENTRE ? HPF_BREAKDOWN_CLOSURE_DESCR : asked;
}

/* Warns if the units are not seconds and bytes. */
static void warn_of_units(const input *in)
{
    hpf_str times = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_str values = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    bool are_seconds = hpf_str_is(times, "seconds") || hpf_str_is(times, "s");
    hpf_error warning;
    if ((!are_seconds && hpr_units_per_second(times) == 1) || !hpf_str_is(values, "bytes")) {
        hpf_error_set(
            &warning, HPF_ERR_UNSUPPORTED,
            "event logs have only seconds and bytes: \"%.*s\" and \"%.*s\" are written as these",
            (int)times.length, times.data, (int)values.length, values.data);
        diag_warning(in->name, &warning);
    }
}

static hpf_status write_eventlog(const input *in, const void *values, hpf_sink *sink,
                                 hpf_error *err)
{
    (void)values;
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(in->survey);
    warn_of_units(in);
    hpf_eventlog_writer_options options = {
        .breakdown = breakdown_of_text(in),
        .units_per_s = hpr_units_per_second(hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT)),
        .frames = frames_of,
        .frames_context = in->survey};
    if (profile) {
        options.breakdown = profile->breakdown;
        options.period_ns = profile->period_ns;
    }
    hpf_eventlog_writer *writer = hpf_eventlog_writer_create(sink, &options);
    if (!writer) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_survey_emit(in->survey, true, &hpf_eventlog_writer_events, writer, err);
    status = status == HPF_OK ? hpf_eventlog_writer_finish(writer, err) : status;
    hpf_eventlog_writer_destroy(writer);
    return status;
}

/* Writers of stacks: from a survey, an event log's time profile, and a report. */
#define STACK_WRITER(function, write, format)                                                      \
    static hpf_status function(const input *in, const void *values, hpf_sink *sink,                \
                               hpf_error *err)                                                     \
    {                                                                                              \
        return write(in, &((const convert_values *)values)->stacks, format, sink, err);            \
    }

STACK_WRITER(write_heap_folded, stacks_write_heap, STACKS_FOLDED)
STACK_WRITER(write_heap_speedscope, stacks_write_heap, STACKS_SPEEDSCOPE)
STACK_WRITER(write_log_folded, stacks_write_log, STACKS_FOLDED)
STACK_WRITER(write_log_speedscope, stacks_write_log, STACKS_SPEEDSCOPE)
STACK_WRITER(write_prof_folded, stacks_write_prof, STACKS_FOLDED)
STACK_WRITER(write_prof_speedscope, stacks_write_prof, STACKS_SPEEDSCOPE)

/* ---- Formats ---- */

/* An output format. To add one, write its writer and add a row. */
typedef struct convert_target {
    const char *name; /* of --to */
    const char *extension;
    const char *summary;
    bool has_sidecar; /* has room for quantities and labelled marks from BASE.lines */
    profile_command_write *write;
    profile_command_write *write_log;  /* of stacks: from an event log's time profile */
    profile_command_write *write_prof; /* of stacks: from a report of GHC's -p */
} convert_target;

static const convert_target targets[] = {
    {"hp", "hp", "heap profile, as GHC writes it", false, write_hp, NULL, NULL},
    {"csv", "csv", "table: one row for each sample, one column for each name", false, write_csv,
     NULL, NULL},
    {"tidy", "tidy", "table as CSV: one row for each amount, with time, name and value", false,
     write_tidy, NULL, NULL},
    {"json", "json", "everything that the profile holds", true, write_json, NULL, NULL},
    {"folded", "folded", "stacks at one moment, for flamegraph.pl and similar tools", false,
     write_heap_folded, write_log_folded, write_prof_folded},
    {"speedscope", "speedscope.json", "stacks for speedscope, with source locations", false,
     write_heap_speedscope, write_log_speedscope, write_prof_speedscope},
    {"eventlog", "eventlog", "event log of GHC's run-time system", true, write_eventlog, NULL,
     NULL},
};
enum { N_TARGETS = sizeof targets / sizeof *targets };

/* For --to, filled from `targets`, and for --from. */
static const char *target_names[N_TARGETS + 1];
static const char *const from_names[] = {
    [HPF_FORMAT_HP] = "hp", [HPF_FORMAT_CSV] = "csv", [HPF_FORMAT_JSON] = "json", NULL};

static void print_formats(FILE *to)
{
    fputs("Formats:\n", to);
    for (int i = 0; i < N_TARGETS; i++) {
        fprintf(to, "  %-10s  %s\n", targets[i].name, targets[i].summary);
    }
}

static bool has_extension(const char *path, const char *extension)
{
    size_t length = strlen(path), n = strlen(extension);
    return length > n && path[length - n - 1] == '.' && strcmp(path + length - n, extension) == 0;
}

/* Returns the index of the format that the extension of `path` stands for, or -1. The longest
 * extension wins: "x.speedscope.json" is not JSON. */
static int target_of_path(const char *path)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < N_TARGETS; i++) {
        size_t n = strlen(targets[i].extension);
        bool matches =
            has_extension(path, targets[i].extension) || has_extension(path, targets[i].name);
        if (matches && n > longest) {
            found = i;
            longest = n;
        }
    }
    return found;
}

/* Adds the sidecar file of a `.hp` file, if the output format has room for it. */
static bool add_sidecar(input *in, const void *values)
{
    const convert_values *v = values;
    return !targets[v->to].has_sidecar || overlay_add(in, NULL);
}

/* ---- The command ---- */

static const opt convert_options[] = {
    {.letter = 'o',
     .name = "output",
     .kind = OPT_TEXT,
     .offset = offsetof(convert_values, output),
     .argument = "FILE",
     .help = "write to FILE (default or -: standard output)"},
    {.name = "to",
     .kind = OPT_CHOICE,
     .offset = offsetof(convert_values, to),
     .argument = "FORMAT",
     .choices = target_names,
     .help = "output format, see below (default: from the name of the output)"},
    {.name = "from",
     .kind = OPT_CHOICE,
     .offset = offsetof(convert_values, from),
     .argument = "FORMAT",
     .choices = from_names,
     .help = "input format: hp, csv (either shape) or json (default: from the content)"},
    {.name = "at",
     .kind = OPT_NUMBER,
     .offset = offsetof(convert_values, stacks.at),
     .argument = "T",
     .high = 1e100,
     .help = "stacks: use the sample nearest to time T (default: the peak)"},
    {.name = "profile",
     .kind = OPT_INT,
     .offset = offsetof(convert_values, profile),
     .argument = "N",
     .high = UINT8_MAX,
     .help = PROFILE_OPTION_HELP},
    {.name = "time",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.time),
     .help = "stacks: use the time profile of an event log instead of its heap profile"},
    {.name = "alloc",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.alloc),
     .help = "stacks: use the allocated bytes of a .prof file instead of its ticks"},
    {.name = "hidden",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.hidden),
     .help = "stacks: include what GHC leaves out of the totals of a time profile, such as GC"},
    {.name = NULL},
};

static bool has_stacks_options(const stacks_options *options)
{
    return !isnan(options->at) || options->time || options->alloc || options->hidden;
}

static int run(const cmd *self, int argc, char **argv)
{
    convert_values values = {.from = -1, .to = -1, .stacks.at = NAN, .profile = -1};
    int status = EXIT_FAILED;
    for (int i = 0; i < N_TARGETS; i++) {
        target_names[i] = targets[i].name;
    }
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (values.to < 0 && values.output) {
        values.to = target_of_path(values.output);
    }
    if (values.to < 0) {
        return cmd_misused(self, "no output format: use --to FORMAT");
    }
    const convert_target *target = &targets[values.to];
    bool has_stacks = target->write_prof != NULL;
    if (!has_stacks && has_stacks_options(&values.stacks)) {
        return cmd_misused(
            self, "--at, --time, --alloc and --hidden need --to folded or --to speedscope");
    }
    if (!isnan(values.stacks.at) && values.stacks.time) {
        return cmd_misused(
            self, "--at and --time exclude each other: a time profile covers the whole run");
    }
    if (values.from >= 0 && values.profile >= 0) {
        return cmd_misused(self, "--profile needs an event log, which --from cannot read");
    }
    if (argc > 1 && values.from < 0 && bins_is_file(argv[1])) {
        const bins_output to = {values.output,
                                strcmp(target->name, "json") == 0 ? TABLE_AS_JSON : TABLE_AS_CSV, 0,
                                true};
        if (strcmp(target->name, "json") != 0 && strcmp(target->name, "csv") != 0) {
            return cmd_misused(self, "address bins can only be converted to csv or json");
        }
        return bins_report((const char *const *)(argv + 1), (size_t)argc - 1, BINS_BY_ADDRESS, &to);
    }
    const hpf_format from = values.from < 0 ? HPF_FORMAT_HP : (hpf_format)values.from;
    const profile_command f = {
        .from = values.from < 0 ? NULL : &from,
        .output = values.output,
        .log_profile = values.profile >= 0 ? &values.profile : NULL,
        .write = target->write,
        .write_log = values.stacks.time ? target->write_log : NULL,
        .write_prof = target->write_prof,
        .prepare = add_sidecar,
        .values = &values,
    };
    return profile_command_run(self, &f, argc, argv);
}

const cmd cmd_convert = {
    .name = "convert",
    .summary = "Convert a profile to another format",
    .operands = "FILE",
    .options = convert_options,
    .notes = print_formats,
    .run = run,
};
