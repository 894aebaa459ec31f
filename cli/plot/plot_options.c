/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of options, and the chart that it describes.
 */
#include "plot_options.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "plot_picture.h"

const char *const plot_legend_names[] = {[HPR_LEGEND_AUTO] = "auto",
                                         [HPR_LEGEND_RIGHT] = "right",
                                         [HPR_LEGEND_BELOW] = "below",
                                         [HPR_LEGEND_NONE] = "none",
                                         NULL};
enum { X_TIME, X_SAMPLE };
static const char *const x_names[] = {[X_TIME] = "time", [X_SAMPLE] = "sample", NULL};

#define AT(member) offsetof(plot_values, member)
static const char *format_names[32]; /* ends with NULL */

static const opt plot_options[] = {
    OPT_HEADING("Output"),
    OPT('o', "output", OPT_TEXT, AT(output), "FILE",
        "write to FILE; - is standard output (default: the name of the input, in the current "
        "directory)"),
    OPT(0, "format", OPT_TEXT, AT(format), "FORMAT",
        "output format, see below (default: from the name of the output, else pdf)",
        .choices = format_names),
    OPT_HEADING("What is drawn"),
    OPT('m', "bands", OPT_INT, AT(n_bands), "N",
        "draw the N largest names, and the rest as one band (default 15; 0 draws all)",
        .high = INT_MAX),
    TIME_WINDOW_OPTIONS(AT(window), "draw only samples",
                        "; names are ranked by these samples only"),
    OPT(0, "match", OPT_TEXT, AT(match), "REGEX",
        "draw only names that match the extended regular expression"),
    OPT(0, "exclude", OPT_TEXT, AT(exclude), "REGEX",
        "leave out names that match the extended regular expression"),
    STACK_PART(AT(stacks.part)),
    OPT(0, "group-by", OPT_TEXT, AT(group), "PART",
        "group names by module, type, package or prefix:N (their first N parts); none: do not "
        "group"),
    INPUT_PROCESS(AT(input.process)),
    OPT_HEADING("How it is drawn"),
    OPT(0, "normalise", OPT_FLAG, AT(normalise), NULL,
        "draw percentages of the total at each moment"),
    OPT(0, "lines", OPT_FLAG, AT(lines), NULL,
        "draw a line for each name instead of stacked bands"),
    OPT(0, "width", OPT_LENGTH, AT(width_pt), "LENGTH",
        "width of the picture, such as 12cm, 150mm, 6in or 400pt (default 9in)", .low = 36,
        .high = 14400),
    OPT(0, "height", OPT_LENGTH, AT(height_pt), "LENGTH",
        "height of the picture (default 6in; several profiles: as needed)", .low = 36,
        .high = 14400),
    OPT(0, "for", OPT_CHOICE, AT(preset), "PAPER",
        "use the width, height and text size of a publication: acm, acm-wide, acmsmall, ieee, "
        "ieee-wide, lncs, usenix or slide; omits the title",
        .choices = figure_preset_names),
    OPT(0, "print", OPT_FLAG, AT(print), NULL,
        "draw in black and white, with greys and hatches (--theme print)"),
    OPT(0, "legend", OPT_CHOICE, AT(legend), "PLACE",
        "auto (default): names on or next to the bands; right, below: legend; none: only names "
        "that fit on their bands",
        .choices = plot_legend_names),
    OPT_RARE_HEADING("Parts of call stacks"),
    STACK_DEPTH(AT(stacks.depth)),
    STACK_FUNCTIONS(AT(stacks)),
    STACK_SKIP(AT(stacks)),
    OPT(0, "sets", OPT_TEXT, AT(sets), "FILE",
        "read the members of retainer sets from FILE (default: BASE.prof next to BASE.hp or "
        "BASE.eventlog, for profiles made with -hr)"),
    OPT(0, "source", OPT_TEXT, AT(source), "DIR",
        "html: show the text of the program around the lines of its stacks from the files below "
        "DIR (default: from the files that the profile names)"),
    OPT_RARE_HEADING("More on the picture"),
    OPT(0, "latex", OPT_FLAG, AT(latex), NULL,
        "print the LaTeX line that includes the picture, and a description for readers who cannot "
        "see it"),
    OPT('t', "trace", OPT_NUMBER, AT(trace_percent), "P",
        "merge the smallest names that together are less than P percent into the rest (default 1)",
        .high = 100),
    OPT(0, "x", OPT_CHOICE, AT(x), "AXIS",
        "x axis: time (default), or sample: number of the sample", .choices = x_names),
    OPT(0, "steps", OPT_FLAG, AT(steps), NULL,
        "keep each amount level until the next sample, instead of drawing a slope to it"),
    OPT(0, "order", OPT_CHOICE, AT(order), "ORDER",
        "order of the bands: wiggle (default: least movement), sum, stddev, name or growth",
        .choices = hpr_order_names),
    OPT(0, "reverse", OPT_FLAG, AT(reverse), NULL, "reverse the order"),
    OPT(0, "theme", OPT_CHOICE, AT(theme), "THEME",
        "auto (default: light; html: the preference of the reader), light, dark, print (hatches "
        "for black and white) or slide",
        .choices = hpr_theme_names),
    OPT(0, "colours", OPT_TEXT, AT(colours), "FILE",
        "fix colours of names: lines of \"#rrggbb NAME\""),
    OPT(0, "overlay", OPT_TEXT, AT(overlay), "LINES",
        "draw these quantities as lines over the bands: comma-separated names, all or none "
        "(default: quantities that rise above the bands and change apart from them)"),
    OPT(0, "dpi", OPT_NUMBER, AT(dpi), "N",
        "resolution of PNG output in pixels per inch (default 144)", .low = 10, .high = 2400),
    OPT(0, "font", OPT_TEXT, AT(font), "FONT", "font family or font file"),
    OPT(0, "font-size", OPT_LENGTH, AT(text_pt), "LENGTH",
        "text size (default 7pt to 9pt, depending on the width)", .low = 4, .high = 72),
    OPT(0, "same-scale", OPT_FLAG, AT(same_scale), NULL,
        "several profiles: use the same axes for all"),
    OPT(0, "where", OPT_TEXT, AT(where), "QUESTION",
        "heap snapshot: draw the ways from the root to the objects that match QUESTION, as in "
        "census report"),
    OPT(0, "si", OPT_FLAG, AT(si_units), NULL, "use kB (1000 bytes) instead of KiB (1024 bytes)"),
    OPT(0, "no-title", OPT_FLAG, AT(no_title), NULL,
        "leave out program and date; several profiles: the title of each"),
    OPT(0, "mark-censuses", OPT_FLAG, AT(mark_censuses), NULL,
        "draw a triangle on the time axis at each census"),
    OPT('y', "no-marks", OPT_FLAG, AT(no_marks), NULL, "leave out the marks"),
    OPT_RARE_HEADING("Event logs and other profiles"),
    OPT(0, "lanes", OPT_FLAG, AT(lanes), NULL,
        "event log: draw lanes below the bands: rate of allocation, share of time in garbage "
        "collection, sparks, threads and collections of each capability; and messages as marks"),
    OPT(0, "gc", OPT_FLAG, AT(gc), NULL,
        "event log: draw a tick at the upper edge for each garbage collection, longer for major "
        "ones"),
    OPT(0, "profile", OPT_INT, AT(profile), "N",
        "event log with several heap profiles: draw profile number N (default: the first)",
        .high = UINT8_MAX),
    INPUT_OPTIONS(AT(input)),
    {.name = NULL},
};
#undef AT

