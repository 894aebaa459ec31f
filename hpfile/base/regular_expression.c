/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/regular_expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARACTERS 4096
#define MOST_GROUPS     250 /* one inside the other */

/* Returns the end of the bracket expression that begins at `at`. */
static const char *bracket_end(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at && *at != ']') {
        bool is_class = *at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=');
        const char closing[] = {at[1], ']', '\0'};
        const char *end = is_class ? strstr(at + 2, closing) : NULL;
        at = end ? end + 2 : at + 1;
    }
    return *at ? at + 1 : at;
}

/* Reads the bound {m}, {m,} or {m,n} at `*at`, and moves `*at` to its end. Returns how often it
 * repeats. */
static double read_bound(const char **at)
{
    char *end;
    double low = (double)strtoul(*at + 1, &end, 10);
    double high = low + 1;
    if (*end == ',' && end[1] != '}') {
        high = (double)strtoul(end + 1, &end, 10);
    } else if (*end == '}') {
        high = low;
    }
    const char *brace = strchr(end, '}');
    *at = brace ? brace + 1 : end;
    return high > low ? high : low;
}

/* Returns the number of characters that the expression at `*at` has after repetition, up to its end
 * or to the parenthesis that closes its group, where it leaves `*at`. */
static double measure(const char **at, int depth)
{
    double total = 0, last = 0;
    while (**at && !(**at == ')' && depth > 0)) {
        char c = **at;
        if (c == '{' && (*at)[1] >= '0' && (*at)[1] <= '9') {
            double repeated = last * read_bound(at);
            total += repeated - last;
            last = repeated;
            continue;
        }
        if (c == '(') {
            ++*at;
            last = depth < MOST_GROUPS ? 1 + measure(at, depth + 1) : INFINITY;
            *at += **at == ')';
        } else if (c == '[') {
            *at = bracket_end(*at);
            last = 1;
        } else if (c == '*' || c == '+' || c == '?') {
            ++*at;
            continue;
        } else {
            *at += c == '\\' && (*at)[1] ? 2 : 1;
            last = 1;
        }
        total += last;
        if (total > MOST_CHARACTERS) {
            return INFINITY;
        }
    }
    return total;
}

hpf_status hpf__regular_expression(regex_t *out, const char *text, hpf_error *err)
{
    const char *at = text;
    if (measure(&at, 0) > MOST_CHARACTERS) {
        return hpf_error_set(err, HPF_ERR_LIMIT,
                             "regular expression '%.60s' has more than %d characters when its "
                             "repetitions are written out",
                             text, MOST_CHARACTERS);
    }
    int wrong = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
    if (wrong == REG_ESPACE) {
        return hpf_error_set_memory(err);
    }
    if (wrong != 0) {
        char why[80];
        regerror(wrong, out, why, sizeof why);
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid regular expression '%.60s': %s", text,
                             why);
    }
    return HPF_OK;
}
