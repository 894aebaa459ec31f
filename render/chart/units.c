/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Units and ticks. Numbers are printed as whole numbers, so that the locale does not matter.
 */
#include "chart/units.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"

#define MINUS "\xE2\x88\x92" /* as wide as a digit */

/* Multiples in increasing order. */
static const hpr_unit binary_bytes[] = {
    {1, "", "B"},
    {1024.0, "", "KiB"},
    {1048576.0, "", "MiB"},
    {1073741824.0, "", "GiB"},
    {1099511627776.0, "", "TiB"},
    {1125899906842624.0, "", "PiB"},
    {1152921504606846976.0, "", "EiB"},
    {1180591620717411303424.0, "", "ZiB"},
};

static const hpr_unit decimal_bytes[] = {
    {1, "", "B"},     {1e3, "", "kB"},  {1e6, "", "MB"},  {1e9, "", "GB"},
    {1e12, "", "TB"}, {1e15, "", "PB"}, {1e18, "", "EB"}, {1e21, "", "ZB"},
};

/* Counts of anything else. Below ten thousand the plain number is easier to read. */
static const hpr_unit counts[] = {
    {1, "", NULL},     {1e3, "k", NULL},  {1e6, "M", NULL},  {1e9, "G", NULL},
    {1e12, "T", NULL}, {1e15, "P", NULL}, {1e18, "E", NULL}, {1e21, "Z", NULL},
};

static const hpr_unit seconds[] = {
    {1e-6, "", "\xC2\xB5s"}, {1e-3, "", "ms"}, {1, "", "s"},
    {60, "", "min"},         {3600, "", "h"},  {86400, "", "d"},
};

static const hpr_unit milliseconds[] = {
    {1e-3, "", "\xC2\xB5s"}, {1, "", "ms"},     {1e3, "", "s"},
    {60e3, "", "min"},       {3600e3, "", "h"}, {86400e3, "", "d"},
};

/* Returns the largest unit that is at most `amount`, or the first one. */
static hpr_unit largest_below(const hpr_unit *units, size_t n, double amount)
{
    size_t i = n - 1;
    while (i > 0 && !(units[i].factor <= amount)) {
        i--;
    }
    return units[i];
}

hpr_unit hpr_unit_of_values(hpf_str value_unit, double largest, bool si_units)
{
    const size_t n = sizeof counts / sizeof *counts;
    if (hpf_str_is(value_unit, "bytes")) {
        return largest_below(si_units ? decimal_bytes : binary_bytes, n, largest);
    }
    return largest < 10000 ? counts[0] : largest_below(counts, n, largest);
}

static bool is_milliseconds(hpf_str unit)
{
    return hpf_str_is(unit, "ms") || hpf_str_is(unit, "milliseconds");
}

double hpr_units_per_second(hpf_str sample_unit)
{
    return is_milliseconds(sample_unit) ? 1000 : 1;
}

/* Uses minutes, hours and days only for spans of two or more of them: 90 s, not 1.5 min. */
hpr_unit hpr__unit_of_times(hpf_str sample_unit, double span)
{
    const size_t n = sizeof seconds / sizeof *seconds;
    span = span > 0 ? span : 1;
    if (hpf_str_is(sample_unit, "seconds") || hpf_str_is(sample_unit, "s")) {
        return largest_below(seconds, n, span >= 60 ? span / 2 : span);
    }
    if (is_milliseconds(sample_unit)) {
        return largest_below(milliseconds, n, span >= 60e3 ? span / 2 : span);
    }
    return span < 10000 ? counts[0] : largest_below(counts, sizeof counts / sizeof *counts, span);
}

/* Writes a whole number below 2^64; returns its length. */
static size_t put_whole(char *out, double whole)
{
    return (size_t)snprintf(out, 24, "%llu", (unsigned long long)whole);
}

static size_t put_fixed(char *out, double magnitude, int decimals)
{
    double scale = pow(10, decimals);
    double scaled = round(magnitude * scale);
    double whole = floor(scaled / scale);
    size_t length = put_whole(out, whole);
    if (decimals > 0) {
        char digits[24];
        size_t n_digits = put_whole(digits, scaled - whole * scale);
        out[length++] = '.';
        for (size_t i = n_digits; i < (size_t)decimals; i++) {
            out[length++] = '0';
        }
        memcpy(out + length, digits, n_digits + 1);
        length += n_digits;
    }
    return length;
}

/* Writes a very large number with two decimals and an exponent. */
static size_t put_exponent(char *out, double magnitude)
{
    int exponent = (int)floor(log10(magnitude));
    double mantissa = magnitude / pow(10, exponent);
    size_t length = put_fixed(out, fmin(mantissa, 9.99), 2);
    return length + (size_t)snprintf(out + length, 16, "e%d", exponent);
}

