/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/heapsnapshot.h"
#include "hpfile/sink.h"
#include "hpfile/waste.h"

#include "diag.h"
#include "dominators_report.h"
#include "output.h"
#include "unit_format.h"

enum { WASTE, SHARE, ALL, BLOCKS, EMPTY, KIND, TYPE, SITE, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [WASTE] = {"waste_bytes", "waste", TABLE_BYTES},
    [SHARE] = {"share", "share", TABLE_SHARE},
    [ALL] = {"bytes", "of", TABLE_BYTES},
    [BLOCKS] = {"blocks", "blocks", TABLE_COUNT},
    [EMPTY] = {"empty", "empty", TABLE_COUNT},
    [KIND] = {"kind", "kind", TABLE_NAME},
    [TYPE] = {"type", "type", TABLE_NAME},
    [SITE] = {"site", "site", TABLE_NAME},
};

typedef struct view {
    const hpf_waste *rows;
    uint64_t heap_bytes;
    bool is_for_people;
} view;

static void fill(const void *context, size_t index, table_cell *cells)
{
    const view *v = context;
    const hpf_waste *row = &v->rows[index];
    cells[WASTE].whole = row->bytes;
    cells[SHARE].real = v->heap_bytes > 0 ? (double)row->bytes / (double)v->heap_bytes : 0;
    cells[ALL].whole = row->all_bytes;
    cells[BLOCKS].whole = row->n_blocks;
    cells[EMPTY].whole = row->n_empty;
    cells[KIND].name = hpf_str_of(hpf_waste_name(row->kind));
    cells[TYPE].name = dominators_shown(row->type, v->is_for_people);
    cells[SITE].name = dominators_shown(row->site, v->is_for_people);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Writes two tables for people: sizes are the second one. */
static void write_text(const view *v, size_t n, const dominators_options *options, hpf_sink *sink)
{
    const hpf_str bytes = HPF_STR("bytes");
    size_t most = options->n_children ? options->n_children : SIZE_MAX, n_places = 0;
    bool has_sites = false;
    while (n_places < n && v->rows[n_places].kind != HPF_WASTE_SIZE) {
        has_sites |= v->rows[n_places++].site.length > 0;
    }
    if (n_places == 0) {
        hpf_sink_text(sink, "no waste was found\n");
    } else {
        hpf_sink_printf(sink, "of %s\n\n",
                        format_amount((double)v->heap_bytes, bytes, options->exact).text);
    }
    table t = {.columns = columns,
               .n_columns = N_COLUMNS,
               .n_rows = smaller(n_places, most),
               .fill = fill,
               .context = v,
               .exact = options->exact,
               .hidden = has_sites ? 0 : 1u << SITE};
    if (t.n_rows > 0) {
        table_write(&t, TABLE_AS_TEXT, sink);
    }
    if (t.n_rows < n_places) {
        hpf_sink_printf(sink, "\nand %s more\n", format_count(n_places - t.n_rows).text);
    }
    if (n_places < n) {
        const view sizes = {v->rows + n_places, v->heap_bytes, true};
        t.context = &sizes;
        t.n_rows = n - n_places;
        t.hidden = 1u << SHARE | 1u << EMPTY | 1u << KIND | 1u << SITE;
        hpf_sink_text(sink, "\nby size\n\n");
        table_write(&t, TABLE_AS_TEXT, sink);
    }
}

static void write(const hpf_snapshot *s, const dominators_options *options, hpf_sink *sink)
{
    view v = {.rows = s->waste, .is_for_people = options->format == TABLE_AS_TEXT};
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        v.heap_bytes += s->sizes[i];
    }
    if (v.is_for_people) {
        write_text(&v, s->n_waste, options, sink);
        return;
    }
    const table t = {.columns = columns,
                     .n_columns = N_COLUMNS,
                     .n_rows = options->n_children ? smaller(s->n_waste, options->n_children)
                                                   : s->n_waste,
                     .fill = fill,
                     .context = &v,
                     .exact = options->exact};
    if (options->format == TABLE_AS_CSV) {
        table_write(&t, options->format, sink);
        return;
    }
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "bytes", v.heap_bytes);
    table_write_json(&t, &json, "waste");
    hpf_json_end(&json);
}

int dominators_report_waste(const char *path, const dominators_options *options)
{
    hpf_error err;
    hpf_snapshot s;
    if (!snapshot_file_read(&s, path, HPF_HEAPSNAPSHOT_OWN_NAMES)) {
        return EXIT_FAILED;
    }
    hpf_status status = s.n_waste == 0 ? hpf_snapshot_find_waste(&s, &err) : HPF_OK;
    const char *name;
    hpf_sink *sink = status == HPF_OK ? output_open(options->output, &name) : NULL;
    int exit_status = EXIT_FAILED;
    if (sink) {
        hpf_waste_sort(s.waste, s.n_waste);
        write(&s, options, sink);
        exit_status = output_close(sink, name);
    } else if (status != HPF_OK) {
        diag_error(path, &err);
    }
    hpf_snapshot_finish(&s);
    return exit_status;
}
