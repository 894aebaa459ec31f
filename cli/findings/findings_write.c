/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings/findings_write.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "hpfile/margin.h"
#include "hpfile/breakdown.h"
#include "hpfile/sink.h"
#include "hpfile/waste.h"

#include "unit_format.h"

hpf_recording finding_recording(const input *in, bool is_window)
{
    const hpf_overview *o = hpf_survey_overview(in->survey);
    return (hpf_recording){.name = in->name,
                           .survey = in->survey,
                           .source = in->n_more > 0 ? NULL : in->source,
                           .format = in->format,
                           .sets = in->sets,
                           .from_time = is_window ? o->first_time : -HUGE_VAL,
                           .to_time = is_window ? o->last_time : HUGE_VAL};
}

/* What findings are called, and what shows them. */
static const struct {
    const char *name, *command;
} kinds[HPF_N_FINDING_KINDS] = {
    [HPF_FINDING_GROWTH] = {"growth", "plot --order growth"},
    [HPF_FINDING_SHORT_PEAK] = {"short peak", "plot"},
    [HPF_FINDING_BAND_GROWTH] = {"growing band", "plot --order growth"},
    [HPF_FINDING_UNUSED] = {"unused memory", "plot --normalise"},
    [HPF_FINDING_UNREACHED] = {"unreached", "plot --match UNREACHED"},
    [HPF_FINDING_ONE_HOLDER] = {"one holder", "report --chains -m 1"},
    [HPF_FINDING_RESIDENT] = {"resident memory", "plot --overlay resident"},
    [HPF_FINDING_PINNED] = {"pinned memory", "plot --value "},
    [HPF_FINDING_CHURN] = {"churn", "plot --lanes"},
    [HPF_FINDING_SMALL_BLOCKS] = {"small blocks", "report --value "},
    [HPF_FINDING_WASTE] = {"waste", "plot"},
};

const char *finding_name(const hpf_finding *f)
{
    return kinds[f->kind].name;
}

static formatted estimate(const hpf_survey *survey, double amount, double spread, bool exact)
{
    double rate_bytes = hpf_survey_rate_bytes(survey);
    double margin = spread > 0 ? hpf_margin(amount, amount * spread, rate_bytes) : 0;
    return format_estimate(amount, margin, hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT), exact);
}

/* The margin of a gain is at most that of as many new bytes. */
static formatted gain_of(const hpf_finding_gain *gain, const hpf_survey *survey, bool exact)
{
    return estimate(survey, gain->amount, hpf_survey_rate_bytes(survey), exact);
}

