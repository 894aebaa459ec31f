/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters that are zero are only counted: most code of a program never runs.
 */
#include "eventlog/eventlog_metadata.h"
#include "log_ticky.h"

#include <stdlib.h>

#include "eventlog/eventlog_ticky.h"

#include "unit_format.h"
#include "log_pass.h"

typedef struct ticky_report {
    hpf_eventlog_metadata facts;
    hpf_eventlog_ticky *log;
    hpf_ticky_counter *counters; /* sorted */
    size_t n_counters, n_counted, n_shown;
    uint64_t entries, allocs_bytes;
    bool exact;
} ticky_report;

/* Text and Markdown leave out the description, which is JSON. */
enum { ENTRIES, ALLOCS, ALLOCD, ARITY, KINDS, NAME, DESCRIPTION, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [ENTRIES] = {"entries", "entries", TABLE_COUNT},
    [ALLOCS] = {"allocs_bytes", "allocates", TABLE_BYTES},
    [ALLOCD] = {"allocd_bytes", "is allocated", TABLE_BYTES},
    [ARITY] = {"arity", "arity", TABLE_COUNT},
    [KINDS] = {"kinds", "kinds", TABLE_NAME},
    [NAME] = {"name", "name", TABLE_NAME},
    [DESCRIPTION] = {"description", "description", TABLE_NAME},
};

static table_cell cell(const void *context, size_t row, size_t column)
{
    const ticky_report *r = context;
    const hpf_ticky_counter *c = &r->counters[row];
    switch (column) {
    case ENTRIES:
        return (table_cell){.whole = c->entries};
    case ALLOCS:
        return (table_cell){.whole = c->allocs_bytes};
    case ALLOCD:
        return (table_cell){.whole = c->allocd_bytes};
    case ARITY:
        return (table_cell){.whole = c->arity};
    case KINDS:
        return (table_cell){.name = c->kinds};
    case DESCRIPTION:
        return (table_cell){.name = c->description};
    default:
        return (table_cell){.name = c->name.length ? c->name : HPF_STR("(not defined)")};
    }
}

static table table_of(const ticky_report *r, table_format format)
{
    bool for_people = format == TABLE_AS_TEXT || format == TABLE_AS_MARKDOWN;
    size_t n_columns = for_people ? DESCRIPTION : N_COLUMNS;
    return (table){columns, n_columns, r->n_shown, cell, r, r->exact};
}

static void write_text(const ticky_report *r, hpf_sink *sink)
{
    const table t = table_of(r, TABLE_AS_TEXT);
    log_write_head(sink, &r->facts);
    hpf_sink_printf(sink, "\ncounters   %s", format_count(r->n_counters).text);
    hpf_sink_printf(sink, ", of which %s counted\n", format_count(r->n_counted).text);
    hpf_sink_printf(sink, "entries    %s\n", format_count(r->entries).text);
    hpf_sink_printf(sink, "allocated  %s\n",
                    format_amount((double)r->allocs_bytes, HPF_STR("bytes"), r->exact).text);
    if (r->n_shown) {
        hpf_sink_text(sink, "\n");
        table_write_text(&t, sink);
    }
    if (r->n_shown < r->n_counted) {
        hpf_sink_printf(sink, "(%s more)\n", format_count(r->n_counted - r->n_shown).text);
    }
}

static void write_json(const ticky_report *r, hpf_sink *sink)
{
    const table t = table_of(r, TABLE_AS_JSON);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    log_write_json_head(&json, &r->facts);
    hpf_json_whole(&json, "counters", r->n_counters);
    hpf_json_whole(&json, "counted", r->n_counted);
    hpf_json_whole(&json, "entries", r->entries);
    hpf_json_whole(&json, "allocs_bytes", r->allocs_bytes);
    table_write_json(&t, &json, "rows");
    hpf_json_end(&json);
}

static void write_report(const ticky_report *r, table_format format, hpf_sink *sink)
{
    const table t = table_of(r, format);
    switch (format) {
    case TABLE_AS_TEXT:
        write_text(r, sink);
        break;
    case TABLE_AS_JSON:
        write_json(r, sink);
        break;
    case TABLE_AS_CSV:
        table_write_csv(&t, sink);
        break;
    case TABLE_AS_MARKDOWN:
        table_write_markdown(&t, sink);
        break;
    }
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    const ticky_report *r = context;
    return hpf_eventlog_ticky_note(r->log, event, err);
}

/* Sorts the counters and adds them up. */
static hpf_status sum_up(ticky_report *r, size_t most_rows, hpf_error *err)
{
    r->n_counters = hpf_eventlog_ticky_n_counters(r->log);
    r->counters = calloc(r->n_counters + 1, sizeof *r->counters);
    if (!r->counters) {
        return hpf_error_set_memory(err);
    }
    if (r->n_counters == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no ticky counters in the event log: build with -ticky and -eventlog "
                             "(GHC 9.2 or later) and run with +RTS -lT");
    }
    hpf_eventlog_ticky_list(r->log, r->counters);
    for (size_t i = 0; i < r->n_counters; i++) {
        const hpf_ticky_counter *c = &r->counters[i];
        r->n_counted += c->entries || c->allocs_bytes || c->allocd_bytes;
        r->entries += c->entries;
        r->allocs_bytes += c->allocs_bytes;
    }
    r->n_shown = most_rows && most_rows < r->n_counted ? most_rows : r->n_counted;
    return HPF_OK;
}

hpf_status log_write_ticky(const input *in, table_format format, size_t most_rows, bool exact,
                           hpf_sink *sink, hpf_error *err)
{
    ticky_report r = {.exact = exact, .log = hpf_eventlog_ticky_create()};
    if (!r.log) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = log_pass(in, &r.facts, note, &r, err);
    status = status == HPF_OK ? sum_up(&r, most_rows, err) : status;
    if (status == HPF_OK) {
        write_report(&r, format, sink);
    }
    free(r.counters);
    hpf_eventlog_ticky_destroy(r.log);
    hpf_eventlog_metadata_finish(&r.facts);
    return status;
}
