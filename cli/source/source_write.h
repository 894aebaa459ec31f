/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a program with the costs of its lines, for a terminal or as HTML.
 */
#ifndef CENSUS_SOURCE_WRITE_H
#define CENSUS_SOURCE_WRITE_H

#include "text/text_costs.h"

typedef struct source_view {
    const hpf_text_costs *table;
    hpf_str title;    /* of the profile */
    const char *what; /* the costs, as a subtitle */
    size_t n_lines;   /* text: the most expensive lines of each file, with their neighbours; 0: all
                         lines with costs */
    bool exact;
    bool has_colours; /* text: colour lines by escape sequences */
    bool as_html;     /* all lines of the files, in one document without scripts */
} source_view;

/* Writes the view without finishing the sink. Errors: IO of a source file; MEMORY. */
hpf_status source_write(const source_view *view, hpf_sink *sink, hpf_error *err);

/* Writes the start of a page without scripts, in light and dark, up to its heading. `style` is CSS
 * to be added. */
void source_html_begin(hpf_sink *sink, hpf_str title, const char *style);

#endif