/* Writes the evidence without names. */
static void write_evidence(hpf_sink *to, const hpf_finding *f, hpf_survey *survey, bool exact)
{
    hpf_str job = hpf_survey_header(survey, HPF_HEADER_JOB);
    hpf_str value_unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
#define AMOUNT(x) format_amount(x, value_unit, exact).text
#define BYTES(x)  format_amount(x, HPF_STR("bytes"), exact).text
#define ABOUT(x)  estimate(survey, x, hpf_survey_spread_of_all(survey), exact).text
#define TIME(x)   format_time(x, time_unit, exact).text
#define SHARE(x)  format_share(x).text
    switch (f->kind) {
    case HPF_FINDING_GROWTH:
        hpf_sink_printf(to, "the heap grows by %s from %s to %s (R2 %.2f) and has not levelled off",
                        format_growth(f->of.growth.rate, value_unit, time_unit, exact).text + 1,
                        TIME(f->of.growth.from_time), TIME(f->of.growth.to_time),
                        f->of.growth.r_squared);
        break;
    case HPF_FINDING_SHORT_PEAK:
        hpf_sink_printf(to,
                        "the peak of %s at %s is short: the heap is above half of it for %s of %s",
                        ABOUT(f->of.peak.amount), TIME(f->of.peak.time),
                        TIME(f->of.peak.above_time), TIME(f->of.peak.duration));
        break;
    case HPF_FINDING_BAND_GROWTH:
        hpf_sink_name(to, f->of.growth.name);
        hpf_sink_printf(to, " grows by %s from %s to %s (R2 %.2f)",
                        format_growth(f->of.growth.rate, value_unit, time_unit, exact).text + 1,
                        TIME(f->of.growth.from_time), TIME(f->of.growth.to_time),
                        f->of.growth.r_squared);
        break;
    case HPF_FINDING_UNUSED:
        hpf_sink_printf(to,
                        "%s of the memory over time is kept after its last use (DRAG), %s is never "
                        "used (VOID%s",
                        SHARE(f->of.unused.drag), SHARE(f->of.unused.never),
                        hpf_native_part_of_job(job).length > 0
                            ? "); who holds it: run with -hr -hbdrag,void"
                            : "; in GHC, also evaluated data); who makes it: run with -hc "
                              "-hbdrag,void");
        break;
    case HPF_FINDING_UNREACHED:
        hpf_sink_printf(
            to, "up to %s, %s of the memory over time, are not reachable (UNREACHED): leaks",
            AMOUNT(f->of.held.max), SHARE(f->of.held.share));
        break;
    case HPF_FINDING_ONE_HOLDER:
        hpf_sink_printf(
            to, "one retainer set holds %s of the memory over time: ", SHARE(f->of.held.share));
        hpf_sink_name(to, f->of.held.name);
        break;
    case HPF_FINDING_RESIDENT:
        hpf_sink_printf(to,
                        "at %s the process keeps %s for %s that are live: freed memory is in "
                        "pieces, or was not given back",
                        TIME(f->of.resident.time), AMOUNT(f->of.resident.kept),
                        ABOUT(f->of.resident.live));
        break;
    case HPF_FINDING_PINNED:
        hpf_sink_printf(
            to, "at %s %s are resident for %s of live blocks", TIME(f->of.pinned.time),
            BYTES(f->of.pinned.resident),
            format_estimate(f->of.pinned.live, f->of.pinned.live_margin, HPF_STR("bytes"), exact)
                .text);
        if (f->of.pinned.range > 0) {
            hpf_sink_printf(to,
                            ": %s are in ranges of %s of which %s is live, %s of this pinned by ",
                            BYTES(f->of.pinned.bytes), BYTES(f->of.pinned.range),
                            SHARE(f->of.pinned.share), BYTES(f->of.pinned.most));
            hpf_sink_name(to, hpf_str_of(f->of.pinned.name));
        }
        if (f->of.pinned.live_margin > 0) {
            hpf_sink_printf(to,
                            ", and %s more are kept by allocators; who pins it: run with "
                            "--resident, without --rate",
                            BYTES(f->of.pinned.kept));
        } else {
            hpf_sink_printf(to, "; malloc_trim would give back %s", BYTES(f->of.pinned.free));
        }
        break;
    case HPF_FINDING_CHURN:
        hpf_sink_printf(to,
                        "%s were allocated in %s while %s were live: a byte lives %s on average; "
                        "who allocates: report --value allocated",
                        AMOUNT(f->of.churn.allocated), TIME(f->of.churn.duration),
                        ABOUT(f->of.churn.live), TIME(f->of.churn.life));
        break;
    case HPF_FINDING_SMALL_BLOCKS:
        hpf_sink_printf(to,
                        "%s live blocks have %.1f bytes on average, to which malloc adds 8 to 16 "
                        "bytes for each",
                        format_count((uint64_t)f->of.blocks.n).text, f->of.blocks.mean);
        break;
    case HPF_FINDING_WASTE:
        hpf_sink_printf(to, "at %s %s of %s could be saved: ", TIME(f->of.waste.time),
                        BYTES(f->of.waste.bytes), BYTES(f->of.waste.live));
        hpf_sink_printf(to, "%s %s, %s: ", format_count((uint64_t)f->of.waste.n_blocks).text,
                        f->of.waste.n_blocks == 1 ? "block" : "blocks",
                        hpf_waste_phrase(f->of.waste.kind));
        hpf_sink_name(to, hpf_str_of(f->of.waste.type));
        if (f->of.waste.site[0] && strcmp(f->of.waste.site, f->of.waste.type) != 0) {
            hpf_sink_text(to, ", made by ");
            hpf_sink_name(to, hpf_str_of(f->of.waste.site));
        }
        hpf_sink_text(to, "; all waste: run with --snapshot largest, then report --waste");
        break;
    case HPF_N_FINDING_KINDS:
        break;
    }
#undef AMOUNT
#undef BYTES
#undef ABOUT
#undef TIME
#undef SHARE
}

