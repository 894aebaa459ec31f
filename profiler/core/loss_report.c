/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of losses and their texts.
 */
#include "hpfile/sink.h"
#include "loss_report.h"

typedef struct line {
    uint64_t amount; /* 0: no line */
    const char *words;
} line;

enum { N_LINES = 17 };

static void list(const hpp__loss_report *m, line lines[N_LINES])
{
    const line all[N_LINES] = {
        {m->stacks.stacks,
         "cost-centre stacks could not be created; their costs went to the parents"},
        {m->stacks.threads,
         "threads had no counters: their entries and ticks are lost, their allocation is in MAIN"},
        {m->censuses.unnamed_bytes, "bytes, over all censuses, are in the band OUT_OF_MEMORY"},
        {m->censuses.n_sets, "retainer sets could not be created or listed"},
        {m->censuses.n_untraced, "objects whose children were not searched for retainers"},
        {m->censuses.n_biographies, "objects have no last phase: they count as lag or use"},
        {m->censuses.n_eras, "eras were not recorded"},
        {m->n_samples, "samples were not written"},
        {m->n_retainer_passes, "retainer censuses are not listed"},
        {m->n_records, "ticks and other records are not in the event log"},
        {m->n_roots,
         "variables were not registered as roots: objects that only they reach are UNREACHED"},
        {m->n_snapshots, "snapshots were not taken"},
        {m->no_title, "title with options and arguments"},
        {m->no_ticks, "time profile: the clock could not be started"},
        {m->no_places, "file of bins"},
        {m->no_report, "time and allocation report"},
        {m->no_final_biography, "final biography: the phases in the heap profile are provisional"},
    };
    for (int i = 0; i < N_LINES; i++) {
        lines[i] = all[i];
    }
}

void hpp__loss_report_add(hpp__loss_report *m, const hpp_missing *census)
{
    m->censuses.unnamed_bytes += census->unnamed_bytes;
    m->censuses.n_sets += census->n_sets;
    m->censuses.n_untraced += census->n_untraced;
    m->censuses.n_biographies = census->n_biographies;
    m->censuses.n_eras = census->n_eras;
}

bool hpp__loss_report_is_any(const hpp__loss_report *m)
{
    line lines[N_LINES];
    list(m, lines);
    for (int i = 0; i < N_LINES; i++) {
        if (lines[i].amount > 0) {
            return true;
        }
    }
    return false;
}

void hpp__loss_report_write(const hpp__loss_report *m, hpf_sink *sink)
{
    line lines[N_LINES];
    list(m, lines);
    for (int i = 0; i < N_LINES; i++) {
        if (lines[i].amount > 0) {
            hpf_sink_text(sink, "Missing: ");
            hpf_sink_whole(sink, lines[i].amount);
            hpf_sink_text(sink, " ");
            hpf_sink_text(sink, lines[i].words);
            hpf_sink_text(sink, "\n");
        }
    }
}
