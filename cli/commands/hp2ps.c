/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census hp2ps, and the program under the name hp2ps. Flags, names of files and results are those
 * of hp2ps, but existing files are replaced only after all of the run has succeeded.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hprender/render.h"

#include "cmd.h"
#include "diag.h"
#include "hp2ps_flags.h"
#include "input.h"
#include "output.h"
#include "font_choice.h"
#include "path.h"

/* Most samples in data formats; pictures use the default of the survey, which is finer than their
 * curves. */
#define MAX_DATA_POINTS 100000

/* Files of a run; the texts are owned. */
typedef struct run_files {
    char *input;   /* NULL: standard input */
    char *picture; /* NULL: standard output */
    char *aux;     /* NULL: none */
} run_files;

/* Prints the usage, which hp2ps prints on every error. */
static void print_flags(FILE *to, const char *program)
{
    fprintf(to, "usage: %s [-b] [-c] [-d] [-eW] [-g] [-i[+|-]] [-l] [-M] [-mN] [-p] [-s] [-tP] ",
            program);
    fputs("[-y] [FILE[.hp]]\n"
          "  -b    big title box\n"
          "  -d    order bands by standard deviation\n"
          "  -eW   encapsulated PostScript of width W, in points, in or mm (more than 2in)\n"
          "  -g    portrait page, for previewers\n"
          "  -i    order bands by name, last on top (also -i+); -i-: first on top\n"
          "  -M    legend on separate pages, before the graph\n"
          "  -mN   at most N bands (default 20; more than 20 imply -M)\n"
          "        -m0, -l: no limit, and no legend\n"
          "  -p    use ranges, order and shades from FILE.aux, written by the last run\n"
          "  -s    small title box\n"
          "  -tP   drop the smallest names that together are less than P percent (default 1, "
          "at most 5)\n"
          "  -y    no marks\n"
          "  -c    colours instead of greys\n",
          to);
}

static void print_help(FILE *to)
{
    print_flags(to, "census hp2ps");
    fputs("\nReads FILE.hp, and writes FILE.ps and FILE.aux to the current directory. Without "
          "FILE, reads\n"
          "standard input and writes standard output. Arguments must be attached to their flag.\n"
          "\n"
          "  --format FMT  write FILE.FMT instead, in one of these formats:\n",
          to);
    for (const hpr_backend *const *backend = hpr_backends(); *backend; backend++) {
        if ((*backend)->write) {
            fprintf(to, "                  %-5s %s\n", (*backend)->name, (*backend)->summary);
        }
    }
    fputs("  --help        print this help\n", to);
}

/* Returns FILE without ".hp"; NULL without memory. */
static char *stem_of(const char *file)
{
    size_t length = strlen(file);

    if (length >= 3 && strcmp(file + length - 3, ".hp") == 0) {
        length -= 3;
    }
    return strndup(file, length);
}

static char *with_suffix(const char *stem, const char *suffix)
{
    size_t length = strlen(stem) + strlen(suffix) + 2;
    char *name = malloc(length);

    if (name) {
        snprintf(name, length, "%s.%s", stem, suffix);
    }
    return name;
}

/* Derives names of files; all are NULL for a filter. Returns false without memory. */
static bool name_files(run_files *out, const hp2ps_flags *flags)
{
    char *stem = flags->file ? stem_of(flags->file) : NULL;

    *out = (run_files){.input = NULL};
    if (stem) {
        out->input = with_suffix(stem, "hp");
        out->picture = with_suffix(path_base(stem), flags->format ? flags->format : "ps");
        out->aux = with_suffix(path_base(stem), "aux");
    }
    free(stem);
    return !flags->file || (out->input && out->picture && out->aux);
}

