/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census convert: a profile in another format. Whatever comes in is surveyed, which tells the names
 * and the peak, and then read again into a writer: memory goes with names, never with rows.
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
#include "diag.h"
#include "exit.h"
#include "filter.h"
#include "overlay.h"

enum { TO_HP, TO_CSV, TO_TIDY, TO_JSON, TO_FOLDED, TO_SPEEDSCOPE, TO_EVENTLOG, N_TARGETS };

typedef struct convert_values {
    const char *output; /* NULL: standard output */
    int from;           /* hpf_format, or -1 */
    int to;             /* TO_..., or -1 */
    stacks_options stacks;
    int profile; /* of an event log; -1: the first */
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

/* Names of `.hp` files that are cost-centre stacks have lost their modules: they stay labels. */
static hpf_breakdown breakdown_of_text(const input *in)
{
    hpf_breakdown asked = hpf_breakdown_of_job(hpf_survey_header(in->survey, HPF_HEADER_JOB));
    return asked == HPF_BREAKDOWN_COST_CENTRE ? HPF_BREAKDOWN_CLOSURE_DESCR : asked;
}

/* What a log cannot say. */
static void warn_of_units(const input *in)
{
    hpf_str times = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_str values = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    bool are_seconds = hpf_str_is(times, "seconds") || hpf_str_is(times, "s");
    hpf_error warning;
    if ((!are_seconds && hpr_units_per_second(times) == 1) || !hpf_str_is(values, "bytes")) {
        hpf_error_set(&warning, HPF_ERR_UNSUPPORTED,
                      "event logs know only seconds and bytes: \"%.*s\" and \"%.*s\" become these",
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

static const stacks_options *stacks_of(const void *values)
{
    const convert_values *v = values;
    return &v->stacks;
}

static stacks_format stacks_format_of(const void *values)
{
    const convert_values *v = values;
    return v->to == TO_FOLDED ? STACKS_FOLDED : STACKS_SPEEDSCOPE;
}

static hpf_status write_stacks(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    return stacks_write_heap(in, stacks_of(values), stacks_format_of(values), sink, err);
}

static hpf_status write_log(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    return stacks_write_log(in, stacks_of(values), stacks_format_of(values), sink, err);
}

static hpf_status write_prof(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    return stacks_write_prof(in, stacks_of(values), stacks_format_of(values), sink, err);
}

/* What lies beside a `.hp` file, for formats that have room for it. */
static bool add_lines(input *in, const void *values)
{
    const convert_values *v = values;
    return (v->to != TO_EVENTLOG && v->to != TO_JSON) || overlay_add(in, NULL);
}

/* ---- The command ---- */

static filter_write *const writers[N_TARGETS] = {
    [TO_HP] = write_hp,
    [TO_CSV] = write_csv,
    [TO_TIDY] = write_tidy,
    [TO_JSON] = write_json,
    [TO_FOLDED] = write_stacks,
    [TO_SPEEDSCOPE] = write_stacks,
    [TO_EVENTLOG] = write_eventlog,
};
static const char *const to_names[] = {"hp",     "csv",        "tidy",     "json",
                                       "folded", "speedscope", "eventlog", NULL};
static const char *const from_names[] = {
    [HPF_FORMAT_HP] = "hp", [HPF_FORMAT_CSV] = "csv", [HPF_FORMAT_JSON] = "json", NULL};

static const opt convert_options[] = {
    {.letter = 'o',
     .name = "output",
     .kind = OPT_TEXT,
     .offset = offsetof(convert_values, output),
     .argument = "FILE",
     .help = "write to FILE (default: standard output, also -)"},
    {.name = "to",
     .kind = OPT_CHOICE,
     .offset = offsetof(convert_values, to),
     .argument = "FORMAT",
     .choices = to_names,
     .help = "one of those below (default: by the name of the output)"},
    {.name = "from",
     .kind = OPT_CHOICE,
     .offset = offsetof(convert_values, from),
     .argument = "FORMAT",
     .choices = from_names,
     .help = "hp, csv (of either shape) or json (default: by the content)"},
    {.name = "at",
     .kind = OPT_NUMBER,
     .offset = offsetof(convert_values, stacks.at),
     .argument = "T",
     .high = 1e100,
     .help = "stacks: of the sample nearest to the time T (default: at the peak)"},
    {.name = "profile",
     .kind = OPT_INT,
     .offset = offsetof(convert_values, profile),
     .argument = "N",
     .high = UINT8_MAX,
     .help = FILTER_PROFILE_HELP},
    {.name = "time",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.time),
     .help = "stacks: of an event log's time profile, not of its heap"},
    {.name = "alloc",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.alloc),
     .help = "stacks: of a report of GHC's -p or -pj, what they allocated, not their ticks"},
    {.name = "hidden",
     .kind = OPT_FLAG,
     .offset = offsetof(convert_values, stacks.hidden),
     .help = "stacks: of a profile of time, also what GHC keeps out of its totals, such as GC"},
    {.name = NULL},
};

static void print_formats(FILE *to)
{
    fputs("Formats:\n"
          "  hp      heap profile, as GHC writes it\n"
          "  csv     table: a row for each sample, a column for each name\n"
          "  tidy    table, as CSV: a row for each amount, with time, name, value\n"
          "  json    everything that the profile says\n"
          "  folded  stacks at one moment, for flamegraph.pl and others\n"
          "  speedscope\n"
          "          the same for speedscope, with places in the source\n"
          "  eventlog\n"
          "          log of GHC's run-time system, for its tools\n",
          to);
}

/* The format that the end of a file's name tells, or -1. speedscope's own files end in two words.
 */
static int target_of_path(const char *path)
{
    static const char speedscope[] = ".speedscope.json";
    size_t length = strlen(path);
    if (length >= sizeof speedscope &&
        strcmp(path + length + 1 - sizeof speedscope, speedscope) == 0) {
        return TO_SPEEDSCOPE;
    }
    const char *slash = strrchr(path, '/');
    const char *point = strrchr(slash ? slash : path, '.');
    int found = -1;
    for (int i = 0; point && i < N_TARGETS; i++) {
        found = strcmp(point + 1, to_names[i]) == 0 ? i : found;
    }
    return found;
}

static bool has_stacks_options(const stacks_options *options)
{
    return !isnan(options->at) || options->time || options->alloc || options->hidden;
}

static int run(const cmd *self, int argc, char **argv)
{
    convert_values values = {.from = -1, .to = -1, .stacks.at = NAN, .profile = -1};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (values.to < 0 && values.output) {
        values.to = target_of_path(values.output);
    }
    if (values.to < 0) {
        return cmd_misused(self, "into which format? Say --to FORMAT");
    }
    bool has_stacks = values.to == TO_FOLDED || values.to == TO_SPEEDSCOPE;
    if (!has_stacks && has_stacks_options(&values.stacks)) {
        return cmd_misused(
            self, "--at, --time, --alloc and --hidden are for stacks: folded or speedscope");
    }
    if (!isnan(values.stacks.at) && values.stacks.time) {
        return cmd_misused(self, "--at is a moment of the heap, --time the whole run");
    }
    if (values.from >= 0 && values.profile >= 0) {
        return cmd_misused(self, "--profile is for event logs, which --from does not read");
    }
    const hpf_format from = values.from < 0 ? HPF_FORMAT_HP : (hpf_format)values.from;
    const filter f = {
        .from = values.from < 0 ? NULL : &from,
        .output = values.output,
        .log_profile = values.profile >= 0 ? &values.profile : NULL,
        .write = writers[values.to],
        .write_log = values.stacks.time ? write_log : NULL,
        .write_prof = has_stacks ? write_prof : NULL,
        .prepare = add_lines,
        .values = &values,
    };
    return filter_run(self, &f, argc, argv);
}

const cmd cmd_convert = {
    .name = "convert",
    .summary = "Write a profile in another format",
    .operands = "FILE",
    .options = convert_options,
    .notes = print_formats,
    .run = run,
};
