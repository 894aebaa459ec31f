/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census convert: a profile in another format.
 *
 * The input is surveyed first, which gives names and the peak, and then read again into a writer.
 * Memory depends on the number of names, not on the number of samples.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/survey.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/breakdown.h"
#include "hpfile/format.h"
#include "hpfile/pprof.h"
#include "hpfile/str.h"
#include "hprender/units.h"

#include "bins/bins_report.h"
#include "diag.h"
#include "path.h"
#include "profile_command.h"
#include "plot/overlay.h"
#include "plot/time_window.h"
#include "eventlog/log.h"
#include "unit_format.h"
#include "hpfile/sink.h"
#include "hpfile/stack_export.h"

typedef struct stacks_options {
    opt_time at; /* time; NAN: the peak */
    bool time;   /* event log: use the time profile, not the heap */
    bool alloc;  /* report: bytes, not ticks */
    bool is_cut; /* a window was selected */
    bool hidden; /* report or time profile: include what GHC leaves out of its totals */
} stacks_options;

typedef struct convert_values {
    const char *output; /* NULL: standard output */
    int format;         /* index into `targets`, or -1 */
    int input_format;   /* index into `source_names`, or -1 */
    time_window window;
    double begin, end; /* of the window, found when the profile is open */
    stacks_options stacks;
    bool raw;
    int profile; /* number in an event log; -1: the first */
    input_options input;
} convert_values;

/* ---- Output formats ---- */

/* Filled by collect_formats. The names are for --format and --input. */
enum { MAX_FORMATS = 32 };
static const hpf_format *targets[MAX_FORMATS];
static int n_targets;
static const char *target_names[MAX_FORMATS + 1];
static const char *source_names[MAX_FORMATS + 1];

/* ---- Writers ---- */

static bool has_stacks(const convert_values *v)
{
    return targets[v->format]->stacks != HPF_STACKS_NONE;
}

/* Returns what is read of the profile, with a window that has only times. */
static hpf_survey_options survey_limits(const convert_values *v)
{
    bool is_log = targets[v->format] == &hpf_format_eventlog;
    bool is_massif = targets[v->format] == &hpf_format_massif;
    return (hpf_survey_options){.has_log_profile = v->profile >= 0,
                                .log_profile = (uint8_t)v->profile,
                                .by_stack = has_stacks(v) || is_log,
                                .by_line = has_stacks(v) || is_log || is_massif,
                                .has_window = time_window_given(&v->window) &&
                                              !time_window_has_mark(&v->window),
                                .from_time = v->window.from.value,
                                .to_time = v->window.to.value};
}

static bool is_cut(const convert_values *v)
{
    return time_window_given(&v->window) != NULL;
}

static size_t frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    return hpf_survey_frames(context, name, frames, room);
}

static size_t frames_of_part(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    const hpf_survey_part *cut = context;
    return hpf_survey_frames(cut->survey, cut->names[name], frames, room);
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
        hpf_error_set(&warning, HPF_ERR_UNSUPPORTED,
                      "event logs have only seconds and bytes: \"%.*s\" is written as seconds, "
                      "\"%.*s\" as bytes",
                      (int)times.length, times.data, (int)values.length, values.data);
        diag_warning(in->name, &warning);
    }
}

