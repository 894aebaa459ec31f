/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/sink.h"

#include "dominators_report.h"
#include "unit_format.h"

enum { ID_BYTES = 24 };

/* An object, and the reference by which it was found: NONE if by none. */
typedef struct row {
    uint64_t retained_bytes;
    uint32_t node, edge;
} row;

typedef struct view {
    const snapshot_file *file;
    const uint32_t *holders;
    row *rows; /* those that retain most first */
    bool is_for_people;
    char *id, *field; /* of the row that is written; ID_BYTES */
} view;

enum { FIELD, RETAINED, SELF, ID, ID_TEXT, HOLDER, SITE, TYPE, NAME, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [FIELD] = {"field", "field", TABLE_NAME},
    [RETAINED] = {"retained_bytes", "retained", TABLE_BYTES},
    [SELF] = {"self_bytes", "self", TABLE_BYTES},
    [ID] = {"id", "id", TABLE_COUNT},
    [ID_TEXT] = {"id", "id", TABLE_NAME},
    [HOLDER] = {"holder", "holder", TABLE_NAME},
    [SITE] = {"site", "site", TABLE_NAME},
    [TYPE] = {"type", "type", TABLE_NAME},
    [NAME] = {"name", "name", TABLE_NAME},
};

/* Returns the name of the field that refers, "[3]" for an index. */
static hpf_str field_name(const view *v, uint32_t edge)
{
    const hpf_snapshot *s = &v->file->snapshot;
    uint32_t name =
        s->edge_names && edge != HPF_SNAPSHOT_NONE ? s->edge_names[edge] : HPF_SNAPSHOT_NONE;
    if (name < HPF_SNAPSHOT_INDEX) {
        return dominators_shown(hpf_snapshot_text(s, name), v->is_for_people);
    }
    if (name == HPF_SNAPSHOT_NONE) {
        return HPF_STR("");
    }
    snprintf(v->field, ID_BYTES, "[%" PRIu32 "]", name - HPF_SNAPSHOT_INDEX);
    return hpf_str_of(v->field);
}

static void fill(const void *context, size_t index, table_cell *cells)
{
    const view *v = context;
    const hpf_snapshot *s = &v->file->snapshot;
    uint32_t node = v->rows[index].node;
    cells[FIELD].name = field_name(v, v->rows[index].edge);
    cells[RETAINED].whole = v->rows[index].retained_bytes;
    cells[SELF].whole = s->sizes[node];
    cells[ID].whole = s->ids ? s->ids[node] : 0;
    snprintf(v->id, ID_BYTES, "@%" PRIu64, cells[ID].whole);
    cells[ID_TEXT].name = hpf_str_of(v->id);
    cells[HOLDER].name =
        dominators_shown(snapshot_file_node_name(v->file, v->holders[node]), v->is_for_people);
    bool has_site = s->sites && s->sites[node] != HPF_SNAPSHOT_NONE;
    cells[SITE].name =
        has_site ? dominators_shown(hpf_snapshot_text(s, s->sites[node]), v->is_for_people)
                 : HPF_STR("");
    cells[TYPE].name = dominators_shown(snapshot_file_node_name(v->file, node), v->is_for_people);
    cells[NAME].name = dominators_shown(hpf_snapshot_text(s, s->own_names[node]), v->is_for_people);
}

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = (x->retained_bytes < y->retained_bytes) - (x->retained_bytes > y->retained_bytes);
    order = order ? order : (x->node > y->node) - (x->node < y->node);
    return order ? order : (x->edge > y->edge) - (x->edge < y->edge);
}

/* Returns the matches, sorted; to be freed. NULL without memory. */
static row *sort_matches(const snapshot_file *file, const hpf_matches *m)
{
    row *all = malloc(((size_t)m->n + 1) * sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 0; all && i < file->snapshot.n_nodes; i++) {
        if (m->is_match[i]) {
            all[n++] = (row){file->dominators.retained_bytes[i], i, HPF_SNAPSHOT_NONE};
        }
    }
    if (all) {
        HPF__ARRAY_SORT(all, n, compare_rows);
    }
    return all;
}

