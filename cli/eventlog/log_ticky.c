/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters that are zero are only counted: most code of a program never runs.
 */
#include "hpfile/sink.h"
#include "log.h"

#include <stdlib.h>

#include "hpfile/eventlog.h"

#include "unit_format.h"

typedef struct ticky_report {
    log_report base; /* first: a `log_report *` is a `ticky_report *` */
    hpf_eventlog_ticky *log;
    hpf_ticky_counter *counters; /* sorted */
    size_t most_rows, n_counters, n_shown;
    hpf_ticky_sums sums;
} ticky_report;

/* The columns of GHC's `.ticky` files, in bytes, which compiled code counts (the guide calls them
 * words). Text leaves out the description, which is JSON. */
enum { ENTRIES, ALLOCS, ALLOCD, ARITY, KINDS, NAME, DESCRIPTION, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [ENTRIES] = {"entries", "entries", TABLE_COUNT},
    [ALLOCS] = {"allocs_bytes", "alloc (bytes)", TABLE_COUNT},
    [ALLOCD] = {"allocd_bytes", "alloc'd (bytes)", TABLE_COUNT},
    [ARITY] = {"arity", "arity", TABLE_COUNT},
    [KINDS] = {"kinds", "kinds", TABLE_NAME},
    [NAME] = {"name", "name", TABLE_NAME},
    [DESCRIPTION] = {"description", "description", TABLE_NAME},
};

static void fill(const void *context, size_t row, table_cell *cells)
{
    const ticky_report *r = context;
    const hpf_ticky_counter *c = &r->counters[row];
    cells[ENTRIES].whole = c->entries;
    cells[ALLOCS].whole = c->allocs_bytes;
    cells[ALLOCD].whole = c->allocd_bytes;
    cells[ARITY].whole = c->arity;
    cells[KINDS].name = c->kinds;
    cells[NAME].name = c->name.length ? c->name : HPF_STR("(not defined)");
    cells[DESCRIPTION].name = c->description;
}

static table rows(const log_report *base)
{
    const ticky_report *r = (const ticky_report *)base;
    bool for_people = base->format == TABLE_AS_TEXT;
    return (table){
        columns, N_COLUMNS, r->n_shown, fill, r, base->exact, for_people ? 1u << DESCRIPTION : 0};
}

static void write_text(const log_report *base, hpf_sink *sink)
{
    const ticky_report *r = (const ticky_report *)base;
    const table counters = rows(base);
    log_write_head(sink, &base->facts);
    hpf_sink_printf(sink, "\ncounters   %s", format_count(r->n_counters).text);
    hpf_sink_printf(sink, ", of which %s counted\n", format_count(r->sums.n_counted).text);
    hpf_sink_printf(sink, "entries    %s\n", format_count(r->sums.entries).text);
    hpf_sink_printf(
        sink, "allocated  %s\n",
        format_amount((double)r->sums.allocs_bytes, HPF_STR("bytes"), base->exact).text);
    if (r->n_shown) {
        hpf_sink_text(sink, "\n");
        table_write(&counters, TABLE_AS_TEXT, sink);
    }
    if (r->n_shown < r->sums.n_counted) {
        hpf_sink_printf(sink, "(%s more)\n", format_count(r->sums.n_counted - r->n_shown).text);
    }
}

static void write_json(const log_report *base, hpf_json *json)
{
    const ticky_report *r = (const ticky_report *)base;
    const table counters = rows(base);
    hpf_json_whole(json, "counters", r->n_counters);
    hpf_json_whole(json, "counted", r->sums.n_counted);
    hpf_json_whole(json, "entries", r->sums.entries);
    hpf_json_whole(json, "allocs_bytes", r->sums.allocs_bytes);
    table_write_json(&counters, json, "rows");
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    const ticky_report *r = context;
    return hpf_eventlog_ticky_note(r->log, event, err);
}

/* Lists the counters. */
static hpf_status sum_up(log_report *base, hpf_error *err)
{
    ticky_report *r = (ticky_report *)base;
    r->n_counters = hpf_eventlog_ticky_n_counters(r->log);
    r->counters = calloc(r->n_counters + 1, sizeof *r->counters);
    if (!r->counters) {
        return hpf_error_set_memory(err);
    }
    if (r->n_counters == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, HPF_NO_TICKY);
    }
    r->sums = hpf_eventlog_ticky_list(r->log, r->counters);
    r->n_shown =
        r->most_rows && r->most_rows < r->sums.n_counted ? r->most_rows : r->sums.n_counted;
    return HPF_OK;
}

hpf_status log_write_ticky(const input *in, table_format format, size_t most_rows, bool exact,
                           hpf_sink *sink, hpf_error *err)
{
    ticky_report r = {
        .base = {.format = format,
                 .exact = exact,
                 .note = note,
                 .sum_up = sum_up,
                 .write_text = write_text,
                 .write_json = write_json,
                 .rows = rows},
        .log = hpf_eventlog_ticky_create(),
        .most_rows = most_rows,
    };
    hpf_status status =
        r.log ? log_report_write(&r.base, in, sink, err) : hpf_error_set_memory(err);
    free(r.counters);
    hpf_eventlog_ticky_destroy(r.log);
    return status;
}
