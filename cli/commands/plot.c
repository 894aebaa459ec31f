/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: checks options and operands and chooses the name of the picture.
 */
#include "hpfile/heapsnapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "input.h"
#include "path.h"
#include "plot/plot_setup.h"
#include "plot/plot_options.h"
#include "plot/plot_snapshot.h"
#include "base/arena.h"
#include "hpfile/eventlog_activity.h"
#include "findings/findings_write.h"
#include "resident.h"
#include "hpfile/survey.h"
#include "plot/overlay.h"
#include "plot/plot_picture.h"
#include "source/source_lines.h"
#include "plot/retainers.h"

typedef struct plot_job {
    plot_setup setup;
    const char *output; /* NULL: standard output */
    /* Used while running. */
    hpf_eventlog_gc collections;     /* for --gc */
    hpf_eventlog_activity *activity; /* for --lanes; or NULL */
    input *inputs;
    size_t n_inputs;        /* number of open inputs */
    bool shows_stacks;      /* an interactive page, of all frames that the input has */
    hpf_survey **surveys;   /* of the inputs */
    input *allocations;     /* for interactive pages: what their stacks have allocated */
    hpf_survey **allocated; /* surveys of these, or NULL */
    hpf_survey **resident;  /* for interactive pages: HPR_N_RESIDENT of each, or NULL */
    hpf_str *findings;      /* for interactive pages: of each profile, as JSON */
    hpf_arena *texts;       /* of these */
    char **names;           /* names of the profiles on an interactive page */
    hpr_chart *chart;       /* chart of one profile, or NULL */
    hpr_page *page;         /* page of several profiles, or NULL */
} plot_job;

/* --- writing -------------------------------------------------------------------------------- */

static plot_picture picture_of(const plot_job *j)
{
    return (plot_picture){.in = &j->inputs[0],
                          .path = j->output,
                          .chart = j->chart,
                          .page = j->page,
                          .options = &j->setup.options,
                          .backend = j->setup.backend,
                          .fonts = j->setup.fonts,
                          .dpi = j->setup.values->dpi,
                          .latex = j->setup.values->latex,
                          .preset = j->setup.values->preset};
}

static hpf_status write_profiles(const plot_picture *p, const void *context,
                                 const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)output;
    const plot_job *j = context;
    hpr_options options = *p->options;
    options.allocated = j->allocated;
    options.findings = j->findings;
    options.resident = j->resident;
    source_texts sources;
    hpf_status status =
        source_texts_read(&sources, j->surveys, j->n_inputs, j->setup.values->source, err);
    options.sources = sources.lines.all;
    options.n_sources = sources.lines.n;
    if (!status) {
        status = p->backend->write_profiles(j->surveys, (const char *const *)j->names, j->n_inputs,
                                            &options, sink, err);
    }
    source_texts_finish(&sources);
    return status;
}

