/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of options, and what follows from it.
 */
#include "plot_options.h"

#include <limits.h>
#include <string.h>

#include "paper.h"

static const char *const look_names[] = {
    [HPR_LOOK_MODERN] = "modern", [HPR_LOOK_CLASSIC] = "classic", NULL};
static const char *const order_names[] = {[HPR_ORDER_DEFAULT] = "default",
                                          [HPR_ORDER_WIGGLE] = "wiggle",
                                          [HPR_ORDER_SUM] = "sum",
                                          [HPR_ORDER_AREA] = "area",
                                          [HPR_ORDER_STDDEV] = "stddev",
                                          [HPR_ORDER_NAME] = "name",
                                          [HPR_ORDER_FIRST_SEEN] = "first-seen",
                                          [HPR_ORDER_GROWTH] = "growth",
                                          NULL};
static const char *const theme_names[] = {[HPR_THEME_LIGHT] = "light",
                                          [HPR_THEME_DARK] = "dark",
                                          [HPR_THEME_PRINT] = "print",
                                          [HPR_THEME_SLIDE] = "slide",
                                          NULL};

#define AT(member) offsetof(plot_values, member)
const opt plot_options[] = {
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
     "of the bands: wiggle (default), sum, area, stddev, name, first-seen or growth", order_names,
     0, 0},
    {0, "order-file", OPT_TEXT, AT(order_file), "FILE",
     "bands in the order of the names in FILE, one to a line, the top one first; * stands for all "
     "others",
     NULL, 0, 0},
    {0, "reverse", OPT_FLAG, AT(reverse), NULL, "turn the order upside down", NULL, 0, 0},
    {0, "width", OPT_LENGTH, AT(width_pt), "LENGTH",
     "of the picture: 12cm, 150mm, 6in or 400pt (default 9in)", NULL, 36, 14400},
    {0, "height", OPT_LENGTH, AT(height_pt), "LENGTH", "of the picture (default 6in)", NULL, 36,
     14400},
    {0, "dpi", OPT_NUMBER, AT(dpi), "N", "pixels per inch of a PNG (default 144)", NULL, 10, 2400},
    {0, "font", OPT_TEXT, AT(font), "FONT", "a font family, or the path of a font file", NULL, 0,
     0},
    {0, "font-size", OPT_LENGTH, AT(text_pt), "LENGTH",
     "of the text (default 7pt to 9pt, by the width)", NULL, 4, 72},
    {0, "for", OPT_CHOICE, AT(paper), "PAPER",
     "width, height and text size for a column or page of acm, acm-wide, acmsmall, ieee, "
     "ieee-wide, lncs, usenix or slide; no title",
     paper_names, 0, 0},
    {0, "latex", OPT_FLAG, AT(latex), NULL,
     "print the line that puts the picture into a LaTeX document, and a description in words", NULL,
     0, 0},
    {0, "colours", OPT_TEXT, AT(colours), "FILE",
     "lines of \"#rrggbb NAME\": colours that names have whatever else", NULL, 0, 0},
    {0, "print", OPT_FLAG, AT(print), NULL, "the same as --theme print", NULL, 0, 0},
    {0, "theme", OPT_CHOICE, AT(theme), "THEME",
     "light (default), dark, print (hatches for black and white) or slide", theme_names, 0, 0},
    {0, "si", OPT_FLAG, AT(si_units), NULL, "kB = 1000 bytes instead of KiB = 1024", NULL, 0, 0},
    {0, "no-title", OPT_FLAG, AT(no_title), NULL, "leave program and date out", NULL, 0, 0},
    {'y', "no-marks", OPT_FLAG, AT(no_marks), NULL, "leave the marks out", NULL, 0, 0},
    {0, NULL, OPT_FLAG, 0, NULL, NULL, NULL, 0, 0},
};
#undef AT

plot_values plot_options_default(void)
{
    return (plot_values){.n_bands = -1, .trace_percent = -1};
}

hpr_options plot_options_chart(const plot_values *values)
{
    hpr_options options = hpr_options_default((hpr_look)values->look);
    options.order = (hpr_order)values->order;
    options.reverse = values->reverse;
    options.n_bands = values->n_bands >= 0 ? values->n_bands : options.n_bands;
    options.trace_percent =
        values->trace_percent >= 0 ? values->trace_percent : options.trace_percent;
    const paper *sheet = paper_of(values->paper);
    options.width_pt = values->width_pt > 0 ? values->width_pt : sheet->width_pt;
    options.height_pt = values->height_pt > 0 ? values->height_pt : sheet->height_pt;
    options.text_pt = values->text_pt > 0 ? values->text_pt : sheet->text_pt;
    options.no_title = values->no_title || values->paper != 0;
    options.no_marks = values->no_marks;
    options.classic.no_marks = values->no_marks;
    options.si_units = values->si_units;
    options.theme = values->print ? HPR_THEME_PRINT : (hpr_theme)values->theme;
    return options;
}

static bool has_classic_order(const plot_values *v)
{
    return v->order == HPR_ORDER_DEFAULT || v->order == HPR_ORDER_SUM ||
           v->order == HPR_ORDER_STDDEV || v->order == HPR_ORDER_NAME;
}

const char *plot_options_misfit(const plot_values *v, const hpr_backend *backend)
{
    bool is_classic = v->look == HPR_LOOK_CLASSIC;
    if (v->dpi > 0 && strcmp(backend->name, "png") != 0) {
        return "--dpi is for png";
    }
    if (is_classic && (v->width_pt > 0 || v->height_pt > 0)) {
        return "the classic look has one size: no --width and --height";
    }
    if (is_classic && (!has_classic_order(v) || v->order_file)) {
        return "the classic look is ordered by sum, stddev or name";
    }
    if (is_classic && (v->no_title || v->si_units || v->theme != HPR_THEME_LIGHT)) {
        return "--no-title, --si and --theme are for the modern look";
    }
    if (is_classic && (v->paper != 0 || v->text_pt > 0 || v->colours || v->print)) {
        return "--for, --font-size, --colours and --print are for the modern look";
    }
    if (v->latex && (!v->output || strcmp(v->output, "-") == 0)) {
        return "--latex needs a picture with a name: use -o";
    }
    return NULL;
}