static hpf_status write_profile(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const convert_values *v = values;
    const hpf_format *format = targets[v->format];
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(in->survey);
    hpf_writer_options options = {
        .size = sizeof options,
        .breakdown = profile ? profile->breakdown : breakdown_of_text(in),
        .period_ns = profile ? profile->period_ns : 0,
        .units_per_s = hpr_units_per_second(hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT)),
        .raw_names = v->raw,
        .frames = frames_of,
        .frames_context = in->survey};
    options.temporary_dir = input_temporary_dir();
    options.has_peak = true;
    options.peak_time = hpf_survey_overview(in->survey)->peak_time;
    options.end_time = hpf_survey_overview(in->survey)->last_time;
    const hpf_eventlog_metadata *metadata = hpf_survey_eventlog_metadata(in->survey);
    if (metadata) {
        options.rts = metadata->rts;
        options.rate_bytes = metadata->rate_bytes;
        options.has_watch = metadata->has_watch;
    }
    if (profile) {
        memcpy(options.filters, profile->filters, sizeof options.filters);
    } else {
        hpf_restrictions_of_job(hpf_survey_header(in->survey, HPF_HEADER_JOB), options.filters);
    }
    hpf_survey_part cut = {.survey = in->survey, .from_time = v->begin, .to_time = v->end};
    if (is_cut(v)) {
        options.frames = frames_of_part;
        options.frames_context = &cut;
    }
    if (format->holds_only_s_and_bytes) {
        warn_of_units(in);
    }
    hpf_writer *writer;
    hpf_events events = hpf_writer_events;
    const hpf_eventlog *log =
        format == &hpf_format_eventlog ? hpf_survey_eventlog(in->survey) : NULL;
    hpf_status status = hpf_writer_create(&writer, format, sink, &options, err);
    if (status == HPF_OK && log) { /* marks and quantities are among the records that are copied */
        events.mark = NULL;
        events.quantity = NULL;
        status = hpf_eventlog_writer_declare(writer, log, err);
    }
    if (status == HPF_OK && is_cut(v)) {
        cut.to = &events;
        cut.context = writer;
        status = hpf_survey_part_init(&cut)
                     ? hpf_survey_emit(in->survey, format->holds_marks_in_place,
                                       &hpf_survey_part_events, &cut, err)
                     : hpf_error_set_memory(err);
        hpf_survey_part_finish(&cut);
    } else if (status == HPF_OK) {
        status = hpf_survey_emit(in->survey, format->holds_marks_in_place, &events, writer, err);
    }
    if (status == HPF_OK && log) {
        const double window[] = {cut.from_time, cut.to_time};
        status = hpf_eventlog_writer_copy(writer, in->source, window, err);
    }
    status = status == HPF_OK ? hpf_writer_finish(writer, err) : status;
    hpf_writer_destroy(writer);
    return status;
}

/* ---- Stacks ---- */

#define ALLOC_MISUSED "--alloc needs a .prof report of GHC"

static hpf_status stacks_write_heap(const input *in, const stacks_options *options,
                                    hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_stack_export v;
    double time = 0;
    if (options->time || options->alloc || options->hidden) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             options->time    ? "--time needs an event log of GHC"
                             : options->alloc ? ALLOC_MISUSED
                                              : "--hidden needs a time profile");
    }
    hpf_str time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_status status = hpf_stack_export_heap(&v, in->survey, options->at.value, &time, err);
    if (status == HPF_OK) {
        char name[FORMATTED_BYTES + 16];
        snprintf(name, sizeof name, "heap at %s", format_time(time, time_unit, false).text);
        status = hpf_stack_export_write_heap(&v, in->survey, time / hpr_units_per_second(time_unit),
                                             name, format, sink, err);
    }
    hpf_stack_export_finish(&v);
    return status;
}

static hpf_status stacks_write_prof(const input *in, const stacks_options *options,
                                    hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    hpf_prof_file *file;
    if (options->time || options->is_cut || !isnan(options->at.value)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--time, --at, --from and --to cannot be used with a .prof report: it "
                             "has only totals");
    }
    hpf_status status = hpf_prof_read(&file, in->source, err);
    if (status != HPF_OK) {
        return status;
    }
    status = hpf_prof_write_stacks(hpf_prof_file_report(file), options->hidden, options->alloc,
                                   format, sink, err);
    hpf_prof_file_destroy(file);
    return status;
}

static hpf_status stacks_write_log(const input *in, const stacks_options *options,
                                   hpf_stack_format format, hpf_sink *sink, hpf_error *err)
{
    if (options->alloc) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, ALLOC_MISUSED);
    }
    hpf_eventlog_time *time = hpf_eventlog_time_create();
    if (!time) {
        return hpf_error_set_memory(err);
    }
    if (format == HPF_STACKS_SPEEDSCOPE) {
        hpf_eventlog_time_keep_order(time);
    }
    hpf_status status = log_read_time(in, time, err);
    status = status == HPF_OK
                 ? hpf_eventlog_time_write_stacks(time, options->hidden, format, sink, err)
                 : status;
    hpf_eventlog_time_destroy(time);
    return status;
}

/* Writers of stacks: from a survey, an event log's time profile, and a report. */
#define STACK_WRITER(function, write)                                                              \
    static hpf_status function(const input *in, const void *values, hpf_sink *sink,                \
                               hpf_error *err)                                                     \
    {                                                                                              \
        const convert_values *v = values;                                                          \
        return write(in, &v->stacks, targets[v->format]->stacks, sink, err);                       \
    }