static int write_interactive(plot_job *j, char *const *paths)
{
    const plot_picture picture = picture_of(j);
    j->names = path_short_names(paths, j->n_inputs);
    if (!j->names) {
        diag_say("out of memory");
        return EXIT_FAILED;
    }
    int status = plot_picture_write_to(&picture, j->output, write_profiles, j);
    path_free_names(j->names, j->n_inputs);
    return status;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Writes what stands out in a surveyed profile, by the names of its bands. Errors: as
 * hpf_findings_find. */
static hpf_status find_findings(plot_job *j, const input *in, hpf_error *err)
{
    hpf_str *findings = &j->findings[in - j->inputs];
    j->texts = j->texts ? j->texts : hpf_arena_create();
    bool is_window = time_window_given(&j->setup.values->window) != NULL;
    const hpf_recording recording = finding_recording(in, is_window);
    hpf_sink *text = hpf_sink_to_memory();
    hpf_status status =
        text && j->texts ? findings_write_line(text, &recording, err) : hpf_error_set_memory(err);
    if (!status) {
        *findings = hpf_arena_str(j->texts, hpf_sink_bytes(text));
        status = findings->data ? HPF_OK : hpf_error_set_memory(err);
    }
    hpf_sink_destroy(text);
    return status;
}

/* Reads what only interactive pages show: findings, stacks with the lines of calls, and what they
 * have allocated. Returns false after a message. */
static bool read_for_page(plot_job *j, input *in, hpf_survey_options limits)
{
    input *allocations = &j->allocations[in - j->inputs];
    hpf_error err;
    hpf_status status = j->setup.values->group ? HPF_OK : find_findings(j, in, &err);
    if (!status && j->shows_stacks &&
        (in->format == &hpf_format_eventlog || plot_setup_chooses(&j->setup))) {
        /* Others have whole stacks already. Two surveys at once would take twice the memory. */
        limits.by_stack = limits.by_line = true;
        limits.keeps_stacks = plot_setup_chooses(&j->setup);
        if (!input_survey_again(in, &limits)) {
            return false;
        }
    }
    status = status ? status : input_survey_allocated(allocations, in, &limits, &err);
    if (status) {
        diag_input(in->name, in->source, &err);
        return false;
    }
    j->allocated[in - j->inputs] = allocations->survey;
    hpf_survey **resident = &j->resident[(size_t)(in - j->inputs) * HPR_N_RESIDENT];
    if (in->n_more == 0 && resident_read(resident, in->source, in->survey, &err) != HPF_OK) {
        diag_input(in->name, in->source, &err);
        return false;
    }
    return true;
}

/* Opens a file, or the `n` files of a series. */
static bool open_input(plot_job *j, char *const *paths, size_t n)
{
    const time_window *window = &j->setup.values->window;
    hpf_survey_options limits = {
        .max_drawn = j->setup.backend->most_samples,
        .has_window = !time_window_has_mark(window),
        .from_time = window->from.value,
        .to_time = window->to.value,
        .has_log_profile = j->setup.values->profile >= 0,
        .log_profile = (uint8_t)j->setup.values->profile,
        .takes_live_bytes = true,
        .view = j->setup.view,
        .is_wanted = plot_setup_filter(&j->setup),
        .is_wanted_context = &j->setup.filter,
    };
    input *in = &j->inputs[j->n_inputs];
    if (n > 1 ? !input_open_series(in, paths, n, &limits)
              : !input_open_limited(in, paths[0], &limits)) {
        return false;
    }
    j->n_inputs++;
    if (!time_window_find(window, in, true, &limits) ||
        (time_window_has_mark(window) && !input_survey_again(in, &limits))) {
        return false;
    }
    if (j->setup.backend->write_profiles && !read_for_page(j, in, limits)) {
        return false;
    }
    hpf_error err;
    if (hpf_survey_find_spreads(in->survey, &err) != HPF_OK) {
        diag_input(in->name, in->source, &err);
        return false;
    }
    overlay_add(in);
    return true;
}

/* Set numbers of different runs are unrelated, so sets are read only for a single profile. */
static bool read_sets(plot_job *j)
{
    return j->n_inputs > 1 || retainers_read(&j->inputs[0], j->setup.values->sets);
}

/* --- what else is in an event log ------------------------------------------------------------ */

static hpf_status note_event(void *context, const hpf_event *event, hpf_error *err)
{
    plot_job *j = context;
    hpf_status status = HPF_OK;
    if (j->setup.values->gc) {
        status = hpf_eventlog_gc_note(&j->collections, event, err);
    }
    return status == HPF_OK && j->activity ? hpf_eventlog_activity_note(j->activity, event, err)
                                           : status;
}

/* Sets the activity to be drawn, between the first and the last sample. */
static hpf_status settle_activity(plot_job *j, hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(j->inputs[0].survey);
    const hpf_activity *activity =
        hpf_eventlog_activity_between(j->activity, o->first_time, o->last_time);
    hpf_error warning;
    if (hpf_activity_is_empty(activity)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--lanes: the event log has no allocation, collections, threads, "
                             "sparks or messages: record them with +RTS -l, not with -l-a");
    }
    if (activity->n_more_messages > 0) {
        hpf_error_set(&warning, HPF_ERR_UNSUPPORTED, "too many messages: %" PRIu64 " are left out",
                      activity->n_more_messages);
        diag_warning(j->inputs[0].name, &warning);
    }
    j->setup.options.activity = activity;
    return HPF_OK;
}

/* Reads what --gc and --lanes draw. */
static hpf_status read_log_events(plot_job *j, hpf_error *err)
{
    const hpf_event_visitor visitor = {.event = note_event};
    const plot_values *v = j->setup.values;
    hpr_options *options = &j->setup.options;
    const input *in = &j->inputs[0];
    const hpf_overview *o = hpf_survey_overview(in->survey);
    if (in->format != &hpf_format_eventlog) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "--%s needs an event log",
                             v->gc ? "gc" : "lanes");
    }
    if (v->lanes && !(o->last_time > o->first_time)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--lanes needs two heap samples, between which lanes are drawn: use a "
                             "shorter interval, such as +RTS -i0.001");
    }
    if (v->lanes || v->input.clock) {
        j->activity = hpf_eventlog_activity_create();
        if (!j->activity) {
            return hpf_error_set_memory(err);
        }
    }
    hpf_status status = hpf_source_rewind(in->source, err);
    if (status == HPF_OK) {
        status = hpf_eventlog_read_source(NULL, in->source, &visitor, j, err);
    }
    if (status == HPF_OK && v->gc && j->collections.n == 0) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "no garbage collections in the event log: run the program with +RTS -l (or -lg)");
    }
    if (v->input.clock) {
        hpf_eventlog_activity_use_mutator_clock(j->activity);
    }
    hpf_eventlog_gc_sort(&j->collections, j->activity);
    options->collections = j->collections.list;
    options->n_collections = j->collections.n;
    return status == HPF_OK && v->lanes ? settle_activity(j, err) : status;
}

