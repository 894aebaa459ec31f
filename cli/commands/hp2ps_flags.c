/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The flags of hp2ps.
 */
#include "hp2ps_flags.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TRACE_PERCENT   5.0
#define MIN_EPS_WIDTH_PT    144.0
#define POINTS_PER_INCH     72.0
#define POINTS_PER_MM       2.834646
#define MOST_BANDS_WITH_KEY 20 /* more bands put the legend on separate pages */

/* Returns the length in points of the unit at the end of the text. */
static double unit_of(const char *text)
{
    size_t length = strlen(text);
    const char *end = length >= 2 ? text + length - 2 : text;

    if (strcmp(end, "in") == 0) {
        return POINTS_PER_INCH;
    }
    return strcmp(end, "mm") == 0 ? POINTS_PER_MM : 1;
}

static bool read_eps_width(hpr_classic *classic, const char *text)
{
    double width_pt = strtod(text, NULL) * unit_of(text);

    classic->eps_width_pt = width_pt;
    return width_pt > MIN_EPS_WIDTH_PT && isfinite(width_pt);
}

static bool read_trace(hpr_options *options, const char *text)
{
    double percent = strtod(text, NULL);

    options->trace_percent = percent;
    return percent >= 0 && percent <= MAX_TRACE_PERCENT;
}

static void read_bands(hpr_options *options, const char *text)
{
    long n = strtol(text, NULL, 10);

    options->n_bands = n > INT_MAX ? INT_MAX : n < INT_MIN ? INT_MIN : (int)n;
    if (n > MOST_BANDS_WITH_KEY) {
        options->classic.key_pages = true;
    }
}

/* -i overrides -d, in any order. */
static void read_order(hpr_options *options, hpr_order order, bool reverse)
{
    if (order == HPR_ORDER_NAME) {
        options->order = HPR_ORDER_NAME;
        options->reverse = reverse;
    } else if (options->order != HPR_ORDER_NAME) {
        options->order = order;
    }
}

/* Parses the flags of a word from the letter `at` on. Returns NULL, or the text that is wrong. */
static const char *read_group(hp2ps_flags *out, const char *at)
{
    hpr_classic *classic = &out->options.classic;

    for (; *at == 'p'; at++) {
        out->reuse = true;
    }
    switch (*at) {
    case '\0':
        return NULL;
    case 'b':
        classic->big_title = true;
        return NULL;
    case 's':
        classic->small_title = true;
        return NULL;
    case 'c':
        classic->colour = true;
        return NULL;
    case 'd':
        read_order(&out->options, HPR_ORDER_STDDEV, false);
        return NULL;
    case 'e':
        return read_eps_width(classic, at + 1) ? NULL : at + 1;
    case 'g':
        classic->portrait = true;
        return NULL;
    case 'i':
        read_order(&out->options, HPR_ORDER_NAME, at[1] == '-');
        return NULL;
    case 'l':
        out->options.n_bands = 0;
        return NULL;
    case 'm':
        read_bands(&out->options, at + 1);
        return NULL;
    case 'M':
        classic->key_pages = true;
        return NULL;
    case 't':
        return read_trace(&out->options, at + 1) ? NULL : at - 1;
    case 'y':
        classic->no_marks = true;
        return NULL;
    default:
        return at - 1;
    }
}

/* Parses `--format=FMT` or `--format FMT`. Returns the number of words, or 0 if it is another flag.
 */
static int read_format(hp2ps_flags *out, char **words)
{
    static const char name[] = "--format";
    size_t length = sizeof name - 1;

    if (strncmp(words[0], name, length) != 0) {
        return 0;
    }
    if (words[0][length] == '=') {
        out->format = words[0] + length + 1;
        return 1;
    }
    if (words[0][length] == '\0' && words[1]) {
        out->format = words[1];
        return 2;
    }
    return 0;
}

const char *hp2ps_flags_parse(hp2ps_flags *out, int argc, char **argv)
{
    int i = 1;

    *out = (hp2ps_flags){.options = hpr_options_default(HPR_LOOK_CLASSIC)};
    while (i < argc && argv[i][0] == '-') {
        int n_words = read_format(out, argv + i);
        const char *wrong = n_words > 0 ? NULL : read_group(out, argv[i] + 1);

        if (wrong) {
            return wrong;
        }
        i += n_words > 0 ? n_words : 1;
    }
    out->file = i < argc ? argv[i] : NULL;
    return NULL;
}
