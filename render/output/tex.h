/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts and colours for TeX documents.
 */
#ifndef HPR_TEX_H
#define HPR_TEX_H

#include "hpfile/sink.h"
#include "hprender/chart.h"

/* Writes the first lines of a file: a comment with `software`, unless NULL, and the definition of
 * \censuschar, which sets a character in Unicode engines of TeX, else a question mark. */
void hpr__tex_head(hpf_sink *sink, const char *software);

/* Writes UTF-8 as text of TeX: special characters as commands, no ligatures. */
void hpr__tex_text(hpf_sink *sink, const char *text);

/* Writes the same for the argument of a command that does not typeset it, such as \Description:
 * without \censuschar, so that it needs no definitions. */
void hpr__tex_words(hpf_sink *sink, const char *text);

/* Writes six hexadecimal digits, for the HTML model of xcolor. */
void hpr__tex_colour(hpf_sink *sink, hpr_colour colour);

#endif