/* Returns the table of the first of `n` rows. */
static table make_table(const view *v, size_t n, const dominators_options *options)
{
    const hpf_snapshot *s = &v->file->snapshot;
    size_t most = options->n_children ? options->n_children : UINT32_MAX;
    table t = {.columns = columns,
               .n_columns = N_COLUMNS,
               .n_rows = n < most ? n : most,
               .fill = fill,
               .context = v,
               .exact = options->exact,
               .hidden = v->is_for_people ? 1u << ID | 1u << NAME : 1u << ID_TEXT};
    bool has_fields = s->edge_names && n > 0 && v->rows[0].edge != HPF_SNAPSHOT_NONE;
    t.hidden |= has_fields ? 0 : 1u << FIELD;
    t.hidden |= s->sites ? 0 : 1u << SITE;
    t.hidden |= s->ids ? 0 : 1u << ID | 1u << ID_TEXT;
    for (size_t i = 0; i < t.n_rows; i++) { /* people read names that say more */
        if (s->own_names[v->rows[i].node] != s->names[v->rows[i].node]) {
            t.hidden &= ~(1u << NAME);
        }
    }
    return t;
}

static void write_matches(const view *v, const table *t, const hpf_matches *m,
                          const dominators_options *options, hpf_sink *sink)
{
    if (options->format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_whole(&json, "matches", m->n);
        hpf_json_whole(&json, "self_bytes", m->self_bytes);
        hpf_json_whole(&json, "freed_objects", m->n_freed);
        hpf_json_whole(&json, "freed_bytes", m->freed_bytes);
        table_write_json(t, &json, "objects");
        hpf_json_end(&json);
        return;
    }
    if (v->is_for_people && m->n == 0) {
        hpf_sink_text(sink, "no object matches\n");
    } else if (v->is_for_people) {
        const hpf_str bytes = HPF_STR("bytes");
        hpf_sink_printf(sink, "%s %s, %s", format_count(m->n).text, m->n == 1 ? "match" : "matches",
                        format_amount((double)m->self_bytes, bytes, options->exact).text);
        hpf_sink_printf(sink, "; if %s went, %s in ", m->n == 1 ? "it" : "they",
                        format_amount((double)m->freed_bytes, bytes, options->exact).text);
        hpf_sink_printf(sink, "%s %s would be freed\n\n", format_count(m->n_freed).text,
                        m->n_freed == 1 ? "object" : "objects");
    }
    if (t->n_rows > 0 || !v->is_for_people) {
        table_write(t, options->format, sink);
    }
    if (v->is_for_people && t->n_rows < m->n) {
        hpf_sink_printf(sink, "\nand %s more\n", format_count(m->n - t->n_rows).text);
    }
}

bool dominators_report_matches(const snapshot_file *file, const hpf_matches *matches,
                               const uint32_t *holders, const dominators_options *options,
                               hpf_sink *sink)
{
    char id[ID_BYTES], field[ID_BYTES];
    view v = {.file = file,
              .id = id,
              .field = field,
              .holders = holders,
              .rows = sort_matches(file, matches),
              .is_for_people = options->format == TABLE_AS_TEXT};
    if (!v.rows) {
        return false;
    }
    const table t = make_table(&v, matches->n, options);
    write_matches(&v, &t, matches, options, sink);
    free(v.rows);
    return true;
}

/* ---- One object ---- */

enum { REFERENCES, REFERRERS, N_ENDS };

/* Returns the objects at the other ends of what a node refers to, or of what refers to it, sorted;
 * to be freed. NULL without memory. */
static row *find_ends(const snapshot_file *file, uint32_t node, int which, size_t *n)
{
    const hpf_snapshot *s = &file->snapshot;
    const uint32_t first = s->first_edges[node];
    *n = which == REFERENCES ? s->first_edges[node + 1] - first
                             : hpf_snapshot_referrers(s, node, NULL, 0);
    row *rows = malloc((*n + 1) * sizeof *rows);
    hpf_snapshot_edge *edges = malloc((*n + 1) * sizeof *edges);
    if (rows && edges && which == REFERRERS) {
        (void)hpf_snapshot_referrers(s, node, edges, *n);
    }
    for (uint32_t i = 0; rows && edges && i < *n; i++) {
        hpf_snapshot_edge e =
            which == REFERRERS ? edges[i] : (hpf_snapshot_edge){first + i, s->targets[first + i]};
        rows[i] = (row){file->dominators.retained_bytes[e.node], e.node, e.edge};
    }
    if (!edges) {
        free(rows);
        rows = NULL;
    }
    free(edges);
    if (rows) {
        HPF__ARRAY_SORT(rows, *n, compare_rows);
    }
    return rows;
}

