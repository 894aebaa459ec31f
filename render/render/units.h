/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Human units and tick marks: which multiple of a unit reads best, steps of 1, 2 or 5 times a power
 * of ten in that multiple, and as many decimals as keep all labels apart.
 */
#ifndef HPR_UNITS_H
#define HPR_UNITS_H

#include "hprender/chart.h"

/* A multiple of a profile's unit. */
typedef struct hpr__unit {
    double factor;      /* how many of the profile's units one of these is */
    const char *suffix; /* behind each number: "k"; or "" */
    const char *name;   /* after a number with its suffix: "MiB", "min"; NULL: the profile's own */
} hpr__unit;

/* For amounts up to `largest` in a profile's value unit. */
hpr__unit hpr__unit_of_values(hpf_str value_unit, double largest, bool si_units);
/* For times that span `span` in a profile's sample unit. */
hpr__unit hpr__unit_of_times(hpf_str sample_unit, double span);

/* Room for any label made here. */
#define HPR__LABEL_BYTES 64

/* Writes `value` (in the profile's unit) as a number in `unit`, with its suffix and without its
 * name. `decimals` digits follow the point; very large numbers have an exponent instead. */
void hpr__unit_label(char *out, double value, const hpr__unit *unit, int decimals);
/* The same with `n_digits` significant digits, trailing zeros dropped: for a single value. */
void hpr__unit_label_rounded(char *out, double value, const hpr__unit *unit, int n_digits);

/* The smallest of 1, 2, 5 times a power of ten that is not below `least` (> 0). */
double hpr__nice_step(double least);

/* Ticks of an axis in one unit. The value of a tick is (first + i) * step * unit.factor. */
typedef struct hpr__ticks {
    double step, first; /* in the unit */
    int n;
    int decimals;
} hpr__ticks;

/* The multiples of `step` (in the unit) in [low, high] (in the profile's unit). */
hpr__ticks hpr__ticks_of_step(double low, double high, double step, const hpr__unit *unit);
/* At most `most` ticks (at least 1), with the smallest step that allows it. A range of no extent
 * has no ticks. */
hpr__ticks hpr__ticks_of_count(double low, double high, int most, const hpr__unit *unit);
double hpr__tick_value(const hpr__ticks *ticks, int i, const hpr__unit *unit);

#endif
