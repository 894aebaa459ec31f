/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart in words, for readers who cannot see it: the text for `\Description` in a paper.
 */
#ifndef HPRENDER_DESCRIBE_H
#define HPRENDER_DESCRIBE_H

#include "hpfile/sink.h"
#include "hprender/page.h"

HPF_BEGIN_DECLS

/* Writes three sentences of escaped TeX: contents and time span, the peak with its largest bands,
 * and the growth of the total. `si_units` as in hpr_options. */
HPF_API void hpr_describe_for_tex(hpf_sink *sink, const hpr_chart *chart, bool si_units);

/* Writes the same for each panel of a page, after its title. */
HPF_API void hpr_describe_page_for_tex(hpf_sink *sink, const hpr_page *page, bool si_units);

HPF_END_DECLS
#endif
