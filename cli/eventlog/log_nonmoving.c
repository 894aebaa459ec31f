/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text and Markdown leave out block sizes without segments.
 */
#include "eventlog/eventlog_metadata.h"
#include "log_nonmoving.h"

#include <stdlib.h>

#include "eventlog/eventlog_nonmoving.h"

#include "unit_format.h"
#include "log_pass.h"

typedef struct nonmoving_report {
    hpf_eventlog_metadata facts;
    hpf_eventlog_nonmoving log;
    const hpf_nonmoving_blocks **rows; /* rows of the table */
    size_t n_rows;
    uint32_t peak_census; /* the first with the most live bytes */
    uint64_t peak_bytes, peak_ns;
    bool exact;
} nonmoving_report;

static const hpf_str phase_names[HPF_N_NONMOVING_PHASES] = {
    [HPF_NONMOVING_MARK] = {"mark", 4},
    [HPF_NONMOVING_SYNC] = {"sync", 4},
    [HPF_NONMOVING_SWEEP] = {"sweep", 5},
};

/* --- tables --- */

enum { TIME, BLOCK, ACTIVE, FILLED, LIVE_BLOCKS, LIVE_BYTES, N_COLUMNS };

/* Text and Markdown show one census, whose time is printed above the table. */
static const table_column columns[N_COLUMNS] = {
    [TIME] = {"time", "time", TABLE_TIME},
    [BLOCK] = {"block_bytes", "block", TABLE_BYTES},
    [ACTIVE] = {"active_segments", "active segments", TABLE_COUNT},
    [FILLED] = {"filled_segments", "filled segments", TABLE_COUNT},
    [LIVE_BLOCKS] = {"live_blocks", "live blocks", TABLE_COUNT},
    [LIVE_BYTES] = {"live_bytes", "live", TABLE_BYTES},
};

static table_cell block_cell(const void *context, size_t row, size_t column)
{
    const nonmoving_report *r = context;
    const hpf_nonmoving_blocks *b = r->rows[row];
    switch (column) {
    case TIME:
        return (table_cell){.seconds = (double)b->time_ns / 1e9};
    case BLOCK:
        return (table_cell){.whole = b->block_bytes};
    case ACTIVE:
        return (table_cell){.whole = b->n_active};
    case FILLED:
        return (table_cell){.whole = b->n_filled};
    case LIVE_BLOCKS:
        return (table_cell){.whole = b->n_live};
    default:
        return (table_cell){.whole = hpf_nonmoving_live_bytes(b)};
    }
}

static table_cell peak_cell(const void *context, size_t row, size_t column)
{
    return block_cell(context, row, column + BLOCK);
}

static table all_blocks(const nonmoving_report *r)
{
    return (table){columns, N_COLUMNS, r->n_rows, block_cell, r, r->exact};
}

static table peak_blocks(const nonmoving_report *r)
{
    return (table){columns + BLOCK, N_COLUMNS - BLOCK, r->n_rows, peak_cell, r, r->exact};
}

enum { PHASE_NAME, PHASE_COUNT, PHASE_TOTAL, PHASE_LONGEST, N_PHASE_COLUMNS };

static const table_column phase_columns[N_PHASE_COLUMNS] = {
    [PHASE_NAME] = {"phase", "phase", TABLE_NAME},
    [PHASE_COUNT] = {"count", "count", TABLE_COUNT},
    [PHASE_TOTAL] = {"total", "total", TABLE_TIME},
    [PHASE_LONGEST] = {"longest", "longest", TABLE_TIME},
};

static table_cell phase_cell(const void *context, size_t row, size_t column)
{
    const nonmoving_report *r = context;
    const hpf_nonmoving_time *phase = &r->log.phases[row];
    switch (column) {
    case PHASE_NAME:
        return (table_cell){.name = phase_names[row]};
    case PHASE_COUNT:
        return (table_cell){.whole = phase->n};
    case PHASE_TOTAL:
        return (table_cell){.seconds = (double)phase->total_ns / 1e9};
    default:
        return (table_cell){.seconds = (double)phase->longest_ns / 1e9};
    }
}

static table phases(const nonmoving_report *r)
{
    return (table){phase_columns, N_PHASE_COLUMNS, HPF_N_NONMOVING_PHASES, phase_cell, r, r->exact};
}

/* --- layouts --- */

static void write_peak(const nonmoving_report *r, hpf_sink *sink)
{
    if (r->log.n_censuses == 0) {
        hpf_sink_text(sink, "no census of the heap in the event log: run with +RTS -ln\n");
        return;
    }
    hpf_sink_printf(sink, "the largest of %s censuses, ", format_count(r->log.n_censuses).text);
    hpf_sink_printf(sink, "%s live ",
                    format_amount((double)r->peak_bytes, HPF_STR("bytes"), r->exact).text);
    hpf_sink_printf(sink, "at %s\n",
                    format_time((double)r->peak_ns / 1e9, HPF_STR("seconds"), r->exact).text);
}

