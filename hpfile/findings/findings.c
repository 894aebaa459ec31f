/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The rules. Each has a threshold in time and in amount, so that a program that only starts, or
 * works in phases, is not reported. Churn, pinned memory and small blocks read the profile again,
 * growth some samples of it; the others need only what the survey has already.
 */
#include "hpfile/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/utf8.h"
#include "base/names.h"
#include "hpfile/breakdown.h"
#include "event/format_row.h"
#include "hpfile/eventlog.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/resident.h"
#include "hpfile/str.h"
#include "hpfile/summary.h"
#include "hpfile/waste.h"

/* Fewer samples say nothing about time. */
enum { FEWEST_SAMPLES = 20 };

/* What an event log says of allocation. */
typedef struct allocation {
    double first_s, last_s;
    uint64_t first_bytes, last_bytes; /* allocated since the program started */
    bool has_first;
} allocation;

/* What pins ranges of a size in a record. */
typedef struct pinning {
    double bytes, live, most;
    char name[sizeof((hpf_finding *)0)->of.pinned.name];
} pinning;

/* The record in which allocators keep most. */
typedef struct resident_set {
    double time, parts[HPF_N_RESIDENT_PARTS], live_margin;
    pinning ranges[HPF_N_PINNED];
} resident_set;

typedef struct search {
    hpf_findings *out;
    const hpf_recording *in;
    const hpf_overview *o;
    allocation allocated; /* of the event log of a native program */
    resident_set resident;
    hpf_finding waste; /* the largest part at the last time for which a log has some */
} search;

static bool is_native(const search *s)
{
    return hpf_native_part_of_job(hpf_survey_header(s->in->survey, HPF_HEADER_JOB)).length > 0;
}

static bool is_in(const hpf_recording *in, double time)
{
    return time >= in->from_time && time <= in->to_time;
}

/* Adds a finding of all of the recording. */
static hpf_finding *add(const search *s, hpf_finding_kind kind)
{
    hpf_finding *f = &s->out->all[s->out->n++];
    *f = (hpf_finding){.kind = kind, .from_time = s->in->from_time, .to_time = s->in->to_time};
    return f;
}

static void copy_text(char *to, size_t room, hpf_str text)
{
    size_t n = hpf_utf8_cut(text, room - 1);
    memcpy(to, text.data, n);
    to[n] = '\0';
}

/* Returns the index of the first drawn sample at `time` or later. */
static size_t choose_from(const hpf_overview *o, double time)
{
    size_t i = 0;
    while (i + 1 < o->n_drawn && o->drawn[i].time < time) {
        i++;
    }
    return i;
}

/* --- growth ---------------------------------------------------------------------------------- */

/* The line through the totals of the drawn samples [first, last]. */
typedef struct line {
    double slope, r_squared;
} line;

