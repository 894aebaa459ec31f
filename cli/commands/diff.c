/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census diff: compares two profiles, as a table, as a graph or on a page.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/diff.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/str.h"
#include "hprender/diff.h"

#include "plot/overlay.h"
#include "plot/plot_picture.h"
#include "plot/plot_snapshot.h"
#include "source/source_lines.h"
#include "bins/bins_report.h"
#include "dominators/dominators_report.h"
#include "cmd.h"
#include "diag.h"
#include "hpfile/survey.h"
#include "options/suggest.h"
#include "diff_table.h"
#include "plot/time_window.h"
#include "output.h"
#include "gate/gate.h"
#include "path.h"
#include "font_choice.h"
#include "plot/plot_options.h"
#include "unit_format.h"

/* How the times of both are compared: the values of hpf_align, and samples of equal number. */
enum { ALIGN_SAMPLE = HPF_ALIGN_TIME + 1 };

typedef struct diff_values {
    const char *output; /* NULL: standard output */
    const char *format; /* NULL: from the name of the output, else text */
    int measure;        /* hpf_diff_measure; -1: none was given */
    int n_bands;        /* -1: default of the format */
    bool exact;
    stack_options stacks;
    time_window window;
    int align; /* for graphs and pages, as all below */
    double width_pt, height_pt;
    double dpi;
    const char *font;
    int theme; /* hpr_theme */
    bool si_units, no_title, print, latex;
    int preset;         /* index into figure_preset_names */
    int legend;         /* hpr_legend */
    const char *source; /* of pages: folder of the text of B, or NULL */
    input_options input;
    gate_options gate_options;
    gate *gate; /* NULL: no rules */
} diff_values;

/* A table or a graph; the other is NULL. */
typedef struct target {
    void (*table)(hpf_sink *sink, const diff_table *t);
    const hpr_backend *graph;
} target;

