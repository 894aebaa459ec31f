/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Making texts fit: the middle goes, the beginning and the end, which tell names apart, stay.
 */
#ifndef HPR_ELIDE_H
#define HPR_ELIDE_H

#include "hprender/text.h"

/* What stands for that which is left out. */
extern const char hpr__ellipsis[4];

/* Bytes that the result of eliding `text` may need, its NUL included. */
size_t hpr__elided_bytes(const char *text);

/* Writes `text` to `out`, whole if it is at most `width_pt` wide, else with as little as possible
 * of its middle replaced by "…"; empty when not even that fits. Texts of more than 160 characters
 * are never shown whole. `text` is valid UTF-8. Returns the width of the result. */
double hpr__elide(char *out, const char *text, double width_pt, double size_pt, bool bold,
                  hpr_measurer measurer);

#endif
