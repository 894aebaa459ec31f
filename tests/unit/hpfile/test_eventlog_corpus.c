/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Real event logs against facts found by other programs (tests/data/eventlog): records, samples,
 * sums, times, markers; logs and `.hp` files of the same run; logs cut at every byte.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sanitizer.h"
#include "base/names.h"
#include "hpfile/sink.h"
#include "detect/reader.h"
#include "hpfile/eventlog.h"
#include "hpfile/str.h"
#include "hpfile/survey.h"
#include "readings.h"
#include "source_dir.h"

#define DATA       CENSUS_SOURCE_DIR "/tests/data/eventlog/"
#define SAMPLES    CENSUS_SOURCE_DIR "/samples/eventlog/"
#define MAX_LOGS   100
#define MAX_FRAMES 256

typedef struct facts {
    char name[120];
    int has_end;
    unsigned n_types;
    uint64_t n_blocks, n_events, last_ns;
    uint64_t n_samples, first_sample_ns, last_sample_ns;
    double peak_total;
    uint64_t peak_sample;
    double sum;
    int is_open;
    unsigned n_markers;
    uint64_t n_cost_centres;
    char breakdown;
    uint64_t period_ns;
} facts;

static facts all[MAX_LOGS];
static size_t n_all;

static void load_facts(void)
{
    char line[500];
    FILE *file = fopen(DATA "facts.tsv", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        facts *f = &all[n_all];
        int n = sscanf(line,
                       "%119s %d %u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                       " %" SCNu64 " %lf %" SCNu64 " %lf %d %u %" SCNu64 " %c %" SCNu64,
                       f->name, &f->has_end, &f->n_types, &f->n_blocks, &f->n_events, &f->last_ns,
                       &f->n_samples, &f->first_sample_ns, &f->last_sample_ns, &f->peak_total,
                       &f->peak_sample, &f->sum, &f->is_open, &f->n_markers, &f->n_cost_centres,
                       &f->breakdown, &f->period_ns);
        n_all += line[0] != '#' && n == 17;
    }
    fclose(file);
    cr_assert_eq(n_all, 37);
}

TestSuite(eventlog_corpus, .init = load_facts, .timeout = 300);

/* Finds the log, compressed or not, in the test data or in the samples. */
static void find_log(char *out, size_t room, const facts *f)
{
    static const char *const folders[] = {DATA, SAMPLES};
    static const char *const endings[] = {"", ".xz"};
    for (size_t i = 0; i < 4; i++) {
        int n = snprintf(out, room, "%s%s%s", folders[i / 2], f->name, endings[i % 2]);
        cr_assert_lt((size_t)n, room);
        if (access(out, R_OK) == 0) {
            return;
        }
    }
    cr_assert_fail("%s is missing", f->name);
}

static void for_each(void (*check)(const facts *f, const char *path))
{
    char path[1000];
    for (size_t i = 0; i < n_all; i++) {
        find_log(path, sizeof path, &all[i]);
        check(&all[i], path);
    }
}

static hpf_source *source_of(const char *path)
{
    hpf_source *source = NULL;
    hpf_source_options options = {.size = sizeof options, .keep = true};
    cr_assert_eq(hpf_source_open(&source, path, &options, NULL), HPF_OK);
    return source;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-6;
}

/* --- records --- */

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_metadata_note(context, event, err);
}

static const hpf_event_type *type_of(const hpf_eventlog *log, unsigned id)
{
    for (size_t i = 0; i < hpf_eventlog_n_types(log); i++) {
        if (hpf_eventlog_type(log, i)->id == id) {
            return hpf_eventlog_type(log, i);
        }
    }
    return NULL;
}

static uint64_t count_of(const hpf_eventlog *log, unsigned id)
{
    const hpf_event_type *type = type_of(log, id);
    return type ? type->n_events : 0;
}

/* Each line of counts.tsv, and no more records than those. */
static void expect_counts(const facts *f, const hpf_eventlog *log)
{
    char line[1000];
    uint64_t n_events = 0;
    FILE *file = fopen(DATA "counts.tsv", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[120];
        unsigned id;
        int n_bytes;
        uint64_t n;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%119s %u %d %" SCNu64 "%n", name, &id, &n_bytes, &n, &at) != 4 ||
            strcmp(name, f->name) != 0) {
            continue;
        }
        const hpf_event_type *type = type_of(log, id);
        cr_assert_not_null(type, "%s: type %u", f->name, id);
        cr_expect_eq(type->n_events, n, "%s: %" PRIu64 " of type %u", f->name, type->n_events, id);
        cr_expect_eq(type->n_bytes, n_bytes, "%s: type %u", f->name, id);
        cr_expect(hpf_str_is(type->description, line + at + 1), "%s: type %u", f->name, id);
        n_events += n;
    }
    fclose(file);
    cr_expect_eq(n_events, f->n_events, "%s", f->name);
}

