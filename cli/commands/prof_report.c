/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of a `.prof` file. Costs of GHC's own centres (GC, SYSTEM, ...) are no part of the totals,
 * as in GHC's reports.
 */
#include "prof_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hpfile/stack_viewer.h"
#include "base/json.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/prof.h"
#include "unit_format.h"

typedef struct prof_view {
    hpf_prof_costs costs;
    bool exact;
} prof_view;

/* --- tables --- */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

enum {
    CENTRE_TIME_SHARE,
    CENTRE_ALLOC_SHARE,
    CENTRE_TIME,
    CENTRE_ALLOC,
    CENTRE_ENTRIES,
    CENTRE_NAME,
    CENTRE_MODULE,
    CENTRE_PLACE,
    N_CENTRE_COLUMNS
};

static const table_column centre_columns[N_CENTRE_COLUMNS] = {
    [CENTRE_TIME_SHARE] = {"time_share", "%time", TABLE_SHARE},
    [CENTRE_ALLOC_SHARE] = {"alloc_share", "%alloc", TABLE_SHARE},
    [CENTRE_TIME] = {"time", "time", TABLE_TIME},
    [CENTRE_ALLOC] = {"alloc", "alloc", TABLE_BYTES},
    [CENTRE_ENTRIES] = {"entries", "entries", TABLE_COUNT},
    [CENTRE_NAME] = {"name", "cost centre", TABLE_NAME},
    [CENTRE_MODULE] = {"module", "module", TABLE_NAME},
    [CENTRE_PLACE] = {"place", "place", TABLE_NAME},
};

/* Names of stacks have no centre. */
static void fill_centre(const void *context, size_t index, table_cell *cells)
{
    const prof_view *v = context;
    const hpf_prof_row *row = &v->costs.centres[index];
    cells[CENTRE_TIME_SHARE].real = share(row->ticks, v->costs.prof->total_ticks);
    cells[CENTRE_ALLOC_SHARE].real = share(row->bytes, v->costs.prof->total_bytes);
    cells[CENTRE_TIME].real = (double)row->ticks * v->costs.s_per_tick;
    cells[CENTRE_ALLOC].whole = row->bytes;
    cells[CENTRE_ENTRIES].whole = row->entries;
    cells[CENTRE_NAME].name = row->name;
    if (row->centre) {
        cells[CENTRE_MODULE].name = row->centre->module;
        cells[CENTRE_PLACE].name = row->centre->srcloc;
    }
}

enum {
    TREE_TIME,
    TREE_ALLOC,
    TREE_OWN_TIME,
    TREE_OWN_ALLOC,
    TREE_ENTRIES,
    TREE_NAME,
    TREE_MODULE,
    N_TREE_COLUMNS
};

static const table_column tree_columns[N_TREE_COLUMNS] = {
    [TREE_TIME] = {"inherited_time_share", "%time", TABLE_SHARE},
    [TREE_ALLOC] = {"inherited_alloc_share", "%alloc", TABLE_SHARE},
    [TREE_OWN_TIME] = {"time_share", "own %time", TABLE_SHARE},
    [TREE_OWN_ALLOC] = {"alloc_share", "own %alloc", TABLE_SHARE},
    [TREE_ENTRIES] = {"entries", "entries", TABLE_COUNT},
    [TREE_NAME] = {"name", "cost-centre stack", TABLE_NAME},
    [TREE_MODULE] = {"module", "module", TABLE_NAME},
};

/* Returns the label, indented by the depth, until the next call. A report can have a long label at
 * each of many stacks. */
static hpf_str indented_label(const prof_view *v, const hpf_prof_row *row)
{
    hpf_str label = row->centre->label;
    memset(v->costs.indented, ' ', row->depth);
    if (label.length > 0) {
        memcpy(v->costs.indented + row->depth, label.data, label.length);
    }
    return (hpf_str){v->costs.indented, row->depth + label.length};
}