static void write_text(const nonmoving_report *r, hpf_sink *sink)
{
    const table work = phases(r);
    const table heap = peak_blocks(r);
    log_write_head(sink, &r->facts);
    hpf_sink_printf(sink, "\nmarked objects           %s\n", format_count(r->log.n_marked).text);
    hpf_sink_printf(sink, "flushed remembered sets  %s\n", format_count(r->log.n_flushes).text);
    hpf_sink_printf(sink, "segments given back      %s\n\n", format_count(r->log.n_pruned).text);
    table_write_text(&work, sink);
    hpf_sink_text(sink, "\n");
    write_peak(r, sink);
    if (r->n_rows) {
        hpf_sink_text(sink, "\n");
        table_write_text(&heap, sink);
    }
}

static void write_markdown(const nonmoving_report *r, hpf_sink *sink)
{
    const table work = phases(r);
    const table heap = peak_blocks(r);
    table_write_markdown(&work, sink);
    hpf_sink_text(sink, "\n");
    write_peak(r, sink);
    if (r->n_rows) {
        hpf_sink_text(sink, "\n");
        table_write_markdown(&heap, sink);
    }
}

static void write_json(const nonmoving_report *r, hpf_sink *sink)
{
    const table work = phases(r);
    const table heap = all_blocks(r);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    log_write_json_head(&json, &r->facts);
    hpf_json_whole(&json, "marked_objects", r->log.n_marked);
    hpf_json_whole(&json, "flushed_remembered_sets", r->log.n_flushes);
    hpf_json_whole(&json, "segments_given_back", r->log.n_pruned);
    table_write_json(&work, &json, "phases");
    hpf_json_whole(&json, "censuses", r->log.n_censuses);
    table_write_json(&heap, &json, "blocks");
    hpf_json_end(&json);
}

static void write_report(const nonmoving_report *r, table_format format, hpf_sink *sink)
{
    const table heap = all_blocks(r);
    switch (format) {
    case TABLE_AS_TEXT:
        write_text(r, sink);
        break;
    case TABLE_AS_JSON:
        write_json(r, sink);
        break;
    case TABLE_AS_CSV:
        table_write_csv(&heap, sink);
        break;
    case TABLE_AS_MARKDOWN:
        write_markdown(r, sink);
        break;
    }
}

/* --- reading --- */

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    return hpf_eventlog_nonmoving_note(context, event, err);
}

static void find_peak(nonmoving_report *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->log.n_blocks; i++) {
        const hpf_nonmoving_blocks *b = &r->log.blocks[i];
        bytes = (i && b->census == b[-1].census ? bytes : 0) + hpf_nonmoving_live_bytes(b);
        if (bytes > r->peak_bytes || i == 0) {
            r->peak_bytes = bytes;
            r->peak_census = b->census;
            r->peak_ns = b->time_ns;
        }
    }
}

static bool is_shown(const nonmoving_report *r, const hpf_nonmoving_blocks *b, bool for_people)
{
    return !for_people ||
           (b->census == r->peak_census && (b->n_active || b->n_filled || b->n_live));
}

static hpf_status choose_rows(nonmoving_report *r, bool for_people, hpf_error *err)
{
    r->rows = calloc(r->log.n_blocks + 1, sizeof *r->rows);
    if (!r->rows) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < r->log.n_blocks; i++) {
        const hpf_nonmoving_blocks *b = &r->log.blocks[i];
        if (is_shown(r, b, for_people)) {
            r->rows[r->n_rows++] = b;
        }
    }
    return HPF_OK;
}

static hpf_status sum_up(nonmoving_report *r, bool for_people, hpf_error *err)
{
    if (r->log.n_censuses == 0 && r->log.phases[HPF_NONMOVING_MARK].n == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no non-moving collections in the event log: run with +RTS "
                             "--nonmoving-gc -l (and -ln for the state of the heap)");
    }
    find_peak(r);
    return choose_rows(r, for_people, err);
}

hpf_status log_write_nonmoving(const input *in, table_format format, bool exact, hpf_sink *sink,
                               hpf_error *err)
{
    nonmoving_report r = {.exact = exact};
    bool for_people = format == TABLE_AS_TEXT || format == TABLE_AS_MARKDOWN;
    hpf_status status = log_pass(in, &r.facts, note, &r.log, err);
    status = status == HPF_OK ? sum_up(&r, for_people, err) : status;
    if (status == HPF_OK) {
        write_report(&r, format, sink);
    }
    free(r.rows);
    hpf_eventlog_nonmoving_finish(&r.log);
    hpf_eventlog_metadata_finish(&r.facts);
    return status;
}
