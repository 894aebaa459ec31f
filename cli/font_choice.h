/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What all commands that draw have in common.
 */
#ifndef CENSUS_FONT_CHOICE_H
#define CENSUS_FONT_CHOICE_H

#include "hprender/backend.h"

/* Opens the fonts of --font: a file if there is one, or if the name has a slash, else a family.
 * NULL: the default fonts. Warns if the system has no such family. Errors: from
 * hpr_fonts_create. */
HPF_MUST_USE hpf_status font_choice_open(hpr_fonts **out, const char *font, hpf_error *err);

/* Returns what back ends need. The date of the document is SOURCE_DATE_EPOCH, if that is set. */
hpr_output font_choice_output(hpr_fonts *fonts, double dpi);

#endif