static bool is_among(const opt *row, const char *const *names)
{
    while (*names && strcmp(row->name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

const opt *plot_options_table(void)
{
    size_t n = 0, most = sizeof format_names / sizeof *format_names - 1;
    for (const hpr_backend *const *b = hpr_backends(); *b && n < most; b++) {
        format_names[n++] = (*b)->name;
    }
    return plot_options;
}

const opt *plot_options_live(const opt *own, size_t n_own, bool is_picture)
{
    static const char *const finished[] = {"output", "from",  "to", "for",
                                           "latex",  "sets",  "gc", "same-scale",
                                           "source", "where", NULL};
    static const char *const pictures[] = {
        "format", "trace",     "x",        "width",         "height", "dpi", "font",
        "print",  "font-size", "no-title", "mark-censuses", "legend", NULL};
    enum { N_COMMON_GROUPS = 2 }; /* output, and what is drawn */
    static opt table[PLOT_MOST_OWN_OPTIONS + sizeof plot_options / sizeof *plot_options];
    size_t n_rows = n_own;
    int n_headings = 0;
    memcpy(table, own, n_own * sizeof *own);
    for (const opt *row = plot_options_table(); row->name; row++) {
        n_headings += !opt_is_option(row);
        bool is_output = !is_picture && n_headings == 1;
        if (!is_output && !is_among(row, finished) && (is_picture || !is_among(row, pictures))) {
            table[n_rows] = *row;
            if (!opt_is_option(row) && n_headings > N_COMMON_GROUPS) {
                table[n_rows].kind = OPT_RARE_GROUP;
            }
            if (strcmp(row->name, "value") == 0) {
                table[n_rows].help = "event log: show ticky counters instead of the heap profile: "
                                     "ticky-entries, ticky-allocs or ticky-allocd";
            }
            n_rows++;
        }
    }
    table[n_rows] = (opt){.name = NULL};
    return table;
}

const char *plot_options_check_live(const plot_values *values)
{
    const char *value = values->input.value;
    bool is_ticky =
        value && (strcmp(value, "ticky-entries") == 0 || strcmp(value, "ticky-allocs") == 0 ||
                  strcmp(value, "ticky-allocd") == 0);
    return value && !is_ticky ? "--value of a growing profile must be ticky-entries, ticky-allocs "
                                "or ticky-allocd"
                              : NULL;
}

plot_values plot_options_default(void)
{
    return (plot_values){.n_bands = -1,
                         .trace_percent = -1,
                         .profile = -1,
                         .stacks = {.part = -1, .depth = -1},
                         .window = TIME_WINDOW_ALL};
}

/* Returns the number in "prefix:2", or 0. */
static int prefix_parts(const char *text)
{
    static const char word[] = "prefix:";
    char *end = NULL;
    if (strncmp(text, word, sizeof word - 1) != 0) {
        return 0;
    }
    long n = strtol(text + sizeof word - 1, &end, 10);
    return *end == '\0' && n >= 1 && n <= 1000 ? (int)n : 0;
}

static bool read_group(hpr_options *options, const char *text)
{
    static const char *const names[] = {[HPR_GROUP_NONE] = "none",
                                        [HPR_GROUP_MODULE] = "module",
                                        [HPR_GROUP_TYPE] = "type",
                                        [HPR_GROUP_PACKAGE] = "package"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            options->group = (hpr_group)i;
            return true;
        }
    }
    options->n_prefix_parts = text ? prefix_parts(text) : 0;
    options->group = options->n_prefix_parts > 0 ? HPR_GROUP_PREFIX : HPR_GROUP_NONE;
    return !text || options->n_prefix_parts > 0;
}

/* Sets which names are drawn, and how. */
static bool select_names(hpr_options *options, const plot_values *values)
{
    options->n_bands = values->n_bands >= 0 ? values->n_bands : options->n_bands;
    options->trace_percent =
        values->trace_percent >= 0 ? values->trace_percent : options->trace_percent;
    options->by_sample = values->x == X_SAMPLE;
    options->normalise = values->normalise;
    options->as_lines = values->lines;
    options->as_steps = values->steps;
    return read_group(options, values->group);
}

bool plot_options_chart(hpr_options *out, const plot_values *values, size_t n_profiles)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    options.order = (hpr_order)values->order;
    options.reverse = values->reverse;
    const figure_preset *preset = figure_preset_of(values->preset);
    options.width_pt = values->width_pt > 0 ? values->width_pt : preset->width_pt;
    options.height_pt = values->height_pt > 0 ? values->height_pt : preset->height_pt;
    options.text_pt = values->text_pt > 0 ? values->text_pt : preset->text_pt;
    options.no_title = values->no_title || values->preset != 0;
    options.is_figure = values->preset != 0;
    options.no_marks = values->no_marks;
    options.mark_censuses = values->mark_censuses;
    options.legend = (hpr_legend)values->legend;
    options.si_units = values->si_units;
    options.theme = values->print ? HPR_THEME_PRINT : (hpr_theme)values->theme;
    if (n_profiles > 1) {
        /* Several profiles have the height that they need, and need titles. */
        options.height_pt = values->height_pt;
        options.no_title = values->no_title;
    }
    bool is_group = select_names(&options, values);
    options.fit_bands = values->n_bands < 0 && values->trace_percent < 0;
    options.same_scale = values->same_scale;
    *out = options;
    return is_group;
}

static bool is_filter(const plot_values *v)
{
    return v->output && strcmp(v->output, "-") == 0;
}

/* Returns whether the tick labels would leave no room for the plot. */
static bool is_text_too_large(const plot_values *v)
{
    const double most_of_width = 0.2, most_of_height = 0.25;
    const figure_preset *preset = figure_preset_of(v->preset);
    double width = v->width_pt > 0 ? v->width_pt : preset->width_pt;
    double height = v->height_pt > 0 ? v->height_pt : preset->height_pt;
    return (width > 0 && v->text_pt > most_of_width * width) ||
           (height > 0 && v->text_pt > most_of_height * height);
}

/* Checks options that depend on the number of profiles. */
static bool check_page(const plot_values *v, size_t n_profiles, opt_complaint *complaint)
{
    const opt_given single[] = {
        {"gc", v->gc}, {"lanes", v->lanes}, {"sets", v->sets != NULL}, {NULL, false}};
    if (n_profiles == 1) {
        return !v->same_scale || opt_complain(complaint, "--same-scale needs several profiles");
    }
    if (!v->output) {
        return opt_complain(complaint, "several profiles are drawn in one picture: use -o FILE");
    }
    const char *given = opt_first_given(single);
    return !given || opt_complain(complaint, "--%s can only be used with one profile", given);
}

/* Same as MOST_BANDS in the script of the page (render/html/chart.js). */
enum { MOST_PAGE_BANDS = 200 };

/* Checks that an interactive page has all options. */
static bool check_interactive(const plot_values *v, opt_complaint *complaint)
{
    const opt_given missing[] = {{"width", v->width_pt > 0},
                                 {"height", v->height_pt > 0},
                                 {"dpi", v->dpi > 0},
                                 {"font", v->font != NULL},
                                 {"font-size", v->text_pt > 0},
                                 {"for", v->preset != 0},
                                 {"latex", v->latex},
                                 {"print", v->print},
                                 {"theme print", v->theme == HPR_THEME_PRINT},
                                 {"theme slide", v->theme == HPR_THEME_SLIDE},
                                 {"legend", v->legend != HPR_LEGEND_AUTO},
                                 {"no-title", v->no_title},
                                 {"gc", v->gc},
                                 {"mark-censuses", v->mark_censuses},
                                 {"x sample", v->x != X_TIME},
                                 {NULL, false}};
    const char *given = opt_first_given(missing);
    if (given) {
        return opt_complain(complaint, "--%s cannot be used with HTML output", given);
    }
    if (v->lines && v->normalise) {
        return opt_complain(complaint, "--lines and --normalise exclude each other in HTML output");
    }
    if (v->n_bands > MOST_PAGE_BANDS) {
        return opt_complain(complaint,
                            "HTML output has at most %d bands: use a smaller --bands (OTHER can be "
                            "opened on the page)",
                            MOST_PAGE_BANDS);
    }
    return true;
}

bool plot_options_check_snapshot(const plot_values *v, opt_complaint *complaint)
{
    const char *window = time_window_given(&v->window);
    const opt_given missing[] = {{"bands", v->n_bands >= 0},
                                 {"trace", v->trace_percent >= 0},
                                 {window ? window : "", window != NULL},
                                 {"match", v->match != NULL},
                                 {"exclude", v->exclude != NULL},
                                 {"group-by", v->group != NULL},
                                 {"normalise", v->normalise},
                                 {"lines", v->lines},
                                 {"steps", v->steps},
                                 {"order", v->order != HPR_ORDER_DEFAULT},
                                 {"reverse", v->reverse},
                                 {"colours", v->colours != NULL},
                                 {"overlay", v->overlay != NULL},
                                 {"lanes", v->lanes},
                                 {"no-marks", v->no_marks},
                                 {"profile", v->profile >= 0},
                                 {"sets", v->sets != NULL},
                                 {"source", v->source != NULL},
                                 {"same-scale", v->same_scale},
                                 {NULL, false}};
    const char *given = opt_first_given(missing);
    given = given ? given : stack_options_given(&v->stacks);
    if (given) {
        return opt_complain(complaint, "--%s cannot be used with a heap snapshot", given);
    }
    return check_interactive(v, complaint);
}

bool plot_options_check(const plot_values *v, const hpr_backend *backend, size_t n_profiles,
                        opt_complaint *complaint)
{
    if ((backend->write_profiles && !check_interactive(v, complaint)) ||
        !check_page(v, n_profiles, complaint)) {
        return false;
    }
    if (v->where) {
        return opt_complain(complaint, "--where needs a heap snapshot");
    }
    if (v->source && !backend->write_profiles) {
        return opt_complain(complaint, "--source needs HTML output");
    }
    if (v->dpi > 0 && !backend->px_per_pt) {
        return opt_complain(complaint, "--dpi can only be used with PNG output");
    }
    if (v->mark_censuses && !backend->is_graphical) {
        return opt_complain(complaint, "--mark-censuses needs a picture");
    }
    if (is_text_too_large(v)) {
        return opt_complain(complaint,
                            "--font-size is too large: at most a fifth of the width and a quarter "
                            "of the height of the picture");
    }
    if (v->overlay && strcmp(v->overlay, "none") != 0 && v->normalise) {
        return opt_complain(complaint,
                            "--overlay and --normalise exclude each other: quantities are "
                            "amounts, not percentages");
    }
    if (!time_window_check(&v->window, complaint)) {
        return false;
    }
    if (v->latex && (!v->output || is_filter(v))) {
        return opt_complain(complaint, "--latex needs a picture in a file: use -o FILE");
    }
    return true;
}
