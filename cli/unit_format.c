/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rounds to three significant digits in a suitable unit, or prints all digits.
 */
#include "unit_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "hpfile/str.h"
#include "hprender/units.h"

/* Longer units are cut. Conversion to text makes them up to three times as long. */
enum { UNIT_BYTES = 20 };

/* Returns the unit as text after a space, or "" if there is none. */
static const char *suffix(formatted *buffer, hpf_str unit)
{
    unit.length = hpf_utf8_cut(unit, UNIT_BYTES);
    buffer->text[0] = ' ';
    buffer->text[1 + hpf_utf8_printable(buffer->text + 1, unit, "")] = '\0';
    return unit.length > 0 ? buffer->text : "";
}

/* Returns three significant digits and the unit. */
static formatted rounded(double value, const hpr_unit *in, hpf_str unit)
{
    formatted out;
    formatted own;
    char number[HPR_UNIT_LABEL_BYTES];
    hpr_unit_label_rounded(number, value, in, 3);
    snprintf(out.text, sizeof out.text, "%s%s%s", number, in->name ? " " : "",
             in->name ? in->name : suffix(&own, unit));
    return out;
}

/* Returns the digits with the integer part in groups of three. */
static formatted grouped(const char *digits, const char *unit)
{
    formatted out = {""};
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

/* Prints integers without decimals, large numbers with one, small ones with six digits. */
static formatted exact_number(double value, const char *unit)
{
    char digits[64];
    bool is_whole = value == floor(value) && fabs(value) < 1e18;
    bool is_large = fabs(value) >= 1000 && fabs(value) < 1e18;
    snprintf(digits, sizeof digits, is_whole ? "%.0f" : is_large ? "%.1f" : "%.6g", value);
    return grouped(digits, unit);
}

formatted format_amount(double amount, hpf_str unit, bool exact)
{
    formatted own;
    hpr_unit in = hpr_unit_of_values(unit, fabs(amount), false);
    return exact ? exact_number(amount, suffix(&own, unit)) : rounded(amount, &in, unit);
}

formatted format_margin(double margin, hpf_str unit, bool exact)
{
    formatted out = {""};
    if (margin >= 1) {
        snprintf(out.text, sizeof out.text, " ± %.180s", format_amount(margin, unit, exact).text);
    }
    return out;
}

formatted format_estimate(double amount, double margin, hpf_str unit, bool exact)
{
    formatted out;
    snprintf(out.text, sizeof out.text, "%.90s%.90s", format_amount(amount, unit, exact).text,
             format_margin(margin, unit, exact).text);
    return out;
}

static const char *sign_of(double value)
{
    return value < 0 ? "-" : value > 0 ? "+" : "";
}

formatted format_change(double amount, hpf_str unit, bool exact)
{
    formatted out;
    formatted size = format_amount(fabs(amount), unit, exact);
    snprintf(out.text, sizeof out.text, "%s%.180s", sign_of(amount), size.text);
    return out;
}

formatted format_time(double time, hpf_str unit, bool exact)
{
    formatted own, out;
    char digits[FORMATTED_BYTES];
    const char *suffixed = suffix(&own, unit);
    if (exact) {
        snprintf(digits, sizeof digits, "%.6f", time);
        return grouped(digits, suffixed);
    }
    hpr_time_text(out.text, sizeof out.text, time, unit, *suffixed ? suffixed + 1 : "");
    return out;
}

formatted format_growth(double amount_per_time, hpf_str value_unit, hpf_str time_unit, bool exact)
{
    formatted out, unit;
    formatted amount = format_change(amount_per_time, value_unit, exact);
    const char *per = hpf_str_is(time_unit, "seconds") ? " s" : suffix(&unit, time_unit);
    snprintf(out.text, sizeof out.text, "%.120s/%.60s", amount.text, *per ? per + 1 : "unit");
    return out;
}

formatted format_time_change(double time, hpf_str unit, bool exact)
{
    formatted out;
    formatted size = format_time(fabs(time), unit, exact);
    snprintf(out.text, sizeof out.text, "%s%.180s", sign_of(time), size.text);
    return out;
}

formatted format_share(double share)
{
    formatted out;
    snprintf(out.text, sizeof out.text, "%.1f%%", 100 * share);
    return out;
}

formatted format_count(uint64_t count)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    return grouped(digits, "");
}
