/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is known of a name beside its text: the frames of a stack with modules and places, the
 * members of a retainer set.
 */
#ifndef HPR_TOOLTIP_H
#define HPR_TOOLTIP_H

#include "chart/chart.h"
#include "hpfile/sink.h"

/* Fills what `band`, whose text is set, has beside that; a name that was cut gets its whole text.
 * Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__tooltip_part(hpr__chart *chart, const hpf_survey *survey,
                                          hpf_name name, hpr_band *band, hpf_error *err);

/* Writes what is known beside a name, each frame and each member on a line of its own, every line
 * begun by a line break. */
void hpr__tooltip_lines(hpf_sink *lines, const hpf_frame *frames, size_t n_frames, hpf_str members);

/* What a tooltip says of a band. */
static inline const char *hpr__tooltip(const hpr_band *band)
{
    return band->tip ? band->tip : band->text;
}

#endif
