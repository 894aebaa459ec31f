/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Units for readers: the multiple of a profile's unit that is easiest to read, and numbers in it.
 * Independent of the locale.
 */
#ifndef HPRENDER_UNITS_H
#define HPRENDER_UNITS_H

#include "hpfile/event.h"

HPF_BEGIN_DECLS

/* A multiple of a profile's unit. The texts are static. */
typedef struct hpr_unit {
    double factor;      /* how many of the profile's units one of these is */
    const char *suffix; /* of each number: "k"; or "" */
    const char *name;   /* after a number with its suffix: "MiB", "min"; NULL: the profile's own */
} hpr_unit;

/* Returns the unit for amounts up to `largest` in a profile's value unit. */
HPF_API hpr_unit hpr_unit_of_values(hpf_str value_unit, double largest, bool si_units);

/* Returns how many of a profile's time units make a second; 1 for an unknown unit. */
HPF_API double hpr_units_per_second(hpf_str sample_unit);

/* Room for any such number. */
#define HPR_UNIT_LABEL_BYTES 64

/* Writes `value` (in the profile's unit) as a number in `unit` to `out`, which has
 * HPR_UNIT_LABEL_BYTES: at most `n_digits` significant digits without trailing zeros, the suffix,
 * not the name. */
HPF_API void hpr_unit_label_rounded(char *out, double value, const hpr_unit *unit, int n_digits);

/* Writes a single time (in a profile's sample unit) as people say it: "401 ms", "41 s",
 * "2 min 20 s", "17 h 30 min"; in another unit than seconds or milliseconds, three digits and
 * `own_unit`, UTF-8. `out` has `room` bytes; a longer text is cut. */
HPF_API void hpr_time_text(char *out, size_t room, double time, hpf_str sample_unit,
                           const char *own_unit);

HPF_END_DECLS
#endif
