/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What is written into a TeX document: texts without surprises, and colours.
 */
#ifndef HPR_TEX_H
#define HPR_TEX_H

#include "hpfile/sink.h"
#include "hprender/chart.h"

/* The first lines of a file: who wrote it (NULL: nobody), and \censuschar, which sets a character
 * where TeX's engine is one for Unicode, else a question mark. */
void hpr__tex_head(hpf_sink *sink, const char *software);

/* UTF-8 as text that TeX sets as it stands: special characters as commands, no ligatures. */
void hpr__tex_text(hpf_sink *sink, const char *text);

/* Six hexadecimal digits, as xcolor's model HTML wants them. */
void hpr__tex_colour(hpf_sink *sink, hpr_colour colour);

#endif
