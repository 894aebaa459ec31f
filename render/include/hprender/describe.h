/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A chart in words, for those who cannot see it: what `\Description` in a paper wants.
 */
#ifndef HPRENDER_DESCRIBE_H
#define HPRENDER_DESCRIBE_H

#include "hpfile/sink.h"
#include "hprender/page.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes three sentences for TeX, special characters escaped: what is shown over which time, the
 * peak with the largest bands there, and how the total grows. `si_units` as in hpr_options. */
HPF_API void hpr_describe_for_tex(hpf_sink *sink, const hpr_chart *chart, bool si_units);

/* The same of each panel of a page, under its title. */
HPF_API void hpr_describe_page_for_tex(hpf_sink *sink, const hpr_page *page, bool si_units);

#ifdef __cplusplus
}
#endif
#endif