void hpr__unit_label(char *out, double value, const hpr_unit *unit, int decimals)
{
    double magnitude = fabs(value) / unit->factor;
    size_t length = 0;
    if (value < 0) {
        length = sizeof MINUS - 1;
        memcpy(out, MINUS, length);
    }
    length += magnitude * pow(10, decimals) < 9e15 ? put_fixed(out + length, magnitude, decimals)
                                                   : put_exponent(out + length, magnitude);
    snprintf(out + length, HPR_UNIT_LABEL_BYTES - length, "%s", value != 0 ? unit->suffix : "");
}

void hpr_unit_label_rounded(char *out, double value, const hpr_unit *unit, int n_digits)
{
    double magnitude = fabs(value) / unit->factor;
    int decimals = magnitude > 0 ? n_digits - 1 - (int)floor(log10(magnitude)) : 0;
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    while (decimals > 0) {
        double scaled = round(magnitude * pow(10, decimals));
        if (fmod(scaled, 10) != 0) {
            break;
        }
        decimals--;
    }
    hpr__unit_label(out, value, unit, decimals);
}

/* Writes a long time in two units, of which the smaller one is left out if it is 0. */
static void put_long_time(char *out, size_t room, double magnitude_s, bool is_negative)
{
    static const struct {
        double most_s, step_s; /* of times below `most_s` when rounded to the smaller unit */
        unsigned n_small;      /* in a large one */
        const char *large, *small;
    } rows[] = {
        {3600, 1, 60, "min", "s"}, {2 * 86400, 60, 60, "h", "min"}, {0, 3600, 24, "d", "h"}};
    size_t row = 0;
    while (rows[row].most_s > 0 &&
           round(magnitude_s / rows[row].step_s) * rows[row].step_s >= rows[row].most_s) {
        row++;
    }
    unsigned n = (unsigned)round(magnitude_s / rows[row].step_s);
    int length = snprintf(out, room, "%s%u %s", is_negative ? MINUS : "", n / rows[row].n_small,
                          rows[row].large);
    if (n % rows[row].n_small > 0 && (size_t)length < room) {
        snprintf(out + length, room - (size_t)length, " %u %s", n % rows[row].n_small,
                 rows[row].small);
    }
}

void hpr_time_text(char *out, size_t room, double time, hpf_str sample_unit, const char *own_unit)
{
    enum { OWN_UNIT_BYTES = 100 };
    const double least_long_s = 119.5, most_long_s = 100 * 86400.0;
    hpr_unit unit = hpr__unit_of_times(sample_unit, fabs(time));
    double magnitude_s = fabs(time) / hpr_units_per_second(sample_unit);
    if (unit.name && magnitude_s >= least_long_s && magnitude_s < most_long_s) {
        put_long_time(out, room, magnitude_s, time < 0);
        return;
    }
    char number[HPR_UNIT_LABEL_BYTES];
    const char *name = unit.name ? unit.name : own_unit;
    hpr_unit_label_rounded(number, time, &unit, 3);
    size_t n_bytes = hpf_utf8_cut(hpf_str_of(name), OWN_UNIT_BYTES);
    snprintf(out, room, "%s%s%.*s", number, n_bytes > 0 ? " " : "", (int)n_bytes, name);
}

double hpr__nice_step(double least)
{
    static const double nice[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof nice / sizeof *nice; i++) {
        if (nice[i] * power >= least * (1 - 1e-9)) {
            return nice[i] * power;
        }
    }
    return 10 * power;
}

static int decimals_of_step(double step)
{
    int decimals = (int)ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
}

/* Returns the multiples of `step` (in the unit) in [low, high] (in the profile's unit). */
static hpr__ticks ticks_of_step(double low, double high, double step, const hpr_unit *unit)
{
    const double slack = 1e-9; /* in steps: rounding error of a tick at an end */
    hpr__ticks ticks = {.step = step, .decimals = decimals_of_step(step)};
    double first = ceil(low / unit->factor / step - slack);
    double last = floor(high / unit->factor / step + slack);
    ticks.first = first;
    ticks.n = last >= first ? (int)fmin(last - first + 1, 1000) : 0;
    return ticks;
}

hpr__ticks hpr__ticks_of_count(double low, double high, int most, const hpr_unit *unit)
{
    double span = (high - low) / unit->factor;
    double largest = fmax(fabs(low), fabs(high)) / unit->factor;
    if (!(span > largest * 1e-12) || !(span < DBL_MAX)) {
        return (hpr__ticks){.step = 1, .n = 0};
    }
    double step = hpr__nice_step(span / (most + 1));
    hpr__ticks ticks = ticks_of_step(low, high, step, unit);
    while (ticks.n > most) {
        step = hpr__nice_step(step * 1.5);
        ticks = ticks_of_step(low, high, step, unit);
    }
    return ticks;
}

double hpr__tick_value(const hpr__ticks *ticks, int i, const hpr_unit *unit)
{
    return (ticks->first + i) * ticks->step * unit->factor;
}