static void fill_stack(const void *context, size_t index, table_cell *cells)
{
    const prof_view *v = context;
    const hpf_prof *prof = v->costs.prof;
    const hpf_prof_row *row = v->costs.tree[index];
    cells[TREE_TIME].real = share(row->inherited_ticks, prof->total_ticks);
    cells[TREE_ALLOC].real = share(row->inherited_bytes, prof->total_bytes);
    cells[TREE_OWN_TIME].real = share(row->ticks, prof->total_ticks);
    cells[TREE_OWN_ALLOC].real = share(row->bytes, prof->total_bytes);
    cells[TREE_ENTRIES].whole = row->entries;
    cells[TREE_NAME].name = indented_label(v, row);
    cells[TREE_MODULE].name = row->centre->module;
}

static table table_of_centres(const prof_view *v)
{
    return (table){centre_columns,
                   N_CENTRE_COLUMNS,
                   v->costs.n_centres,
                   fill_centre,
                   v,
                   v->exact,
                   v->costs.prof->without_entries ? 1u << CENTRE_ENTRIES : 0};
}

static table table_of_stacks(const prof_view *v)
{
    return (table){tree_columns,
                   N_TREE_COLUMNS,
                   v->costs.n_tree,
                   fill_stack,
                   v,
                   v->exact,
                   v->costs.prof->without_entries ? 1u << TREE_ENTRIES : 0};
}

/* --- the report --- */

static void write_totals(hpf_sink *sink, const prof_view *v)
{
    const hpf_prof *p = v->costs.prof;
    hpf_sink_printf(
        sink, "time         %s",
        format_time((double)p->total_ticks * v->costs.s_per_tick, HPF_STR("seconds"), v->exact)
            .text);
    hpf_sink_printf(sink, ", %s ticks of ", format_count(p->total_ticks).text);
    hpf_sink_printf(sink, "%s",
                    format_time((double)p->tick_us / 1e6, HPF_STR("seconds"), false).text);
    if (p->n_processors > 1) {
        hpf_sink_printf(sink, " on %s processors", format_count(p->n_processors).text);
    }
    hpf_sink_printf(sink, "\nallocated    %s\n",
                    format_amount((double)p->total_bytes, HPF_STR("bytes"), v->exact).text);
}

static void write_json_stacks(hpf_json *json, const prof_view *v)
{
    hpf_json_array(json, "stacks");
    for (size_t i = 0; i < v->costs.n_tree; i++) {
        const hpf_prof_row *row = v->costs.tree[i];
        hpf_json_object(json, NULL);
        hpf_json_str(json, "name", row->centre->label);
        hpf_json_str(json, "module", row->centre->module);
        hpf_json_str(json, "place", row->centre->srcloc);
        hpf_json_whole(json, "depth", row->depth);
        if (!v->costs.prof->without_entries) {
            hpf_json_whole(json, "entries", row->entries);
        }
        hpf_json_whole(json, "ticks", row->ticks);
        hpf_json_whole(json, "alloc", row->bytes);
        hpf_json_whole(json, "inherited_ticks", row->inherited_ticks);
        hpf_json_whole(json, "inherited_alloc", row->inherited_bytes);
        hpf_json_close(json);
    }
    hpf_json_close(json);
}

static void write_json_totals(hpf_json *json, const prof_view *v)
{
    hpf_json_str(json, "program", v->costs.prof->program);
    hpf_json_str(json, "date", v->costs.prof->date);
    hpf_json_whole(json, "total_ticks", v->costs.prof->total_ticks);
    hpf_json_whole(json, "tick_us", v->costs.prof->tick_us);
    hpf_json_whole(json, "processors", v->costs.prof->n_processors);
    hpf_json_whole(json, "total_alloc", v->costs.prof->total_bytes);
}

