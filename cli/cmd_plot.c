/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot: a profile as a graph. Here is only what a command decides: which options the chart
 * gets, which format, and where the picture goes.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hprender/render.h"

#include "cmd.h"
#include "diag.h"
#include "exit.h"
#include "input.h"
#include "output.h"

/* What hp2ps sets its texts in; the system has it, or something of the same widths. */
#define CLASSIC_FAMILY "Helvetica"

enum { THEME_LIGHT, THEME_DARK };

typedef struct plot_values {
    const char *output;   /* NULL: named after the input */
    const char *format;   /* NULL: by the name of the output, else PDF */
    const char *font;     /* a family or a file; NULL: the default */
    int look;             /* hpr_look */
    int n_bands;          /* -1: as the look has it */
    double trace_percent; /* -1: as the look has it */
    int order;            /* index into order_names */
    bool reverse;
    double width_pt, height_pt; /* 0: as the look has it */
    double dpi;                 /* 0: as the back end has it */
    int theme;                  /* THEME_LIGHT or THEME_DARK */
    bool no_title, no_marks, si_units;
} plot_values;

static const char *const look_names[] = {
    [HPR_LOOK_MODERN] = "modern", [HPR_LOOK_CLASSIC] = "classic", NULL};
static const char *const order_names[] = {[HPR_ORDER_DEFAULT] = "default",
                                          [HPR_ORDER_WIGGLE] = "wiggle",
                                          [HPR_ORDER_SUM] = "sum",
                                          [HPR_ORDER_AREA] = "area",
                                          [HPR_ORDER_STDDEV] = "stddev",
                                          [HPR_ORDER_NAME] = "name",
                                          NULL};
static const char *const theme_names[] = {[THEME_LIGHT] = "light", [THEME_DARK] = "dark", NULL};

