/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The rules. Each has a threshold in time and in amount, so that a program that only starts, or
 * works in phases, is not reported. Churn and small blocks read the profile again, growth some
 * samples of it; the others need only what the survey has already.
 */
#include "findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/big_endian.h"
#include "event/breakdown.h"
#include "event/format_row.h"
#include "eventlog/eventlog.h"
#include "eventlog/eventlog_tags.h"
#include "hpfile/sink.h"
#include "summary/survey_details.h"

#include "unit_format.h"

/* Fewer samples say nothing about time. */
enum { FEWEST_SAMPLES = 20 };

/* The most names that a finding lists. */
enum { MOST_NAMES = 3 };

/* Two times; infinite ones are no limits. */
typedef struct times {
    double first, last;
} times;

typedef struct search {
    findings *out;
    const input *in;
    const hpf_overview *o;
    hpf_str value_unit, time_unit;
    bool exact;
    times window;
} search;

static const times all_times = {-HUGE_VAL, HUGE_VAL};

static bool is_in(times window, double time)
{
    return time >= window.first && time <= window.last;
}

static bool is_native(const search *s)
{
    return hpf_native_part_of_job(hpf_survey_header(s->in->survey, HPF_HEADER_JOB)).length > 0;
}

static formatted amount(const search *s, double value)
{
    return format_amount(value, s->value_unit, s->exact);
}

static formatted moment(const search *s, double time)
{
    return format_time(time, s->time_unit, s->exact);
}

/* Adds a finding; returns the sink for its text, or NULL without memory. */
static hpf_sink *add(search *s, const char *kind)
{
    finding *f = &s->out->all[s->out->n++];
    *f = (finding){kind, hpf_sink_to_memory(), hpf_sink_to_memory()};
    return f->text && f->command ? f->text : NULL;
}

/* Writes a command for the last finding: `begin`, the options that select these times, and the name
 * of the input. */
