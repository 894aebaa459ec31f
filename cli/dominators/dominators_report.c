/* SPDX-License-Identifier: BSD-2-Clause */
#include "dominators_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/str.h"
#include "hpfile/sink.h"

#include "diag.h"
#include "output.h"
#include "unit_format.h"

enum { MOST_GROUPS = 100000 };

/* A group, or the rest of its children, which are not listed. */
typedef struct row {
    uint32_t depth;
    uint64_t retained_bytes, self_bytes, n_retained, n_objects;
    hpf_str name; /* indented in text */
} row;

typedef struct view {
    const snapshot_file *file;
    const dominators_options *options;
    row *rows;
    size_t n_rows, capacity;
    hpf_arena *texts;
} view;

/* ---- Rows ---- */

hpf_str dominators_shown(hpf_str text, bool is_for_people)
{
    enum { MOST_BYTES = 60 };
    if (is_for_people && text.length > MOST_BYTES) {
        text.length = hpf_utf8_cut(text, MOST_BYTES);
    }
    return text;
}

static bool is_for_people(const view *v)
{
    return v->options->format == TABLE_AS_TEXT;
}

static bool push(view *v, row r)
{
    size_t indent = is_for_people(v) ? 2 * (size_t)r.depth : 0;
    char *text = hpf_arena_alloc(v->texts, indent + r.name.length + 1);
    if (!text) {
        return false;
    }
    memset(text, ' ', indent);
    memcpy(text + indent, r.name.data, r.name.length);
    r.name = (hpf_str){text, indent + r.name.length};
    return HPF__ARRAY_PUSH(v->rows, v->n_rows, v->capacity, r);
}

/* Adds a group and what is below it. The tree is at most HPF_DOMINATOR_TREE_DEPTH deep. */
static bool add_group(view *v, uint32_t index)
{
    const hpf_dominator_group *g = &v->file->tree.groups[index];
    size_t most = v->options->n_children ? v->options->n_children : UINT32_MAX;
    bool fits = push(v, (row){g->depth, g->retained_bytes, g->self_bytes, g->n_retained,
                              g->n_objects, snapshot_file_group_name(v->file, index)});
    row rest = {g->depth + 1,      g->rest_bytes,     g->rest_bytes,
                g->n_rest_objects, g->n_rest_objects, HPF_STR("")};
    uint64_t n_rest = g->n_rest;
    if (g->depth >= v->options->depth) {
        return fits;
    }
    for (uint32_t i = 0; i < g->n_children && fits; i++) {
        const hpf_dominator_group *child = &v->file->tree.groups[g->first_child + i];
        if (i < most) {
            fits = add_group(v, g->first_child + i);
            continue;
        }
        n_rest++;
        rest.retained_bytes += child->retained_bytes;
        rest.n_retained += child->n_retained;
    }
    if (!fits || rest.retained_bytes == 0) {
        return fits;
    }
    char text[64];
    int n = snprintf(text, sizeof text, "(%s more)", format_count(n_rest).text);
    rest.name = (hpf_str){text, (size_t)n};
    rest.self_bytes = rest.retained_bytes;
    rest.n_objects = rest.n_retained;
    return push(v, rest);
}

/* ---- Table ---- */

enum { DEPTH, SHARE, RETAINED, SELF, N_RETAINED, N_OBJECTS, NAME, N_COLUMNS };

static const table_column columns[N_COLUMNS] = {
    [DEPTH] = {"depth", "depth", TABLE_COUNT},
    [SHARE] = {"share", "share", TABLE_SHARE},
    [RETAINED] = {"retained_bytes", "retained", TABLE_BYTES},
    [SELF] = {"self_bytes", "self", TABLE_BYTES},
    [N_RETAINED] = {"retained_objects", "keeps", TABLE_COUNT},
    [N_OBJECTS] = {"objects", "objects", TABLE_COUNT},
    [NAME] = {"name", "name", TABLE_NAME},
};

/* Of the ways to the objects that a question matches: amounts are of these. */
static const table_column path_columns[N_COLUMNS] = {
    [DEPTH] = {"depth", "depth", TABLE_COUNT},
    [SHARE] = {"share", "share", TABLE_SHARE},
    [RETAINED] = {"bytes", "bytes", TABLE_BYTES},
    [N_RETAINED] = {"objects", "objects", TABLE_COUNT},
    [NAME] = {"name", "name", TABLE_NAME},
};

static void fill(const void *context, size_t index, table_cell *cells)
{
    const view *v = context;
    const row *r = &v->rows[index];
    uint64_t total = v->rows[0].retained_bytes;
    cells[DEPTH].whole = r->depth;
    cells[SHARE].real = total ? (double)r->retained_bytes / (double)total : 0;
    cells[RETAINED].whole = r->retained_bytes;
    cells[SELF].whole = r->self_bytes;
    cells[N_RETAINED].whole = r->n_retained;
    cells[N_OBJECTS].whole = r->n_objects;
    cells[NAME].name = r->name;
}