static bool read_events(plot_job *j)
{
    hpf_error err;
    bool is_wanted = j->setup.values->gc || j->setup.values->lanes;
    if (is_wanted && read_log_events(j, &err) != HPF_OK) {
        diag_input(j->inputs[0].name, j->inputs[0].source, &err);
        return false;
    }
    return true;
}

static bool open_inputs(plot_job *j, char *const *paths, size_t n)
{
    char why[PLOT_WHY_BYTES];
    j->inputs = calloc(n, sizeof *j->inputs);
    j->surveys = calloc(n, sizeof *j->surveys);
    j->allocations = calloc(n, sizeof *j->allocations);
    j->allocated = calloc(n, sizeof *j->allocated);
    j->resident = calloc(n * HPR_N_RESIDENT, sizeof *j->resident);
    j->findings = calloc(n, sizeof *j->findings);
    if (!j->inputs || !j->surveys || !j->allocations || !j->allocated || !j->resident ||
        !j->findings) {
        diag_say("out of memory");
        return false;
    }
    size_t n_inputs = input_is_series(paths, n) ? 1 : n;
    j->shows_stacks = j->setup.backend->write_profiles && n_inputs == 1 && !j->setup.values->group;
    for (size_t i = 0; i < n_inputs; i++) {
        if (!open_input(j, paths + i, n_inputs < n ? n : 1)) {
            return false;
        }
        j->surveys[i] = j->inputs[i].survey;
    }
    n = n_inputs;
    if (plot_setup_is_empty(&j->setup, j->surveys, n, why)) {
        diag_say("%s: %s", j->inputs[0].name, why);
        return false;
    }
    plot_warn_of_ungrouped(plot_setup_count_ungrouped(&j->setup, j->surveys, n));
    bool chooses = plot_setup_chooses(&j->setup);
    if (j->shows_stacks && hpf_survey_has_types(j->surveys[0])) {
        j->setup.options.group = chooses ? HPR_GROUP_STACK : HPR_GROUP_TYPE; /* as in pictures */
        j->allocated[0] = NULL; /* the types of blocks that were freed are not known */
    } else if (j->shows_stacks && (chooses || hpf_survey_hides_frames(j->surveys[0]))) {
        j->setup.options.group = HPR_GROUP_STACK; /* the same */
    }
    return read_sets(j) && read_events(j);
}

/* --- laying out ----------------------------------------------------------------------------- */

static hpf_status lay_out_page(plot_job *j, char *const *names, hpf_error *err)
{
    hpr_page_source *sources = calloc(j->n_inputs, sizeof *sources);
    if (!sources) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < j->n_inputs; i++) {
        sources[i] = (hpr_page_source){j->inputs[i].survey, names[i]};
    }
    hpf_status status =
        hpr_page_create(&j->page, sources, j->n_inputs, &j->setup.options,
                        hpr_fonts_measurer_for(j->setup.fonts, j->setup.backend), err);
    free(sources);
    return status;
}

/* Lays out several profiles. Returns false after a message. */
static bool make_page(plot_job *j, char *const *paths)
{
    hpf_error err;
    char **names = path_short_names(paths, j->n_inputs);
    hpf_status status = names ? lay_out_page(j, names, &err) : hpf_error_set_memory(&err);
    path_free_names(names, j->n_inputs);
    if (status != HPF_OK) {
        diag_say("%s", err.message);
    }
    return status == HPF_OK;
}

/* Lays out one profile. Returns false after a message. */
static bool make_chart(plot_job *j)
{
    hpf_error err;
    const input *in = &j->inputs[0];
    hpf_status status =
        hpr_chart_create(&j->chart, in->survey, &j->setup.options,
                         hpr_fonts_measurer_for(j->setup.fonts, j->setup.backend), &err);
    if (status != HPF_OK) {
        diag_input(in->name, in->source, &err);
    }
    return status == HPF_OK;
}