void finding_write(hpf_sink *to, const hpf_finding *f, hpf_survey *survey, bool exact)
{
    write_evidence(to, f, survey, exact);
    for (size_t i = 0; i < f->n_gains; i++) {
        hpf_sink_text(to, i == 0 ? ": " : ", ");
        hpf_sink_name(to, hpf__without_id(f->gains[i].name));
        hpf_sink_printf(to, " by %s", gain_of(&f->gains[i], survey, exact).text);
    }
}

/* Returns the time to look at; not finite: all of it. */
static double time_of(const hpf_finding *f)
{
    return f->kind == HPF_FINDING_GROWTH       ? f->of.growth.to_time
           : f->kind == HPF_FINDING_SHORT_PEAK ? f->of.peak.time
           : f->kind == HPF_FINDING_RESIDENT   ? f->of.resident.time
           : f->kind == HPF_FINDING_PINNED     ? f->of.pinned.time
           : f->kind == HPF_FINDING_WASTE      ? f->of.waste.time
                                               : HUGE_VAL;
}

static void put_name(hpf_json *json, hpf_str name, const char *amount)
{
    hpf_json_object(json, NULL);
    hpf_json_bytes(json, "name", name);
    hpf_json_bytes(json, "label", hpf__without_id(name));
    hpf_json_text(json, "amount", amount);
    hpf_json_close(json);
}

static bool put_for_page(hpf_json *json, const hpf_finding *f, hpf_survey *survey)
{
    hpf_str value_unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    hpf_str time_unit = hpf_survey_header(survey, HPF_HEADER_SAMPLE_UNIT);
    hpf_sink *words = hpf_sink_to_memory();
    if (!words) {
        return false;
    }
    write_evidence(words, f, survey, false);
    bool fits = hpf_sink_flush(words, NULL) == HPF_OK;
    hpf_json_object(json, NULL);
    hpf_json_text(json, "kind", finding_name(f));
    hpf_json_bytes(json, "text", hpf_sink_bytes(words));
    if (isfinite(time_of(f))) {
        hpf_json_number(json, "at", time_of(f));
    }
    hpf_json_array(json, "names");
    for (size_t i = 0; i < f->n_gains; i++) {
        put_name(json, f->gains[i].name, gain_of(&f->gains[i], survey, false).text);
    }
    if (f->kind == HPF_FINDING_BAND_GROWTH) {
        put_name(json, f->of.growth.name,
                 format_growth(f->of.growth.rate, value_unit, time_unit, false).text);
    } else if (f->kind == HPF_FINDING_ONE_HOLDER) {
        put_name(json, f->of.held.name, format_share(f->of.held.share).text);
    }
    hpf_json_close(json);
    hpf_json_close(json);
    hpf_sink_destroy(words);
    return fits;
}

hpf_status findings_write_line(hpf_sink *to, const hpf_recording *recording, hpf_error *err)
{
    hpf_findings findings;
    hpf_status status = hpf_findings_find(&findings, recording, err);
    hpf_json json = hpf_json_begin_line(to);
    hpf_json_array(&json, NULL);
    for (size_t i = 0; status == HPF_OK && i < findings.n; i++) {
        if (!put_for_page(&json, &findings.all[i], recording->survey)) {
            status = hpf_error_set_memory(err);
        }
    }
    hpf_json_close(&json);
    hpf_json_end(&json);
    return status ? status : hpf_sink_flush(to, err);
}

void finding_write_command(hpf_sink *to, const hpf_finding *f, const input *in)
{
    bool takes_parts = f->kind != HPF_FINDING_ONE_HOLDER;
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    bool has_stacks = in->format == &hpf_format_eventlog && hpf_native_part_of_job(job).length > 0;
    bool is_by_function = f->kind == HPF_FINDING_UNUSED && has_stacks;
    hpf_sink_printf(to, "census %s%s",
                    is_by_function ? "report --by function --under '^(DRAG|VOID)$'"
                                   : kinds[f->kind].command,
                    f->kind == HPF_FINDING_SMALL_BLOCKS ? f->of.blocks.value
                    : f->kind == HPF_FINDING_PINNED     ? f->of.pinned.value
                                                        : "");
    if (takes_parts && f->from_time > -HUGE_VAL) {
        hpf_sink_text(to, " --from ");
        hpf_sink_shortest(to, f->from_time);
        hpf_sink_text(to, " --to ");
        hpf_sink_shortest(to, f->to_time);
    }
    hpf_sink_text(to, " ");
    hpf_sink_word(to, hpf_str_of(in->name));
}
