/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/sink.h"

#include "dominators_report.h"
#include "unit_format.h"

enum { ID_BYTES = 24 };

typedef struct view {
    const snapshot_file *file;
    const uint32_t *holders;
    uint32_t *nodes;
    bool is_for_people;
    char *id; /* of the row that is written; ID_BYTES */
} view;

enum { RETAINED, SELF, ID, ID_TEXT, HOLDER, SITE, TYPE, NAME, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [RETAINED] = {"retained_bytes", "retained", TABLE_BYTES},
    [SELF] = {"self_bytes", "self", TABLE_BYTES},
    [ID] = {"id", "id", TABLE_COUNT},
    [ID_TEXT] = {"id", "id", TABLE_NAME},
    [HOLDER] = {"holder", "holder", TABLE_NAME},
    [SITE] = {"site", "site", TABLE_NAME},
    [TYPE] = {"type", "type", TABLE_NAME},
    [NAME] = {"name", "name", TABLE_NAME},
};

static void fill(const void *context, size_t index, table_cell *cells)
{
    const view *v = context;
    const hpf_snapshot *s = &v->file->snapshot;
    uint32_t node = v->nodes[index];
    cells[RETAINED].whole = v->file->dominators.retained_bytes[node];
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

typedef struct match {
    uint64_t retained_bytes;
    uint32_t node;
} match;

static int compare_matches(const void *a, const void *b)
{
    const match *x = a, *y = b;
    int order = (x->retained_bytes < y->retained_bytes) - (x->retained_bytes > y->retained_bytes);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Returns the matches, those that retain most first; to be freed. NULL without memory. */
static uint32_t *sort_matches(const snapshot_file *file, const hpf_matches *m)
{
    match *all = malloc(((size_t)m->n + 1) * sizeof *all);
    uint32_t *nodes = malloc(((size_t)m->n + 1) * sizeof *nodes), n = 0;
    for (uint32_t i = 0; all && nodes && i < file->snapshot.n_nodes; i++) {
        if (m->is_match[i]) {
            all[n++] = (match){file->dominators.retained_bytes[i], i};
        }
    }
    if (all) {
        HPF__ARRAY_SORT(all, n, compare_matches);
    }
    for (uint32_t i = 0; i < n; i++) {
        nodes[i] = all[i].node;
    }
    if (!all) {
        free(nodes);
        nodes = NULL;
    }
    free(all);
    return nodes;
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
    const hpf_snapshot *s = &file->snapshot;
    size_t most = options->n_children ? options->n_children : UINT32_MAX;
    char id[ID_BYTES];
    view v = {.file = file,
              .id = id,
              .holders = holders,
              .nodes = sort_matches(file, matches),
              .is_for_people = options->format == TABLE_AS_TEXT};
    if (!v.nodes) {
        return false;
    }
    table t = {.columns = columns,
               .n_columns = N_COLUMNS,
               .n_rows = matches->n < most ? matches->n : most,
               .fill = fill,
               .context = &v,
               .exact = options->exact,
               .hidden = v.is_for_people ? 1u << ID | 1u << NAME : 1u << ID_TEXT};
    t.hidden |= s->sites ? 0 : 1u << SITE;
    t.hidden |= s->ids ? 0 : 1u << ID | 1u << ID_TEXT;
    for (size_t i = 0; i < t.n_rows; i++) { /* people read names that say more */
        if (s->own_names[v.nodes[i]] != s->names[v.nodes[i]]) {
            t.hidden &= ~(1u << NAME);
        }
    }
    write_matches(&v, &t, matches, options, sink);
    free(v.nodes);
    return true;
}
