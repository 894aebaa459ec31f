/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits a rule from its end, because the regular expression of a band may contain everything.
 */
#include "hpfile/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "hpfile/str.h"

static const char *const report_figures[] = {[HPF_LIMIT_PEAK] = "peak",
                                             [HPF_LIMIT_MEAN] = "mean",
                                             [HPF_LIMIT_FINAL] = "final",
                                             [HPF_LIMIT_GROWTH] = "growth",
                                             NULL};
static const char *const band_figures[] = {
    [HPF_LIMIT_PEAK] = "",         [HPF_LIMIT_MEAN] = "mean", [HPF_LIMIT_FINAL] = "",
    [HPF_LIMIT_GROWTH] = "growth", [HPF_LIMIT_MAX] = "max",   NULL};
static const char *const diff_measures[] = {
    [HPF_DIFF_MEAN] = "mean", [HPF_DIFF_PEAK] = "peak", [HPF_DIFF_END] = "end", NULL};

static const struct rate {
    const char *suffix;
    double seconds;
} rates[] = {{"/ms", 1e-3}, {"/s", 1}, {"/min", 60}, {"/h", 3600}};

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
static bool parse_limit(hpf_limit *r, hpf_str text, bool is_growth, bool is_diff)
{
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
    hpf_str unit = hpf__trimmed((hpf_str){end, (size_t)(word + text.length - end)});
    if (hpf_str_is(unit, "%")) {
        r->is_percent = true;
        return is_diff;
    }
    for (size_t i = 0; is_growth && i < sizeof rates / sizeof *rates; i++) {
        if (hpf__drop_end(&unit, rates[i].suffix)) {
            r->per_seconds = rates[i].seconds;
        }
    }
    return hpf__read_unit(unit, &r->power, &r->base);
}

/* Parses what comes before the limit: "peak", "band:REGEX.max", or nothing. */
static hpf_status parse_subject(hpf_limit *r, hpf_limit_kind kind, hpf_str text, hpf_error *err)
{
    static const char band[] = "band:", any_band[] = "band?:";
    r->may_lack_bands = hpf_str_begins(text, any_band);
    bool has_band = r->may_lack_bands || hpf_str_begins(text, band);
    hpf_str figure = text;
    if (has_band) {
        size_t point = text.length;
        while (point > 0 && text.data[point - 1] != '.') {
            point--;
        }
        hpf_str word = hpf_str_from(text, point);
        bool has_figure =
            index_of(word, kind == HPF_LIMIT_DIFF ? diff_measures : band_figures) >= 0;
        figure = has_figure ? word : (hpf_str){"", 0};
        size_t end = has_figure ? point - 1 : text.length;
        size_t begin = strlen(r->may_lack_bands ? any_band : band);
        char *pattern = strndup(text.data + begin, end - begin);
        hpf_error reason;
        if (!pattern) {
            return hpf_error_set_memory(err);
        }
        r->has_bands =
            *pattern && hpf_name_filter_init(&r->bands, pattern, NULL, &reason) == HPF_OK;
        bool is_empty = *pattern == '\0';
        free(pattern);
        if (!r->has_bands) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT, "'%.200s': %s", r->text,
                                 is_empty ? "expected a regular expression after band:"
                                          : reason.message);
        }
    }
    if (kind == HPF_LIMIT_DIFF && figure.length == 0) {
        r->figure = HPF_LIMIT_ALL_MEASURES;
        return HPF_OK;
    }
    r->figure = index_of(figure, kind == HPF_LIMIT_DIFF ? diff_measures
                                 : has_band             ? band_figures
                                                        : report_figures);
    if (r->figure < 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "'%.200s': expected %s before the limit",
                             r->text,
                             kind == HPF_LIMIT_DIFF ? "mean, peak, end or band:REGEX"
                             : has_band             ? "band:REGEX.max, .mean or .growth"
                                        : "peak, mean, final, growth or band:REGEX.max");
    }
    return HPF_OK;
}

/* Returns the last of two characters in a text, or NULL. */
static const char *last_of(const char *text, char a, char b)
{
    const char *first = strrchr(text, a), *second = strrchr(text, b);
    return !first || (second && second > first) ? second : first;
}

hpf_status hpf_limit_parse(hpf_limit *out, hpf_limit_kind kind, const char *text, hpf_error *err)
{
    *out = (hpf_limit){.text = text};
    const bool is_diff = kind == HPF_LIMIT_DIFF;
    const char *sign = is_diff ? last_of(text, '+', '-') : last_of(text, '>', '<');
    const char *limit = sign ? sign + 1 : text;
    out->is_upper = sign && *sign == (is_diff ? '+' : '>');
    out->breaks_equal = !is_diff && *limit == '=';
    limit += out->breaks_equal;
    hpf_status status =
        sign ? parse_subject(out, kind, hpf__trimmed((hpf_str){text, (size_t)(sign - text)}), err)
             : HPF_OK;
    bool is_growth = !is_diff && out->figure == HPF_LIMIT_GROWTH;
    if (status == HPF_OK &&
        (!sign || !parse_limit(out, hpf__trimmed(hpf_str_of(limit)), is_growth, is_diff))) {
        status = hpf_error_set(err, HPF_ERR_ARGUMENT, "expects a rule such as %s, not '%.200s'",
                               is_diff ? "'+5%', 'peak +10M' or 'band:REGEX.mean +5%'"
                                       : "'peak > 100M', 'growth > 1M/s' or 'band:REGEX.max > 10M'",
                               text);
    }
    if (status != HPF_OK) {
        hpf_limit_finish(out);
    }
    out->limit = is_diff && !out->is_upper ? -out->limit : out->limit;
    return status;
}