static void write_command(search *s, const char *begin, times of)
{
    hpf_sink *to = s->out->all[s->out->n - 1].command;
    bool is_plain = strspn(s->in->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_./%+-") == strlen(s->in->name);
    hpf_sink_text(to, begin);
    if (of.first > -HUGE_VAL) {
        hpf_sink_text(to, " --from ");
        hpf_sink_shortest(to, of.first);
        hpf_sink_text(to, " --to ");
        hpf_sink_shortest(to, of.last);
    }
    hpf_sink_printf(to, is_plain ? " %s" : " '%s'", s->in->name);
}

/* Returns the index of the first pick at `time` or later. */
static size_t pick_from(const hpf_overview *o, double time)
{
    size_t i = 0;
    while (i + 1 < o->n_picks && o->picks[i].time < time) {
        i++;
    }
    return i;
}

/* --- growth ---------------------------------------------------------------------------------- */

/* The line through the totals of the picks [first, last]. */
typedef struct line {
    double slope, r_squared;
} line;

static line fit(const hpf_overview *o, size_t first, size_t last)
{
    double n = 0, t = 0, a = 0, tt = 0, aa = 0, ta = 0;
    for (size_t i = first; i <= last; i++) {
        double time = o->picks[i].time - o->picks[first].time;
        double total = o->picks[i].total;
        n++;
        t += time;
        a += total;
        tt += time * time;
        aa += total * total;
        ta += time * total;
    }
    double spread_time = n * tt - t * t, spread_amount = n * aa - a * a;
    double together = n * ta - t * a;
    line out = {0, 0};
    if (spread_time > 0 && spread_amount > 0) {
        out.slope = together / spread_time;
        out.r_squared = together * together / (spread_time * spread_amount);
    }
    return out;
}

/* Lists the names that grew most between two picks, of which one has some: "NAME by 3 MiB, NAME by
 * 1 MiB". */
static hpf_status write_growing(search *s, hpf_sink *to, size_t first, size_t last, hpf_error *err)
{
    uint32_t n = hpf_survey_n_names(s->in->survey);
    double grown = s->o->picks[last].total - s->o->picks[first].total;
    double *before = calloc(n, sizeof *before);
    double *after = calloc(n, sizeof *after);
    hpf_status status = before && after ? HPF_OK : hpf_error_set_memory(err);
    status = status ? status : hpf_survey_pick_amounts(s->in->survey, first, before, err);
    status = status ? status : hpf_survey_pick_amounts(s->in->survey, last, after, err);
    for (int k = 0; k < MOST_NAMES && status == HPF_OK; k++) {
        hpf_name most = 0;
        for (hpf_name i = 0; i < n; i++) {
            most = after[i] - before[i] > after[most] - before[most] ? i : most;
        }
        double gain = after[most] - before[most];
        if (gain < grown / 10) {
            break;
        }
        hpf_sink_text(to, k == 0 ? ": " : ", ");
        hpf_sink_name(to, hpf_survey_name(s->in->survey, most));
        hpf_sink_printf(to, " by %s", amount(s, gain).text);
        after[most] = before[most];
    }
    free(before);
    free(after);
    return status;
}

/* The heap grows from the first third of the time to the end, or to its peak near the end, and as
 * much in the second half of this time as in the first: no warm-up. */
static hpf_status find_growth(search *s, hpf_error *err)
{
    const hpf_overview *o = s->o;
    double duration = o->last_time - o->first_time;
    if (o->n_samples < FEWEST_SAMPLES || o->peak_time < o->first_time + 0.75 * duration) {
        return HPF_OK;
    }
    double begin_time = o->first_time + (o->peak_time - o->first_time) / 3;
    size_t first = pick_from(o, begin_time);
    size_t middle = pick_from(o, (begin_time + o->peak_time) / 2);
    size_t last = hpf_survey_peak_pick(s->in->survey);
    if (last < first + 5) {
        return HPF_OK;
    }
    line l = fit(o, first, last);
    double grown = o->peak_total - o->picks[first].total;
    double grown_late = o->peak_total - o->picks[middle].total;
    bool is_growth = l.slope > 0 && l.r_squared >= 0.8 && grown >= o->peak_total / 4 &&
                     grown_late >= 0.35 * grown;
    if (!is_growth) {
        return HPF_OK;
    }
    hpf_sink *to = add(s, "growth");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_printf(to, "the heap grows by %s",
                    format_growth(l.slope, s->value_unit, s->time_unit, s->exact).text + 1);
    hpf_sink_printf(to, " from %s", moment(s, o->picks[first].time).text);
    hpf_sink_printf(to, " to %s (R2 %.2f) and has not levelled off", moment(s, o->peak_time).text,
                    l.r_squared);
    write_command(s, "census plot --order growth", s->window);
    return write_growing(s, to, first, last, err);
}

/* --- a short peak ---------------------------------------------------------------------------- */

/* The heap is above half of its peak for less than a tenth of the time. */
static hpf_status find_short_peak(search *s, hpf_error *err)
{
    const hpf_overview *o = s->o;
    double duration = o->last_time - o->first_time, above = 0;
    size_t peak = hpf_survey_peak_pick(s->in->survey);
    for (size_t i = 0; i + 1 < o->n_picks; i++) {
        bool is_above =
            o->picks[i].total > o->peak_total / 2 || o->picks[i + 1].total > o->peak_total / 2;
        above += is_above ? o->picks[i + 1].time - o->picks[i].time : 0;
    }
    if (o->n_samples < FEWEST_SAMPLES || duration <= 0 || above > duration / 10) {
        return HPF_OK;
    }
    size_t first = peak, last = peak;
    while (first > 0 && o->picks[first].total > o->peak_total / 2) {
        first--;
    }
    while (last + 1 < o->n_picks && o->picks[last].total > o->peak_total / 2) {
        last++;
    }
    hpf_sink *to = add(s, "short peak");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_printf(to, "the peak of %s", amount(s, o->peak_total).text);
    hpf_sink_printf(to, " at %s is short: the heap is above half of it for",
                    moment(s, o->peak_time).text);
    hpf_sink_printf(to, " %s", moment(s, above).text);
    hpf_sink_printf(to, " of %s", moment(s, duration).text);
    write_command(s, "census plot", (times){o->picks[first].time, o->picks[last].time});
    return write_growing(s, to, first, peak, err);
}

/* --- biographies and retainers ---------------------------------------------------------------- */

/* Returns the share of a name in the area of the profile. */
static double share_of(const search *s, const char *name)
{
    double area = s->o->total.trapezium;
    for (hpf_name i = 0; i < hpf_survey_n_names(s->in->survey) && area > 0; i++) {
        if (hpf_str_is(hpf_survey_name(s->in->survey, i), name)) {
            return hpf_survey_totals(s->in->survey, i)->trapezium / area;
        }
    }
    return 0;
}

/* A quarter of the memory over time is kept after its last use, or never used. */
static hpf_status find_unused(search *s, hpf_error *err)
{
    double drag = share_of(s, "DRAG"), never = share_of(s, "VOID");
    if (drag + never < 0.25) {
        return HPF_OK;
    }
    hpf_sink *to = add(s, "unused memory");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_printf(to, "%s of the memory over time is kept after its last use (DRAG)",
                    format_share(drag).text);
    hpf_sink_printf(to, ", %s is never used (VOID%s", format_share(never).text,
                    is_native(s) ? "); who holds it: run with -hr -hbdrag,void"
                                 : "; in GHC, also evaluated data); who makes it: run with -hc "
                                   "-hbdrag,void");
    write_command(s, "census plot --normalise", s->window);
    return HPF_OK;
}

/* One retainer set holds half of the memory over time; or nothing holds 1 % of it. */
static hpf_status find_holder(search *s, hpf_error *err)
{
    const hpf_survey *survey = s->in->survey;
    hpf_name most = 0;
    for (hpf_name i = 0; i < hpf_survey_n_names(survey); i++) {
        most = hpf_survey_totals(survey, i)->trapezium > hpf_survey_totals(survey, most)->trapezium
                   ? i
                   : most;
    }
    double lost = share_of(s, "UNREACHED");
    if (lost >= 0.01) {
        hpf_sink *to = add(s, "unreached");
        if (!to) {
            return hpf_error_set_memory(err);
        }
        hpf_sink_printf(to, "%s of the memory over time is not reachable (UNREACHED): leaks",
                        format_share(lost).text);
        write_command(s, "census plot --match UNREACHED", s->window);
    }
    hpf_str name = hpf_survey_name(survey, most);
    double share = s->o->total.trapezium > 0
                       ? hpf_survey_totals(survey, most)->trapezium / s->o->total.trapezium
                       : 0;
    hpf_str bare = hpf_str_without_id(name);
    if (share < 0.5 || hpf_str_is(bare, "UNREACHED") || hpf_str_is(bare, "SYSTEM") ||
        hpf_str_is(bare, "MANY")) {
        return HPF_OK;
    }
    hpf_sink *to = add(s, "one holder");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_retainer_set set;
    hpf_sink_printf(
        to, "one retainer set holds %s of the memory over time: ", format_share(share).text);
    hpf_sink_name(to, hpf_survey_retainer_set(survey, most, &set) ? set.members : name);
    write_command(s, "census report --chains -m 1", all_times); /* takes no part of a profile */
    return HPF_OK;
}

/* --- resident memory -------------------------------------------------------------------------- */

static const hpf_quantity *quantity_of(const search *s, const char *name)
{
    for (size_t i = 0; i < s->o->n_quantities; i++) {
        if (hpf_str_is(s->o->quantities[i].name, name)) {
            return &s->o->quantities[i];
        }
    }
    return NULL;
}

/* Returns the last value of a quantity up to `time`, or 0. */
static double value_at(const hpf_quantity *q, double time)
{
    double value = 0;
    for (size_t i = 0; q && i < q->n_points && q->points[i].time <= time; i++) {
        value = q->points[i].value;
    }
    return value;
}

/* At the end, the process keeps twice as much memory as is live, and 16 MiB more: freed memory was
 * not given back. The end is the last time at which a tenth of the peak was live. */
static hpf_status find_resident(search *s, hpf_error *err)
{
    static const double least = 16 << 20;
    const hpf_overview *o = s->o;
    const hpf_quantity *resident = quantity_of(s, "resident");
    size_t end = o->n_picks;
    while (end > 0 && o->picks[end - 1].total < o->peak_total / 10) {
        end--;
    }
    if (!resident || !end || o->n_samples < FEWEST_SAMPLES) {
        return HPF_OK;
    }
    const hpf_pick *last = &o->picks[end - 1];
    double kept = value_at(resident, last->time) - value_at(quantity_of(s, "profiler"), last->time);
    if (kept < 2 * last->total || kept - last->total < least) {
        return HPF_OK;
    }
    hpf_sink *to = add(s, "resident memory");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_printf(to, "at %s the process keeps", moment(s, last->time).text);
    hpf_sink_printf(to, " %s", amount(s, kept).text);
    hpf_sink_printf(to, " for %s that are live: freed memory is in pieces, or was not given back",
                    amount(s, last->total).text);
    write_command(s, "census plot --overlay resident", s->window);
    return HPF_OK;
}

/* --- churn ------------------------------------------------------------------------------------ */

/* What an event log says of allocation. */
typedef struct allocation {
    times window;
    double first_s, last_s;
    uint64_t first_bytes, last_bytes; /* allocated since the program started */
    bool has_first;
} allocation;

static hpf_status note_allocation(void *context, const hpf_event *event, hpf_error *err)
{
    allocation *a = context;
    (void)err;
    double time_s = (double)event->time_ns / 1e9;
    if (event->type->id == HPF__EVENT_HEAP_ALLOCATED && event->payload.length == 4 + 8 &&
        is_in(a->window, time_s)) {
        a->last_s = time_s;
        a->last_bytes = hpf__read8(event->payload.data + 4);
        if (!a->has_first) {
            a->first_s = a->last_s;
            a->first_bytes = a->last_bytes;
            a->has_first = true;
        }
    }
    return HPF_OK;
}

/* A native program allocates 256 MiB a second, of which a byte lives less than 0.1 s on average: by
 * Little's law, live bytes divided by the rate. Programs with a garbage collector allocate like
 * this by nature. */
static hpf_status find_churn(search *s, hpf_error *err)
{
    static const double least_rate = 256 << 20, longest_life_s = 0.1;
    const hpf_event_visitor visitor = {.event = note_allocation};
    allocation a = {.window = s->window};
    if (s->in->format != &hpf_format_eventlog || !is_native(s) ||
        s->o->n_samples < FEWEST_SAMPLES) {
        return HPF_OK;
    }
    hpf_status status = hpf_source_rewind(s->in->given, err);
    status =
        status == HPF_OK ? hpf_eventlog_read_source(NULL, s->in->given, &visitor, &a, err) : status;
    double duration = a.last_s - a.first_s;
    double allocated = (double)(a.last_bytes - a.first_bytes);
    double rate = duration > 0 && a.last_bytes > a.first_bytes ? allocated / duration : 0;
    double live = hpf_survey_mean(s->in->survey, &s->o->total);
    if (status != HPF_OK || rate < least_rate || live > rate * longest_life_s) {
        return status;
    }
    hpf_sink *to = add(s, "churn");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    hpf_sink_printf(to, "%s were allocated", amount(s, allocated).text);
    hpf_sink_printf(to, " in %s while", moment(s, duration).text);
    hpf_sink_printf(to, " %s were live:", amount(s, live).text);
    hpf_sink_printf(to, " a byte lives %s on average; who allocates: report --value allocated",
                    moment(s, live / rate).text);
    write_command(s, "census plot --lanes", s->window);
    return HPF_OK;
}

/* --- small blocks ----------------------------------------------------------------------------- */

/* The total of one amount of a profile of another tool: the largest in a window. */
typedef struct moment_total {
    times window;
    double time, total;
} moment_total;

static hpf_status add_moment(void *context, const hpf_sample *sample, hpf_error *err)
{
    moment_total *m = context;
    double total = 0;
    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        total += hpf_cost_amount(&sample->costs[i]);
    }
    if (is_in(m->window, sample->time) && total > m->total) {
        m->time = sample->time;
        m->total = total;
    }
    return HPF_OK;
}