#define AT(member) offsetof(plot_values, member)
static const opt plot_options[] = {
    {'o', "output", OPT_TEXT, AT(output), "FILE",
     "write to FILE, - being standard output (default: the name of the input, in the current "
     "directory)",
     NULL, 0, 0},
    {0, "format", OPT_TEXT, AT(format), "FORMAT",
     "one of those below (default: by the name of the output, else pdf)", NULL, 0, 0},
    {0, "look", OPT_CHOICE, AT(look), "LOOK", "modern (default), or classic: as hp2ps draws",
     look_names, 0, 0},
    {'m', "bands", OPT_INT, AT(n_bands), "N",
     "draw the N largest names, the rest as one band (default 15, classic 20; 0: all)", NULL, 0,
     INT_MAX},
    {'t', "trace", OPT_NUMBER, AT(trace_percent), "P",
     "no bands of their own for the smallest names that are P percent together (default 1)", NULL,
     0, 100},
    {0, "order", OPT_CHOICE, AT(order), "ORDER",
     "of the bands: wiggle (default), sum, area, stddev or name", order_names, 0, 0},
    {0, "reverse", OPT_FLAG, AT(reverse), NULL, "turn the order upside down", NULL, 0, 0},
    {0, "width", OPT_LENGTH, AT(width_pt), "LENGTH",
     "of the picture: 12cm, 150mm, 6in or 400pt (default 9in)", NULL, 36, 14400},
    {0, "height", OPT_LENGTH, AT(height_pt), "LENGTH", "of the picture (default 6in)", NULL, 36,
     14400},
    {0, "dpi", OPT_NUMBER, AT(dpi), "N", "pixels per inch of a PNG (default 144)", NULL, 10, 2400},
    {0, "font", OPT_TEXT, AT(font), "FONT", "a font family, or the path of a font file", NULL, 0,
     0},
    {0, "theme", OPT_CHOICE, AT(theme), "THEME", "light (default) or dark", theme_names, 0, 0},
    {0, "si", OPT_FLAG, AT(si_units), NULL, "kB = 1000 bytes instead of KiB = 1024", NULL, 0, 0},
    {0, "no-title", OPT_FLAG, AT(no_title), NULL, "leave program and date out", NULL, 0, 0},
    {'y', "no-marks", OPT_FLAG, AT(no_marks), NULL, "leave the marks out", NULL, 0, 0},
    {0, NULL, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};
#undef AT

static void print_formats(FILE *to)
{
    fputs("Formats:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        fprintf(to, "  %-5s %s\n", (*b)->name, (*b)->summary);
    }
}

static hpr_options chart_options(const plot_values *values)
{
    hpr_options options = hpr_options_default((hpr_look)values->look);
    options.order = (hpr_order)values->order;
    options.reverse = values->reverse;
    options.n_bands = values->n_bands >= 0 ? values->n_bands : options.n_bands;
    options.trace_percent =
        values->trace_percent >= 0 ? values->trace_percent : options.trace_percent;
    options.width_pt = values->width_pt;
    options.height_pt = values->height_pt;
    options.no_title = values->no_title;
    options.no_marks = values->no_marks;
    options.classic.no_marks = values->no_marks;
    options.si_units = values->si_units;
    options.dark = values->theme == THEME_DARK;
    return options;
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

/* An option that was given and that the look or the format does not have, or NULL. */
static const char *find_misfit(const plot_values *v, const hpr_backend *backend)
{
    bool is_classic = v->look == HPR_LOOK_CLASSIC;
    if (v->dpi > 0 && strcmp(backend->name, "png") != 0) {
        return "--dpi is for png";
    }
    if (is_classic && (v->width_pt > 0 || v->height_pt > 0)) {
        return "the classic look has one size: no --width and --height";
    }
    if (is_classic && (v->order == HPR_ORDER_WIGGLE || v->order == HPR_ORDER_AREA)) {
        return "the classic look is ordered by sum, stddev or name";
    }
    if (is_classic && (v->no_title || v->si_units || v->theme != THEME_LIGHT)) {
        return "--no-title, --si and --theme are for the modern look";
    }
    return NULL;
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

/* What --font names is a file if there is one, or if it is written like one; else a family. */
static hpr_fonts *open_fonts(const plot_values *values)
{
    const char *font = values->font;
    if (font && (strchr(font, '/') || access(font, R_OK) == 0)) {
        return hpr_fonts_create(NULL, font);
    }
    return hpr_fonts_create(font                               ? font
                            : values->look == HPR_LOOK_CLASSIC ? CLASSIC_FAMILY
                                                               : NULL,
                            NULL);
}

/* Says why a drawing failed: the output, the input, or neither. */
static void explain(const input *in, hpf_sink *sink, const char *output_name, const hpf_error *err)
{
    hpf_error written;
    if (hpf_sink_flush(sink, &written) != HPF_OK) {
        diag_error(output_name, &written);
    } else if (err->line > 0 || err->status == HPF_ERR_IO) {
        diag_input(in->name, in->source, err);
    } else {
        diag_say("%s", err->message);
    }
}

/* Draws into the sink, which is finished and destroyed; NULL stands for no memory. */
static int draw(const input *in, const plot_values *values, const hpr_backend *backend,
                hpf_sink *sink, const char *output_name)
{
    if (!sink) {
        return output_close(NULL, output_name);
    }
    const hpr_options options = chart_options(values);
    hpf_error err;
    hpr_output output = {
        .dpi = values->dpi,
        .software = "heapcensus " CENSUS_VERSION,
        .fonts = open_fonts(values),
    };
    hpf_status status = output.fonts
                            ? hpr_render(in->survey, &options, backend, &output, sink, &err)
                            : hpf_error_set_memory(&err);
    hpr_fonts_destroy(output.fonts);
    if (status != HPF_OK) {
        explain(in, sink, output_name, &err);
        hpf_sink_destroy(sink);
        return EXIT_FAILED;
    }
    return output_close(sink, output_name);
}

static int draw_to_stdout(const input *in, const plot_values *values, const hpr_backend *backend)
{
    return draw(in, values, backend, hpf_sink_to_fd(STDOUT_FILENO), "standard output");
}

static int draw_to_file(const input *in, const plot_values *values, const hpr_backend *backend,
                        const char *path)
{
    hpf_error err;
    hpf_sink *sink = hpf_sink_to_path(path, &err);
    if (!sink) {
        diag_error(path, &err);
        return EXIT_FAILED;
    }
    int status = draw(in, values, backend, sink, path);
    if (status == EXIT_DONE && isatty(STDOUT_FILENO)) {
        puts(path);
    }
    return status;
}

/* All that follows from good options and one operand. */
static int plot(const cmd *self, const plot_values *values, const char *path)
{
    const hpr_backend *backend = choose_backend(self, values);
    if (!backend) {
        return EXIT_MISUSED;
    }
    const char *misfit = find_misfit(values, backend);
    if (misfit) {
        return cmd_misused(self, "%s", misfit);
    }
    bool is_filter = values->output ? strcmp(values->output, "-") == 0 : strcmp(path, "-") == 0;
    if (is_filter && isatty(STDOUT_FILENO)) {
        return cmd_misused(self, "a picture is not for a terminal: give it a file with -o");
    }
    char *named = values->output || is_filter ? NULL : default_output(path, backend->extension);
    const char *output = values->output ? values->output : named;
    int status = EXIT_FAILED;
    input in;
    if (!is_filter && !output) {
        diag_say("out of memory");
    } else if (!is_filter && is_same_file(path, output)) {
        status = cmd_misused(self, "'%s' is the profile itself", output);
    } else if (input_open(&in, path)) {
        status = is_filter ? draw_to_stdout(&in, values, backend)
                           : draw_to_file(&in, values, backend, output);
        input_close(&in);
    }
    free(named);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    plot_values values = {.n_bands = -1, .trace_percent = -1};
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
