/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What commands that draw have in common.
 */
#ifndef CENSUS_PICTURE_H
#define CENSUS_PICTURE_H

#include "hprender/text.h"

/* The fonts that --font names: a file if there is one, or if it is written like one, else a family.
 * Says so
 * where the system has no such family. NULL: `fallback`, and if that is NULL what the look has.
 * NULL when there is no memory. */
hpr_fonts *picture_fonts(const char *font, const char *fallback);

#endif
