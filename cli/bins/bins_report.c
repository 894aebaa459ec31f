/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of address bins.
 */
#include "hpfile/sink.h"
#include "bins_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "output.h"
#include "unit_format.h"

static const double NS_PER_S = 1e9;

/* The columns of a table. */
enum {
    SHARE,
    BEFORE, /* or the amount */
    AFTER,
    CHANGE,
    FUNCTION,
    ADDRESS,
    PLACE,
    MODULE,
    N_COLUMNS
};

typedef struct view {
    const hpp_bins_table *bins;
    char *address; /* of the last row, as text */
} view;

enum { ADDRESS_BYTES = 24 };

static table_cell amount_cell(const view *v, uint64_t amount)
{
    return v->bins->kind == HPF_BINS_TIME ? (table_cell){.real = (double)amount / NS_PER_S}
                                          : (table_cell){.whole = amount};
}

static void fill(const void *context, size_t index, table_cell *cells)
{
    const view *v = context;
    const hpp_bins_row *row = &v->bins->rows[index];
    double change = (double)row->amounts[1] - (double)row->amounts[0];
    snprintf(v->address, ADDRESS_BYTES, "0x%" PRIx64, row->address);
    cells[SHARE].real = (double)row->amounts[0] / (double)v->bins->totals[0];
    cells[BEFORE] = amount_cell(v, row->amounts[0]);
    cells[AFTER] = amount_cell(v, row->amounts[1]);
    cells[CHANGE].real = v->bins->kind == HPF_BINS_TIME ? change / NS_PER_S : change;
    cells[FUNCTION].name = row->function;
    cells[ADDRESS].name = hpf_str_of(v->address);
    cells[PLACE].name = row->place;
    cells[MODULE].name = row->module;
}

/* Returns the columns that are left out. */
static uint32_t hidden_columns(hpp_bins_group group, bool is_diff)
{
    bool has_line = group == HPP_BINS_BY_ADDRESS || group == HPP_BINS_BY_LINE;
    return (is_diff ? 1u << SHARE : 1u << AFTER | 1u << CHANGE) |
           (group == HPP_BINS_BY_MODULE ? 1u << FUNCTION : 0) |
           (group == HPP_BINS_BY_ADDRESS ? 0 : 1u << ADDRESS) | (has_line ? 0 : 1u << PLACE);
}

static formatted format_of(const hpp_bins_table *bins, uint64_t amount, bool exact)
{
    return bins->kind == HPF_BINS_TIME
               ? format_time((double)amount / NS_PER_S, HPF_STR("seconds"), exact)
               : format_amount((double)amount, HPF_STR("bytes"), exact);
}

/* Writes the sums above a table in text. */
static void write_head(hpf_sink *sink, const hpp_bins_table *bins, bool is_diff, bool exact)
{
    static const char *const before_after[] = {"before", "after "};
    for (int side = 0; side <= is_diff; side++) {
        if (is_diff) {
            hpf_sink_printf(sink, "%s   ", before_after[side]);
        }
        hpf_sink_printf(sink, "%s %s", bins->kind == HPF_BINS_TIME ? "time" : "allocated",
                        format_of(bins, bins->totals[side], exact).text);
        if (bins->unknown[side] > 0) {
            hpf_sink_printf(sink, ", of it at unknown addresses %s",
                            format_of(bins, bins->unknown[side], exact).text);
        }
        hpf_sink_text(sink, "\n");
    }
    hpf_sink_text(sink, "\n");
}

static void write_json(hpf_sink *sink, const hpp_bins_table *bins, const table *t, bool is_diff)
{
    bool is_time = bins->kind == HPF_BINS_TIME;
    double unit = is_time ? NS_PER_S : 1;
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_text(&json, "kind", is_time ? "time" : "heap");
    hpf_json_text(&json, "unit", is_time ? "seconds" : "bytes");
    hpf_json_number(&json, is_diff ? "total_before" : "total", (double)bins->totals[0] / unit);
    hpf_json_number(&json, is_diff ? "unknown_before" : "unknown", (double)bins->unknown[0] / unit);
    if (is_diff) {
        hpf_json_number(&json, "total_after", (double)bins->totals[1] / unit);
        hpf_json_number(&json, "unknown_after", (double)bins->unknown[1] / unit);
    }
    table_write_json(t, &json, "rows");
    hpf_json_end(&json);
}

static int warn_unnamed(hpf_str path, uint64_t n_addresses, void *context)
{
    (void)context;
    diag_say("warning: %s has no symbols for %s addresses, or was changed after the run", path.data,
             format_count(n_addresses).text);
    return 0;
}

