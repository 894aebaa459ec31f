/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading, laying out, writing.
 */
#include "plot_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "exit.h"
#include "output.h"
#include "overlay.h"
#include "paper.h"
#include "picture.h"
#include "plot_html.h"
#include "retainers.h"

/* What hp2ps sets its texts in; the system has it, or something of the same widths. */
#define CLASSIC_FAMILY "Helvetica"

static hpr_fonts *open_fonts(const plot_values *values)
{
    return picture_fonts(values->font, values->look == HPR_LOOK_CLASSIC ? CLASSIC_FAMILY : NULL);
}

/* --- writing -------------------------------------------------------------------------------- */

/* hpr_write or hpr_write_legend; NULL: a page. */
typedef hpf_status write_function(const hpr_chart *chart, const hpr_options *options,
                                  const hpr_backend *backend, const hpr_output *output,
                                  hpf_sink *sink, hpf_error *err);

static int write_to(const plot_job *j, const char *path, write_function *write)
{
    hpf_error err;
    const char *name;
    const hpr_output output = {
        .dpi = j->values->dpi, .software = "heapcensus " CENSUS_VERSION, .fonts = j->fonts};
    hpf_sink *sink = output_open(path, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf_status written = write ? write(j->chart, &j->options, j->backend, &output, sink, &err)
                               : plot_html_write(&j->in, 1, &j->options, sink, &err);
    if (written != HPF_OK) {
        output_explain(&j->in, sink, name, &err);
        hpf_sink_destroy(sink);
        return EXIT_FAILED;
    }
    int status = output_close(sink, name);
    if (status == EXIT_DONE && path && isatty(STDOUT_FILENO) && !j->values->latex) {
        puts(path);
    }
    return status;
}

/* "dir/run.pdf": "dir/run-legend.pdf". The caller frees it; NULL without memory. */
static char *legend_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    size_t room = strlen(path) + sizeof "-legend";
    char *name = malloc(room);
    if (name) {
        snprintf(name, room, "%.*s-legend%s", (int)stem, path, path + stem);
    }
    return name;
}

static int write_legend(const plot_job *j)
{
    char *path = legend_path(j->output);
    if (!path) {
        diag_say("out of memory");
        return EXIT_FAILED;
    }
    int status = write_to(j, path, hpr_write_legend);
    free(path);
    return status;
}

static int print_latex(const plot_job *j)
{
    if (!paper_print_latex(j->output, j->backend, paper_of(j->values->paper), j->chart,
                           j->options.si_units)) {
        diag_say("out of memory");
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int write_all(const plot_job *j)
{
    int status = write_to(j, j->output, hpr_write);
    if (status == EXIT_DONE && j->options.legend == HPR_LEGEND_SEPARATE) {
        status = write_legend(j);
    }
    return status == EXIT_DONE && j->values->latex ? print_latex(j) : status;
}

/* --- reading -------------------------------------------------------------------------------- */

static bool open_input(plot_job *j, const char *path)
{
    const hpf_survey_options limits = {
        .max_picks = j->backend == &plot_html ? PLOT_HTML_MOST_SAMPLES : 0,
        .has_window = true,
        .from_time = j->values->from_time,
        .to_time = j->values->to_time,
        .is_wanted = j->values->match || j->values->exclude ? name_filter_keeps : NULL,
        .is_wanted_context = &j->filter,
    };
    return input_open_limited(&j->in, path, &limits);
}

static bool read_lists(plot_job *j)
{
    if (!name_list_read(&j->order, j->values->order_file) ||
        !colour_list_read(&j->colours, j->values->colours)) {
        return false;
    }
    j->options.order_names = j->order.names;
    j->options.n_order_names = j->order.n;
    j->options.pins = j->colours.pins;
    j->options.n_pins = j->colours.n;
    return true;
}

/* What lies beside the profile. The classic look knows nothing of it. */
static bool read_beside(plot_job *j)
{
    return overlay_read(&j->in, j->values, &j->options, &j->overlay) &&
           (j->values->look == HPR_LOOK_CLASSIC || retainers_read(&j->in, j->values->sets));
}

/* False after a message. */
static bool lay_out(plot_job *j)
{
    hpf_error err;
    j->fonts = open_fonts(j->values);
    hpf_status status = j->fonts
                            ? hpr_chart_create(&j->chart, j->in.survey, &j->options,
                                               hpr_fonts_measurer_for(j->fonts, j->backend), &err)
                            : hpf_error_set_memory(&err);
    if (status != HPF_OK) {
        diag_input(j->in.name, j->in.source, &err);
    }
    return status == HPF_OK;
}

int plot_job_run(plot_job *j, const char *path)
{
    int status = EXIT_FAILED;
    if (read_lists(j) && open_input(j, path)) {
        bool is_ready = read_beside(j);
        if (is_ready && j->backend == &plot_html) {
            status = write_to(j, j->output, NULL);
        } else if (is_ready && lay_out(j)) {
            status = write_all(j);
        }
        input_close(&j->in);
    }
    hpr_chart_destroy(j->chart);
    hpr_fonts_destroy(j->fonts);
    name_list_finish(&j->order);
    name_list_finish(&j->overlay);
    colour_list_finish(&j->colours);
    return status;
}