/* Table formats, in the order of table_format. */
static const struct diff_format {
    const char *name, *extension;
    void (*write)(hpf_sink *sink, const diff_table *t);
} tables[] = {
    {"text", "txt", diff_table_text},
    {"json", "json", diff_table_json},
    {"csv", "csv", diff_table_csv},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

static const char *const measure_names[] = {
    [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end", NULL};
static const char *const align_names[] = {
    [HPF_ALIGN_AUTO] = "auto", [HPF_ALIGN_MARKS] = "marks", [HPF_ALIGN_SHARE] = "share",
    [HPF_ALIGN_TIME] = "time", [ALIGN_SAMPLE] = "sample",   NULL};

static const char *format_names[32]; /* ends with NULL */

#define AT(member) offsetof(diff_values, member)
static const opt diff_options[] = {
    OPT_HEADING("Output"),
    OPT('o', "output", OPT_TEXT, AT(output), "FILE",
        "write to FILE (default or -: standard output)"),
    OPT(0, "format", OPT_TEXT, AT(format), "FORMAT",
        "output format, see below (default: from the name of the output, else text)",
        .choices = format_names),
    OPT(0, "bytes", OPT_FLAG, AT(exact), NULL, "table: print exact numbers instead of MiB and ms"),
    OPT(0, "for", OPT_CHOICE, AT(preset), "PAPER",
        "graph: use the width, height and text size of a publication, as in census plot; omits the "
        "title",
        .choices = figure_preset_names),
    OPT(0, "print", OPT_FLAG, AT(print), NULL,
        "graph: draw in black and white, with greys and hatches (--theme print)"),
    OPT_HEADING("What is compared"),
    OPT('m', "bands", OPT_INT, AT(n_bands), "N",
        "show the N largest differences, and the rest as one (default 10, in graphs 12; 0 shows "
        "all)",
        .high = INT_MAX),
    OPT(0, "order", OPT_CHOICE, AT(measure), "ORDER",
        "table: order by the difference of the mean (default), at the peak or at the end",
        .choices = measure_names),
    OPT(0, "align", OPT_CHOICE, AT(align), "HOW",
        "graph, page: compare at equal marks (default if both have some), equal share of the run "
        "(default else), equal time, or equal number of the sample",
        .choices = align_names),
    TIME_WINDOW_OPTIONS(AT(window), "compare",
                        "; one profile alone is compared with what it was then"),
    STACK_PART(AT(stacks.part)),
    STACK_FUNCTIONS(AT(stacks)),
    OPT(0, "source", OPT_TEXT, AT(source), "DIR",
        "page: show the text of the program of B around the lines of its stacks from the files "
        "below DIR (default: from the files that B names)"),
    OPT_HEADING("Automatic tests"),
    GATE_OPTIONS(AT(gate_options),
                 "exit with 3 if the change exceeds RULE, such as '+5%', 'peak +10M' or "
                 "'band:REGEX.mean +5%'; can be repeated"),
    OPT_RARE_HEADING("Graphs"),
    OPT(0, "width", OPT_LENGTH, AT(width_pt), "LENGTH",
        "graph: width, such as 12cm, 150mm, 6in or 400pt (default 9in)", .low = 36, .high = 14400),
    OPT(0, "height", OPT_LENGTH, AT(height_pt), "LENGTH", "graph: height (default 6in)", .low = 36,
        .high = 14400),
    OPT(0, "dpi", OPT_NUMBER, AT(dpi), "N", "graph: resolution of PNG output (default 144)",
        .low = 10, .high = 2400),
    OPT(0, "font", OPT_TEXT, AT(font), "FONT", "graph: font family or font file"),
    OPT(0, "theme", OPT_CHOICE, AT(theme), "THEME",
        "graph: auto (default: light), light, dark, print or slide", .choices = hpr_theme_names),
    OPT(0, "legend", OPT_CHOICE, AT(legend), "PLACE", "graph: auto (default), right, below or none",
        .choices = plot_legend_names),
    OPT(0, "latex", OPT_FLAG, AT(latex), NULL,
        "graph: print the LaTeX line that includes the picture, and a description"),
    OPT(0, "si", OPT_FLAG, AT(si_units), NULL,
        "graph: use kB (1000 bytes) instead of KiB (1024 bytes)"),
    OPT(0, "no-title", OPT_FLAG, AT(no_title), NULL, "graph: leave out the names of the profiles"),
    OPT_RARE_HEADING("Other"),
    STACK_DEPTH(AT(stacks.depth)),
    STACK_SKIP(AT(stacks)),
    INPUT_PROCESS(AT(input.process)),
    INPUT_OPTIONS(AT(input)),
    {.name = NULL},
};
#undef AT

static bool draws_differences(const hpr_backend *b)
{
    return b->is_graphical || b->write_profiles;
}

static const opt *all_options(void)
{
    size_t n = 0, most = sizeof format_names / sizeof *format_names - 1;
    for (; n < N_TABLES; n++) {
        format_names[n] = tables[n].name;
    }
    for (const hpr_backend *const *b = hpr_backends(); *b && n < most; b++) {
        if (draws_differences(*b)) {
            format_names[n++] = (*b)->name;
        }
    }
    return diff_options;
}

static void print_formats(FILE *to)
{
    fputs("Table formats: text, json, csv. Graphs, and pages of call stacks:\n", to);
    for (const hpr_backend *const *b = hpr_backends(); *b; b++) {
        if (draws_differences(*b)) {
            fprintf(to, "  %-5s %s\n", (*b)->name, (*b)->summary);
        }
    }
}

/* ---- Output format ---- */

/* Finds the format from --format or the name of the output. Returns false if it is unknown. */
static bool find_target(target *out, const diff_values *values)
{
    bool has_path = values->output && strcmp(values->output, "-") != 0;
    *out = (target){NULL, NULL};
    for (int i = 0; i < N_TABLES; i++) {
        bool is_it = values->format ? strcmp(values->format, tables[i].name) == 0
                     : has_path     ? path_has_extension(values->output, tables[i].extension)
                                    : i == 0;
        if (is_it) {
            out->table = tables[i].write;
            return true;
        }
    }
    out->graph =
        values->format ? hpr_backend_by_name(values->format) : hpr_backend_by_path(values->output);
    return out->graph && (out->graph->write || out->graph->write_profiles);
}

static bool is_page(const target *to)
{
    return to->graph && to->graph->write_profiles;
}

/* Checks that a page has all options. Returns false with a message. */
static bool check_page(const diff_values *v, opt_complaint *complaint)
{
    const opt_given missing[] = {{"align sample", v->align == ALIGN_SAMPLE},
                                 {"width", v->width_pt > 0},
                                 {"height", v->height_pt > 0},
                                 {"font", v->font != NULL},
                                 {"theme print", v->theme == HPR_THEME_PRINT},
                                 {"theme slide", v->theme == HPR_THEME_SLIDE},
                                 {"for", v->preset != 0},
                                 {"print", v->print},
                                 {"latex", v->latex},
                                 {"legend", v->legend != HPR_LEGEND_AUTO},
                                 {"no-title", v->no_title},
                                 {"bands of more than 200", v->n_bands > 200},
                                 {NULL, false}};
    const char *given = opt_first_given(missing);
    return !given || opt_complain(complaint, "--%s cannot be used with HTML output", given);
}

/* Checks that the format has all options. Returns false with a message. */
static bool check_options(const diff_values *v, const target *to, opt_complaint *complaint)
{
    const opt_given of_graphs[] = {{"align", v->align != HPF_ALIGN_AUTO},
                                   {"width", v->width_pt > 0},
                                   {"height", v->height_pt > 0},
                                   {"dpi", v->dpi > 0},
                                   {"font", v->font != NULL},
                                   {"theme", v->theme != HPR_THEME_AUTO},
                                   {"si", v->si_units},
                                   {"no-title", v->no_title},
                                   {"for", v->preset != 0},
                                   {"print", v->print},
                                   {"latex", v->latex},
                                   {"legend", v->legend != HPR_LEGEND_AUTO},
                                   {NULL, false}};
    const opt_given of_tables[] = {{"bytes", v->exact}, {"order", v->measure >= 0}, {NULL, false}};
    const char *given = opt_first_given(to->table ? of_graphs : of_tables);
    bool is_filter = !v->output || strcmp(v->output, "-") == 0;
    if (given) {
        return opt_complain(complaint, "--%s cannot be used with a %s", given,
                            to->table ? "table" : "graph");
    }
    if ((is_page(to) && !check_page(v, complaint)) || !time_window_check(&v->window, complaint)) {
        return false;
    }
    if (v->source && !is_page(to)) {
        return opt_complain(complaint, "--source needs HTML output");
    }
    if (to->graph && v->dpi > 0 && !to->graph->px_per_pt) {
        return opt_complain(complaint, "--dpi can only be used with PNG output");
    }
    if (v->latex && is_filter) {
        return opt_complain(complaint, "--latex needs a picture in a file: use -o FILE");
    }
    if (to->graph && is_filter && isatty(STDOUT_FILENO)) {
        return opt_complain(complaint, "standard output is a terminal: use -o FILE");
    }
    return true;
}

/* ---- Writing ---- */

static void write_table(const input *inputs, hpf_diff *diff, const diff_values *values,
                        const target *to, hpf_sink *sink)
{
    uint32_t n_rows = hpf_diff_n_rows(diff);
    uint32_t most = values->n_bands < 0 ? 10 : (uint32_t)values->n_bands;
    const diff_table rows = {
        .inputs = inputs,
        .diff = diff,
        .n_rows = most > 0 && most < n_rows ? most : n_rows,
        .is_window = time_window_given(&values->window) != NULL,
        .exact = values->exact,
    };
    hpf_diff_sort(diff, (hpf_diff_measure)values->measure);
    to->table(sink, &rows);
}

/* Finds the names of the profiles, with directories only if they are equal without. */
static void find_names(const char *names[2], const input *inputs)
{
    names[0] = path_base(inputs[0].name);
    names[1] = path_base(inputs[1].name);
    if (strcmp(names[0], names[1]) == 0) {
        names[0] = inputs[0].name;
        names[1] = inputs[1].name;
    }
}

/* Returns what the times of a comparison have in common: "by 3 marks". */
static formatted alignment_words(const diff_values *v, const hpf_alignment *a)
{
    formatted out = {""};
    if (v->align == ALIGN_SAMPLE) {
        snprintf(out.text, sizeof out.text, "by number of the sample");
    } else if (a->by == HPF_ALIGN_MARKS) {
        snprintf(out.text, sizeof out.text, "aligned by %u mark%s", (unsigned)a->n_marks,
                 a->n_marks == 1 ? "" : "s");
    } else if (a->by == HPF_ALIGN_SHARE) {
        snprintf(out.text, sizeof out.text, "aligned by share of the run");
    }
    return out;
}

/* Returns the title "new.hp minus old.hp", with how times were aligned; of one profile "run.hp
 * since 5 s". */
static hpf_str make_title(char *out, size_t room, const input *inputs, const hpf_diff *diff,
                          const formatted *aligned)
{
    int length;
    if (inputs[0].name == inputs[1].name) {
        hpf_str unit = hpf_survey_header(inputs[0].survey, HPF_HEADER_SAMPLE_UNIT);
        double begin = hpf_survey_overview(inputs[0].survey)->first_time;
        length = snprintf(out, room, "%s since %s", path_base(inputs[0].name),
                          format_time(begin, unit, false).text);
    } else {
        const char *names[2];
        char moved[60] = "";
        size_t n_moved = 0;
        find_names(names, inputs);
        for (uint32_t i = 0; i < hpf_diff_n_rows(diff); i++) {
            n_moved += hpf_diff_rows(diff)[i].moved_from.length > 0;
        }
        if (n_moved > 0) {
            snprintf(moved, sizeof moved, ", %zu moved %s matched", n_moved,
                     n_moved == 1 ? "line" : "lines");
        }
        length = snprintf(out, room, "%s minus %s%s%s%s", names[1], names[0],
                          *aligned->text ? ", " : "", aligned->text, moved);
    }
    return (hpf_str){out, length < (int)room ? (size_t)length : room - 1};
}

/* A page to write. */
typedef struct page_job {
    const input *inputs;
    const diff_values *values;
    const hpf_alignment *alignment;
} page_job;

static hpf_status write_page(const plot_picture *p, const void *context, const hpr_output *output,
                             hpf_sink *sink, hpf_error *err)
{
    (void)output;
    const page_job *j = context;
    const diff_values *values = j->values;
    const char *names[2];
    hpf_survey *const surveys[2] = {j->inputs[0].survey, j->inputs[1].survey};
    hpr_options options = *p->options;
    options.compares = j->alignment;
    if (stack_options_given(&values->stacks) || hpf_survey_hides_frames(surveys[0]) ||
        hpf_survey_hides_frames(surveys[1])) {
        options.group = HPR_GROUP_STACK; /* bands as in pictures, with their whole stacks */
    }
    if (!stack_options_given(&values->stacks) && hpf_survey_has_types(surveys[0]) &&
        hpf_survey_has_types(surveys[1])) {
        options.group = HPR_GROUP_TYPE;
    }
    find_names(names, j->inputs);
    source_texts sources;
    hpf_status status = source_texts_read(&sources, surveys + 1, 1, values->source, err);
    options.sources = sources.lines.all;
    options.n_sources = sources.lines.n;
    if (status == HPF_OK) {
        status = p->backend->write_profiles(surveys, names, 2, &options, sink, err);
    }
    source_texts_finish(&sources);
    return status;
}

/* Returns the options of a graph or a page. */
static hpr_options chart_options(const diff_values *v)
{
    const figure_preset *preset = figure_preset_of(v->preset);
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.by_sample = v->align == ALIGN_SAMPLE;
    options.n_bands = v->n_bands < 0 ? 12 : v->n_bands;
    options.width_pt = v->width_pt > 0 ? v->width_pt : preset->width_pt;
    options.height_pt = v->height_pt > 0 ? v->height_pt : preset->height_pt;
    options.text_pt = preset->text_pt;
    options.theme = v->print ? HPR_THEME_PRINT : (hpr_theme)v->theme;
    options.si_units = v->si_units;
    options.no_title = v->no_title || v->preset != 0;
    options.is_figure = v->preset != 0;
    options.legend = (hpr_legend)v->legend;
    return options;
}

/* Writes a graph or a page. Returns an exit status. */
static int draw(const input *inputs, const hpf_diff *diff, const diff_values *values,
                const target *to, const hpf_alignment *alignment)
{
    char title[512];
    hpf_error err;
    hpf_survey *const surveys[2] = {inputs[0].survey, inputs[1].survey};
    hpr_options options = chart_options(values);
    const page_job page = {inputs, values, alignment};
    const bool is_file = values->output && strcmp(values->output, "-") != 0;
    plot_picture picture = {.in = &inputs[1],
                            .path = is_file ? values->output : NULL,
                            .options = &options,
                            .backend = to->graph,
                            .dpi = values->dpi,
                            .latex = values->latex,
                            .preset = values->preset};
    if (is_page(to)) {
        return plot_picture_write_to(&picture, picture.path, write_page, &page);
    }
    const formatted aligned = alignment_words(values, alignment);
    options.title = make_title(title, sizeof title, inputs, diff, &aligned);
    options.alignment = alignment;
    hpr_chart *chart = NULL;
    int exit_status = EXIT_FAILED;
    hpf_status status = font_choice_open(&picture.fonts, values->font, &err);
    if (status != HPF_OK) {
        diag_error("--font", &err);
    } else if (hpr_diff_chart_create(&chart, diff, surveys, &options,
                                     hpr_fonts_measurer_for(picture.fonts, to->graph),
                                     &err) != HPF_OK) {
        diag_say("%s", err.message);
    } else {
        picture.chart = chart;
        exit_status = plot_picture_write(&picture);
    }
    hpr_chart_destroy(chart);
    hpr_fonts_destroy(picture.fonts);
    return exit_status;
}

static int write_to(const input *inputs, hpf_diff *diff, const diff_values *values,
                    const target *to)
{
    const char *name;
    hpf_error err;
    if (to->graph) {
        hpf_alignment alignment;
        bool is_one = inputs[0].name == inputs[1].name;
        hpf_align by =
            values->align == ALIGN_SAMPLE || is_one ? HPF_ALIGN_TIME : (hpf_align)values->align;
        if (hpf_alignment_make(&alignment, inputs[0].survey, inputs[1].survey, by, &err) !=
            HPF_OK) {
            diag_say("%s", err.message);
            return EXIT_FAILED;
        }
        int status = draw(inputs, diff, values, to, &alignment);
        hpf_alignment_finish(&alignment);
        return status;
    }
    hpf_sink *sink = output_open(values->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    write_table(inputs, diff, values, to, sink);
    return output_close(sink, name);
}

/* ---- The command ---- */

/* Returns whether the units are equal, else false after a message. */
static bool check_units(const input *inputs, hpf_header which)
{
    hpf_str before = hpf_survey_header(inputs[0].survey, which);
    hpf_str after = hpf_survey_header(inputs[1].survey, which);
    bool is_same = hpf_str_equal(before, after);
    if (!is_same) {
        diag_say("cannot compare: %s is in %.*s, %s is in %.*s", inputs[0].name, (int)before.length,
                 before.data, inputs[1].name, (int)after.length, after.data);
    }
    return is_same;
}

/* Says so if no name is in both profiles: their bands may be parts of different kinds. */
static void say_if_nothing_is_common(const hpf_diff *diff, bool has_part)
{
    const hpf_diff_row *rows = hpf_diff_rows(diff);
    uint32_t i = 0, n = hpf_diff_n_rows(diff);
    while (i < n && (rows[i].n_names[0] == 0 || rows[i].n_names[1] == 0)) {
        i++;
    }
    if (i == n && n > 0) {
        diag_say("no name is in both profiles%s",
                 has_part ? "" : "; with call stacks, they can be compared by these: --by stack");
    }
}

static int compare(input *inputs, const diff_values *values, const target *to)
{
    hpf_error err;
    hpf_diff *diff;
    bool needs_times = to->graph && values->align != ALIGN_SAMPLE;
    if (!check_units(inputs, HPF_HEADER_VALUE_UNIT) ||
        (needs_times && !check_units(inputs, HPF_HEADER_SAMPLE_UNIT))) {
        return EXIT_FAILED;
    }
    if (to->graph) { /* labels of marks */
        overlay_add(&inputs[0]);
        overlay_add(&inputs[1]);
    }
    bool moves_lines = inputs[0].name != inputs[1].name;
    if (hpf_diff_create(&diff, inputs[0].survey, inputs[1].survey, moves_lines, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return EXIT_FAILED;
    }
    say_if_nothing_is_common(diff, values->stacks.part >= 0);
    gate_judge_diff(values->gate, inputs, diff);
    int status = write_to(inputs, diff, values, to);
    hpf_diff_destroy(diff);
    return status;
}

static size_t most_rows(const diff_values *values)
{
    return values->n_bands < 0 ? 10 : (size_t)values->n_bands;
}

static table_format table_format_of(const target *to)
{
    int format = 0;
    while (tables[format].write != to->table) {
        format++;
    }
    return (table_format)format;
}

/* Compares two heap snapshots. */
static int run_snapshots(const cmd *self, const diff_values *values, const target *to,
                         const char *const *paths)
{
    const int part = values->stacks.part;
    stack_options others = values->stacks;
    others.part = -1;
    bool has_part = part < 0 || (to->table && (part == HPF_PART_TYPE || part == HPF_PART_RETAINER ||
                                               part == HPF_PART_LINE));
    bool is_simple_page =
        is_page(to) && values->n_bands < 0 && values->align == HPF_ALIGN_AUTO && !values->source;
    if (!(to->table || is_simple_page) || !has_part || values->measure >= 0 || values->gate ||
        stack_options_given(&others) || time_window_given(&values->window)) {
        return cmd_misused(self, "heap snapshots can only be compared as a table, with --by type, "
                                 "retainer or line, -m and --bytes, or as a page, with --theme "
                                 "and --si");
    }
    if (!to->table) {
        return plot_snapshot_diff(paths, values->output, (hpr_theme)values->theme,
                                  values->si_units);
    }
    const dominators_options options = {.output = values->output,
                                        .format = table_format_of(to),
                                        .n_children = most_rows(values),
                                        .exact = values->exact};
    hpf_snapshot_part by = part == HPF_PART_RETAINER ? HPF_SNAPSHOT_HOLDER
                           : part == HPF_PART_LINE   ? HPF_SNAPSHOT_SITE
                                                     : HPF_SNAPSHOT_TYPE;
    return dominators_report_diff(paths, by, &options);
}

/* Compares two files of address bins, by function. */
static int run_bins(const cmd *self, const diff_values *values, const target *to, char **argv)
{
    if (!to->table || values->measure >= 0 || values->gate ||
        stack_options_given(&values->stacks) || time_window_given(&values->window)) {
        return cmd_misused(self, "address bins can only be compared as a table of all amounts, "
                                 "without --fail-if");
    }
    const bins_output output = {values->output, table_format_of(to), most_rows(values),
                                values->exact};
    return bins_report((const char *const *)(argv + 1), 2, HPP_BINS_BY_FUNCTION, true, &output);
}

/* Compares the operands. */
static int compare_operands(const cmd *self, diff_values values, int argc, char **argv)
{
    int status = EXIT_FAILED;
    target to;
    input inputs[2];
    bool is_one = argc == 2 && time_window_given(&values.window); /* compared with its begin */
    if (argc != 3 && !is_one) {
        return cmd_misused(self, "expected two profiles, or one with --from or --to");
    }
    const char *const paths[] = {argv[1], argv[is_one ? 1 : 2]};
    if (is_one && strcmp(paths[0], "-") == 0) {
        return cmd_misused(self, "standard input can only be compared with another profile");
    }
    if (!find_target(&to, &values)) {
        return values.format ? cmd_misused(self, "unknown format '%s'%s", values.format,
                                           suggest_of(values.format, format_names).text)
                             : cmd_misused(self, "cannot guess the format of '%s': use --format",
                                           values.output);
    }
    opt_complaint complaint;
    if (!check_options(&values, &to, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    if (input_begins(paths[0], hpf_bins_is_file) && input_begins(paths[1], hpf_bins_is_file)) {
        return run_bins(self, &values, &to, argv);
    }
    if (input_begins(paths[0], hpf_heapsnapshot_is) ||
        input_begins(paths[1], hpf_heapsnapshot_is)) {
        return run_snapshots(self, &values, &to, paths);
    }
    if (is_one && is_page(&to)) {
        return cmd_misused(self, "a page compares two profiles; two times of one are compared on "
                                 "the page of census plot");
    }
    hpf_stack_view *view;
    if (!stack_options_view(&values.stacks, &view, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    if (values.measure < 0) {
        values.measure = is_one ? HPF_DIFF_END : HPF_DIFF_MEAN;
    }
    bool has_window = time_window_given(&values.window) != NULL;
    const hpf_survey_options limits = {.view = view,
                                       .by_stack = is_page(&to),
                                       .by_line = is_page(&to),
                                       .keeps_stacks =
                                           is_page(&to) && stack_options_given(&values.stacks)};
    status = EXIT_FAILED;
    if (input_open_with(&inputs[0], paths[0], &limits)) {
        if (input_open_with(&inputs[1], paths[1], &limits)) {
            bool is_ready =
                !has_window || (time_window_apply(&values.window, &inputs[0], limits, is_one) &&
                                time_window_apply(&values.window, &inputs[1], limits, false));
            status = is_ready ? compare(inputs, &values, &to) : status;
            input_close(&inputs[1]);
        }
        input_close(&inputs[0]);
    }
    hpf_stack_view_destroy(view);
    return status;
}

static int run(const cmd *self, int argc, char **argv)
{
    diff_values values = {.n_bands = -1,
                          .measure = -1,
                          .window = TIME_WINDOW_ALL,
                          .stacks = {.part = -1, .depth = -1}};
    opt_complaint complaint;
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    input_set_options(&values.input);
    if (!gate_create(&values.gate, HPF_LIMIT_DIFF, &values.gate_options, &complaint)) {
        return cmd_misused(self, "%s", complaint.message);
    }
    return gate_close(values.gate, compare_operands(self, values, argc, argv));
}

const cmd cmd_diff = {
    .name = "diff",
    .group = "Compare and convert",
    .summary = "Compare two profiles",
    .operands = "A [B]",
    .make_options = all_options,
    .notes = print_formats,
    .run = run,
};
