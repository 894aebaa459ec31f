/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tick marks: steps of 1, 2 or 5 times a power of ten in a multiple of a unit, and as many decimals
 * as keep all labels apart.
 */
#ifndef HPR_UNITS_H
#define HPR_UNITS_H

#include "hprender/units.h"

/* Writes `value` (in the profile's unit) as a number in `unit`, with its suffix and without its
 * name. `decimals` digits follow the point; very large numbers have an exponent instead. `out` has
 * room for HPR_UNIT_LABEL_BYTES. */
void hpr__unit_label(char *out, double value, const hpr_unit *unit, int decimals);

/* The smallest of 1, 2, 5 times a power of ten that is not below `least` (> 0). */
double hpr__nice_step(double least);

/* Ticks of an axis in one unit. The value of a tick is (first + i) * step * unit.factor. */
typedef struct hpr__ticks {
    double step, first; /* in the unit */
    int n;
    int decimals;
} hpr__ticks;

/* The multiples of `step` (in the unit) in [low, high] (in the profile's unit). */
hpr__ticks hpr__ticks_of_step(double low, double high, double step, const hpr_unit *unit);
/* At most `most` ticks (at least 1), with the smallest step that allows it. A range of no extent
 * has no ticks. */
hpr__ticks hpr__ticks_of_count(double low, double high, int most, const hpr_unit *unit);
double hpr__tick_value(const hpr__ticks *ticks, int i, const hpr_unit *unit);

#endif