hpf_status prof_report_write(const input *in, table_format format, size_t n_rows, bool exact,
                             hpf_sink *sink, hpf_error *err)
{
    prof_view v;
    hpf_status status = hpf_prof_costs_read(&v.costs, in->source, n_rows, err);
    v.exact = exact;
    if (status == HPF_OK) {
        const table centres = table_of_centres(&v);
        if (format == TABLE_AS_JSON) {
            hpf_json json = hpf_json_begin(sink);
            hpf_json_object(&json, NULL);
            write_json_totals(&json, &v);
            table_write_json(&centres, &json, "centres");
            write_json_stacks(&json, &v);
            hpf_json_end(&json);
        } else if (format == TABLE_AS_TEXT) {
            const table tree = table_of_stacks(&v);
            hpf_sink_name(sink, v.costs.prof->program);
            hpf_sink_text(sink, "\n");
            hpf_sink_name(sink, v.costs.prof->date);
            hpf_sink_text(sink, "\n\n");
            write_totals(sink, &v);
            hpf_sink_text(sink, "\n");
            table_write(&centres, format, sink);
            hpf_sink_text(sink, "\n");
            table_write(&tree, format, sink);
        } else {
            table_write(&centres, format, sink);
        }
    }
    hpf_prof_costs_finish(&v.costs);
    return status;
}

/* --- views of stacks --- */

/* The order of the samples that are passed through the viewer. */
enum { TICKS, BYTES, ENTRIES, N_COSTS };

/* What a view shows of a report: one row for each name. */
typedef struct shown {
    hpf_prof_row *rows; /* by name, then by ticks and bytes, decreasing */
    size_t n_rows, capacity;
    hpf_sink *job; /* the program, and what is shown */
} shown;

/* Stores at most `room` frames of a stack, innermost first; the root is a frame of its own stack
 * only. */
static size_t frames_of_stack(void *context, hpf_name stack, hpf_frame *frames, size_t room)
{
    const prof_view *v = context;
    const hpf_prof *prof = v->costs.prof;
    size_t n = 0;
    do {
        const hpf_prof_centre *c = &prof->centres[prof->stacks[stack].centre_index];
        if (n < room) {
            frames[n] = (hpf_frame){
                .label = c->label, .module = c->module, .source = c->srcloc, .is_caf = c->is_caf};
        }
        n++;
        stack = prof->stacks[stack].parent_index;
    } while (stack != HPF_PROF_NO_PARENT && prof->stacks[stack].parent_index != HPF_PROF_NO_PARENT);
    return n;
}

static hpf_status on_job(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    shown *s = context;
    (void)which;
    (void)err;
    hpf_sink_write(s->job, text.data, text.length);
    return HPF_OK;
}

static hpf_status on_shown_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    shown *s = context;
    if (!HPF__ARRAY_RESERVE(s->rows, s->capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    s->rows[name] = (hpf_prof_row){.index = name, .name = text};
    s->n_rows = (size_t)name + 1;
    return HPF_OK;
}

static hpf_status on_shown_costs(void *context, const hpf_sample *sample, hpf_error *err)
{
    shown *s = context;
    (void)err;
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_prof_row *row = &s->rows[sample->costs[i].name];
        uint64_t *to = sample->time == TICKS   ? &row->ticks
                       : sample->time == BYTES ? &row->bytes
                                               : &row->entries;
        *to += sample->costs[i].whole;
    }
    return HPF_OK;
}

/* Passes the stacks that are not hidden, and their costs, to the viewer. */
static hpf_status show_stacks(hpf_stack_viewer *viewer, const hpf_prof *prof, hpf_error *err)
{
    const hpf_events *to = &hpf_stack_viewer_events;
    hpf_cost *costs = calloc(prof->n_stacks, sizeof *costs);
    hpf_status status =
        costs ? to->header(viewer, HPF_HEADER_JOB, prof->program, err) : hpf_error_set_memory(err);
    for (int which = 0; which < N_COSTS && status == HPF_OK; which++) {
        hpf_sample sample = {.time = which, .costs = costs};
        for (uint32_t i = 0; i < prof->n_stacks && status == HPF_OK; i++) {
            const hpf_prof_stack *stack = &prof->stacks[i];
            if (!prof->centres[stack->centre_index].is_hidden) {
                uint64_t amount = which == TICKS   ? stack->ticks
                                  : which == BYTES ? stack->allocated_bytes
                                                   : stack->entries;
                costs[sample.n_costs++] = (hpf_cost){.name = i, .whole = amount};
                status = which == 0 ? to->name(viewer, i, HPF_STR(""), err) : HPF_OK;
            }
        }
        status = status == HPF_OK ? to->sample(viewer, &sample, err) : status;
    }
    free(costs);
    return status == HPF_OK ? hpf_stack_viewer_check(viewer, err) : status;
}