void hpf_limit_finish(hpf_limit *r)
{
    if (r->has_bands) {
        hpf_name_filter_finish(&r->bands);
        r->has_bands = false;
    }
}

/* --- judging --------------------------------------------------------------------------------- */

/* Returns a limit in the unit of the profile. */
static double limit_of(const hpf_limit *r, const hpf_survey *survey)
{
    bool has_bytes = hpf_str_is(hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), "bytes");
    int base = r->base > 0 ? r->base : has_bytes ? 1024 : 1000;
    return r->limit * pow(base, r->power) / (r->per_seconds > 0 ? r->per_seconds : 1);
}

static bool is_matched(hpf_limit *r, const hpf_survey *survey, hpf_str name)
{
    hpf_str job = hpf_survey_header(survey, HPF_HEADER_JOB);
    return !r->has_bands || hpf_name_filter_keeps(&r->bands, job, name);
}

static hpf_limit_verdict verdict_without_bands(const hpf_limit *r)
{
    return r->has_bands && !r->may_lack_bands ? HPF_LIMIT_NO_BAND : HPF_LIMIT_KEPT;
}

/* Counts a value of a band. Returns whether it is the worst one yet. */
static bool is_worst(const hpf_limit *r, hpf_limit_result *t, hpf_str name, double value,
                     double limit)
{
    bool breaks =
        (r->is_upper ? value > limit : value < limit) || (r->breaks_equal && value == limit);
    bool is_first = breaks && t->n_broken == 0;
    t->verdict = t->verdict == HPF_LIMIT_NO_BAND ? HPF_LIMIT_KEPT : t->verdict;
    t->n_broken += breaks;
    if (!is_first && (!breaks || !(r->is_upper ? value > t->value : value < t->value))) {
        return false;
    }
    t->verdict = HPF_LIMIT_BROKEN;
    t->name = name;
    t->value = value;
    return true;
}

static double figure_of(hpf_limit_figure figure, const hpf_summary *sum, const hpf_summary_row *row)
{
    switch (figure) {
    case HPF_LIMIT_PEAK:
        return sum->peak;
    case HPF_LIMIT_MEAN:
        return row->mean;
    case HPF_LIMIT_FINAL:
        return sum->final;
    case HPF_LIMIT_GROWTH:
        return row->growth;
    case HPF_LIMIT_MAX:
        return row->max;
    }
    return NAN;
}

hpf_limit_result hpf_limit_judge(hpf_limit *r, const hpf_survey *survey, const hpf_summary *sum)
{
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
    const double limit = limit_of(r, survey);
    hpf_limit_result t = {.verdict = verdict_without_bands(r)};
    if (r->per_seconds > 0 && !hpf_str_is(time_unit, "seconds")) {
        return (hpf_limit_result){.verdict = HPF_LIMIT_UNKNOWN,
                                  .why = "the times of the profile are not in seconds"};
    }
    if (r->figure == HPF_LIMIT_GROWTH && isnan(sum->total.growth)) {
        return (hpf_limit_result){.verdict = HPF_LIMIT_UNKNOWN,
                                  .why = "growth needs samples of two times"};
    }
    for (uint32_t i = 0; i < (r->has_bands ? sum->n_rows : 1); i++) {
        const hpf_summary_row *row = r->has_bands ? &sum->rows[i] : &sum->total;
        bool is_meant = is_matched(r, survey, row->name) ||
                        is_matched(r, survey, hpf_survey_name(survey, row->number));
        double value = is_meant ? figure_of((hpf_limit_figure)r->figure, sum, row) : NAN;
        if (!isnan(value)) {
            (void)is_worst(r, &t, row->name, value, limit);
        }
    }
    return t;
}

static void judge_row(const hpf_limit *r, hpf_limit_result *t, const hpf_diff_row *row,
                      hpf_diff_measure measure, const hpf_survey *survey)
{
    double before = row->amounts[0][measure], change = hpf_diff_change(row, measure);
    double percent = change == 0 ? 0 : before > 0 ? 100 * change / before : INFINITY;
    if (is_worst(r, t, row->name, r->is_percent ? percent : change, limit_of(r, survey))) {
        t->measure = measure;
        t->before = before;
        t->change = change;
        t->percent = percent;
    }
}

hpf_limit_result hpf_limit_judge_diff(hpf_limit *r, const hpf_survey *before, const hpf_diff *diff)
{
    const hpf_diff_row *rows = r->has_bands ? hpf_diff_rows(diff) : hpf_diff_total(diff);
    uint32_t n_rows = r->has_bands ? hpf_diff_n_rows(diff) : 1;
    bool has_all = r->figure == HPF_LIMIT_ALL_MEASURES;
    int first = has_all ? 0 : r->figure, last = has_all ? HPF_N_DIFF_MEASURES - 1 : r->figure;
    hpf_limit_result t = {.verdict = verdict_without_bands(r)};
    for (uint32_t i = 0; i < n_rows; i++) {
        hpf_limit_result of_row = t;
        if (!is_matched(r, before, rows[i].name)) {
            continue;
        }
        for (int m = first; m <= last; m++) {
            judge_row(r, &of_row, &rows[i], (hpf_diff_measure)m, before);
        }
        of_row.n_broken = t.n_broken + (of_row.n_broken > t.n_broken); /* count bands */
        t = of_row;
    }
    return t;
}