STACK_WRITER(write_heap_stacks, stacks_write_heap)
STACK_WRITER(write_log_stacks, stacks_write_log)
STACK_WRITER(write_prof_stacks, stacks_write_prof)

/* ---- Functions of addresses ---- */

/* Returns whether a profile of pprof is copied, with all that it has. */
static bool is_copied(const input *in, const convert_values *v)
{
    bool is_chosen = v->input.value || is_cut(v) || !isnan(v->stacks.at.value) || in->n_more > 0;
    bool is_pprof = in->format->stacks == HPF_STACKS_PPROF;
    return is_pprof && targets[v->format] == in->format && !is_chosen;
}

/* Writes with --symbolise, and says which addresses have no function. */
static hpf_status write_named(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const convert_values *v = values;
    symboliser *s = in->symboliser;
    hpf_status status = is_copied(in, v) ? hpf_source_rewind(in->source, err)
                        : has_stacks(v)  ? write_heap_stacks(in, v, sink, err)
                                         : write_profile(in, v, sink, err);
    if (status == HPF_OK && is_copied(in, v)) {
        status = hpf_pprof_symbolise(in->source, symboliser_frames, &s, sink, err);
    }
    if (status == HPF_OK) {
        symboliser_say_unnamed(s, in->name);
    }
    if (!in->symboliser) {
        symboliser_destroy(s);
    }
    return status;
}

/* ---- Formats ---- */

/* Collects the output formats and the names of all formats. */
static void collect_formats(void)
{
    size_t n_sources = 0;
    for (const hpf_format *const *f = hpf_formats(); *f; f++) {
        if ((*f)->writer || (*f)->stacks) {
            target_names[n_targets] = (*f)->name;
            targets[n_targets++] = *f;
        }
        if ((*f)->read || (*f)->is_streamed) {
            source_names[n_sources++] = (*f)->name;
        }
    }
}

static void print_formats(FILE *to)
{
    fputs("Formats:\n", to);
    for (int i = 0; i < n_targets; i++) {
        fprintf(to, "  %-11s  %s\n", targets[i]->name, targets[i]->summary);
    }
}

/* Returns the index of the format for the extension of `path`, or -1. The longest
 * extension wins: "x.speedscope.json" is not JSON. */
static int target_of_path(const char *path)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < n_targets; i++) {
        size_t n = strlen(targets[i]->extension);
        bool matches = path_has_extension(path, targets[i]->extension) ||
                       path_has_extension(path, targets[i]->name);
        if (matches && n > longest) {
            found = i;
            longest = n;
        }
    }
    return found;
}

/* Checks --at, finds the window, and adds the sidecar file of a `.hp` file, if the output format
 * has room for it. */
static bool prepare(input *in, void *values)
{
    convert_values *v = values;
    const hpf_format *format = targets[v->format];
    hpf_survey_options limits = survey_limits(v);
    if (!input_accepts_time(in, "at", v->stacks.at)) {
        return false;
    }
    if (is_cut(v)) {
        if (!time_window_find(&v->window, in, true, &limits) ||
            (time_window_has_mark(&v->window) && !input_survey_again(in, &limits))) {
            return false;
        }
        v->begin = limits.from_time;
        v->end = limits.to_time;
    }
    if (format->holds_quantities) {
        overlay_add(in);
    }
    return true;
}

/* ---- The command ---- */

