/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "hpfile/heapsnapshot.h"
#include "hpfile/snapshot_diff.h"

#include "diag.h"
#include "dominators_report.h"
#include "output.h"
#include "path.h"
#include "unit_format.h"

enum { GROWTH, BEFORE, AFTER, N_NEW, NEW, RETAINED, N_GONE, GONE, GROWN, NAME, N_COLUMNS };

static const table_column all_columns[N_COLUMNS] = {
    [GROWTH] = {"growth_bytes", "growth", TABLE_BYTES_CHANGE},
    [BEFORE] = {"before_bytes", "before", TABLE_BYTES},
    [AFTER] = {"after_bytes", "after", TABLE_BYTES},
    [N_NEW] = {"new_objects", "new", TABLE_COUNT},
    [NEW] = {"new_bytes", "bytes", TABLE_BYTES},
    [RETAINED] = {"new_retained_bytes", "retained", TABLE_BYTES},
    [N_GONE] = {"gone_objects", "gone", TABLE_COUNT},
    [GONE] = {"gone_bytes", "bytes", TABLE_BYTES},
    [GROWN] = {"grown_bytes", "grown", TABLE_BYTES_CHANGE},
    [NAME] = {NULL, NULL, TABLE_NAME},
};

static void fill_row(const hpf_snapshot_change *r, table_cell *cells)
{
    cells[GROWTH].real = (double)r->after_bytes - (double)r->before_bytes;
    cells[BEFORE].whole = r->before_bytes;
    cells[AFTER].whole = r->after_bytes;
    cells[N_NEW].whole = r->n_new;
    cells[NEW].whole = r->new_bytes;
    cells[RETAINED].whole = r->retained_bytes;
    cells[N_GONE].whole = r->n_gone;
    cells[GONE].whole = r->gone_bytes;
    cells[GROWN].real = (double)r->grown_bytes;
    cells[NAME].name = r->name.length > 0 ? r->name : HPF_STR("(no name)");
}

static void fill(const void *context, size_t index, table_cell *cells)
{
    const hpf_snapshot_diff *diff = context;
    fill_row(&diff->rows[index], cells);
}

static void write_json(const hpf_snapshot_diff *diff, const table *rows, hpf_sink *sink)
{
    table_cell cells[N_COLUMNS];
    table total = *rows;
    total.hidden = 1u << NAME;
    fill_row(&diff->total, cells);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "matched_by", diff->by_id ? "id" : "shape");
    hpf_json_whole(&json, "before_objects", diff->total.n_before);
    hpf_json_whole(&json, "after_objects", diff->total.n_after);
    hpf_json_object(&json, "total");
    table_write_json_cells(&total, cells, &json);
    hpf_json_close(&json);
    table_write_json(rows, &json, "rows");
    hpf_json_end(&json);
}

static void write_text_side(hpf_sink *sink, const char *path, uint64_t n, uint64_t bytes,
                            bool exact)
{
    hpf_sink_name(sink, hpf_str_of(path));
    hpf_sink_printf(sink, ": %s %s, ", format_count(n).text, n == 1 ? "object" : "objects");
    hpf_sink_printf(sink, "%s\n", format_amount((double)bytes, HPF_STR("bytes"), exact).text);
}

static void write_text(const hpf_snapshot_diff *diff, const table *rows, const char *const *paths,
                       hpf_sink *sink)
{
    const hpf_snapshot_change *t = &diff->total;
    write_text_side(sink, paths[0], t->n_before, t->before_bytes, rows->exact);
    write_text_side(sink, paths[1], t->n_after, t->after_bytes, rows->exact);
    hpf_sink_printf(sink, "%s new, ", format_count(t->n_new).text);
    hpf_sink_printf(sink, "retaining %s; %s gone; matched by %s\n",
                    format_amount((double)t->retained_bytes, HPF_STR("bytes"), rows->exact).text,
                    format_count(t->n_gone).text,
                    diff->by_id ? "id" : "type, holder, site and size");
    if (rows->n_rows > 0) {
        hpf_sink_text(sink, "\n");
        table_write(rows, TABLE_AS_TEXT, sink);
    }
    if (rows->n_rows < diff->n_rows) {
        hpf_sink_printf(sink, "\nand %s more\n", format_count(diff->n_rows - rows->n_rows).text);
    }
}

static void write_diff(const hpf_snapshot_diff *diff, hpf_snapshot_part part,
                       const char *const *paths, const dominators_options *options, hpf_sink *sink)
{
    table_column columns[N_COLUMNS];
    memcpy(columns, all_columns, sizeof columns);
    static const char *const names[] = {[HPF_SNAPSHOT_TYPE] = "type",
                                        [HPF_SNAPSHOT_HOLDER] = "holder",
                                        [HPF_SNAPSHOT_SITE] = "site"};
    columns[NAME].key = columns[NAME].heading = names[part];
    size_t most = options->n_children ? options->n_children : UINT32_MAX;
    const table rows = {
        .columns = columns,
        .n_columns = N_COLUMNS,
        .n_rows = diff->n_rows < most ? diff->n_rows : most,
        .fill = fill,
        .context = diff,
        .exact = options->exact,
        .hidden = options->format == TABLE_AS_TEXT ? 1u << BEFORE | 1u << AFTER : 0,
    };
    if (options->format == TABLE_AS_JSON) {
        write_json(diff, &rows, sink);
    } else if (options->format == TABLE_AS_TEXT) {
        write_text(diff, &rows, paths, sink);
    } else {
        table_write(&rows, options->format, sink);
    }
}

static int compare(const snapshot_file *files, uint32_t *const *holders, hpf_snapshot_part part,
                   const char *const *paths, const dominators_options *options)
{
    hpf_error err;
    hpf_snapshot_diff diff;
    const hpf_snapshot_side before = {&files[0].snapshot, &files[0].dominators, holders[0]};
    const hpf_snapshot_side after = {&files[1].snapshot, &files[1].dominators, holders[1]};
    if (hpf_snapshot_diff_init(&diff, &before, &after, part, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return EXIT_FAILED;
    }
    const char *name;
    hpf_sink *sink = output_open(options->output, &name);
    if (sink) {
        write_diff(&diff, part, paths, options, sink);
    }
    hpf_snapshot_diff_finish(&diff);
    return output_close(sink, name);
}

int dominators_report_diff(const char *const *paths, hpf_snapshot_part part,
                           const dominators_options *options)
{
    snapshot_file files[2];
    uint32_t *holders[2] = {NULL, NULL};
    const unsigned columns = HPF_HEAPSNAPSHOT_IDS | HPF_HEAPSNAPSHOT_SITES;
    int status = EXIT_FAILED;
    if (!snapshot_file_load_pair(files, paths, columns)) {
        return EXIT_FAILED;
    }
    for (int i = 0; i < 2; i++) {
        holders[i] = hpf_dominators_holders(&files[i].dominators, &files[i].snapshot);
    }
    if (holders[0] && holders[1]) {
        status = compare(files, holders, part, paths, options);
    } else {
        diag_say("out of memory");
    }
    for (int i = 0; i < 2; i++) {
        free(holders[i]);
        snapshot_file_finish(&files[i]);
    }
    return status;
}
