/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A band is a set of retainers. Each of them is followed by what holds it: the largest set of its
 * objects that contains other retainers, and so on. A retainer is listed once for each band.
 */
#include "report.h"

#include <stdlib.h>

#include "hpfile/chains.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

#include "hpfile/summary.h"
#include "unit_format.h"

enum { INDENT = 15, STEP = 3, MOST_DEPTH = 20 };

/* The chains of one band. */
typedef struct chains {
    hpf_sink *sink;
    bool exact;
    hpf_chain chain; /* with room for all retainers in `listed` */
} chains;

static void write_members(chains *c, hpf_str members, int depth);

static void write_retainer(chains *c, hpf_str retainer, int depth)
{
    bool is_again = hpf_chain_has_listed(&c->chain, retainer);
    hpf_sink_printf(c->sink, "%*s<- ", INDENT + STEP * depth, "");
    hpf_sink_name(c->sink, retainer);
    if (is_again) {
        hpf_sink_text(c->sink, "  (above)\n");
        return;
    }
    c->chain.listed[c->chain.n_listed++] = retainer;
    const hpf_held all = hpf_chain_holdings_of(&c->chain, retainer);
    if (all.n_objects > 0) {
        hpf_sink_printf(c->sink, "  %s in %s object%s",
                        format_amount((double)all.size_bytes, HPF_STR("bytes"), c->exact).text,
                        format_count(all.n_objects).text, all.n_objects == 1 ? "" : "s");
    }
    hpf_sink_text(c->sink, all.is_root         ? ", root\n"
                           : all.n_objects > 0 ? ""
                                               : "  not in the heap\n");
    if (all.is_root || all.n_objects == 0) {
        return;
    }
    if (all.n_sets > 1) {
        hpf_sink_printf(c->sink,
                        ", most of them in one of %s sets:", format_count(all.n_sets).text);
    }
    hpf_sink_text(c->sink, "\n");
    if (all.best && depth < MOST_DEPTH) {
        write_members(c, all.best->by, depth + 1);
    }
}

static void write_members(chains *c, hpf_str members, int depth)
{
    hpf_str rest = members;
    hpf_str member = hpf_retainer_sets_next_member(&rest);
    if (!member.data) {
        hpf_sink_printf(c->sink, "%*s<- ", INDENT + STEP * depth, "");
        hpf_sink_name(c->sink, members);
        hpf_sink_text(c->sink, "\n");
    }
    for (; member.data; member = hpf_retainer_sets_next_member(&rest)) {
        write_retainer(c, member, depth);
    }
}

/* Returns how many retainers can be listed: of all sets, and the held ones. */
static size_t count_retainers(const chains *c, const hpf_survey *survey, const hpf_summary *sum)
{
    size_t n = c->chain.n_holdings;
    for (size_t i = 0; i < c->chain.n_holdings; i++) {
        hpf_str rest = c->chain.holdings[i].by;
        while (hpf_retainer_sets_next_member(&rest).data) {
            n++;
        }
    }
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        hpf_retainer_set set;
        if (hpf_survey_retainer_set(survey, sum->rows[i].number, &set)) {
            while (hpf_retainer_sets_next_member(&set.members).data) {
                n++;
            }
        }
    }
    return n;
}

static void write_bands(chains *c, const hpf_survey *survey, const hpf_summary *sum)
{
    hpf_str unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    for (uint32_t i = 0; i < sum->n_rows; i++) {
        const hpf_summary_row *row = &sum->rows[i];
        hpf_retainer_set set;
        hpf_sink_printf(c->sink, "\n%5.1f%% %*s  ", 100 * row->share, c->exact ? 24 : 13,
                        format_amount(row->mean, unit, c->exact).text);
        hpf_sink_name(c->sink, row->name);
        hpf_sink_text(c->sink, "\n");
        c->chain.n_listed = 0;
        if (hpf_survey_retainer_set(survey, row->number, &set)) {
            write_members(c, set.members, 0);
        }
    }
}

hpf_status chains_write(const input *in, size_t n_bands, bool exact, hpf_sink *sink, hpf_error *err)
{
    chains c = {.sink = sink, .exact = exact};
    if (in->sets) {
        c.chain.holdings = hpf_retainer_sets_holdings(in->sets, &c.chain.n_holdings);
    }
    if (c.chain.n_holdings == 0) {
        return hpf_error_set(
            err, HPF_ERR_UNSUPPORTED,
            "--chains needs a recording of census run -hr, or a profile by retainer "
            "and the .prof report of a program that embeds hpprof: GHC does not "
            "record what holds the retainers");
    }
    hpf_summary sum;
    hpf_status status = hpf_summary_make(&sum, in->survey, (uint32_t)n_bands, err);
    if (status != HPF_OK) {
        return status;
    }
    c.chain.listed = calloc(count_retainers(&c, in->survey, &sum) + 1, sizeof *c.chain.listed);
    status = c.chain.listed ? hpf_summary_name_rows(&sum, sum.n_rows, in->survey, err)
                            : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        hpf_sink_name(sink, hpf_survey_header(in->survey, HPF_HEADER_JOB));
        hpf_sink_text(sink, "\n\n  area          mean  retainers, and what holds them\n");
        write_bands(&c, in->survey, &sum);
    }
    free(c.chain.listed);
    hpf_summary_finish(&sum);
    return status;
}
