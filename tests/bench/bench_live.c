/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What it costs to watch a profile: samples are appended, and after each a survey is taken and laid
 * out as a chart, the order and the colours of the bands being the same as in the chart before.
 *
 *     bench_live MAKE_HP [MEGABYTES]
 *
 * Three profiles that the program MAKE_HP makes go through it: 1 GB (or so many megabytes) of each
 * shape of bench_render.py, and 24 hours of ten samples a second. Updates are measured when 1, 50
 * and 99 percent of it have come. CPU time; slowness never fails.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "hpfile/live.h"
#include "hprender/render.h"
#include "made_up_font.h"

enum { N_UPDATES = 200, PIECE_BYTES = 64 << 10, MAX_BANDS = 64 };

typedef struct watched {
    FILE *input;
    hpf_live *live;
    char *bytes; /* read, and not fed yet: [at, n_bytes) */
    size_t at, n_bytes;
    uint64_t fed_bytes;
    hpr_chart *chart;  /* the last one */
    double slowest_ms; /* feeding of one piece */
    hpf_error err;
} watched;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void give_up(const char *what, const hpf_error *err)
{
    fprintf(stderr, "bench_live: %s: %s\n", what, err->message);
    exit(1);
}

static bool read_more(watched *w)
{
    if (w->at == w->n_bytes) {
        w->n_bytes = fread(w->bytes, 1, PIECE_BYTES, w->input);
        w->at = 0;
    }
    return w->n_bytes > 0;
}

static void feed(watched *w, size_t n)
{
    double begin = now_ms();
    if (hpf_live_feed(w->live, w->bytes + w->at, n, &w->err) != HPF_OK) {
        give_up("feeding", &w->err);
    }
    w->slowest_ms = fmax(w->slowest_ms, now_ms() - begin);
    w->at += n;
    w->fed_bytes += n;
}

/* Feeds line by line until a sample is complete; returns what that cost, or less than 0 when there
 * is none left. */
static double feed_sample(watched *w)
{
    uint64_t n = hpf_live_n_samples(w->live);
    double cost = 0;
    while (hpf_live_n_samples(w->live) == n) {
        if (!read_more(w)) {
            return -1;
        }
        const char *begin = w->bytes + w->at, *end = w->bytes + w->n_bytes;
        const char *stop = begin;
        while (stop < end && (stop = memchr(stop, '\n', (size_t)(end - stop))) != NULL) {
            stop++;
            if (end - stop < 12 || memcmp(stop, "BEGIN_SAMPLE", 12) == 0) {
                break;
            }
        }
        double before = now_ms();
        feed(w, (size_t)((stop ? stop : end) - begin));
        cost += now_ms() - before;
    }
    return cost;
}

static void feed_until(watched *w, double megabytes)
{
    while ((double)w->fed_bytes < megabytes * 1e6 && read_more(w)) {
        feed(w, w->n_bytes - w->at);
    }
}

/* Bands and colours stay as they were in the last chart. */
static void lay_out(watched *w, hpf_survey *survey)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpf_str names[MAX_BANDS];
    hpr_pin pins[MAX_BANDS];
    hpr_chart *last = w->chart;
    for (uint32_t i = 0; last && i < last->n_bands && i < MAX_BANDS; i++) {
        const hpr_band *band = &last->bands[last->n_bands - 1 - i];
        if (!band->is_other) {
            names[options.n_pins] = band->name;
            pins[options.n_pins++] = (hpr_pin){band->name, band->fill.colour};
        }
    }
    options.n_order_names = options.n_pins;
    options.order_names = options.keep_names = names;
    options.n_keep_names = options.n_order_names;
    options.pins = pins;
    if (hpr_chart_create(&w->chart, survey, &options, made_up_measurer, &w->err) != HPF_OK) {
        give_up("laying out", &w->err);
    }
    hpr_chart_destroy(last);
}

static int compare_doubles(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Costs of many updates. */
typedef struct costs {
    double feed[N_UPDATES], survey[N_UPDATES], chart[N_UPDATES], all[N_UPDATES];
    size_t n;
} costs;

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n ? values[n / 2] : NAN;
}

static void update(watched *w, costs *c)
{
    double fed = feed_sample(w);
    if (fed < 0) {
        return;
    }
    hpf_survey *survey = NULL;
    double begin = now_ms();
    if (hpf_live_survey(&survey, w->live, &w->err) != HPF_OK) {
        give_up("a survey", &w->err);
    }
    double surveyed = now_ms();
    lay_out(w, survey);
    double end = now_ms();
    c->feed[c->n] = fed;
    c->survey[c->n] = surveyed - begin;
    c->chart[c->n] = end - surveyed;
    c->all[c->n++] = fed + end - begin;
}

static double resident_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* A survey of the last five minutes. */
static double stretch_ms(watched *w)
{
    hpf_survey *survey = NULL;
    double begin = now_ms();
    if (hpf_live_survey_last(&survey, w->live, 300, &w->err) != HPF_OK) {
        give_up("a survey of a stretch", &w->err);
    }
    return now_ms() - begin;
}

static void measure_updates(watched *w, double percent)
{
    costs c = {.n = 0};
    update(w, &c); /* the first has no chart before it, and nothing was remembered */
    double first = c.all[0];
    c.n = 0;
    for (int i = 0; i < N_UPDATES; i++) {
        update(w, &c);
    }
    printf("  %5.0f%% %9llu %9.2f %9.3f %9.3f %9.3f %9.3f", percent,
           (unsigned long long)hpf_live_n_samples(w->live), first, median(c.feed, c.n),
           median(c.survey, c.n), median(c.chart, c.n), median(c.all, c.n));
    printf(" %9.3f %9.3f %9.1f\n", c.n ? c.all[c.n - 1] : NAN, stretch_ms(w), resident_mb());
    fflush(stdout);
}

static void watch(const char *title, const char *maker, unsigned n_names, unsigned n_live,
                  double megabytes)
{
    char command[1000];
    watched w = {.bytes = malloc(PIECE_BYTES)};
    snprintf(command, sizeof command, "'%s' %u %u %g", maker, n_names, n_live, megabytes);
    w.input = popen(command, "re");
    if (!w.bytes || !w.input || hpf_live_create(&w.live, NULL, &w.err) != HPF_OK) {
        give_up("beginning", &w.err);
    }
    printf("%s, %g MB\n  %6s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", title, megabytes, "",
           "samples", "first ms", "feed ms", "survey", "chart", "all", "worst", "last 5min",
           "peak MB");
    static const double percents[] = {1, 50, 99};
    for (int i = 0; i < 3; i++) {
        feed_until(&w, megabytes * percents[i] / 100);
        measure_updates(&w, percents[i]);
    }
    printf("  slowest piece of %d KiB: %.1f ms\n", PIECE_BYTES >> 10, w.slowest_ms);
    hpr_chart_destroy(w.chart);
    hpf_live_destroy(w.live);
    pclose(w.input);
    free(w.bytes);
}

int main(int argc, char **argv)
{
    double megabytes = argc == 3 ? strtod(argv[2], NULL) : 1000;
    if (argc < 2 || argc > 3 || !(megabytes > 0)) {
        fprintf(stderr, "usage: bench_live MAKE_HP [MEGABYTES]\n");
        return 2;
    }
    watch("few: 50 names", argv[1], 50, 50, megabytes);
    watch("many: 20000 names, 1000 alive", argv[1], 20000, 1000, megabytes);
    watch("a day of ten samples a second", argv[1], 50, 50, megabytes * 1.208);
    return 0;
}
