/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens and surveys inputs, with warnings and progress.
 */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/stack_view.h"
#include "hpfile/str.h"
#include "hpfile/summary.h"

#include "clock.h"
#include "diag.h"
#include "unit_format.h"

/* --- progress --- */

typedef struct progress {
    bool is_terminal; /* standard error is a terminal */
    bool is_shown;    /* the progress line is visible */
    double due_s;     /* when to show it next, by CLOCK_MONOTONIC */
} progress;

static const double PATIENCE_S = 1.0;
static const double INTERVAL_S = 0.1;

static void progress_show(progress *line, const char *name, uint64_t done_bytes,
                          uint64_t total_bytes)
{
    if (!line->is_terminal || clock_now_s() < line->due_s) {
        return;
    }
    if (total_bytes > 0) {
        diag_progress("%.50s: %3.0f%% of %.0f MB", name,
                      100.0 * (double)done_bytes / (double)total_bytes, (double)total_bytes / 1e6);
    } else {
        diag_progress("%.50s: %.0f MB", name, (double)done_bytes / 1e6);
    }
    line->is_shown = true;
    line->due_s = clock_now_s() + INTERVAL_S;
}

static void progress_wipe(progress *line)
{
    if (line->is_shown) {
        diag_progress("%s", "");
        line->is_shown = false;
    }
}

/* --- opening --- */

bool input_begins(const char *path, bool (*is)(hpf_str beginning))
{
    hpf_source *source;
    hpf_str piece;
    if (strcmp(path, "-") == 0 || hpf_source_open(&source, path, NULL, NULL) != HPF_OK) {
        return false;
    }
    bool is_it = hpf_source_next(source, &piece, NULL) == HPF_OK && is(piece);
    hpf_source_destroy(source);
    return is_it;
}

static hpf_str value;       /* empty: the default */
static const char *process; /* NULL: the default */
static bool uses_mutator_clock, symbolises_all;

const char *const input_clock_names[] = {"elapsed", "mutator", NULL};

static void choose_value(const char *name)
{
    value = name ? hpf_str_of(name) : (hpf_str){"", 0};
}

void input_set_options(const input_options *options)
{
    choose_value(options->value);
    process = options->process;
    uses_mutator_clock = options->clock != 0;
    symbolises_all = options->symbolises_all;
}

bool input_uses_mutator_clock(void)
{
    return uses_mutator_clock;
}

/* Shared by the callbacks of a survey. */
typedef struct survey_callbacks {
    const char *name;
    progress line;
} survey_callbacks;

static void warn(void *context, const hpf_error *warning)
{
    survey_callbacks *a = context;
    progress_wipe(&a->line);
    diag_warning(a->name, warning);
}

static void show(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    survey_callbacks *a = context;
    progress_show(&a->line, a->name, done_bytes, total_bytes);
}

