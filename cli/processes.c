/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table with a row for each process.
 */
#include "processes.h"

#include <stdio.h>
#include <stdlib.h>

#include "hpfile/margin.h"
#include "hpfile/recording.h"

#include "death.h"
#include "table.h"

size_t processes_n_profiles(const hpf_recording *recording)
{
    size_t n = 0;
    for (size_t i = 0; i < hpf_recording_n_processes(recording); i++) {
        n += hpf_recording_process(recording, i)->has_log;
    }
    return n;
}

/* The texts of a row. */
typedef struct process_row {
    const hpf_process *process;
    char pid[12], ended[48];
} process_row;

enum { MOST_ROWS = 30 }; /* in text */

enum { NUMBER, PID, START, END, PEAK, LEFT, ENDED, NAME };

static const table_column columns[] = {
    [NUMBER] = {"number", "number", TABLE_COUNT}, [PID] = {"pid", "pid", TABLE_NAME},
    [START] = {"start", "start", TABLE_TIME},     [END] = {"end", "end", TABLE_TIME},
    [PEAK] = {"peak", "peak", TABLE_BYTES},       [LEFT] = {"not_freed", "not freed", TABLE_BYTES},
    [ENDED] = {"ended", "ended", TABLE_NAME},     [NAME] = {"process", "process", TABLE_NAME},
};

static void fill(const void *context, size_t row, table_cell *cells)
{
    const process_row *r = (const process_row *)context + row;
    const hpf_process *p = r->process;
    cells[NUMBER].whole = p->number;
    cells[PID].name = hpf_str_of(r->pid);
    cells[START].real = p->start_s;
    cells[END].real = p->end_s;
    cells[PEAK].whole = hpf_process_peak(p);
    cells[LEFT].whole = p->left_bytes;
    cells[ENDED].name = hpf_str_of(r->ended);
    cells[NAME].name = p->name;
}

static void describe(process_row *row, const hpf_process *p)
{
    const char *killer = death_killer_name(p);
    row->process = p;
    snprintf(row->pid, sizeof row->pid, "%u", p->pid);
    switch (p->end) {
    case HPF_PROCESS_EXITED:
        snprintf(row->ended, sizeof row->ended, "exit %d", p->code);
        break;
    case HPF_PROCESS_KILLED:
        snprintf(row->ended, sizeof row->ended, killer ? "signal %d (%s)" : "signal %d", p->code,
                 killer);
        break;
    case HPF_PROCESS_LEFT:
        snprintf(row->ended, sizeof row->ended, "not observed");
        break;
    case HPF_PROCESS_RUNS:
        snprintf(row->ended, sizeof row->ended, "no");
        break;
    default:
        snprintf(row->ended, sizeof row->ended, "yes");
    }
}

/* Fills a table, and its rows, which the caller frees. Of more than `most` processes, it has those
 * with a log. */
static hpf_status make_table(const hpf_recording *recording, bool exact, size_t most, table *t,
                             process_row **rows, hpf_error *err)
{
    size_t n = hpf_recording_n_processes(recording);
    size_t n_rows = 0;
    *rows = calloc(n + 1, sizeof **rows);
    for (size_t i = 0; *rows && i < n; i++) {
        const hpf_process *p = hpf_recording_process(recording, i);
        if (p->end != HPF_PROCESS_REPLACED && (n <= most || p->has_log)) {
            describe(&(*rows)[n_rows++], p);
        }
    }
    *t = (table){.columns = columns,
                 .n_columns = sizeof columns / sizeof *columns,
                 .n_rows = n_rows,
                 .fill = fill,
                 .context = *rows,
                 .exact = exact};
    return *rows ? HPF_OK : hpf_error_set_memory(err);
}

/* Explains the ends of the processes in a table that need it. */
static void write_deaths(const process_row *rows, size_t n, double rate_bytes, hpf_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        double margin = hpf_margin_of((double)rows[i].process->left_bytes, 0, rate_bytes);
        death_text death = death_explain(rows[i].process, margin);
        if (death.text[0]) {
            hpf_sink_printf(sink, "\nprocess %u: ", rows[i].process->number);
            hpf_sink_name(sink, hpf_str_of(death.text));
            hpf_sink_text(sink, "\n");
        }
    }
}

hpf_status processes_write_text(const input *in, double rate_bytes, bool exact, hpf_sink *sink,
                                hpf_error *err)
{
    const hpf_recording *recording = hpf_source_recording(in->source);
    process_row *rows;
    table t;
    if (!recording) {
        return HPF_OK;
    }
    hpf_status status = make_table(recording, exact, MOST_ROWS, &t, &rows, err);
    if (status == HPF_OK) {
        const hpf_process *chosen = hpf_recording_chosen(recording);
        table_write(&t, TABLE_AS_TEXT, sink);
        write_deaths(rows, t.n_rows, rate_bytes, sink);
        size_t n = hpf_recording_n_processes(recording);
        if (n > MOST_ROWS) {
            hpf_sink_printf(sink,
                            "%zu processes in all; --format json lists the others, which were "
                            "too short or too small for a profile\n",
                            n);
        }
        hpf_sink_text(sink, chosen ? "\nprocess      " : "\nprocess      all\n");
        if (chosen) {
            hpf_sink_printf(sink, "%u, ", chosen->number);
            hpf_sink_name(sink, chosen->command);
            hpf_sink_text(sink, "\n");
        }
    }
    free(rows);
    return status;
}

hpf_status processes_write_json(const input *in, hpf_json *json, hpf_error *err)
{
    const hpf_recording *recording = hpf_source_recording(in->source);
    process_row *rows;
    table t;
    if (!recording) {
        return HPF_OK;
    }
    hpf_status status = make_table(recording, true, SIZE_MAX, &t, &rows, err);
    if (status == HPF_OK) {
        const hpf_process *chosen = hpf_recording_chosen(recording);
        hpf_json_whole(json, "process", chosen ? chosen->number : 0);
        table_write_json(&t, json, "processes");
    }
    free(rows);
    return status;
}
