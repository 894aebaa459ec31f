/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tooltips of bands: the name, then one line per frame of a stack, with module and source location,
 * or per member of a retainer set.
 */
#ifndef HPR_TOOLTIP_H
#define HPR_TOOLTIP_H

#include "chart/chart.h"
#include "hpfile/sink.h"

/* Fills the frames, the members and the tooltip of a band whose text is set. A name that the
 * profile cuts short gets its whole text. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__tooltip_part(hpr__chart *chart, const hpf_survey *survey,
                                          hpf_name name, hpr_band *band, hpf_error *err);

/* Writes one line per frame and per member, each after a line break. */
void hpr__tooltip_lines(hpf_sink *lines, const hpf_frame *frames, size_t n_frames, hpf_str members);

/* Returns the text of the tooltip of a band. */
static inline const char *hpr__tooltip(const hpr_band *band)
{
    return band->tooltip ? band->tooltip : band->text;
}

#endif