const char *input_temporary_dir(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

static hpf_status open_source(hpf_source **out, const char *path, hpf_error *err)
{
    const hpf_source_options keeping = {.size = sizeof keeping,
                                        .keep = true,
                                        .temporary_dir = input_temporary_dir(),
                                        .process = process};
    return strcmp(path, "-") == 0 ? hpf_source_from_fd(out, STDIN_FILENO, &keeping, err)
                                  : hpf_source_open(out, path, &keeping, err);
}

/* Surveys the input, and the other files of its series. The input becomes the file with the error.
 */
static hpf_status survey(input *in, const hpf_survey_options *limits, hpf_error *err)
{
    hpf_survey_options options = *limits;
    options.size = sizeof options;
    options.format = in->format;
    options.value = value;
    options.has_log_profile &= value.length == 0;
    options.uses_mutator_clock = uses_mutator_clock;
    options.symbolise = symboliser_frames;
    options.symbolise_context = &in->symboliser;
    options.symbolises_all = symbolises_all;
    hpf_source **sources = calloc(in->n_more + 1, sizeof *sources);
    hpf_status status = sources ? HPF_OK : hpf_error_set_memory(err);
    size_t failed = 0, n = 0;
    for (; n <= in->n_more && status == HPF_OK; n++) {
        sources[n] = in->source;
        failed = n;
        status = n > 0 ? open_source(&sources[n], in->more[n - 1], err) : HPF_OK;
    }
    if (status == HPF_OK) {
        status = hpf_survey_create_series(&in->survey, sources, n, &options, &failed, err);
    }
    if (failed > 0 && status != HPF_OK) {
        hpf_source *first = in->source;
        in->name = in->more[failed - 1];
        in->source = sources[failed];
        sources[failed] = first;
    }
    for (size_t i = 1; i < n; i++) {
        hpf_source_destroy(sources[i]);
    }
    free(sources);
    return status;
}

static bool give_up(input *in, const hpf_error *err)
{
    diag_input(in->name, in->source, err);
    input_close(in);
    return false;
}

bool input_open_only(input *in, const char *path, const hpf_format *format)
{
    *in = (input){.name = strcmp(path, "-") == 0 ? "stdin" : path};
    hpf_error err;
    hpf_status status = open_source(&in->source, path, &err);
    /* Detection also refuses files of other tools, and files that are not `.hp` as is said. */
    if (status == HPF_OK && (!format || format == &hpf_format_hp)) {
        status = hpf_format_detect(&in->format, in->source, &err);
    }
    if (status == HPF_OK && format == &hpf_format_hp && !in->format->is_streamed) {
        status = hpf_error_set(&err, HPF_ERR_UNSUPPORTED,
                               "expected a profile in the format hp, found %s", in->format->name);
    }
    if (format) {
        in->format = format;
    }
    return status == HPF_OK || give_up(in, &err);
}

bool input_accepts_profile(const input *in)
{
    bool is_log = in->format == &hpf_format_eventlog;
    if (!is_log || value.length > 0) {
        diag_say(is_log ? "%s: --profile cannot be used with --value"
                        : "%s: --profile needs an event log of GHC",
                 in->name);
    }
    return is_log && value.length == 0;
}

/* Surveys with `limits`, to which it adds warnings and progress. */
static bool survey_limited(input *in, hpf_survey_options limits)
{
    hpf_error err;
    survey_callbacks callbacks = {
        in->name, {.is_terminal = isatty(STDERR_FILENO) == 1, .due_s = clock_now_s() + PATIENCE_S}};
    if (limits.has_log_profile && !input_accepts_profile(in)) {
        input_close(in);
        return false;
    }
    limits.warning = warn;
    limits.warning_context = &callbacks;
    limits.progress = show;
    limits.progress_context = &callbacks;
    hpf_status status = survey(in, &limits, &err);
    progress_wipe(&callbacks.line);
    return status == HPF_OK || give_up(in, &err);
}

void input_add_files(input *in, char *const *paths, size_t n)
{
    in->more = paths;
    in->n_more = n;
}

bool input_is_series(char *const *paths, size_t n)
{
    const hpf_format *first = NULL, *format = NULL;
    const hpf_source_options keeping = {
        .size = sizeof keeping, .keep = true, .temporary_dir = input_temporary_dir()};
    bool is_series = n > 1;
    for (size_t i = 0; i < n && is_series; i++) {
        hpf_source *source = NULL;
        is_series = hpf_source_open(&source, paths[i], &keeping, NULL) == HPF_OK &&
                    hpf_format_detect(&format, source, NULL) == HPF_OK && format->is_moment &&
                    (i == 0 || format == first);
        first = format;
        hpf_source_destroy(source);
    }
    return is_series;
}

bool input_open_series(input *out, char *const *paths, size_t n, const hpf_survey_options *limits)
{
    input in;
    if (!input_open_only(&in, paths[0], NULL)) {
        return false;
    }
    input_add_files(&in, paths + 1, n - 1);
    if (!survey_limited(&in, *limits)) {
        return false;
    }
    *out = in;
    return true;
}

static bool open_any(input *out, const char *path, const hpf_format *format,
                     hpf_survey_options limits)
{
    input in;
    if (!input_open_only(&in, path, format) || !survey_limited(&in, limits)) {
        return false;
    }
    *out = in;
    return true;
}

bool input_survey(input *in, const hpf_survey_options *limits)
{
    hpf_survey_options totals = *limits;
    totals.expects_no_series = true;
    return survey_limited(in, totals);
}

bool input_open_with(input *out, const char *path, const hpf_survey_options *limits)
{
    return open_any(out, path, NULL, *limits);
}

bool input_open_fine(input *out, const char *path, size_t max_drawn)
{
    return open_any(out, path, NULL, (hpf_survey_options){.max_drawn = max_drawn});
}

bool input_open_limited(input *out, const char *path, const hpf_survey_options *limits)
{
    hpf_survey_options live = *limits;
    live.takes_live_bytes = true;
    return open_any(out, path, NULL, live);
}

bool input_survey_again(input *in, const hpf_survey_options *limits)
{
    hpf_error err;
    hpf_survey_destroy(in->survey);
    in->survey = NULL;
    hpf_status status = hpf_source_rewind(in->source, &err);
    status = status == HPF_OK ? survey(in, limits, &err) : status;
    if (status != HPF_OK) {
        diag_input(in->name, in->source, &err);
    }
    return status == HPF_OK;
}

hpf_status input_survey_allocated(input *out, const input *in, const hpf_survey_options *limits,
                                  hpf_error *err)
{
    *out = (input){.name = in->name,
                   .more = in->more,
                   .n_more = in->n_more,
                   .format = in->format,
                   .source = in->source};
    hpf_status status = HPF_OK;
    if (in->format->allocated && value.length == 0) {
        choose_value(in->format->allocated);
        status = hpf_source_rewind(in->source, err);
        status = status == HPF_OK ? survey(out, limits, err) : status;
        choose_value(NULL);
    }
    out->source = NULL; /* is closed with `in` */
    /* A pprof profile of other amounts, or a view of types: those of freed blocks are not known. */
    bool has_none = status == HPF_ERR_ARGUMENT || (limits->view && status == HPF_ERR_UNSUPPORTED);
    return has_none ? HPF_OK : status;
}

bool input_accepts_time(const input *in, const char *option, opt_time time)
{
    hpf_str unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    bool is_accepted = !time.is_in_seconds || hpf_str_is(unit, "seconds") || hpf_str_is(unit, "s");
    if (!is_accepted) {
        diag_say("%s: times are in \"%.*s\", not in seconds: use --%s with a number without unit",
                 in->name, (int)unit.length, unit.data, option);
    }
    return is_accepted;
}

void input_write_file(const input *in, const char *kind, bool exact, hpf_sink *sink)
{
    uint64_t stored_bytes = hpf_source_stored_bytes(in->source);
    const char *compression = hpf_source_compression(in->source);
    hpf_sink_text(sink, "file         ");
    hpf_sink_name(sink, hpf_str_of(in->name));
    if (stored_bytes > 0) {
        hpf_sink_printf(sink, ", %s",
                        format_amount((double)stored_bytes, HPF_STR("bytes"), exact).text);
    }
    hpf_sink_printf(sink, "%s%s%s%s", *compression ? ", " : "", compression, kind ? ", " : "",
                    kind ? kind : "");
}

void input_write_json_file(const input *in, const char *format, hpf_json *json)
{
    const char *compression = hpf_source_compression(in->source);
    hpf_json_text(json, "file", in->name);
    hpf_json_whole(json, "stored_bytes", hpf_source_stored_bytes(in->source));
    hpf_json_text(json, "compression", *compression ? compression : NULL);
    hpf_json_text(json, "format", format);
}

void input_write_json_samples(const hpf_survey *survey, uint64_t n_marks, hpf_json *json)
{
    const hpf_overview none = {0};
    const hpf_overview *o = survey ? hpf_survey_overview(survey) : &none;
    hpf_json_whole(json, "samples", o->n_samples);
    hpf_json_number(json, "first_time", o->first_time);
    hpf_json_number(json, "last_time", o->last_time);
    hpf_json_whole(json, "names", survey ? hpf_summary_n_names(survey) : 0);
    hpf_json_whole(json, "marks", n_marks);
    hpf_json_object(json, "peak");
    hpf_json_number(json, "value", o->peak_total);
    hpf_json_number(json, "time", o->peak_time);
    hpf_json_whole(json, "sample", o->peak_sample);
    hpf_json_close(json);
}

void input_close(input *in)
{
    hpf_survey_destroy(in->survey);
    hpf_retainer_sets_destroy(in->sets);
    symboliser_destroy(in->symboliser);
    hpf_source_destroy(in->source);
}