static void write_tree(const view *v, hpf_sink *sink)
{
    bool is_text = is_for_people(v);
    const table t = {
        .columns = v->options->paths ? path_columns : columns,
        .n_columns = N_COLUMNS,
        .n_rows = v->n_rows,
        .fill = fill,
        .context = v,
        .exact = v->options->exact,
        /* People see the depth by the indentation, and not how many objects a group retains. */
        .hidden = (is_text ? 1u << DEPTH : 0) | (v->options->paths ? 1u << SELF | 1u << N_OBJECTS
                                                 : is_text         ? 1u << N_RETAINED
                                                                   : 0),
    };
    const row *all = &v->rows[0];
    if (v->options->format == TABLE_AS_JSON) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_whole(&json, "bytes", all->retained_bytes);
        hpf_json_whole(&json, "objects", all->n_retained);
        table_write_json(&t, &json, "groups");
        hpf_json_end(&json);
        return;
    }
    if (is_text) {
        hpf_sink_printf(
            sink, "%s %s, %s\n\n", format_count(all->n_retained).text,
            all->n_retained == 1 ? "object" : "objects",
            format_amount((double)all->retained_bytes, HPF_STR("bytes"), v->options->exact).text);
    }
    table_write(&t, v->options->format, sink);
}

static bool write_groups(const snapshot_file *file, const dominators_options *options,
                         hpf_sink *sink)
{
    view v = {.file = file, .options = options, .texts = hpf_arena_create()};
    bool fits = v.texts && add_group(&v, 0);
    if (fits) {
        write_tree(&v, sink);
    }
    free(v.rows);
    hpf_arena_destroy(v.texts);
    return fits;
}

/* ---- What holds an object ---- */

/* Returns the object with a name, or if there is none with "NAME@place", that retains most; for
 * "@ID" the one with this identity. NONE if there is none. */
static uint32_t find_node(const snapshot_file *file, const char *name)
{
    uint32_t number, best = HPF_SNAPSHOT_NONE;
    const hpf_snapshot *s = &file->snapshot;
    const uint64_t *retained = file->dominators.retained_bytes;
    const size_t length = strlen(name);
    uint64_t id;
    hpf_str rest = {name + 1, length - 1};
    bool has_id = *name == '@' && hpf__take_whole(&rest, 10, &id) && rest.length == 0;
    bool is_whole = hpf_snapshot_find_text(s, (hpf_str){name, length}, &number);
    for (uint32_t i = has_id ? 0 : 1; i < s->n_nodes; i++) {
        hpf_str text = hpf_snapshot_name(s, i);
        bool is_wanted = has_id     ? s->ids && s->ids[i] == id
                         : is_whole ? s->names[i] == number
                                    : text.length > length && text.data[length] == '@' &&
                                          hpf_str_begins(text, name);
        if (is_wanted && (best == HPF_SNAPSHOT_NONE || retained[i] > retained[best])) {
            best = i;
        }
    }
    return best;
}

static bool write_path(const snapshot_file *file, uint32_t node, bool exact, hpf_sink *sink)
{
    size_t n = 0;
    uint32_t *holders = hpf_snapshot_holders(&file->snapshot);
    hpf_snapshot_step *steps =
        holders ? hpf_snapshot_path(&file->snapshot, holders, node, &n) : NULL;
    free(holders);
    if (!steps) {
        return false;
    }
    hpf_sink_printf(sink, "%*s  from the root, each refers to the next\n", exact ? 24 : 11,
                    "retained");
    for (size_t i = 0; i < n; i++) {
        if (steps[i].n_nodes == 0) {
            hpf_sink_printf(sink, "%*s  (%s more)\n", exact ? 24 : 11, "",
                            format_count(steps[i].node).text);
            continue;
        }
        uint64_t retained = file->dominators.retained_bytes[steps[i].node];
        hpf_sink_printf(sink, "%*s  ", exact ? 24 : 11,
                        format_amount((double)retained, HPF_STR("bytes"), exact).text);
        hpf_sink_name(sink, snapshot_file_node_name(file, steps[i].node));
        if (steps[i].n_nodes > 1) {
            hpf_sink_printf(sink, " (%s in a row)", format_count(steps[i].n_nodes).text);
        }
        hpf_sink_text(sink, "\n");
    }
    free(steps);
    return true;
}

/* ---- Questions ---- */

