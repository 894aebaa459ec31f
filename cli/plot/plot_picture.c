/* SPDX-License-Identifier: BSD-2-Clause */
#include "plot_picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hprender/describe.h"

#include "diag.h"
#include "font_choice.h"
#include "output.h"
#include "path.h"

const char *const figure_preset_names[] = {"none",      "acm",  "acm-wide", "acmsmall", "ieee",
                                           "ieee-wide", "lncs", "usenix",   "slide",    NULL};

/* Widths are in points as the classes print them with \the\columnwidth and \the\textwidth. Three
 * figures fit in a column, and text has the size of captions. */
static const figure_preset presets[] = {
    {0, 0, 0, "\\linewidth"},       {241.1, 150, 7, "\\columnwidth"}, /* acmart sigconf, sigplan */
    {506.3, 190, 8, "\\textwidth"}, {395.8, 190, 8, "\\textwidth"},   /* acmart acmsmall */
    {252, 155, 7, "\\columnwidth"},                                   /* IEEEtran */
    {516, 190, 8, "\\textwidth"},   {347.1, 180, 8, "\\textwidth"},   /* llncs */
    {241, 150, 7, "\\columnwidth"}, {398, 210, 8, "\\textwidth"},     /* beamer, 16:9 */
};

const figure_preset *figure_preset_of(int index)
{
    return &presets[index];
}

static hpf_status write_picture(const plot_picture *p, const void *context,
                                const hpr_output *output, hpf_sink *sink, hpf_error *err)
{
    (void)context;
    return p->page ? hpr_page_write(p->page, p->options, p->backend, output, sink, err)
                   : hpr_write(p->chart, p->options, p->backend, output, sink, err);
}

int plot_picture_write_to(const plot_picture *p, const char *path, plot_picture_function *write,
                          const void *context)
{
    hpf_error err;
    const char *name;
    const hpr_output output = font_choice_output(p->fonts, p->dpi);
    hpf_sink *sink = output_open(path, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    if (write(p, context, &output, sink, &err) != HPF_OK) {
        output_explain(p->in, sink, name, &err);
        hpf_sink_destroy(sink);
        return EXIT_FAILED;
    }
    int status = output_close(sink, name);
    if (status == EXIT_DONE && path && isatty(STDOUT_FILENO) && !p->latex) {
        diag_print(stdout, "%s", path);
    }
    return status;
}

static int print_latex(const plot_picture *p)
{
    bool si_units = p->options->si_units;
    hpf_sink *words = hpf_sink_to_memory();
    if (!words) {
        diag_say("out of memory");
        return EXIT_FAILED;
    }
    if (p->page) {
        hpr_describe_page_for_tex(words, p->page, si_units);
    } else {
        hpr_describe_for_tex(words, p->chart, si_units);
    }
    if (p->backend->has_foreign_fonts) { /* TeX source */
        diag_print(stdout, "\\input{%s}", p->path);
    } else {
        diag_print(stdout, "\\includegraphics[width=%s]{%s}", presets[p->preset].tex_width,
                   p->path);
    }
    /* Only acmart has the command. */
    hpf_str text = hpf_sink_bytes(words);
    diag_print(stdout, "\\ifdefined\\Description\\Description{%.*s}\\fi", (int)text.length,
               text.data);
    hpf_sink_destroy(words);
    return EXIT_DONE;
}

int plot_picture_write(const plot_picture *p)
{
    int status = plot_picture_write_to(p, p->path, write_picture, NULL);
    return status == EXIT_DONE && p->latex ? print_latex(p) : status;
}