static int write_table(hpp_bins_table *bins, hpp_bins_group group, bool is_diff,
                       const bins_output *to)
{
    bool is_time = bins->kind == HPF_BINS_TIME;
    table_kind amount = is_time ? TABLE_TIME : TABLE_BYTES;
    const char *before = is_diff ? "before" : is_time ? "time" : "allocated";
    const table_column columns[N_COLUMNS] = {
        [SHARE] = {"share", "share", TABLE_SHARE},
        [BEFORE] = {before, before, amount},
        [AFTER] = {"after", "after", amount},
        [CHANGE] = {"change", "change", is_time ? TABLE_TIME_CHANGE : TABLE_BYTES_CHANGE},
        [FUNCTION] = {"function", "function", TABLE_NAME},
        [ADDRESS] = {"address", "address", TABLE_NAME},
        [PLACE] = {"line", "line", TABLE_NAME},
        [MODULE] = {"module", "module", TABLE_NAME},
    };
    char address[ADDRESS_BYTES];
    const view v = {bins, address};
    const table t = {.columns = columns,
                     .n_columns = N_COLUMNS,
                     .n_rows = to->n_rows && to->n_rows < bins->n_rows ? to->n_rows : bins->n_rows,
                     .fill = fill,
                     .context = &v,
                     .exact = to->exact,
                     .hidden = hidden_columns(group, is_diff)};
    const char *name;
    hpf_sink *sink = output_open(to->output, &name);
    if (sink && to->format == TABLE_AS_JSON) {
        write_json(sink, bins, &t, is_diff);
    } else if (sink) {
        if (to->format != TABLE_AS_CSV) {
            write_head(sink, bins, is_diff, to->exact);
        }
        table_write(&t, to->format, sink);
    }
    hpp_resolver_each_unnamed(bins->resolver, warn_unnamed, NULL);
    return output_close(sink, name);
}

int bins_report(const char *const *paths, size_t n, hpp_bins_group group, bool is_diff,
                const bins_output *to)
{
    hpp_bins_table bins;
    if (!bins_load(&bins, paths, n, is_diff)) {
        return EXIT_FAILED;
    }
    hpp_bins_group_rows(&bins, group);
    if (is_diff) {
        hpp_bins_sort_by_change(&bins);
    }
    int status = write_table(&bins, group, is_diff, to);
    hpp_bins_finish(&bins);
    return status;
}

static void write_info(hpf_sink *sink, const char *path, const hpf_bins *bins, table_format format)
{
    bool is_time = bins->kind == HPF_BINS_TIME;
    if (format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_text(&json, "file", path);
        hpf_json_text(&json, "format", "bins");
        hpf_json_text(&json, "kind", is_time ? "time" : "heap");
        hpf_json_whole(&json, is_time ? "tick_ns" : "unit_bytes", bins->unit);
        hpf_json_whole(&json, "addresses", bins->n_bins);
        hpf_json_whole(&json, "unknown_count", bins->unknown_count);
        hpf_json_array(&json, "objects");
        for (size_t i = 0; i < bins->n_objects; i++) {
            hpf_json_str(&json, NULL, bins->objects[i].path);
        }
        hpf_json_close(&json);
        hpf_json_end(&json);
        return;
    }
    hpf_sink_printf(sink, "file         %s, address bins\n", path);
    hpf_sink_printf(sink, "counts       %s", is_time ? "ticks of " : "allocation in units of ");
    hpf_sink_printf(sink, "%s\n",
                    is_time
                        ? format_time((double)bins->unit / NS_PER_S, HPF_STR("seconds"), false).text
                        : format_amount((double)bins->unit, HPF_STR("bytes"), false).text);
    hpf_sink_printf(sink, "addresses    %s\n", format_count(bins->n_bins).text);
    hpf_sink_printf(sink, "unknown      %s\n", format_count(bins->unknown_count).text);
    for (size_t i = 0; i < bins->n_objects; i++) {
        hpf_sink_text(sink, i == 0 ? "objects      " : "             ");
        hpf_sink_name(sink, bins->objects[i].path);
        hpf_sink_text(sink, "\n");
    }
}

int bins_info(const char *path, const bins_output *to)
{
    hpf_bins bins;
    if (!bins_read(&bins, path)) {
        return EXIT_FAILED;
    }
    const char *name;
    hpf_sink *sink = output_open(to->output, &name);
    if (sink) {
        write_info(sink, path, &bins, to->format);
    }
    hpf_bins_finish(&bins);
    return output_close(sink, name);
}