/* Reads the whole source into a sink. */
static hpf_status gather(hpf_source *source, hpf_sink *into, hpf_error *err)
{
    hpf_str piece;
    hpf_status status;

    while ((status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        hpf_sink_str(into, piece);
    }
    return status == HPF_END ? hpf_sink_flush(into, err) : status;
}

/* Reads the .aux file of the last run. Returns NULL after a message. */
static hpr_auxfile *read_aux(const char *path)
{
    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_source *source = NULL;
    hpf_sink *text = hpf_sink_to_memory();
    hpr_auxfile *aux = NULL;
    hpf_error err;
    hpf_status status =
        text ? hpf_source_open(&source, path, &keeping, &err) : hpf_error_set_memory(&err);

    if (status == HPF_OK) {
        status = gather(source, text, &err);
    }
    if (status == HPF_OK) {
        status = hpr_auxfile_parse(&aux, hpf_sink_bytes(text), &err);
    }
    if (status != HPF_OK) {
        diag_input(path, source, &err);
    }
    hpf_sink_destroy(text);
    hpf_source_destroy(source);
    return aux;
}

static hpf_status draw(const hpr_chart *chart, const hpr_options *options,
                       const hpr_backend *backend, hpf_sink *sink, hpf_error *err)
{
    hpr_fonts *fonts = NULL;
    hpf_status status = backend->is_graphical ? hpr_fonts_create(&fonts, NULL, NULL, err) : HPF_OK;

    if (status == HPF_OK) {
        hpr_output output = font_choice_output(fonts, 0);

        status = hpr_write(chart, options, backend, &output, sink, err);
        hpr_fonts_destroy(fonts);
    }
    return status;
}

static bool write_aux(const hpr_chart *chart, hpf_sink *sink, const char *path)
{
    hpf_error err;

    hpr_auxfile_write(chart, sink);
    if (hpf_sink_flush(sink, &err) != HPF_OK) {
        diag_error(path, &err);
        return false;
    }
    return true;
}

/* Writes both files completely before it replaces either. The picture is replaced first, because a
 * new .aux file with an old picture would mislead the next run. */
static int write_files(const hpr_chart *chart, const hpr_options *options,
                       const hpr_backend *backend, const run_files *files)
{
    const char *name, *aux_name;
    hpf_sink *picture = output_open(files->picture, &name);
    hpf_sink *aux = picture && files->aux ? output_open(files->aux, &aux_name) : NULL;
    hpf_error err;
    int status = EXIT_FAILED;

    if (!picture || (files->aux && !aux)) {
        hpf_sink_destroy(picture);
        return EXIT_FAILED;
    }
    if (draw(chart, options, backend, picture, &err) != HPF_OK) {
        diag_error(name, &err);
    } else if (!aux || write_aux(chart, aux, aux_name)) {
        status = output_close(picture, name);
        picture = NULL;
    }
    if (status == EXIT_DONE && aux) {
        status = output_close(aux, aux_name);
        aux = NULL;
    }
    hpf_sink_destroy(picture);
    hpf_sink_destroy(aux);
    return status;
}

static int plot(hp2ps_flags *flags, const hpr_backend *backend, const run_files *files,
                const input *in)
{
    bool reuse = flags->reuse && files->aux;
    hpr_auxfile *previous = reuse ? read_aux(files->aux) : NULL;
    hpr_measurer none = {.measure = NULL};
    hpr_chart *chart = NULL;
    hpf_error err;
    int status = EXIT_FAILED;

    if (reuse && !previous) {
        return EXIT_FAILED;
    }
    flags->options.classic.previous = previous;
    if (hpr_chart_create(&chart, in->survey, &flags->options, none, &err) == HPF_OK) {
        status = write_files(chart, &flags->options, backend, files);
    } else {
        diag_input(in->name, in->source, &err);
    }
    hpr_chart_destroy(chart);
    hpr_auxfile_destroy(previous);
    return status;
}

static int plot_named(hp2ps_flags *flags, const hpr_backend *backend)
{
    bool writes_all_data = !backend->is_graphical && backend->most_points == 0;
    size_t max_points = writes_all_data ? MAX_DATA_POINTS : 0;
    run_files files;
    input in;
    int status = EXIT_FAILED;

    if (!name_files(&files, flags)) {
        diag_say("out of memory");
    } else if (input_open_fine(&in, files.input ? files.input : "-", max_points)) {
        status = plot(flags, backend, &files, &in);
        input_close(&in);
    }
    free(files.input);
    free(files.picture);
    free(files.aux);
    return status;
}

static const hpr_backend *backend_of(const hp2ps_flags *flags)
{
    const hpr_backend *backend = hpr_backend_by_name(flags->format ? flags->format : "ps");
    return backend && backend->write ? backend : NULL;
}

static int run(const cmd *self, int argc, char **argv)
{
    hp2ps_flags flags;
    const char *wrong = hp2ps_flags_parse(&flags, argc, argv);

    if (wrong &&
        (strcmp(wrong, "--help") == 0 || strcmp(wrong, "-?") == 0 || strcmp(wrong, "-h") == 0)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (wrong) {
        return cmd_misused(self, "invalid flag '%s'", wrong);
    }
    const hpr_backend *backend = backend_of(&flags);
    if (!backend) {
        return cmd_misused(self, "unknown format '%s'", flags.format);
    }
    return plot_named(&flags, backend);
}

static int run_as_program(const cmd *self, int argc, char **argv)
{
    hp2ps_flags flags;
    const char *wrong = hp2ps_flags_parse(&flags, argc, argv);
    const hpr_backend *backend = wrong ? NULL : backend_of(&flags);

    (void)self;
    if (!backend) {
        diag_print(stdout, "error: %s", wrong ? wrong : flags.format);
        print_flags(stdout, path_base(argv[0]));
        return EXIT_DONE;
    }
    return plot_named(&flags, backend);
}

const cmd cmd_hp2ps = {
    .name = "hp2ps",
    .group = "As the programs of GHC",
    .summary = "Draw a profile like hp2ps, with the same flags",
    .operands = "[FILE[.hp]]",
    .run = run,
    .run_as_program = run_as_program,
};