static line fit(const hpf_overview *o, size_t first, size_t last)
{
    double n = 0, t = 0, a = 0, tt = 0, aa = 0, ta = 0;
    for (size_t i = first; i <= last; i++) {
        double time = o->drawn[i].time - o->drawn[first].time;
        double total = o->drawn[i].total;
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

/* Lists the names that grew most between two drawn samples, each by a tenth of all. */
static hpf_status find_gains(const search *s, hpf_finding *f, size_t first, size_t last,
                             hpf_error *err)
{
    uint32_t n = hpf_survey_n_names(s->in->survey);
    double grown = s->o->drawn[last].total - s->o->drawn[first].total;
    double *before = calloc(n, sizeof *before);
    double *after = calloc(n, sizeof *after);
    hpf_status status = before && after ? HPF_OK : hpf_error_set_memory(err);
    status = status ? status : hpf_survey_drawn_amounts(s->in->survey, first, before, err);
    status = status ? status : hpf_survey_drawn_amounts(s->in->survey, last, after, err);
    while (f->n_gains < HPF_FINDING_MOST_GAINS && status == HPF_OK) {
        hpf_name most = 0;
        for (hpf_name i = 0; i < n; i++) {
            most = after[i] - before[i] > after[most] - before[most] ? i : most;
        }
        double gain = after[most] - before[most];
        if (gain < grown / 10) {
            break;
        }
        f->gains[f->n_gains++] = (hpf_finding_gain){hpf_survey_name(s->in->survey, most), gain};
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
    size_t first = choose_from(o, begin_time);
    size_t middle = choose_from(o, (begin_time + o->peak_time) / 2);
    size_t last = hpf_survey_peak_index(s->in->survey);
    if (last < first + 5) {
        return HPF_OK;
    }
    line l = fit(o, first, last);
    double grown = o->peak_total - o->drawn[first].total;
    double grown_late = o->peak_total - o->drawn[middle].total;
    bool is_growth = l.slope > 0 && l.r_squared >= 0.8 && grown >= o->peak_total / 4 &&
                     grown_late >= 0.35 * grown;
    if (!is_growth) {
        return HPF_OK;
    }
    hpf_finding *f = add(s, HPF_FINDING_GROWTH);
    f->of.growth.rate = l.slope;
    f->of.growth.r_squared = l.r_squared;
    f->of.growth.from_time = o->drawn[first].time;
    f->of.growth.to_time = o->peak_time;
    return find_gains(s, f, first, last, err);
}

/* A band grows in a straight line up to the end, by a hundredth of the peak and by half of its
 * largest amount, or by less if the line has an R2 of 0.99: a function that leaks may also have a
 * large table. It has a twentieth of the memory over time. Of several, the one that grows
 * most. */
static hpf_status find_band_growth(search *s, hpf_error *err)
{
    hpf_summary sum;
    const hpf_summary_row *most = NULL;
    double duration = s->o->last_time - s->o->first_time;
    if (s->o->n_samples < FEWEST_SAMPLES) {
        return HPF_OK;
    }
    hpf_status status = hpf_summary_make(&sum, s->in->survey, 0, err);
    for (uint32_t i = 0; i < sum.n_rows && status == HPF_OK; i++) {
        const hpf_summary_row *row = &sum.rows[i];
        double gain = row->growth * duration;
        bool is_straight = row->r_squared >= (gain >= row->max / 2 ? 0.95 : 0.99);
        bool is_growth = is_straight && row->share >= 0.05 && gain >= s->o->peak_total / 100;
        most = is_growth && (!most || row->growth > most->growth) ? row : most;
    }
    if (most) {
        hpf_finding *f = add(s, HPF_FINDING_BAND_GROWTH);
        f->of.growth.name = hpf__without_id(most->name);
        f->of.growth.rate = most->growth;
        f->of.growth.r_squared = most->r_squared;
        f->of.growth.from_time = s->o->first_time;
        f->of.growth.to_time = s->o->last_time;
    }
    hpf_summary_finish(&sum);
    return status;
}

/* --- a short peak ---------------------------------------------------------------------------- */

/* The heap is above half of its peak for less than a tenth of the time. */
static hpf_status find_short_peak(search *s, hpf_error *err)
{
    const hpf_overview *o = s->o;
    double duration = o->last_time - o->first_time, above = 0;
    size_t peak = hpf_survey_peak_index(s->in->survey);
    for (size_t i = 0; i + 1 < o->n_drawn; i++) {
        bool is_above =
            o->drawn[i].total > o->peak_total / 2 || o->drawn[i + 1].total > o->peak_total / 2;
        above += is_above ? o->drawn[i + 1].time - o->drawn[i].time : 0;
    }
    if (o->n_samples < FEWEST_SAMPLES || duration <= 0 || above > duration / 10) {
        return HPF_OK;
    }
    size_t first = peak, last = peak;
    while (first > 0 && o->drawn[first].total > o->peak_total / 2) {
        first--;
    }
    while (last + 1 < o->n_drawn && o->drawn[last].total > o->peak_total / 2) {
        last++;
    }
    hpf_finding *f = add(s, HPF_FINDING_SHORT_PEAK);
    f->from_time = o->drawn[first].time;
    f->to_time = o->drawn[last].time;
    f->of.peak.amount = o->peak_total;
    f->of.peak.time = o->peak_time;
    f->of.peak.above_time = above;
    f->of.peak.duration = duration;
    return find_gains(s, f, first, peak, err);
}

/* --- biographies and retainers ---------------------------------------------------------------- */

/* Returns the totals of a name; of none, all 0. */
static hpf_totals totals_of(const search *s, const char *name)
{
    for (hpf_name i = 0; i < hpf_survey_n_names(s->in->survey); i++) {
        if (hpf_str_is(hpf_survey_name(s->in->survey, i), name)) {
            return *hpf_survey_totals(s->in->survey, i);
        }
    }
    return (hpf_totals){0};
}

/* Returns the share of a name in the area of the profile. */
static double share_of(const search *s, const char *name)
{
    double area = s->o->total.trapezium;
    return area > 0 ? totals_of(s, name).trapezium / area : 0;
}

/* A quarter of the memory over time is kept after its last use, or never used. */
static void find_unused(search *s)
{
    double drag = share_of(s, "DRAG"), never = share_of(s, "VOID");
    if (drag + never >= 0.25) {
        hpf_finding *f = add(s, HPF_FINDING_UNUSED);
        f->of.unused.drag = drag;
        f->of.unused.never = never;
    }
}

/* One retainer set holds half of the memory over time; or nothing holds 1 % of it. */
static void find_holder(search *s)
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
        hpf_finding *f = add(s, HPF_FINDING_UNREACHED);
        f->of.held.share = lost;
        f->of.held.max = totals_of(s, "UNREACHED").max;
    }
    hpf_str name = hpf_survey_name(survey, most);
    double share = s->o->total.trapezium > 0
                       ? hpf_survey_totals(survey, most)->trapezium / s->o->total.trapezium
                       : 0;
    hpf_str bare = hpf__without_id(name);
    if (share < 0.5 || hpf_str_is(bare, "UNREACHED") || hpf_str_is(bare, "SYSTEM") ||
        hpf_str_is(bare, "MANY")) {
        return;
    }
    hpf_retainer_set set;
    bool is_known = hpf_survey_retainer_set(survey, most, &set);
    hpf_finding *f = add(s, HPF_FINDING_ONE_HOLDER);
    f->of.held.name = is_known ? set.members : bare;
    f->of.held.share = share;
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
static void find_resident(search *s)
{
    static const double least = 16 << 20;
    const hpf_overview *o = s->o;
    const hpf_quantity *resident = quantity_of(s, "resident");
    size_t end = o->n_drawn;
    while (end > 0 && o->drawn[end - 1].total < o->peak_total / 10) {
        end--;
    }
    if (!resident || !end || o->n_samples < FEWEST_SAMPLES) {
        return;
    }
    const hpf_drawn_sample *last = &o->drawn[end - 1];
    double kept = value_at(resident, last->time) - value_at(quantity_of(s, "profiler"), last->time);
    if (kept >= 2 * last->total && kept - last->total >= least) {
        hpf_finding *f = add(s, HPF_FINDING_RESIDENT);
        f->of.resident.time = last->time;
        f->of.resident.kept = kept;
        f->of.resident.live = last->total;
    }
}

static double kept_of(const resident_set *r)
{
    return r->parts[HPF_RESIDENT_GAPS] + r->parts[HPF_RESIDENT_FREE] + r->parts[HPF_RESIDENT_REST];
}

/* Returns what allocators keep, but little if little is live: a program may free all at its end. */
static double weight_of(const resident_set *r)
{
    double kept = kept_of(r), most = 10 * r->parts[HPF_RESIDENT_LIVE];
    return kept < most ? kept : most;
}

/* Rows of parts are in the order of their numbers, those of sites largest first. */
static void read_rows(resident_set *to, hpf_str rest)
{
    hpf_resident_row row;
    size_t n_parts = 0;
    while (hpf_resident_take_row(&row, &rest)) {
        size_t range = row.kind - HPF_RESIDENT_ROW_PINNED;
        if (row.kind == HPF_RESIDENT_ROW_PART && n_parts < HPF_N_RESIDENT_PARTS) {
            to->parts[n_parts++] = (double)row.bytes;
        } else if (row.kind == HPF_RESIDENT_ROW_MARGIN) {
            to->live_margin = (double)row.bytes;
        } else if (row.kind >= HPF_RESIDENT_ROW_PINNED && range < HPF_N_PINNED) {
            pinning *p = &to->ranges[range];
            if (p->bytes <= 0) {
                copy_text(p->name, sizeof p->name, row.name);
                p->most = (double)row.bytes;
            }
            p->bytes += (double)row.bytes;
            p->live += (double)row.second_bytes;
        }
    }
}

static void note_resident(search *s, const hpf_event *event)
{
    resident_set now = {.time = (double)event->time_ns / 1e9};
    read_rows(&now, event->payload);
    s->resident = weight_of(&now) > weight_of(&s->resident) ? now : s->resident;
}

/* Allocators keep as much as is live, and 16 MiB, in resident pages. The ranges are the smallest
 * ones of which half of that is pinned. */
static void find_pinned(search *s)
{
    static const double least = 16 << 20;
    static const char *const values[] = {"pinned", "pinned-64K", "pinned-2M"};
    const resident_set *r = &s->resident;
    double kept = kept_of(r);
    if (kept < least || kept < r->parts[HPF_RESIDENT_LIVE]) {
        return;
    }
    hpf_finding *f = add(s, HPF_FINDING_PINNED);
    f->of.pinned.time = r->time;
    f->of.pinned.live = r->parts[HPF_RESIDENT_LIVE];
    f->of.pinned.live_margin = r->live_margin;
    f->of.pinned.kept = kept;
    f->of.pinned.free = r->parts[HPF_RESIDENT_FREE];
    f->of.pinned.value = "resident";
    for (size_t i = 0; i < HPF_N_RESIDENT_PARTS; i++) {
        f->of.pinned.resident += r->parts[i];
    }
    for (size_t i = 0; i < HPF_N_PINNED && f->of.pinned.range == 0; i++) {
        const pinning *p = &r->ranges[i];
        if (p->bytes >= kept / 2) {
            f->of.pinned.range = (double)hpf_pinned_range_bytes(i);
            f->of.pinned.bytes = p->bytes;
            f->of.pinned.share = p->live / (p->live + p->bytes);
            f->of.pinned.most = p->most;
            f->of.pinned.value = values[i];
            memcpy(f->of.pinned.name, p->name, sizeof p->name);
        }
    }
}

/* --- churn ------------------------------------------------------------------------------------ */

/* A native program allocates 256 MiB a second, of which a byte lives less than 0.1 s on average: by
 * Little's law, live bytes divided by the rate. Programs with a garbage collector allocate like
 * this by nature. */
static void find_churn(search *s)
{
    static const double least_rate = 256 << 20, longest_life_s = 0.1;
    const allocation a = s->allocated;
    double duration = a.last_s - a.first_s;
    double allocated = (double)(a.last_bytes - a.first_bytes);
    double rate = duration > 0 && a.last_bytes > a.first_bytes ? allocated / duration : 0;
    double live = hpf_survey_mean(s->in->survey, &s->o->total);
    if (s->o->n_samples < FEWEST_SAMPLES || rate < least_rate || live > rate * longest_life_s) {
        return;
    }
    hpf_finding *f = add(s, HPF_FINDING_CHURN);
    f->of.churn.allocated = allocated;
    f->of.churn.duration = duration;
    f->of.churn.live = live;
    f->of.churn.life = live / rate;
}

/* --- waste ------------------------------------------------------------------------------------ */

/* Rows are sorted, largest first. */
static void note_waste(search *s, const hpf_event *event)
{
    hpf_waste row;
    hpf_finding *f = &s->waste;
    hpf_str rest = event->payload.length < 8 ? HPF_STR("") : hpf_str_from(event->payload, 8);
    if (hpf_waste_take_row(&row, &rest)) {
        f->of.waste.time = (double)event->time_ns / 1e9;
        f->of.waste.live = (double)hpf__read8(event->payload.data);
        f->of.waste.bytes = (double)row.bytes;
        f->of.waste.n_blocks = (double)row.n_blocks;
        f->of.waste.kind = row.kind;
        copy_text(f->of.waste.type, sizeof f->of.waste.type, row.type);
        copy_text(f->of.waste.site, sizeof f->of.waste.site, row.site);
    }
}

/* One kind of waste at one place is a tenth of the heap, and 256 KiB. */
static void find_waste(search *s)
{
    static const double least = 256 << 10, least_share = 0.1;
    double bytes = s->waste.of.waste.bytes;
    if (bytes >= least && bytes >= s->waste.of.waste.live * least_share) {
        add(s, HPF_FINDING_WASTE)->of = s->waste.of;
    }
}

/* --- event logs ------------------------------------------------------------------------------- */

static void note_allocation(allocation *a, const hpf_event *event)
{
    a->last_s = (double)event->time_ns / 1e9;
    a->last_bytes = hpf__read8(event->payload.data + 4);
    if (!a->has_first) {
        a->first_s = a->last_s;
        a->first_bytes = a->last_bytes;
        a->has_first = true;
    }
}

static hpf_status note_event(void *context, const hpf_event *event, hpf_error *err)
{
    search *s = context;
    (void)err;
    if (!is_in(s->in, (double)event->time_ns / 1e9)) {
        return HPF_OK;
    }
    if (event->type->id == HPF__EVENT_HEAP_ALLOCATED && event->payload.length == 4 + 8) {
        note_allocation(&s->allocated, event);
    } else if (event->type->id == HPF__EVENT_HEAP_PROF_RESIDENT) {
        note_resident(s, event);
    } else if (event->type->id == HPF__EVENT_HEAP_PROF_WASTE) {
        note_waste(s, event);
    }
    return HPF_OK;
}

/* Reads what the event log of a native program says in addition to the profile. */
static hpf_status read_log(search *s, hpf_error *err)
{
    const hpf_event_visitor visitor = {.event = note_event};
    if (!s->in->source || s->in->format != &hpf_format_eventlog || !is_native(s)) {
        return HPF_OK;
    }
    hpf_status status = hpf_source_rewind(s->in->source, err);
    return status == HPF_OK ? hpf_eventlog_read_source(NULL, s->in->source, &visitor, s, err)
                            : status;
}

/* --- small blocks ----------------------------------------------------------------------------- */

/* The total of one amount of a profile of another tool: the largest in a window. */
typedef struct moment_total {
    double from_time, to_time;
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
    if (sample->time >= m->from_time && sample->time <= m->to_time && total > m->total) {
        m->time = sample->time;
        m->total = total;
    }
    return HPF_OK;
}

static hpf_status read_total(const search *s, const char *value, moment_total *m, hpf_error *err)
{
    const hpf_events events = {.sample = add_moment};
    const hpf_reader_options options = {.size = sizeof options, .value = hpf_str_of(value)};
    hpf_status status = hpf_source_rewind(s->in->source, err);
    return status == HPF_OK
               ? hpf_format_read(s->in->format, s->in->source, &events, m, &options, err)
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
    if (i == n || !s->in->source || (is_log && (!is_native(s) || s->in->from_time > -HUGE_VAL))) {
        return HPF_OK;
    }
    moment_total bytes = {s->in->from_time, s->in->to_time, 0, 0};
    hpf_status status = read_total(s, formats[i].bytes, &bytes, err);
    moment_total blocks = {bytes.time, bytes.time, 0, 0};
    status = status == HPF_OK ? read_total(s, formats[i].blocks, &blocks, err) : status;
    if (status == HPF_ERR_ARGUMENT) {
        return HPF_OK; /* a pprof profile of other amounts, a log without totals */
    }
    bool is_impossible = blocks.total >= 0x1p64; /* no computer has as many */
    if (status != HPF_OK || is_impossible || blocks.total < least_blocks ||
        bytes.total > most_bytes * blocks.total) {
        return status;
    }
    hpf_finding *f = add(s, HPF_FINDING_SMALL_BLOCKS);
    f->of.blocks.n = blocks.total;
    f->of.blocks.mean = bytes.total / blocks.total;
    f->of.blocks.value = formats[i].blocks;
    return HPF_OK;
}

/* ---------------------------------------------------------------------------------------------- */

hpf_status hpf_findings_find(hpf_findings *out, const hpf_recording *recording, hpf_error *err)
{
    search s = {.out = out, .in = recording, .o = hpf_survey_overview(recording->survey)};
    hpf_breakdown by = hpf_breakdown_of_job(hpf_survey_header(recording->survey, HPF_HEADER_JOB));
    out->n = 0;
    if (s.o->peak_total <= 0) {
        return HPF_OK;
    }
    hpf_status status = find_growth(&s, err);
    if (status == HPF_OK && out->n == 0) {
        status = find_short_peak(&s, err);
        status = status == HPF_OK ? find_band_growth(&s, err) : status;
    }
    if (by == HPF_BREAKDOWN_BIOGRAPHY) {
        find_unused(&s);
    }
    if (by == HPF_BREAKDOWN_RETAINER) {
        find_holder(&s);
    }
    status = status == HPF_OK ? read_log(&s, err) : status;
    size_t n_before = out->n;
    find_pinned(&s);
    if (out->n == n_before) {
        find_resident(&s);
    }
    find_churn(&s);
    find_waste(&s);
    return status == HPF_OK ? find_small_blocks(&s, err) : status;
}
