/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census info: what a profile contains.
 */

#include "hpfile/sink.h"
#include "hpfile/breakdown.h"
#include "base/json.h"

#include "bins/bins_report.h"
#include "diag.h"
#include "processes.h"
#include "prof_report.h"
#include "profile_command.h"
#include "unit_format.h"
#include "eventlog/log.h"
#include "hpfile/summary.h"

typedef enum info_format { INFO_TEXT, INFO_JSON } info_format;

typedef struct info_values {
    int format; /* info_format */
    bool exact;
    bool events;
    input_options input;
} info_values;

static const char *const format_names[] = {"text", "json", NULL};

#define AT(member) offsetof(info_values, member)
static const opt info_options[] = {
    OPT(0, "format", OPT_CHOICE, AT(format), "FORMAT", "text (default) or json",
        .choices = format_names),
    OPT(0, "bytes", OPT_FLAG, AT(exact), NULL, "print exact numbers instead of MiB and ms"),
    OPT(0, "events", OPT_FLAG, AT(events), NULL, "event log: print every record, one per line"),
    INPUT_PROCESS(AT(input.process)),
    INPUT_OPTIONS(AT(input)),
    {.name = NULL},
};
#undef AT

/* Returns the name of the break-down of a job, as its program calls it. */
static const char *breakdown_name(hpf_str job)
{
    hpf_breakdown b = hpf_breakdown_of_job(job);
    return hpf_native_part_of_job(job).length > 0 ? hpf_breakdown_native_name(b)
                                                  : hpf_breakdown_name(b);
}

static void write_text(hpf_sink *sink, const input *in, bool exact)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    hpf_str value_unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT);
    hpf_str time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_breakdown b = hpf_breakdown_of_job(job);

    input_write_file(in, in->format != &hpf_format_hp ? in->format->name : NULL, exact, sink);
    hpf_sink_text(sink, "\njob          ");
    hpf_sink_name(sink, job);
    hpf_sink_text(sink, "\ndate         ");
    hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_DATE));
    hpf_sink_text(sink, "\nunits        ");
    hpf_sink_name(sink, value_unit);
    hpf_sink_text(sink, " over ");
    hpf_sink_name(sink, time_unit);
    if (b) {
        hpf_sink_printf(sink, "\nbreakdown    %s (%s)", breakdown_name(job), hpf_breakdown_flag(b));
    }
    hpf_sink_printf(sink, "\nsamples      %s", format_count(o->n_samples).text);
    hpf_sink_printf(sink, ", from %s", format_time(o->first_time, time_unit, exact).text);
    hpf_sink_printf(sink, " to %s", format_time(o->last_time, time_unit, exact).text);
    hpf_sink_printf(sink, "\nnames        %s", format_count(hpf_summary_n_names(in->survey)).text);
    hpf_sink_printf(sink, "\nmarks        %s", format_count(o->n_marks).text);
    hpf_sink_printf(sink, "\npeak         %s",
                    format_amount(o->peak_total, value_unit, exact).text);
    hpf_sink_printf(sink, " at %s", format_time(o->peak_time, time_unit, exact).text);
    hpf_sink_printf(sink, "\ncomplete     %s\n",
                    o->truncated ? "no, the end of the file is missing" : "yes");
}

static hpf_status write_json(hpf_sink *sink, const input *in, hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    hpf_breakdown b = hpf_breakdown_of_job(job);
    const char letter[] = {hpf_breakdown_letter(b), '\0'};
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    input_write_json_file(in, in->format->name, &json);
    hpf_json_str(&json, "job", job);
    hpf_json_str(&json, "date", hpf_survey_header(in->survey, HPF_HEADER_DATE));
    hpf_json_str(&json, "sample_unit", hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT));
    hpf_json_str(&json, "value_unit", hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT));
    hpf_json_text(&json, "breakdown", breakdown_name(job));
    hpf_json_text(&json, "breakdown_letter", b ? letter : NULL);
    input_write_json_samples(in->survey, o->n_marks, &json);
    hpf_json_bool(&json, "truncated", o->truncated);
    hpf_status status = processes_write_json(in, &json, err);
    hpf_json_end(&json);
    return status;
}

static hpf_status write_info(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const info_values *v = values;
    if (v->events) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--events needs an event log of GHC");
    }
    if (v->format == INFO_JSON) {
        return write_json(sink, in, err);
    }
    hpf_status status =
        processes_write_text(in, hpf_survey_rate_bytes(in->survey), v->exact, sink, err);
    if (status == HPF_OK) {
        write_text(sink, in, v->exact);
    }
    return status;
}

static hpf_status write_log(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const info_values *v = values;
    if (v->events) {
        return log_write_events(in, sink, err);
    }
    return v->format == INFO_JSON ? log_write_json(in, sink, err)
                                  : log_write_text(in, v->exact, sink, err);
}

static hpf_status write_prof(const input *in, const void *values, hpf_sink *sink, hpf_error *err)
{
    const info_values *v = values;
    return v->events ? hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--events needs an event log of GHC")
                     : prof_info_write(in, v->format == INFO_JSON, v->exact, sink, err);
}

static int run(const cmd *self, int argc, char **argv)
{
    info_values values = {.format = INFO_TEXT};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    if (argc == 2 && input_begins(argv[1], hpf_bins_is_file)) {
        const bins_output to = {NULL, values.format == INFO_JSON ? TABLE_AS_JSON : TABLE_AS_TEXT, 0,
                                values.exact};
        return values.events ? cmd_misused(self, "--events needs an event log of GHC")
                             : bins_info(argv[1], &to);
    }
    const profile_command f = {
        .write = write_info, .write_log = write_log, .write_prof = write_prof, .values = &values};
    return profile_command_run(self, &f, argc, argv);
}

const cmd cmd_info = {
    .name = "info",
    .summary = "Show what a profile contains",
    .operands = "FILE",
    .options = info_options,
    .run = run,
};