static hpf_status read_total(const search *s, const char *value, moment_total *m, hpf_error *err)
{
    const hpf_events events = {.sample = add_moment};
    const hpf_reader_options options = {.value = {value, strlen(value)}};
    hpf_status status = hpf_source_rewind(s->in->given, err);
    return status == HPF_OK
               ? hpf_format_read(s->in->format, s->in->given, &events, m, &options, err)
               : status;
}

/* At the peak there are a million blocks, of at most 32 bytes on average. Formats of other tools
 * contain the number of blocks, and logs of native programs that at the peak of the whole program.
 */
static hpf_status find_small_blocks(search *s, hpf_error *err)
{
    static const double least_blocks = 1e6, most_bytes = 32;
    static const struct {
        const hpf_format *format;
        const char *bytes, *blocks;
    } formats[] = {{&hpf_format_dhat, "live", "blocks"},
                   {&hpf_format_heap_text, "inuse_space", "inuse_objects"},
                   {&hpf_format_pprof, "inuse_space", "inuse_objects"},
                   {&hpf_format_eventlog, "peak", "blocks"}};
    size_t i = 0, n = sizeof formats / sizeof *formats;
    while (i < n && formats[i].format != s->in->format) {
        i++;
    }
    bool is_log = s->in->format == &hpf_format_eventlog;
    if (i == n || s->in->n_more > 0 || (is_log && (!is_native(s) || s->window.first > -HUGE_VAL))) {
        return HPF_OK;
    }
    moment_total bytes = {.window = s->window}, blocks = {.total = 0};
    hpf_status status = read_total(s, formats[i].bytes, &bytes, err);
    blocks.window = (times){bytes.time, bytes.time};
    status = status == HPF_OK ? read_total(s, formats[i].blocks, &blocks, err) : status;
    if (status == HPF_ERR_ARGUMENT) {
        return HPF_OK; /* a pprof profile of other amounts, a log without totals */
    }
    bool is_impossible = blocks.total >= 0x1p64; /* no computer has as many */
    if (status != HPF_OK || is_impossible || blocks.total < least_blocks ||
        bytes.total > most_bytes * blocks.total) {
        return status;
    }
    hpf_sink *to = add(s, "small blocks");
    if (!to) {
        return hpf_error_set_memory(err);
    }
    char command[60];
    hpf_sink_printf(to, "%s live blocks have", format_count((uint64_t)blocks.total).text);
    hpf_sink_printf(to, " %.1f bytes on average, to which malloc adds 8 to 16 bytes for each",
                    bytes.total / blocks.total);
    snprintf(command, sizeof command, "census report --value %s", formats[i].blocks);
    write_command(s, command, s->window);
    return HPF_OK;
}