bool dominators_parse_question(hpf_question **out, const char *text)
{
    hpf_error err;
    hpf_str read;
    hpf_source *source = NULL;
    if (hpf_question_parse(out, text, &err) == HPF_OK) {
        return true;
    }
    if (hpf_source_from_memory(&source, hpf_str_of(text), NULL, NULL) == HPF_OK) {
        (void)!hpf_source_next(source, &read, NULL); /* what is shown must have been read */
    }
    diag_input("--where", source, &err);
    hpf_source_destroy(source);
    return false;
}

/* Writes the objects that a question matches, or the ways to them. */
static hpf_status write_answer(snapshot_file *file, const uint32_t *holders,
                               const hpf_question *question, const dominators_options *options,
                               hpf_sink *sink, hpf_error *err)
{
    hpf_matches matches = {0};
    hpf_status status = holders ? hpf_question_ask(&matches, question, &file->snapshot,
                                                   &file->dominators, holders, err)
                                : hpf_error_set_memory(err);
    if (status == HPF_OK && options->paths) {
        status = hpf_path_tree_init(&file->tree, &file->snapshot, matches.is_match,
                                    SNAPSHOT_LEAST_SHARE, MOST_GROUPS, err);
    }
    bool fits =
        status != HPF_OK ||
        (options->paths ? write_groups(file, options, sink)
                        : dominators_report_matches(file, &matches, holders, options, sink));
    hpf_matches_finish(&matches);
    return fits ? status : hpf_error_set_memory(err);
}

static bool is_object(const char *question)
{
    return question && *question == '@';
}

bool dominators_answer(snapshot_file *file, const uint32_t *holders, const char *text,
                       hpf_sink *sink)
{
    enum { MOST_MATCHES = 200 };
    const dominators_options options = {.format = TABLE_AS_JSON, .n_children = MOST_MATCHES};
    hpf_error err;
    hpf_question *question = NULL;
    uint32_t node = is_object(text) ? find_node(file, text) : HPF_SNAPSHOT_NONE;
    if (node != HPF_SNAPSHOT_NONE) {
        return dominators_report_object(file, node, holders, &options, sink);
    }
    hpf_status status = is_object(text)
                            ? hpf_error_set(&err, HPF_ERR_ARGUMENT, "no object has this id")
                            : hpf_question_parse(&question, text, &err);
    if (status == HPF_OK) {
        err.column = 0;
        status = write_answer(file, holders, question, &options, sink, &err);
    }
    hpf_question_destroy(question);
    if (status != HPF_OK && status != HPF_ERR_MEMORY) {
        hpf_json json = hpf_json_begin(sink);
        hpf_json_object(&json, NULL);
        hpf_json_text(&json, "message", err.message);
        hpf_json_whole(&json, "column", err.column);
        hpf_json_end(&json);
    }
    return status != HPF_ERR_MEMORY;
}

static int report(const char *path, const dominators_options *options, const hpf_question *question)
{
    snapshot_file file;
    uint32_t node = 0;
    const char *object = is_object(options->where) ? options->where : options->holders;
    unsigned further = object == options->where && object
                           ? DOMINATORS_ASKED | HPF_HEAPSNAPSHOT_EDGE_NAMES
                       : question ? DOMINATORS_ASKED
                       : object   ? HPF_HEAPSNAPSHOT_IDS
                                  : 0;
    if (!snapshot_file_load(&file, path, further, options->where ? 0 : MOST_GROUPS)) {
        return EXIT_FAILED;
    }
    if (object && (node = find_node(&file, object)) == HPF_SNAPSHOT_NONE) {
        diag_say("%s: no object has the %s '%s'", path, *object == '@' ? "id" : "name", object);
        snapshot_file_finish(&file);
        return EXIT_FAILED;
    }
    const char *name;
    hpf_sink *sink = output_open(options->output, &name);
    int status = EXIT_FAILED;
    hpf_error err = {0};
    if (sink && options->where) {
        uint32_t *all_holders = hpf_dominators_holders(&file.dominators, &file.snapshot);
        if (question) {
            (void)!write_answer(&file, all_holders, question, options, sink, &err);
        } else if (!all_holders ||
                   !dominators_report_object(&file, node, all_holders, options, sink)) {
            (void)hpf_error_set_memory(&err);
        }
        free(all_holders);
    } else if (sink && !(options->holders ? write_path(&file, node, options->exact, sink)
                                          : write_groups(&file, options, sink))) {
        (void)hpf_error_set_memory(&err);
    }
    if (err.status == HPF_OK) {
        status = output_close(sink, name);
    } else {
        diag_error(path, &err);
        hpf_sink_destroy(sink);
    }
    snapshot_file_finish(&file);
    return status;
}

int dominators_report(const char *path, const dominators_options *options)
{
    hpf_question *question = NULL;
    if (options->where && !is_object(options->where) &&
        !dominators_parse_question(&question, options->where)) {
        return EXIT_MISUSED;
    }
    int status = report(path, options, question);
    hpf_question_destroy(question);
    return status;
}