#define AT(member) offsetof(convert_values, member)
static const opt convert_options[] = {
    OPT_HEADING("Output"),
    OPT('o', "output", OPT_TEXT, AT(output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_CHOICE, AT(format), "FORMAT",
        "output format, see below (default: from the name of the output)", .choices = target_names),
    OPT(0, "raw", OPT_FLAG, AT(raw), NULL,
        "csv, tidy: write all names unchanged, even names that spreadsheets take for formulas "
        "(=+-@)"),
    OPT_HEADING("What is converted"),
    INPUT_PROCESS(AT(input.process)),
    OPT(0, "input", OPT_CHOICE, AT(input_format), "FORMAT",
        "input format: hp, csv (either kind of table), eventlog, prof or one of another profiler, "
        "see census-convert(1) (default: from the content)",
        .choices = source_names),
    TIME_WINDOW_OPTIONS(AT(window), "convert the part", ""),
    OPT(0, "profile", OPT_INT, AT(profile), "N", PROFILE_OPTION_HELP, .high = UINT8_MAX),
    INPUT_OPTIONS(AT(input)),
    OPT(0, "symbolise", OPT_FLAG, AT(input.symbolises_all), NULL,
        "pprof, gperftools, jemalloc: name addresses, from the files with the same build ids or "
        "paths, debugging symbols and debuginfod, and say which have no name"),
    OPT_HEADING("Stacks"),
    OPT(0, "at", OPT_TIME, AT(stacks.at), "T",
        "stacks: use the sample nearest to time T, such as 30s, 5m, or 12.5 in the time unit of "
        "the profile (default: the peak)",
        .high = 1e100),
    OPT(0, "time", OPT_FLAG, AT(stacks.time), NULL,
        "stacks: use the time profile of an event log instead of its heap profile"),
    OPT(0, "alloc", OPT_FLAG, AT(stacks.alloc), NULL,
        "stacks: use the allocated bytes of a .prof file instead of its ticks"),
    OPT(0, "hidden", OPT_FLAG, AT(stacks.hidden), NULL,
        "stacks: include stacks that GHC leaves out of the totals of a time profile, such as GC"),
    {.name = NULL},
};
#undef AT

static const opt *all_options(void)
{
    if (n_targets == 0) {
        collect_formats();
    }
    return convert_options;
}

static int run(const cmd *self, int argc, char **argv)
{
    convert_values values = {.format = -1,
                             .input_format = -1,
                             .window = TIME_WINDOW_ALL,
                             .begin = -HUGE_VAL,
                             .end = HUGE_VAL,
                             .stacks.at.value = NAN,
                             .profile = -1};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    opt_complaint complaint;
    if (!time_window_check(&values.window, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    if (values.format < 0 && values.output) {
        values.format = target_of_path(values.output);
    }
    if (values.format < 0) {
        return cmd_misused(self, "no output format: use --format FORMAT");
    }
    const hpf_format *target = targets[values.format];
    const opt_given of_stacks[] = {{"at", !isnan(values.stacks.at.value)},
                                   {"time", values.stacks.time},
                                   {"alloc", values.stacks.alloc},
                                   {"hidden", values.stacks.hidden},
                                   {NULL, false}};
    const char *given = opt_first_given(of_stacks);
    if (given && !has_stacks(&values)) {
        return cmd_misused(self, "--%s needs --format folded, speedscope or pprof", given);
    }
    if (values.raw && (has_stacks(&values) || !target->is_for_spreadsheets)) {
        return cmd_misused(self, "--raw needs --format csv or tidy");
    }
    if (values.stacks.time && (!isnan(values.stacks.at.value) || is_cut(&values))) {
        return cmd_misused(self,
                           "--time covers the whole run: it cannot be used with --at, --from and "
                           "--to");
    }
    values.stacks.is_cut = is_cut(&values);
    if (values.input.clock && target == &hpf_format_eventlog) {
        return cmd_misused(self,
                           "event logs have elapsed times: --clock mutator needs another --format");
    }
    const char *name = target->name;
    if (argc > 1 && values.input_format < 0 && input_begins(argv[1], hpf_bins_is_file)) {
        bool is_json = strcmp(name, "json") == 0;
        if (is_cut(&values)) {
            return cmd_misused(self, "address bins have no times: --from and --to cannot cut them");
        }
        const bins_output to = {values.output, is_json ? TABLE_AS_JSON : TABLE_AS_CSV, 0, true};
        if (!is_json && strcmp(name, "csv") != 0) {
            return cmd_misused(self, "address bins can only be converted to csv or json");
        }
        return bins_report((const char *const *)(argv + 1), (size_t)argc - 1, HPP_BINS_BY_ADDRESS,
                           false, &to);
    }
    const profile_command f = {
        .from = values.input_format < 0 ? NULL : hpf_format_find(source_names[values.input_format]),
        .output = values.output,
        .limits = survey_limits(&values),
        .write = values.input.symbolises_all ? write_named
                 : has_stacks(&values)       ? write_heap_stacks
                                             : write_profile,
        .write_log = has_stacks(&values) && values.stacks.time ? write_log_stacks : NULL,
        .write_prof = has_stacks(&values) ? write_prof_stacks : NULL,
        .prepare = prepare,
        .values = &values,
    };
    return profile_command_run(self, &f, argc, argv);
}

const cmd cmd_convert = {
    .name = "convert",
    .summary = "Convert a profile to another format",
    .operands = "FILE",
    .make_options = all_options,
    .notes = print_formats,
    .run = run,
};
