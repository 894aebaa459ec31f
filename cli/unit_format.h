/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Amounts and times for people: three digits with a suitable unit, or exact.
 */
#ifndef CENSUS_UNIT_FORMAT_H
#define CENSUS_UNIT_FORMAT_H

#include "hpfile/event.h"

enum { FORMATTED_BYTES = 192 };

typedef struct formatted {
    char text[FORMATTED_BYTES];
} formatted;

/* Formats an amount in `unit`, the unit of the profile. "bytes" become KiB, MiB and so on, other
 * units k, M, G. `exact`: all digits in groups, and the unit unchanged. */
formatted format_amount(double amount, hpf_str unit, bool exact);

/* Formats the margin of an estimate, to go behind it: " ± 1.2 MiB"; "" for 0 and NAN: it is exact,
 * or not known. */
formatted format_margin(double margin, hpf_str unit, bool exact);

/* Formats an estimate with its margin: "62.3 MiB ± 1.2 MiB". */
formatted format_estimate(double amount, double margin, hpf_str unit, bool exact);

/* Formats a difference with its sign: "+1.2 MiB". */
formatted format_change(double amount, hpf_str unit, bool exact);

/* Formats a time as hpr_time_text does: "401 ms", "2 min 20 s". `exact`: six decimals, and the unit
 * unchanged. */
formatted format_time(double time, hpf_str unit, bool exact);

/* Formats a difference of times with its sign: "+1.2 ms". */
formatted format_time_change(double time, hpf_str unit, bool exact);

/* Formats a share, 0..1, in percent: "12.3%". */
formatted format_share(double share);

/* Formats an amount per unit of time, with its sign: "+1.2 MiB/s". */
formatted format_growth(double amount_per_time, hpf_str value_unit, hpf_str time_unit, bool exact);

/* Formats an integer in groups of three digits: "1,234,567". */
formatted format_count(uint64_t count);

#endif
