/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The look of pages that show source text: a title, tables, and lines with numbers, in light and
 * dark.
 */
#ifndef CENSUS_SOURCE_HTML_H
#define CENSUS_SOURCE_HTML_H

#include "hpfile/sink.h"

/* Writes the start of a document up to its heading. `style` is CSS to be added. */
void source_html_begin(hpf_sink *sink, hpf_str title, const char *style);

#endif
