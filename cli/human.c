/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Three significant digits in a fitting unit.
 */
#include "human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool unit_is(hpf_str unit, const char *name)
{
    return unit.length == strlen(name) && memcmp(unit.data, name, unit.length) == 0;
}

/* The profile's unit after a blank, cut where it is unreasonably long; no units are no blank. */
static const char *suffix(human *buffer, hpf_str unit)
{
    int length = unit.length < 40 ? (int)unit.length : 40;
    snprintf(buffer->text, sizeof buffer->text, "%s%.*s", length > 0 ? " " : "", length, unit.data);
    return buffer->text;
}

/* Three significant digits, whole numbers of the unit itself whole; never as an exponent while it
 * is below 10,000. */
static human three_digits(double value, bool is_scaled, const char *prefix, const char *unit)
{
    human out;
    double size = fabs(value);
    if (size >= 9999.5) {
        snprintf(out.text, sizeof out.text, "%.3g%s%s", value, prefix, unit);
    } else {
        bool is_whole = !is_scaled && size == floor(size);
        int decimals = size >= 99.95 || size == 0 || is_whole ? 0
                       : size >= 9.995                        ? 1
                       : size >= 0.9995                       ? 2
                                                              : 3;
        snprintf(out.text, sizeof out.text, "%.*f%s%s", decimals, value, prefix, unit);
    }
    return out;
}

/* Digits of the integer part in groups of three; the fraction, if any, as it is. */
static human grouped(const char *digits, const char *unit)
{
    human out = {""};
    size_t used = 0;
    size_t sign = digits[0] == '-' || digits[0] == '+';
    size_t whole = sign + strspn(digits + sign, "0123456789");
    for (size_t i = 0; digits[i] && used < sizeof out.text - 2; i++) {
        if (i > sign && i < whole && (whole - i) % 3 == 0) {
            out.text[used++] = ',';
        }
        out.text[used++] = digits[i];
    }
    snprintf(out.text + used, sizeof out.text - used, "%s", unit);
    return out;
}

/* Whole numbers whole, large ones with one decimal, small ones with six digits. */
static human exact_number(double value, const char *unit)
{
    char digits[64];
    bool is_whole = value == floor(value) && fabs(value) < 1e18;
    bool is_large = fabs(value) >= 1000 && fabs(value) < 1e18;
    snprintf(digits, sizeof digits, is_whole ? "%.0f" : is_large ? "%.1f" : "%.6g", value);
    return grouped(digits, unit);
}

human human_amount(double amount, hpf_str unit, bool exact)
{
    static const char *const binary[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
    human buffer;
    bool is_bytes = unit_is(unit, "bytes");
    if (exact) {
        return exact_number(amount, suffix(&buffer, unit));
    }
    double base = is_bytes ? 1024 : 1000;
    int step = 0;
    while (fabs(amount) >= base * 0.9995 && step < 6) {
        amount /= base;
        step++;
    }
    return is_bytes ? three_digits(amount, step > 0, "", binary[step])
                    : three_digits(amount, step > 0, decimal[step], suffix(&buffer, unit));
}

human human_time(double time, hpf_str unit, bool exact)
{
    static const struct {
        double below_s, seconds;
        const char *name;
    } units[] = {
        {1e-3, 1e-6, " \u00b5s"}, {1, 1e-3, " ms"},       {120, 1, " s"},
        {7200, 60, " min"},       {INFINITY, 3600, " h"},
    };
    human buffer;
    if (exact) {
        snprintf(buffer.text, sizeof buffer.text, "%.6f", time);
        human shown_unit;
        return grouped(buffer.text, suffix(&shown_unit, unit));
    }
    if (!unit_is(unit, "seconds") || time == 0) {
        return three_digits(time, false, "",
                            unit_is(unit, "seconds") ? " s" : suffix(&buffer, unit));
    }
    int i = 0;
    while (fabs(time) >= units[i].below_s) {
        i++;
    }
    return three_digits(time / units[i].seconds, true, "", units[i].name);
}

human human_growth(double amount_per_time, hpf_str value_unit, hpf_str time_unit, bool exact)
{
    human out, unit;
    human amount = human_amount(fabs(amount_per_time), value_unit, exact);
    const char *sign = amount_per_time < 0 ? "-" : amount_per_time > 0 ? "+" : "";
    const char *per = unit_is(time_unit, "seconds") ? " s" : suffix(&unit, time_unit);
    snprintf(out.text, sizeof out.text, "%s%.60s/%.30s", sign, amount.text,
             *per ? per + 1 : "unit");
    return out;
}

human human_count(uint64_t count)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    return grouped(digits, "");
}
