/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The common cases are done with integers: a decimal of at most 15 digits is one exact division
 * away from its double (Clinger, "How to read floating point numbers accurately", 1990, section 3),
 * and a double whose scaled value is not near a tie is rounded by an integer conversion. The rest
 * goes to the C library under the "C" locale, set for the calling thread only.
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The plain "C" locale costs glibc no allocation, so this does not fail. */
static locale_t enter_c_locale(locale_t *own)
{
    *own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return *own ? uselocale(*own) : (locale_t)0;
}

static void leave_c_locale(locale_t own, locale_t before)
{
    if (own) {
        uselocale(before);
        freelocale(own);
    }
}

static double parse_slowly(const char *text, size_t length)
{
    char copy[65];
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t own;
    locale_t before = enter_c_locale(&own);
    double value = strtod(copy, NULL);
    leave_c_locale(own, before);
    return value;
}

double hpf__number_parse(const char *text, size_t length)
{
    uint64_t digits = 0;
    int n_digits = 0;
    int n_decimals = 0;
    bool after_point = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.') {
            after_point = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            digits = digits * 10 + (uint64_t)(text[i] - '0');
            n_digits += digits != 0;
            n_decimals += after_point;
        } else {
            return parse_slowly(text, length);
        }
        if (n_digits > 15) {
            return parse_slowly(text, length);
        }
    }
    if (n_decimals > 22) {
        return parse_slowly(text, length);
    }
    return (double)digits / powers_of_ten[n_decimals];
}

size_t hpf__number_whole(char *out, uint64_t value)
{
    char reversed[20];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < n; i++) {
        out[i] = reversed[n - 1 - i];
    }
    return n;
}

static size_t print_slowly(char *out, bool fixed, int precision, double value)
{
    locale_t own;
    locale_t before = enter_c_locale(&own);
    int n = fixed ? snprintf(out, HPF__NUMBER_BYTES, "%.*f", precision, value)
                  : snprintf(out, HPF__NUMBER_BYTES, "%.*g", precision, value);
    leave_c_locale(own, before);
    return n > 0 ? (size_t)n : 0;
}

static size_t print_scaled(char *out, uint64_t scaled, int decimals, bool is_negative)
{
    char digits[HPF__NUMBER_BYTES];
    size_t n = hpf__number_whole(digits, scaled);
    size_t at = 0;
    size_t n_decimals = (size_t)decimals;
    if (is_negative) {
        out[at++] = '-';
    }
    size_t n_whole = n > n_decimals ? n - n_decimals : 0;
    memcpy(out + at, n_whole ? digits : "0", n_whole ? n_whole : 1);
    at += n_whole ? n_whole : 1;
    if (n_decimals) {
        out[at++] = '.';
        for (size_t i = n; i < n_decimals; i++) {
            out[at++] = '0';
        }
        memcpy(out + at, digits + n_whole, n - n_whole);
        at += n - n_whole;
    }
    return at;
}

size_t hpf__number_fixed(char *out, double value, int decimals)
{
    if (decimals <= 15) {
        double scaled = fabs(value) * powers_of_ten[decimals];
        double whole = floor(scaled);
        double rest = scaled - whole;
        if (scaled < 1e12 && fabs(rest - 0.5) > 1e-3 && !(signbit(value) && scaled < 1)) {
            return print_scaled(out, (uint64_t)whole + (rest > 0.5), decimals, signbit(value));
        }
    }
    return print_slowly(out, true, decimals, value);
}

/* Six decimals without the zeros at their end, as most times need; 0 when they lose something. */
static size_t print_six_decimals(char *out, double value)
{
    if (!(value >= 1e-4 && value < 1e9)) {
        return 0;
    }
    size_t length = hpf__number_fixed(out, value, 6);
    if (hpf__number_parse(out, length) != value) {
        return 0;
    }
    while (out[length - 1] == '0') {
        length--;
    }
    return length;
}

size_t hpf__number_shortest(char *out, double value)
{
    if (value >= 0 && value < 9007199254740992.0 && value == floor(value) && !signbit(value)) {
        return hpf__number_whole(out, (uint64_t)value);
    }
    size_t length = print_six_decimals(out, value);
    if (length > 0) {
        return length;
    }
    for (int precision = 15; precision <= 17; precision++) {
        length = print_slowly(out, false, precision, value);
        if (length <= 64 && parse_slowly(out, length) == value) {
            break;
        }
    }
    return length;
}

size_t hpf__number_time(char *out, double value)
{
    enum { MOST_DECIMALS = 24 };
    for (int decimals = 6; decimals <= MOST_DECIMALS; decimals++) {
        size_t length = hpf__number_fixed(out, value, decimals);
        if (length > HPF__NUMBER_MAX) {
            break;
        }
        if (hpf__number_parse(out, length) == value) {
            return length;
        }
    }
    return hpf__number_shortest(out, value);
}
