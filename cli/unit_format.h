/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Amounts and times as people read them: three digits and the unit that fits, or every digit.
 */
#ifndef CENSUS_UNIT_FORMAT_H
#define CENSUS_UNIT_FORMAT_H

#include "hpfile/event.h"

enum { FORMATTED_BYTES = 192 };

typedef struct formatted {
    char text[FORMATTED_BYTES];
} formatted;

/* `unit` is that of the profile. "bytes" become KiB, MiB and on; all else k, M, G and the unit.
 * `exact`: all digits, in groups, and the unit as it is. */
formatted format_amount(double amount, hpf_str unit, bool exact);

/* The same for a difference, with its sign: "+1.2 MiB". */
formatted format_change(double amount, hpf_str unit, bool exact);

/* "seconds" become µs, ms, s, min or h; all else a number and the unit. `exact`: six decimals.
 */
formatted format_time(double time, hpf_str unit, bool exact);

/* An amount gained per unit of time, with its sign: "+1.2 MiB/s". */
formatted format_growth(double amount_per_time, hpf_str value_unit, hpf_str time_unit, bool exact);

/* A whole number in groups of three: "1,234,567". */
formatted format_count(uint64_t count);

#endif