static void expect_facts(const facts *f, const hpf_eventlog_metadata *found)
{
    cr_expect_eq(found->n_profiles, f->breakdown != '-', "%s", f->name);
    if (f->breakdown != '-') {
        cr_assert_eq(found->n_profiles, 1);
        cr_expect_eq(hpf_breakdown_letter(found->profiles[0].breakdown), f->breakdown, "%s",
                     f->name);
        cr_expect_eq(found->profiles[0].period_ns, f->period_ns, "%s", f->name);
    }
}

static void check_records(const facts *f, const char *path)
{
    hpf_event_visitor visitor = {.event = note};
    hpf_eventlog_metadata found = {0};
    hpf_eventlog *log = NULL;
    hpf_error err = {0};
    hpf_source *source = source_of(path);
    hpf_status status = hpf_eventlog_read_source(&log, source, &visitor, &found, &err);
    cr_assert_eq(status, HPF_OK, "%s: %s", f->name, err.message);
    cr_expect_eq(hpf_eventlog_state(log) == HPF_EVENTLOG_COMPLETE, f->has_end, "%s", f->name);
    cr_expect_eq(hpf_eventlog_n_types(log), f->n_types, "%s", f->name);
    cr_expect_eq(count_of(log, 18), f->n_blocks, "%s", f->name);
    cr_expect_eq(count_of(log, 161), f->n_cost_centres, "%s", f->name);
    cr_expect_eq(count_of(log, 58), f->n_markers, "%s", f->name);
    cr_expect_eq(hpf_eventlog_n_events(log), f->n_events, "%s", f->name);
    cr_expect_eq(hpf_eventlog_last_ns(log), f->last_ns, "%s", f->name);
    expect_counts(f, log);
    expect_facts(f, &found);
    hpf_eventlog_metadata_finish(&found);
    hpf_eventlog_destroy(log);
    hpf_source_destroy(source);
}

Test(eventlog_corpus, logs_have_their_records)
{
    for_each(check_records);
}

/* --- heap profiles --- */

/* A band as the tables write it: stacks outermost first with their modules. */
static hpf_sink *table_name(const hpf_survey *survey, hpf_name name)
{
    static hpf_frame frames[MAX_FRAMES];
    hpf_sink *text = hpf_sink_to_memory();
    size_t depth = hpf_survey_frames(survey, name, frames, MAX_FRAMES);
    for (size_t i = depth; i-- > 0;) {
        hpf_sink_str(text, frames[i].module);
        hpf_sink_text(text, ".");
        hpf_sink_str(text, frames[i].label);
        hpf_sink_text(text, i ? ";" : "");
    }
    bool is_main =
        hpf_survey_eventlog_metadata(survey)->profiles[0].breakdown == HPF_BREAKDOWN_COST_CENTRE &&
        hpf_str_is(hpf_survey_name(survey, name), "MAIN");
    if (depth == 0 && !is_main) {
        hpf_sink_str(text, hpf_survey_name(survey, name));
    }
    return text;
}

/* The totals of all bands that the tables write so. */
static hpf_totals totals_of(const hpf_survey *survey, const char *name, unsigned *n_bands)
{
    hpf_totals sum = {0};
    *n_bands = 0;
    for (uint32_t i = 0; i < hpf_survey_n_names(survey); i++) {
        hpf_sink *text = table_name(survey, i);
        const hpf_totals *t = hpf_survey_totals(survey, i);
        if (t->n_samples && hpf_str_is(hpf_sink_bytes(text), name)) {
            sum.sum += t->sum;
            sum.trapezium += t->trapezium;
            sum.max = fmax(sum.max, t->max);
            sum.n_samples = t->n_samples > sum.n_samples ? t->n_samples : sum.n_samples;
            ++*n_bands;
        }
        hpf_sink_destroy(text);
    }
    return sum;
}

static FILE *open_table(const facts *f)
{
    char path[1000];
    snprintf(path, sizeof path, DATA "truth/%s.tsv", f->name);
    if (access(path, R_OK) != 0) {
        snprintf(path, sizeof path, DATA "truth/%s.xz.tsv", f->name);
    }
    return fopen(path, "r");
}

