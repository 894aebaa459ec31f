/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: a profile as a graph. Here is only what a command decides: which options the chart
 * gets, which format, and where the picture goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "colour_list.h"
#include "diag.h"
#include "exit.h"
#include "input.h"
#include "name_filter.h"
#include "name_list.h"
#include "output.h"
#include "picture.h"
#include "paper.h"
#include "plot_options.h"

/* What hp2ps sets its texts in; the system has it, or something of the same widths. */
#define CLASSIC_FAMILY "Helvetica"

static void print_formats(FILE *to)
{
    fputs("Formats:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        fprintf(to, "  %-8s %s\n", (*b)->name, (*b)->summary);
    }
}

/* The back end that the command line asks for; NULL after a message. */
static const hpr_backend *choose_backend(const cmd *self, const plot_values *values)
{
    const hpr_backend *backend = NULL;
    if (values->format) {
        backend = hpr_backend_by_name(values->format);
        if (!backend) {
            cmd_misused(self, "unknown format '%s'", values->format);
        }
    } else if (values->output && strcmp(values->output, "-") != 0) {
        backend = hpr_backend_by_path(values->output);
        if (!backend) {
            cmd_misused(self, "the name '%s' tells no format: use --format", values->output);
        }
    } else {
        backend = hpr_backend_by_name("pdf");
    }
    return backend;
}

static bool drop_suffix(char *name, const char *suffix)
{
    size_t length = strlen(name);
    size_t end = strlen(suffix);
    if (length <= end || strcmp(name + length - end, suffix) != 0) {
        return false;
    }
    name[length - end] = '\0';
    return true;
}

