/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Widths are in points as the classes print them with \the\columnwidth and \the\textwidth. Three
 * figures fit in a column, and text has the size of captions.
 */
#include "figure_presets.h"

#include "diag.h"

const char *const figure_preset_names[] = {"none",      "acm",  "acm-wide", "acmsmall", "ieee",
                                           "ieee-wide", "lncs", "usenix",   "slide",    NULL};

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

void figure_print_latex(const char *path, const hpr_backend *backend, const figure_preset *preset,
                        hpf_str words)
{
    if (backend->has_foreign_fonts) { /* TeX source */
        diag_print(stdout, "\\input{%s}", path);
    } else {
        diag_print(stdout, "\\includegraphics[width=%s]{%s}", preset->tex_width, path);
    }
    /* Only acmart has the command. */
    diag_print(stdout, "\\ifdefined\\Description\\Description{%.*s}\\fi", (int)words.length,
               words.data);
}
