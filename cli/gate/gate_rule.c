/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits a rule from its end, because the regular expression of a band may contain everything.
 */
#include "gate_rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/str.h"
#include "summary/diff.h"

static const char *const report_figures[] = {[GATE_PEAK] = "peak",
                                             [GATE_MEAN] = "mean",
                                             [GATE_FINAL] = "final",
                                             [GATE_GROWTH] = "growth",
                                             NULL};
static const char *const band_figures[] = {
    [GATE_PEAK] = "",         [GATE_MEAN] = "mean", [GATE_FINAL] = "",
    [GATE_GROWTH] = "growth", [GATE_MAX] = "max",   NULL};
static const char *const diff_measures[] = {
    [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end", NULL};

static const struct rate {
    const char *suffix;
    double seconds;
} rates[] = {{"/ms", 1e-3}, {"/s", 1}, {"/min", 60}, {"/h", 3600}};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static hpf_str trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin)) {
        begin++;
    }
    while (end > begin && is_blank(end[-1])) {
        end--;
    }
    return (hpf_str){begin, (size_t)(end - begin)};
}

/* Returns the index of a word in a list that ends with NULL, or -1. */
static int index_of(hpf_str word, const char *const *list)
{
    for (int i = 0; list[i]; i++) {
        if (word.length > 0 && hpf_str_is(word, list[i])) {
            return i;
        }
    }
    return -1;
}

/* Parses the digits and the unit of a limit: "100M", "1.5 GiB", "1M/s", "5%". */
static bool parse_limit(gate_rule *r, hpf_str text, bool is_growth, bool is_diff)
{
    static const char prefixes[] = "kmgt";
    char word[64], *end;
    if (text.length == 0 || text.length >= sizeof word ||
        strchr("0123456789.", *text.data) == NULL) {
        return false;
    }
    memcpy(word, text.data, text.length);
    word[text.length] = '\0';
    if (strspn(word, "0123456789.") == 1 && strchr("xX", word[1]) && word[1]) {
        return false; /* strtod reads hexadecimal numbers */
    }
    r->limit = strtod(word, &end);
    hpf_str unit = trimmed(end, word + text.length);
    if (hpf_str_is(unit, "%")) {
        r->is_percent = true;
        return is_diff;
    }
    for (size_t i = 0; is_growth && i < sizeof rates / sizeof *rates; i++) {
        size_t n = strlen(rates[i].suffix);
        if (unit.length >= n && memcmp(unit.data + unit.length - n, rates[i].suffix, n) == 0) {
            r->per_seconds = rates[i].seconds;
            unit.length -= n;
        }
    }
    const char *prefix = unit.length > 0 ? strchr(prefixes, *unit.data | 0x20) : NULL;
    if (prefix) {
        r->power = (int)(prefix - prefixes) + 1;
        unit = hpf_str_from(unit, 1);
        r->base = hpf_str_is(unit, "iB") ? 1024 : hpf_str_is(unit, "B") ? 1000 : 0;
    }
    return unit.length == 0 || r->base > 0 || (!prefix && hpf_str_is(unit, "B"));
}

/* Parses what comes before the limit: "peak", "band:REGEX.max", or nothing. */
static bool parse_subject(gate_rule *r, gate_kind kind, hpf_str text, opt_complaint *complaint)
{
    static const char band[] = "band:";
    bool has_band = hpf_str_begins(text, band);
    hpf_str figure = text;
    if (has_band) {
        size_t point = text.length;
        while (point > 0 && text.data[point - 1] != '.') {
            point--;
        }
        hpf_str word = hpf_str_from(text, point);
        bool has_figure = index_of(word, kind == GATE_DIFF ? diff_measures : band_figures) >= 0;
        figure = has_figure ? word : (hpf_str){"", 0};
        size_t end = has_figure ? point - 1 : text.length;
        char *pattern = strndup(text.data + strlen(band), end - strlen(band));
        char reason[160];
        if (!pattern) {
            return opt_complain(complaint, "out of memory");
        }
        r->has_bands =
            *pattern && name_filter_init(&r->bands, pattern, NULL, reason, sizeof reason);
        bool is_empty = *pattern == '\0';
        free(pattern);
        if (!r->has_bands) {
            return opt_complain(complaint, "--fail-if '%.200s': %s", r->text,
                                is_empty ? "expected a regular expression after band:" : reason);
        }
    }
    if (kind == GATE_DIFF && figure.length == 0) {
        r->figure = GATE_ALL_MEASURES;
        return true;
    }
    r->figure = index_of(figure, kind == GATE_DIFF ? diff_measures
                                 : has_band        ? band_figures
                                                   : report_figures);
    if (r->figure < 0) {
        return opt_complain(complaint, "--fail-if '%.200s': expected %s before the limit", r->text,
                            kind == GATE_DIFF ? "mean, peak, end or band:REGEX"
                            : has_band        ? "band:REGEX.max, .mean or .growth"
                                              : "peak, mean, final, growth or band:REGEX.max");
    }
    return true;
}

/* Returns the last of two characters in a text, or NULL. */
static const char *last_of(const char *text, char a, char b)
{
    const char *first = strrchr(text, a), *second = strrchr(text, b);
    return !first || (second && second > first) ? second : first;
}

bool gate_rule_parse(gate_rule *out, gate_kind kind, const char *text, opt_complaint *complaint)
{
    *out = (gate_rule){.text = text};
    const bool is_diff = kind == GATE_DIFF;
    const char *sign = is_diff ? last_of(text, '+', '-') : last_of(text, '>', '<');
    const char *limit = sign ? sign + 1 : text;
    out->is_upper = sign && *sign == (is_diff ? '+' : '>');
    out->breaks_equal = !is_diff && *limit == '=';
    limit += out->breaks_equal;
    const char *end = text + strlen(text);
    if (sign && !parse_subject(out, kind, trimmed(text, sign), complaint)) {
        gate_rule_finish(out);
        return false;
    }
    bool is_growth = !is_diff && out->figure == GATE_GROWTH;
    if (!sign || !parse_limit(out, trimmed(limit, end), is_growth, is_diff)) {
        gate_rule_finish(out);
        return opt_complain(complaint, "--fail-if expects a rule such as %s, not '%.200s'",
                            is_diff ? "'+5%', 'peak +10M' or 'band:REGEX.mean +5%'"
                                    : "'peak > 100M', 'growth > 1M/s' or 'band:REGEX.max > 10M'",
                            text);
    }
    out->limit = is_diff && !out->is_upper ? -out->limit : out->limit;
    return true;
}

void gate_rule_finish(gate_rule *r)
{
    if (r->has_bands) {
        name_filter_finish(&r->bands);
    }
}
