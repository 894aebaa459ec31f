/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text and Markdown leave out block sizes without segments.
 */
#include "hpfile/sink.h"
#include "log_nonmoving.h"

#include <stdlib.h>

#include "hpfile/eventlog.h"

#include "unit_format.h"
#include "log_pass.h"

typedef struct nonmoving_report {
    log_report base; /* first: a `log_report *` is a `nonmoving_report *` */
    hpf_eventlog_nonmoving log;
    const hpf_nonmoving_blocks **rows; /* rows of the table */
    size_t n_rows;
    uint32_t peak_census; /* the first with the most live bytes */
    uint64_t peak_bytes, peak_ns;
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
        return (table_cell){.real = (double)b->time_ns / 1e9};
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

static table all_blocks(const log_report *base)
{
    const nonmoving_report *r = (const nonmoving_report *)base;
    return (table){columns, N_COLUMNS, r->n_rows, block_cell, r, base->exact};
}

static table peak_blocks(const nonmoving_report *r)
{
    return (table){columns + BLOCK, N_COLUMNS - BLOCK, r->n_rows, peak_cell, r, r->base.exact};
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
        return (table_cell){.real = (double)phase->total_ns / 1e9};
    default:
        return (table_cell){.real = (double)phase->longest_ns / 1e9};
    }
}

static table phases(const nonmoving_report *r)
{
    return (table){phase_columns, N_PHASE_COLUMNS, HPF_N_NONMOVING_PHASES, phase_cell, r,
                   r->base.exact};
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
                    format_amount((double)r->peak_bytes, HPF_STR("bytes"), r->base.exact).text);
    hpf_sink_printf(sink, "at %s\n",
                    format_time((double)r->peak_ns / 1e9, HPF_STR("seconds"), r->base.exact).text);
}

static void write_text(const log_report *base, hpf_sink *sink)
{
    const nonmoving_report *r = (const nonmoving_report *)base;
    const table work = phases(r);
    const table heap = peak_blocks(r);
    if (base->format == TABLE_AS_TEXT) {
        log_write_head(sink, &base->facts);
        hpf_sink_printf(sink, "\nmarked objects           %s\n",
                        format_count(r->log.n_marked).text);
        hpf_sink_printf(sink, "flushed remembered sets  %s\n", format_count(r->log.n_flushes).text);
        hpf_sink_printf(sink, "segments given back      %s\n\n",
                        format_count(r->log.n_pruned).text);
    }
    table_write(&work, base->format, sink);
    hpf_sink_text(sink, "\n");
    write_peak(r, sink);
    if (r->n_rows) {
        hpf_sink_text(sink, "\n");
        table_write(&heap, base->format, sink);
    }
}

static void write_json(const log_report *base, hpf_json *json)
{
    const nonmoving_report *r = (const nonmoving_report *)base;
    const table work = phases(r);
    const table heap = all_blocks(base);
    hpf_json_whole(json, "marked_objects", r->log.n_marked);
    hpf_json_whole(json, "flushed_remembered_sets", r->log.n_flushes);
    hpf_json_whole(json, "segments_given_back", r->log.n_pruned);
    table_write_json(&work, json, "phases");
    hpf_json_whole(json, "censuses", r->log.n_censuses);
    table_write_json(&heap, json, "blocks");
}

/* --- reading --- */

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    nonmoving_report *r = context;
    return hpf_eventlog_nonmoving_note(&r->log, event, err);
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

static hpf_status sum_up(log_report *base, hpf_error *err)
{
    nonmoving_report *r = (nonmoving_report *)base;
    bool shows_all = base->format == TABLE_AS_JSON || base->format == TABLE_AS_CSV;
    if (r->log.n_censuses == 0 && r->log.phases[HPF_NONMOVING_MARK].n == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "no non-moving collections in the event log: run with +RTS "
                             "--nonmoving-gc -l (and -ln for the state of the heap)");
    }
    r->rows = calloc(r->log.n_blocks + 1, sizeof *r->rows);
    if (!r->rows) {
        return hpf_error_set_memory(err);
    }
    find_peak(r);
    for (size_t i = 0; i < r->log.n_blocks; i++) {
        const hpf_nonmoving_blocks *b = &r->log.blocks[i];
        bool is_at_peak = b->census == r->peak_census && (b->n_active || b->n_filled || b->n_live);
        if (shows_all || is_at_peak) {
            r->rows[r->n_rows++] = b;
        }
    }
    return HPF_OK;
}

hpf_status log_write_nonmoving(const input *in, table_format format, bool exact, hpf_sink *sink,
                               hpf_error *err)
{
    nonmoving_report r = {.base = {.format = format,
                                   .exact = exact,
                                   .note = note,
                                   .sum_up = sum_up,
                                   .write_text = write_text,
                                   .write_json = write_json,
                                   .rows = all_blocks}};
    hpf_status status = log_report_write(&r.base, in, sink, err);
    free(r.rows);
    hpf_eventlog_nonmoving_finish(&r.log);
    return status;
}