/* --- all ------------------------------------------------------------------------------------ */

static void finish(plot_job *j)
{
    hpr_page_destroy(j->page);
    hpr_chart_destroy(j->chart);
    for (size_t i = 0; i < j->n_inputs; i++) {
        resident_free(&j->resident[i * HPR_N_RESIDENT]);
        input_close(&j->allocations[i]);
        input_close(&j->inputs[i]);
    }
    free(j->inputs);
    free(j->surveys);
    free(j->allocations);
    free(j->allocated);
    free(j->resident);
    free(j->findings);
    hpf_arena_destroy(j->texts);
    hpf_eventlog_gc_finish(&j->collections);
    hpf_eventlog_activity_destroy(j->activity);
}

/* Draws one or more profiles. Returns an exit status; failures print a message. */
static int plot_job_run(plot_job *j, char *const *paths, size_t n)
{
    int status = EXIT_FAILED;
    bool is_ready = open_inputs(j, paths, n) &&
                    overlay_choose(&j->setup.options, &j->setup.overlay, j->setup.values->overlay,
                                   j->inputs, j->n_inputs);
    if (is_ready && j->setup.backend->write_profiles) {
        status = write_interactive(j, paths);
    } else if (is_ready && plot_setup_open_fonts(&j->setup) &&
               (j->n_inputs > 1 ? make_page(j, paths) : make_chart(j))) {
        const plot_picture picture = picture_of(j);
        status = plot_picture_write(&picture);
    }
    finish(j);
    return status;
}

/* Returns "run.pdf" for "dir/run.hp.gz" and PDF. The caller frees it. NULL without memory. */
static char *default_output(const char *input_path, const char *extension)
{
    hpf_str stem = path_uncompressed(path_base(input_path));
    path_drop_suffix(&stem, ".hp");
    size_t room = stem.length + strlen(extension) + 2;
    char *name = malloc(room);
    if (name) {
        snprintf(name, room, "%.*s.%s", (int)stem.length, stem.data, extension);
    }
    return name;
}

/* Returns a message about the operands, or NULL. */
static const char *check_operands(char *const *paths, size_t n)
{
    size_t n_stdin = 0;
    for (size_t i = 0; i < n; i++) {
        n_stdin += strcmp(paths[i], "-") == 0;
    }
    return n == 0                     ? "no profile given (use - for standard input)"
           : n > HPR_PAGE_MOST_PANELS ? "at most 64 profiles can be drawn in one picture"
           : n_stdin > 1 ? "- may be given only once: standard input cannot be read twice"
                         : NULL;
}

static const char *find_overwritten(char *const *paths, size_t n, const char *output)
{
    for (size_t i = 0; i < n; i++) {
        if (path_is_same_file(paths[i], output)) {
            return paths[i];
        }
    }
    return NULL;
}

/* Draws the picture; options and operands have been checked. */
static int plot(plot_job *j, const cmd *self, char *const *paths, size_t n)
{
    const char *given = j->setup.values->output;
    bool is_filter = strcmp(given ? given : paths[0], "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "standard output is a terminal: use -o FILE");
    }
    char *named = given || is_filter ? NULL : default_output(paths[0], j->setup.backend->extension);
    j->output = is_filter ? NULL : given ? given : named;
    int status = EXIT_FAILED;
    if (!is_filter && !j->output) {
        diag_say("out of memory");
    } else if (!is_filter && find_overwritten(paths, n, j->output)) {
        status = cmd_misused(self, "the output '%s' would overwrite the profile", j->output);
    } else {
        status = plot_job_run(j, paths, n);
    }
    free(named);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    plot_values values = plot_options_default();
    plot_job job = {.output = NULL};
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    size_t n = (size_t)argc - 1;
    const char *wrong = check_operands(argv + 1, n);
    if (wrong) {
        return cmd_misused(self, "%s", wrong);
    }
    if (n == 1 && input_begins(argv[1], hpf_heapsnapshot_is)) {
        status = plot_snapshot(self, &values, argv[1]);
    } else {
        status = plot_setup_init(&job.setup, self, &values, input_is_series(argv + 1, n) ? 1 : n);
        if (status == EXIT_DONE) {
            status = plot(&job, self, argv + 1, n);
        }
        plot_setup_finish(&job.setup);
    }
    return status;
}

const cmd cmd_plot = {
    .name = "plot",
    .summary = "Draw one or more profiles as a graph",
    .operands = "FILE...",
    .make_options = plot_options_table,
    .notes = plot_formats_print,
    .run = run,
};
