/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census explain: what to change in a program, from several recordings of it.
 */
#include <stdlib.h>

#include "cmd.h"
#include "diag.h"
#include "explain/explain_write.h"
#include "findings/findings_write.h"
#include "output.h"
#include "path.h"
#include "plot/overlay.h"
#include "plot/retainers.h"

typedef struct explain_values {
    const char *output;
    int format;
} explain_values;

static const char *const format_names[] = {"text", "json", NULL};

static const opt explain_options[] = {
    OPT('o', "output", OPT_TEXT, offsetof(explain_values, output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_CHOICE, offsetof(explain_values, format), "FORMAT",
        "text (default) or json", .choices = format_names),
    {.name = NULL},
};

/* Opens a recording with the whole stacks and the lines that it has, and the sets of its report. */
static bool open_recording(input *in, const char *path)
{
    const hpf_survey_options limits = {.by_stack = true, .by_line = true};
    if (!input_open_only(in, path, NULL) || !input_survey(in, &limits)) {
        return false;
    }
    overlay_add(in);
    return retainers_read(in, NULL);
}

/* Reads the places of cost centres from the report of an input; NULL if there is none, or if it is
 * a report of retainer sets only. */
static hpf_prof_file *read_report(const input *in)
{
    char *path = companion_path(in->name, ".prof");
    hpf_source *source = NULL;
    hpf_prof_file *report = NULL;
    if (path && hpf_source_open(&source, path, NULL, NULL) == HPF_OK &&
        hpf_prof_read(&report, source, NULL) != HPF_OK) {
        report = NULL;
    }
    hpf_source_destroy(source);
    free(path);
    return report;
}

static int run(const cmd *self, int argc, char **argv)
{
    explain_values values = {0};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2) {
        return cmd_misused(self, "no recording given");
    }
    size_t n = (size_t)argc - 1, n_open = 0;
    input *inputs = calloc(n, sizeof *inputs);
    hpf_prof_file **reports = calloc(n, sizeof *reports);
    hpf_recording *recordings = calloc(n, sizeof *recordings);
    bool has_memory = inputs && reports && recordings;
    hpf_error err;
    if (!has_memory) {
        (void)hpf_error_set_memory(&err);
        diag_error("census", &err);
    }
    while (has_memory && n_open < n && open_recording(&inputs[n_open], argv[n_open + 1])) {
        recordings[n_open] = finding_recording(&inputs[n_open], false);
        recordings[n_open].report = reports[n_open] = read_report(&inputs[n_open]);
        n_open++;
    }
    if (n_open == n) {
        const char *name;
        hpf_explanation e;
        hpf_status found = hpf_explain_find(&e, recordings, n, &err);
        hpf_sink *sink = found == HPF_OK ? output_open(values.output, &name) : NULL;
        if (sink) {
            found = values.format ? explain_write_json(&e, sink, &err)
                                  : explain_write_text(&e, sink, &err);
        }
        if (found != HPF_OK) {
            diag_say("%s", err.message);
            hpf_sink_destroy(sink);
        } else {
            status = output_close(sink, name);
        }
        hpf_explain_finish(&e);
    }
    for (size_t i = 0; i < n_open; i++) {
        hpf_prof_file_destroy(reports[i]);
        input_close(&inputs[i]);
    }
    free(recordings);
    free(reports);
    free(inputs);
    return status;
}

const cmd cmd_explain = {
    .name = "explain",
    .summary = "Say what to change in a program, from recordings of it",
    .operands = "FILE...",
    .options = explain_options,
    .run = run,
};
