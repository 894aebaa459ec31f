/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticks: steps of 1, 2 or 5 times a power of ten in a multiple of a unit, and enough decimals to
 * make all labels different.
 */
#ifndef HPR_UNITS_H
#define HPR_UNITS_H

#include "hprender/units.h"

/* Returns the unit for times that span `span` in a profile's sample unit. */
hpr_unit hpr__unit_of_times(hpf_str sample_unit, double span);

/* Writes `value` (in the profile's unit) as a number in `unit`, with its suffix and without its
 * name, to `out`, which has HPR_UNIT_LABEL_BYTES. `decimals` digits follow the point; very large
 * numbers have an exponent instead. */
void hpr__unit_label(char *out, double value, const hpr_unit *unit, int decimals);

/* Returns the smallest of 1, 2, 5 times a power of ten that is at least `least` (> 0). */
double hpr__nice_step(double least);

/* Ticks of an axis in one unit. Tick i is at (first + i) * step * unit.factor. */
typedef struct hpr__ticks {
    double step, first; /* in the unit */
    int n;
    int decimals;
} hpr__ticks;

/* Returns at most `most` (>= 1) ticks, with the smallest possible step. An empty range has no
 * ticks. */
hpr__ticks hpr__ticks_of_count(double low, double high, int most, const hpr_unit *unit);
double hpr__tick_value(const hpr__ticks *ticks, int i, const hpr_unit *unit);

#endif