static void write_shown(const prof_view *v, const shown *s, table_format format, hpf_sink *sink)
{
    prof_view rows = *v;
    rows.costs.centres = s->rows;
    rows.costs.n_centres = s->n_rows;
    table_column columns[N_CENTRE_COLUMNS];
    table t = table_of_centres(&rows);
    t.hidden |= 1u << CENTRE_MODULE | 1u << CENTRE_PLACE;
    t.columns = memcpy(columns, centre_columns, sizeof columns);
    columns[CENTRE_NAME].heading = "name";
    if (format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_str(&json, "job", hpf_sink_bytes(s->job));
        write_json_totals(&json, v);
        table_write_json(&t, &json, "names");
        hpf_json_end(&json);
        return;
    }
    if (format == TABLE_AS_TEXT) {
        hpf_sink_name(sink, hpf_sink_bytes(s->job));
        hpf_sink_text(sink, "\n");
        hpf_sink_name(sink, v->costs.prof->date);
        hpf_sink_text(sink, "\n\n");
        write_totals(sink, v);
        hpf_sink_text(sink, "\n");
    }
    table_write(&t, format, sink);
}

hpf_status prof_report_write_view(const input *in, const hpf_stack_view *view, table_format format,
                                  size_t n_rows, bool exact, hpf_sink *sink, hpf_error *err)
{
    const hpf_events events = {.header = on_job, .name = on_shown_name, .sample = on_shown_costs};
    prof_view v;
    hpf_status status = hpf_prof_costs_read(&v.costs, in->source, n_rows, err);
    v.exact = exact;
    shown s = {.job = hpf_sink_to_memory()};
    hpf_stack_viewer *viewer =
        status == HPF_OK ? hpf_stack_viewer_create(view, frames_of_stack, &v) : NULL;
    if (status == HPF_OK && (!viewer || !s.job)) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        hpf_stack_viewer_emit_to(viewer, &events, &s);
        status = show_stacks(viewer, v.costs.prof, err);
    }
    if (status == HPF_OK) {
        size_t n_used = hpf_prof_rows_sort(s.rows, s.n_rows);
        s.n_rows = n_rows > 0 && n_rows < n_used ? n_rows : n_used;
        write_shown(&v, &s, format, sink);
    }
    hpf_stack_viewer_destroy(viewer);
    hpf_sink_destroy(s.job);
    free(s.rows);
    hpf_prof_costs_finish(&v.costs);
    return status;
}

/* --- info --- */

static uint32_t deepest(const prof_view *v)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < v->costs.n_tree; i++) {
        depth = v->costs.tree[i]->depth > depth ? v->costs.tree[i]->depth : depth;
    }
    return depth + 1;
}

hpf_status prof_info_write(const input *in, bool as_json, bool exact, hpf_sink *sink,
                           hpf_error *err)
{
    prof_view v;
    hpf_status status = hpf_prof_costs_read(&v.costs, in->source, 0, err);
    v.exact = exact;
    if (status == HPF_OK && as_json) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        input_write_json_file(in, in->format->name, &json);
        write_json_totals(&json, &v);
        hpf_json_whole(&json, "centres", v.costs.n_centres);
        hpf_json_whole(&json, "stacks", v.costs.n_used_stacks);
        hpf_json_whole(&json, "deepest", deepest(&v));
        hpf_json_end(&json);
    } else if (status == HPF_OK) {
        input_write_file(in, "time and allocation report", exact, sink);
        hpf_sink_text(sink, "\nprogram      ");
        hpf_sink_name(sink, v.costs.prof->program);
        hpf_sink_text(sink, "\ndate         ");
        hpf_sink_name(sink, v.costs.prof->date);
        hpf_sink_text(sink, "\n");
        write_totals(sink, &v);
        hpf_sink_printf(sink, "cost centres %s\n", format_count(v.costs.n_centres).text);
        hpf_sink_printf(sink, "stacks       %s", format_count(v.costs.n_used_stacks).text);
        hpf_sink_printf(sink, ", at most %s deep\n", format_count(deepest(&v)).text);
    }
    hpf_prof_costs_finish(&v.costs);
    return status;
}