/* "dir/run.hp.gz" and PDF: "run.pdf". The caller frees it; NULL without memory. */
static char *default_output(const char *input_path, const char *extension)
{
    const char *slash = strrchr(input_path, '/');
    const char *base = slash ? slash + 1 : input_path;
    size_t room = strlen(base) + strlen(extension) + 2;
    char *name = malloc(room);
    if (name) {
        memcpy(name, base, strlen(base) + 1);
        if (!drop_suffix(name, ".gz") && !drop_suffix(name, ".xz")) {
            drop_suffix(name, ".zst");
        }
        drop_suffix(name, ".hp");
        size_t length = strlen(name);
        snprintf(name + length, room - length, ".%s", extension);
    }
    return name;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

static hpr_fonts *open_fonts(const plot_values *values)
{
    return picture_fonts(values->font, values->look == HPR_LOOK_CLASSIC ? CLASSIC_FAMILY : NULL);
}

/* A picture to be drawn. */
typedef struct job {
    const plot_values *values;
    const hpr_backend *backend;
    hpr_options options;
    name_filter filter;
    name_list order; /* of --order-file */
    colour_list colours;
    input in;
    const char *output; /* NULL: standard output */
} job;

/* Draws into the sink, which is finished and destroyed; NULL stands for no memory. */
static int draw_into(const job *j, hpf_sink *sink, const char *output_name)
{
    if (!sink) {
        return output_close(NULL, output_name);
    }
    hpf_error err;
    hpr_output output = {
        .dpi = j->values->dpi,
        .software = "heapcensus " CENSUS_VERSION,
        .fonts = open_fonts(j->values),
    };
    hpf_status status = output.fonts
                            ? hpr_render(j->in.survey, &j->options, j->backend, &output, sink, &err)
                            : hpf_error_set_memory(&err);
    hpr_fonts_destroy(output.fonts);
    if (status != HPF_OK) {
        output_explain(&j->in, sink, output_name, &err);
        hpf_sink_destroy(sink);
        return EXIT_FAILED;
    }
    return output_close(sink, output_name);
}

static int draw(const job *j)
{
    hpf_error err;
    if (!j->output) {
        return draw_into(j, hpf_sink_to_fd(STDOUT_FILENO), "standard output");
    }
    hpf_sink *sink = hpf_sink_to_path(j->output, &err);
    if (!sink) {
        diag_error(j->output, &err);
        return EXIT_FAILED;
    }
    int status = draw_into(j, sink, j->output);
    if (status == EXIT_DONE && isatty(STDOUT_FILENO) && !j->values->latex) {
        puts(j->output);
    }
    return status;
}

/* The chart is made once more, for what can be said about it. */
static int print_latex(const job *j)
{
    hpf_error err;
    hpr_chart *chart = NULL;
    hpr_fonts *fonts = open_fonts(j->values);
    hpf_status status =
        fonts ? hpr_chart_create(&chart, j->in.survey, &j->options, hpr_fonts_measurer(fonts), &err)
              : hpf_error_set_memory(&err);
    if (status == HPF_OK && !paper_print_latex(j->output, j->backend, paper_of(j->values->paper),
                                               chart, j->options.si_units)) {
        status = hpf_error_set_memory(&err);
    }
    hpr_chart_destroy(chart);
    hpr_fonts_destroy(fonts);
    if (status != HPF_OK) {
        diag_say("%s", err.message);
    }
    return status == HPF_OK ? EXIT_DONE : EXIT_FAILED;
}

/* Reads what the drawing needs, and draws. */
static int read_and_draw(job *j, const char *path)
{
    int status = EXIT_FAILED;
    if (!name_list_read(&j->order, j->values->order_file)) {
        return EXIT_FAILED;
    }
    if (!colour_list_read(&j->colours, j->values->colours)) {
        name_list_finish(&j->order);
        return EXIT_FAILED;
    }
    j->options.order_names = j->order.names;
    j->options.n_order_names = j->order.n;
    j->options.pins = j->colours.pins;
    j->options.n_pins = j->colours.n;
    const hpf_survey_options limits = {
        .has_window = true,
        .from_time = j->values->from_time,
        .to_time = j->values->to_time,
        .is_wanted = j->values->match || j->values->exclude ? name_filter_keeps : NULL,
        .is_wanted_context = &j->filter,
    };
    if (input_open_limited(&j->in, path, &limits)) {
        status = draw(j);
        status = status == EXIT_DONE && j->values->latex ? print_latex(j) : status;
        input_close(&j->in);
    }
    name_list_finish(&j->order);
    colour_list_finish(&j->colours);
    return status;
}

/* All that follows from good options and one operand. */
static int plot(const cmd *self, const plot_values *values, const char *path)
{
    const hpr_backend *backend = choose_backend(self, values);
    if (!backend) {
        return EXIT_MISUSED;
    }
    const char *misfit = plot_options_misfit(values, backend);
    if (misfit) {
        return cmd_misused(self, "%s", misfit);
    }
    bool is_filter = values->output ? strcmp(values->output, "-") == 0 : strcmp(path, "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "a picture is not for a terminal: give it a file with -o");
    }
    char *named = values->output || is_filter ? NULL : default_output(path, backend->extension);
    char complaint[200];
    job j = {.values = values, .backend = backend};
    j.output = is_filter ? NULL : values->output ? values->output : named;
    int status = EXIT_FAILED;
    bool has_filter =
        name_filter_init(&j.filter, values->match, values->exclude, complaint, sizeof complaint);
    if (!has_filter) {
        status = cmd_misused(self, "%s", complaint);
    } else if (!plot_options_chart(&j.options, values)) {
        status = cmd_misused(self, "--group-by takes module, type, package or prefix:N, not '%s'",
                             values->group);
    } else if (!is_filter && !j.output) {
        diag_say("out of memory");
    } else if (!is_filter && is_same_file(path, j.output)) {
        status = cmd_misused(self, "'%s' is the profile itself", j.output);
    } else {
        status = read_and_draw(&j, path);
    }
    name_filter_finish(&j.filter);
    free(named);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    plot_values values = plot_options_default();
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2) {
        return cmd_misused(self, "which profile? (- is standard input)");
    }
    if (argc > 2) {
        return cmd_misused(self, "one profile at a time; several in one picture are not supported");
    }
    return plot(self, &values, argv[1]);
}

const cmd cmd_plot = {
    .name = "plot",
    .summary = "Draw a profile as a graph",
    .operands = "FILE",
    .options = plot_options,
    .notes = print_formats,
    .run = run,
};