static void expect_table(const facts *f, const hpf_survey *survey)
{
    char line[8000];
    uint32_t n_bands = 0;
    uint32_t n_with_samples = 0;
    FILE *file = open_table(f);
    cr_assert_not_null(file, "%s has no table", f->name);
    while (fgets(line, sizeof line, file)) {
        double sum, trapezium, max;
        uint64_t n_samples;
        unsigned n = 0;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        cr_assert_eq(
            sscanf(line, "%lf %lf %lf %" SCNu64 "%n", &sum, &trapezium, &max, &n_samples, &at), 4);
        hpf_totals t = totals_of(survey, line + at + 1, &n);
        cr_assert_gt(n, 0, "%s has no '%s'", f->name, line + at + 1);
        cr_expect(t.sum == sum && near(t.trapezium, trapezium), "%s: '%s' %.17g %.17g", f->name,
                  line + at + 1, t.sum, t.trapezium);
        cr_expect(n > 1 || (t.max == max && t.n_samples == n_samples), "%s: '%s'", f->name,
                  line + at + 1);
        n_bands += n;
    }
    fclose(file);
    for (uint32_t i = 0; i < hpf_survey_n_names(survey); i++) {
        n_with_samples += hpf_survey_totals(survey, i)->n_samples > 0;
    }
    cr_expect_eq(n_bands, n_with_samples, "%s", f->name);
}

/* Each line of markers.tsv. */
static void expect_markers(const facts *f, const hpf_overview *o)
{
    char line[1000];
    size_t n = 0;
    FILE *file = fopen(DATA "markers.tsv", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        char name[120];
        uint64_t ns;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%119s %" SCNu64 "%n", name, &ns, &at) == 2 &&
            strcmp(name, f->name) == 0) {
            cr_assert_lt(n, o->n_marks, "%s", f->name);
            cr_expect_eq(o->marks[n].time, (double)ns / 1e9, "%s", f->name);
            cr_expect(hpf_str_is(o->marks[n].label, line + at + 1), "%s", f->name);
            n++;
        }
    }
    fclose(file);
    cr_expect_eq(o->n_marks, n, "%s", f->name);
}

static void expect_heap(const facts *f, const hpf_survey *survey)
{
    const hpf_overview *o = hpf_survey_overview(survey);
    cr_expect_eq(o->n_samples, f->n_samples, "%s: %" PRIu64, f->name, o->n_samples);
    cr_expect_eq(o->first_time, (double)f->first_sample_ns / 1e9, "%s", f->name);
    cr_expect_eq(o->last_time, (double)f->last_sample_ns / 1e9, "%s", f->name);
    cr_expect_eq(o->peak_total, f->peak_total, "%s", f->name);
    cr_expect_eq(o->peak_sample, f->peak_sample, "%s", f->name);
    cr_expect_eq(o->total.sum, f->sum, "%s", f->name);
    cr_expect_eq(o->truncated, !f->has_end, "%s", f->name);
    expect_table(f, survey);
    expect_markers(f, o);
}

static void check_heap(const facts *f, const char *path)
{
    hpf_survey *survey = NULL;
    hpf_error err = {0};
    hpf_source *source = source_of(path);
    hpf_status status = hpf_survey_create(&survey, source, NULL, &err);
    cr_expect_eq(status == HPF_OK, f->n_samples > 0, "%s: %s", f->name, err.message);
    if (survey) {
        expect_heap(f, survey);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
}

Test(eventlog_corpus, logs_have_their_heap_profiles)
{
    for_each(check_heap);
}

/* --- the same run as text --- */

static hpf_model *model_of(const char *path)
{
    hpf_model *model = hpf_model_create();
    hpf_error err = {0};
    hpf_source *source = source_of(path);
    cr_assert_eq(hpf_read_source(source, &hpf_model_events, model, NULL, &err), HPF_OK, "%s",
                 err.message);
    hpf_source_destroy(source);
    return model;
}

/* What `name` costs in a sample; 0 when it is not there. */
static uint64_t cost_of(const hpf_model *model, const hpf_sample *sample, hpf_str name)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_str other = hpf__without_id(hpf_model_name(model, sample->costs[i].name));
        cost += hpf_str_equal(other, hpf__without_id(name)) ? sample->costs[i].whole : 0;
    }
    return cost;
}

static void expect_same_costs(const hpf_model *a, const hpf_sample *x, const hpf_model *b,
                              const hpf_sample *y)
{
    for (size_t i = 0; i < x->n_costs; i++) {
        hpf_str name = hpf_model_name(a, x->costs[i].name);
        cr_expect_eq(cost_of(a, x, name), cost_of(b, y, name), "%.*s", (int)name.length, name.data);
    }
}

