/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Amounts and times as people read them: three digits and the unit that fits, or every digit.
 */
#ifndef CENSUS_HUMAN_H
#define CENSUS_HUMAN_H

#include "hpfile/event.h"

enum { HUMAN_BYTES = 192 };

typedef struct human {
    char text[HUMAN_BYTES];
} human;

/* `unit` is that of the profile. "bytes" become KiB, MiB and on; all else k, M, G and the unit.
 * `exact`: all digits, in groups, and the unit as it is. */
human human_amount(double amount, hpf_str unit, bool exact);

/* The same for a difference, with its sign: "+1.2 MiB". */
human human_change(double amount, hpf_str unit, bool exact);

/* "seconds" become µs, ms, s, min or h; all else a number and the unit. `exact`: six decimals.
 */
human human_time(double time, hpf_str unit, bool exact);

/* An amount gained per unit of time, with its sign: "+1.2 MiB/s". */
human human_growth(double amount_per_time, hpf_str value_unit, hpf_str time_unit, bool exact);

/* A whole number in groups of three: "1,234,567". */
human human_count(uint64_t count);

#endif