/* ---------------------------------------------------------------------------------------------- */

hpf_status findings_find(findings *out, const input *in, bool is_window, bool exact, hpf_error *err)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    search s = {.out = out,
                .in = in,
                .o = o,
                .value_unit = hpf_survey_header(in->survey, HPF_HEADER_VALUE_UNIT),
                .time_unit = hpf_survey_header(in->survey, HPF_HEADER_SAMPLE_UNIT),
                .exact = exact,
                .window = is_window ? (times){o->first_time, o->last_time} : all_times};
    hpf_breakdown by = hpf_breakdown_of_job(hpf_survey_header(in->survey, HPF_HEADER_JOB));
    *out = (findings){.n = 0};
    if (o->peak_total <= 0) {
        return HPF_OK;
    }
    hpf_status status = find_growth(&s, err);
    if (status == HPF_OK && out->n == 0) {
        status = find_short_peak(&s, err);
    }
    if (status == HPF_OK && by == HPF_BREAKDOWN_BIOGRAPHY) {
        status = find_unused(&s, err);
    }
    if (status == HPF_OK && by == HPF_BREAKDOWN_RETAINER) {
        status = find_holder(&s, err);
    }
    status = status == HPF_OK ? find_resident(&s, err) : status;
    status = status == HPF_OK ? find_churn(&s, err) : status;
    return status == HPF_OK ? find_small_blocks(&s, err) : status;
}

void findings_finish(findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        hpf_sink_destroy(f->all[i].text);
        hpf_sink_destroy(f->all[i].command);
    }
    f->n = 0;
}
