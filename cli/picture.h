/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What all commands that draw have in common.
 */
#ifndef CENSUS_PICTURE_H
#define CENSUS_PICTURE_H

#include "hprender/backend.h"

/* Opens the fonts of --font: a file if there is one, or if the name has a slash, else a family.
 * NULL: the default fonts. Warns if the system has no such family. Errors: those of
 * hpr_fonts_create. */
HPF_MUST_USE hpf_status picture_fonts(hpr_fonts **out, const char *font, hpf_error *err);

/* Returns what back ends need. The date of the document is SOURCE_DATE_EPOCH, if that is set. */
hpr_output picture_output(hpr_fonts *fonts, double dpi);

#endif