static void write_object_text(const view *object, view *ends, const size_t *n,
                              const dominators_options *options, hpf_sink *sink)
{
    static const char *const words[] = {[REFERENCES] = "refers to", [REFERRERS] = "referred to by"};
    const table own = make_table(object, 1, options);
    table_write(&own, TABLE_AS_TEXT, sink);
    for (int which = 0; which < N_ENDS; which++) {
        const table t = make_table(&ends[which], n[which], options);
        hpf_sink_printf(sink, "\n%s %s %s\n", words[which], format_count(n[which]).text,
                        n[which] == 1 ? "object" : "objects");
        if (n[which] > 0) {
            hpf_sink_text(sink, "\n");
            table_write(&t, TABLE_AS_TEXT, sink);
        }
        if (t.n_rows < n[which]) {
            hpf_sink_printf(sink, "\nand %s more\n", format_count(n[which] - t.n_rows).text);
        }
    }
}

/* Writes the steps of the way from the root. Returns false without memory. */
static bool write_way(const snapshot_file *file, uint32_t node, hpf_json *json)
{
    size_t n = 0;
    uint32_t *holders = hpf_snapshot_holders(&file->snapshot);
    hpf_snapshot_step *steps =
        holders ? hpf_snapshot_path(&file->snapshot, holders, node, &n) : NULL;
    hpf_json_array(json, "way");
    for (size_t i = 0; steps && i < n; i++) {
        bool is_gap = steps[i].n_nodes == 0;
        uint32_t end = is_gap ? 0 : steps[i].node;
        hpf_json_object(json, NULL);
        hpf_json_bytes(json, "type", is_gap ? HPF_STR("") : snapshot_file_node_name(file, end));
        hpf_json_whole(json, "objects", steps[i].n_nodes);
        hpf_json_whole(json, "retained_bytes", file->dominators.retained_bytes[end]);
        hpf_json_close(json);
    }
    hpf_json_close(json);
    free(holders);
    free(steps);
    return steps != NULL;
}

/* Returns false without memory. */
static bool write_object_json(const view *object, view *ends, const size_t *n,
                              const dominators_options *options, hpf_sink *sink)
{
    static const char *const keys[][2] = {
        [REFERENCES] = {"n_references", "references"}, [REFERRERS] = {"n_referrers", "referrers"}};
    const table own = make_table(object, 1, options);
    table_cell cells[N_COLUMNS];
    fill(object, 0, cells);
    hpf_json json = hpf_json_begin(sink);
    hpf_json_object(&json, NULL);
    hpf_json_object(&json, "object");
    table_write_json_cells(&own, cells, &json);
    hpf_json_close(&json);
    for (int which = 0; which < N_ENDS; which++) {
        const table t = make_table(&ends[which], n[which], options);
        hpf_json_whole(&json, keys[which][0], n[which]);
        table_write_json(&t, &json, keys[which][1]);
    }
    bool fits = write_way(object->file, object->rows->node, &json);
    hpf_json_end(&json);
    return fits;
}

bool dominators_report_object(const snapshot_file *file, uint32_t node, const uint32_t *holders,
                              const dominators_options *options, hpf_sink *sink)
{
    char id[ID_BYTES], field[ID_BYTES];
    size_t n[N_ENDS];
    row itself = {file->dominators.retained_bytes[node], node, HPF_SNAPSHOT_NONE};
    const view object = {.file = file,
                         .id = id,
                         .field = field,
                         .holders = holders,
                         .rows = &itself,
                         .is_for_people = options->format == TABLE_AS_TEXT};
    view ends[N_ENDS] = {object, object};
    bool fits = true;
    for (int which = 0; which < N_ENDS; which++) {
        ends[which].rows = find_ends(file, node, which, &n[which]);
        fits = fits && ends[which].rows;
    }
    if (fits && options->format == TABLE_AS_JSON) {
        fits = write_object_json(&object, ends, n, options, sink);
    } else if (fits) {
        write_object_text(&object, ends, n, options, sink);
    }
    free(ends[REFERENCES].rows);
    free(ends[REFERRERS].rows);
    return fits;
}