/* The text has an empty sample at the start and one at the end, which the log has not. */
static void expect_pair(const char *log, const char *text)
{
    hpf_model *a = model_of(log);
    hpf_model *b = model_of(text);
    cr_assert_eq(hpf_model_n_samples(a) + 2, hpf_model_n_samples(b), "%s", log);
    for (size_t i = 0; i < hpf_model_n_samples(a); i++) {
        hpf_sample x = hpf_model_sample(a, i);
        hpf_sample y = hpf_model_sample(b, i + 1);
        expect_same_costs(a, &x, b, &y);
        expect_same_costs(b, &y, a, &x);
    }
    hpf_model_destroy(a);
    hpf_model_destroy(b);
}

Test(eventlog_corpus, a_log_and_the_text_of_the_same_run_agree_to_the_byte)
{
    expect_pair(DATA "foldleak-prof-pair-hb.eventlog",
                CENSUS_SOURCE_DIR "/tests/data/hp/foldleak-prof-pair-hb.hp");
    expect_pair(DATA "oddnames-prof-pair-hc.eventlog",
                CENSUS_SOURCE_DIR "/tests/data/hp/oddnames-prof-pair-hc.hp");
    expect_pair(DATA "queens-plain-pair-hT.eventlog.xz",
                CENSUS_SOURCE_DIR "/samples/hp/queens-plain-pair-hT.hp");
}

/* --- cut anywhere --- */

static hpf_str bytes_of(const char *path, hpf_sink *into)
{
    hpf_source *source = source_of(path);
    hpf_str piece;
    while (hpf_source_next(source, &piece, NULL) == HPF_OK) {
        hpf_sink_str(into, piece);
    }
    hpf_source_destroy(source);
    return hpf_sink_bytes(into);
}

static void check_cuts(const facts *f, const char *path)
{
    static const struct {
        size_t most_bytes;
        uint64_t seed;
    } ways[] = {{1, 0}, {50, 1}, {5000, 2}, {70000, 3}};
    hpf_sink *bytes = hpf_sink_to_memory();
    hpf_str text = bytes_of(path, bytes);
    reading whole = read_text(text, SIZE_MAX, 0);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        reading other = read_text(text, ways[i].most_bytes, ways[i].seed);
        cr_expect(readings_equal(&whole, &other), "%s in pieces of %zu", f->name,
                  ways[i].most_bytes);
        reading_finish(&other);
    }
    reading_finish(&whole);
    hpf_sink_destroy(bytes);
}

Test(eventlog_corpus, logs_read_the_same_in_any_pieces)
{
    for_each(check_cuts);
}

/* What is said before the warning of a log that ends too soon. */
static size_t common_length(hpf_str a, hpf_str b)
{
    size_t n = 0;
    while (n < a.length && n < b.length && a.data[n] == b.data[n]) {
        n++;
    }
    return n;
}

static size_t find(hpf_str text, const char *word)
{
    size_t length = strlen(word);
    size_t at = 0;
    while (at + length <= text.length && memcmp(text.data + at, word, length) != 0) {
        at++;
    }
    return at;
}

static unsigned n_samples_in(hpf_str text)
{
    unsigned n = 0;
    for (size_t i = 0; i + 8 < text.length; i++) {
        n += memcmp(text.data + i, "\nsample ", 8) == 0;
    }
    return n;
}

/* A log that ends after any byte says what the whole one says, up to there, with a warning. */
static void check_truncated(const char *path)
{
    hpf_sink *bytes = hpf_sink_to_memory();
    hpf_str text = bytes_of(path, bytes);
    reading whole = read_text(text, SIZE_MAX, 0);
    hpf_str said = hpf_sink_bytes(whole.text);
    unsigned n_before = 0;
    for (size_t n = 4 + (text.length - 5) % CASE_STEP; n < text.length; n += CASE_STEP) {
        reading cut = read_text((hpf_str){text.data, n}, SIZE_MAX, 0);
        hpf_str part = hpf_sink_bytes(cut.text);
        unsigned n_samples = n_samples_in(part);
        cr_expect_eq(cut.n_warnings, 1, "%s cut at %zu", path, n);
        cr_expect_eq(cut.status == HPF_OK, n_samples > 0, "%s cut at %zu", path, n);
        cr_expect_eq(common_length(part, said), find(part, "warning: "), "%s cut at %zu", path, n);
        cr_expect(n_samples == n_before || n_samples == n_before + 1);
        n_before = n_samples;
        reading_finish(&cut);
    }
    cr_expect_eq(n_before, n_samples_in(said));
    reading_finish(&whole);
    hpf_sink_destroy(bytes);
}

Test(eventlog_corpus, a_log_cut_after_any_byte_keeps_complete_samples)
{
    check_truncated(DATA "foldleak-prof-pair-hb.eventlog");
    check_truncated(DATA "dragvoid-prof-l-au-hm.eventlog");
    check_truncated(DATA "oddnames-prof-pair-hc.eventlog");
}
