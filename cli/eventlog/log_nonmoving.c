/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text leaves out block sizes without segments.
 */
#include "hpfile/sink.h"
#include "log.h"

#include <stdlib.h>

#include "hpfile/eventlog.h"

#include "unit_format.h"

typedef struct nonmoving_report {
    log_report base; /* first: a `log_report *` is a `nonmoving_report *` */
    hpf_eventlog_nonmoving log;
    const hpf_nonmoving_blocks **rows; /* rows of the table */
    size_t n_rows;
} nonmoving_report;

static const hpf_str phase_names[HPF_N_NONMOVING_PHASES] = {
    [HPF_NONMOVING_MARK] = {"mark", 4},
    [HPF_NONMOVING_SYNC] = {"sync", 4},
    [HPF_NONMOVING_SWEEP] = {"sweep", 5},
};

enum { TIME, BLOCK, ACTIVE, FILLED, LIVE_BLOCKS, LIVE_BYTES, N_COLUMNS };

/* Text shows one census, whose time is printed above the table. */
static const table_column columns[N_COLUMNS] = {
    [TIME] = {"time", "time", TABLE_TIME},
    [BLOCK] = {"block_bytes", "block", TABLE_BYTES},
    [ACTIVE] = {"active_segments", "active segments", TABLE_COUNT},
    [FILLED] = {"filled_segments", "filled segments", TABLE_COUNT},
    [LIVE_BLOCKS] = {"live_blocks", "live blocks", TABLE_COUNT},
    [LIVE_BYTES] = {"live_bytes", "live", TABLE_BYTES},
};

static void fill_block(const void *context, size_t row, table_cell *cells)
{
    const hpf_nonmoving_blocks *b = ((const nonmoving_report *)context)->rows[row];
    cells[TIME].real = (double)b->time_ns / 1e9;
    cells[BLOCK].whole = b->block_bytes;
    cells[ACTIVE].whole = b->n_active;
    cells[FILLED].whole = b->n_filled;
    cells[LIVE_BLOCKS].whole = b->n_live;
    cells[LIVE_BYTES].whole = hpf_nonmoving_live_bytes(b);
}

static table blocks(const log_report *base)
{
    const nonmoving_report *r = (const nonmoving_report *)base;
    bool for_people = base->format == TABLE_AS_TEXT;
    return (table){
        columns, N_COLUMNS, r->n_rows, fill_block, r, base->exact, for_people ? 1u << TIME : 0};
}

enum { PHASE_NAME, PHASE_COUNT, PHASE_TOTAL, PHASE_LONGEST, N_PHASE_COLUMNS };

static const table_column phase_columns[N_PHASE_COLUMNS] = {
    [PHASE_NAME] = {"phase", "phase", TABLE_NAME},
    [PHASE_COUNT] = {"count", "count", TABLE_COUNT},
    [PHASE_TOTAL] = {"total", "total", TABLE_TIME},
    [PHASE_LONGEST] = {"longest", "longest", TABLE_TIME},
};

static void fill_phase(const void *context, size_t row, table_cell *cells)
{
    const hpf_nonmoving_time *phase = &((const nonmoving_report *)context)->log.phases[row];
    cells[PHASE_NAME].name = phase_names[row];
    cells[PHASE_COUNT].whole = phase->n;
    cells[PHASE_TOTAL].real = (double)phase->total_ns / 1e9;
    cells[PHASE_LONGEST].real = (double)phase->longest_ns / 1e9;
}

static table phases(const nonmoving_report *r)
{
    return (table){
        phase_columns, N_PHASE_COLUMNS, HPF_N_NONMOVING_PHASES, fill_phase, r, r->base.exact, 0};
}

static void write_peak(const nonmoving_report *r, hpf_sink *sink)
{
    if (r->log.n_censuses == 0) {
        hpf_sink_text(sink, "no census of the heap in the event log: run with +RTS -ln\n");
        return;
    }
    hpf_sink_printf(sink, "the largest of %s censuses, ", format_count(r->log.n_censuses).text);
    hpf_sink_printf(sink, "%s live ",
                    format_amount((double)r->log.peak_bytes, HPF_STR("bytes"), r->base.exact).text);
    hpf_sink_printf(
        sink, "at %s\n",
        format_time((double)r->log.peak_ns / 1e9, HPF_STR("seconds"), r->base.exact).text);
}

static void write_text(const log_report *base, hpf_sink *sink)
{
    const nonmoving_report *r = (const nonmoving_report *)base;
    const table work = phases(r);
    const table heap = blocks(base);
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
    const table heap = blocks(base);
    hpf_json_whole(json, "marked_objects", r->log.n_marked);
    hpf_json_whole(json, "flushed_remembered_sets", r->log.n_flushes);
    hpf_json_whole(json, "segments_given_back", r->log.n_pruned);
    table_write_json(&work, json, "phases");
    hpf_json_whole(json, "censuses", r->log.n_censuses);
    table_write_json(&heap, json, "blocks");
}

static hpf_status note(void *context, const hpf_event *event, hpf_error *err)
{
    nonmoving_report *r = context;
    return hpf_eventlog_nonmoving_note(&r->log, event, err);
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
    for (size_t i = 0; i < r->log.n_blocks; i++) {
        const hpf_nonmoving_blocks *b = &r->log.blocks[i];
        bool is_at_peak =
            b->census == r->log.peak_census && (b->n_active || b->n_filled || b->n_live);
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
                                   .rows = blocks}};
    hpf_status status = log_report_write(&r.base, in, sink, err);
    free(r.rows);
    hpf_eventlog_nonmoving_finish(&r.log);
    return status;
}
