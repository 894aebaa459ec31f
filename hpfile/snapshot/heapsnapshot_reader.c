/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of the file come in the order in which V8 writes them: types, nodes, edges, strings.
 * Arrays grow with the input, so a header that claims more than follows costs nothing.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "hpfile/str.h"
#include "io/json_lex.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/waste.h"
#include "snapshot/snapshot.h"

/* A field that the file does not have; also a type. */
#define NO_FIELD UINT32_MAX

enum { MOST_TYPES = 64, MOST_TYPE_BYTES = 32 };

/* Which of the fields of a node or an edge is which. */
typedef struct fields {
    uint32_t n;
    uint32_t type, name, id, size, n_edges, site, target;
} fields;

typedef struct reader {
    hpf__json_lex lex;
    hpf_error *err;
    hpf_snapshot *out;
    unsigned columns;
    fields node, edge;
    char types[MOST_TYPES][MOST_TYPE_BYTES]; /* of nodes */
    uint32_t n_types;
    uint32_t weak, shortcut;  /* types of edges */
    uint32_t element, hidden; /* those that have an index for a name */
    uint32_t *globals;        /* nodes to which the root has shortcuts */
    size_t n_globals, globals_capacity;
    /* While nodes or edges are read. */
    uint32_t field; /* of the next number */
    uint64_t type, name, id, site, size_bytes, n_edges, target;
    uint32_t n_left; /* edges of the last node that are still to come */
    uint64_t total_bytes;
    uint32_t source; /* the node whose edges are being read */
    bool has_nodes, has_edges, has_strings;
} reader;

static hpf_status fail(const reader *r, hpf_status status, const char *what)
{
    return hpf__location_error(hpf__cursor_spot(&r->lex.scan), r->err, status, "%s", what);
}

/* ---- The meaning of numbers ---- */

/* Reads the texts of an array; calls `take` for each with its index. */
static hpf_status read_texts(reader *r, hpf_status (*take)(reader *r, uint32_t index, hpf_str text))
{
    hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_OPEN_ARRAY, "'['");
    status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
    for (uint32_t i = 0; status == HPF_OK && r->lex.kind != HPF__JSON_CLOSE_ARRAY; i++) {
        if (i > 0 && r->lex.kind == HPF__JSON_COMMA) {
            status = hpf__json_next(&r->lex);
        } else if (i > 0) {
            return hpf__json_unexpected(&r->lex, "',' or ']'");
        }
        if (status == HPF_OK && r->lex.kind != HPF__JSON_STRING) {
            return hpf__json_unexpected(&r->lex, "a text");
        }
        status = status == HPF_OK ? take(r, i, r->lex.text) : status;
        status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
    }
    return status;
}

static hpf_status take_node_field(reader *r, uint32_t index, hpf_str name)
{
    uint32_t *field = hpf_str_is(name, "type")         ? &r->node.type
                      : hpf_str_is(name, "name")       ? &r->node.name
                      : hpf_str_is(name, "id")         ? &r->node.id
                      : hpf_str_is(name, "self_size")  ? &r->node.size
                      : hpf_str_is(name, "edge_count") ? &r->node.n_edges
                      : hpf_str_is(name, "site")       ? &r->node.site
                                                       : NULL;
    if (field) {
        *field = index;
    }
    r->node.n = index + 1;
    return HPF_OK;
}

static hpf_status take_edge_field(reader *r, uint32_t index, hpf_str name)
{
    uint32_t *field = hpf_str_is(name, "type")            ? &r->edge.type
                      : hpf_str_is(name, "name_or_index") ? &r->edge.name
                      : hpf_str_is(name, "to_node")       ? &r->edge.target
                                                          : NULL;
    if (field) {
        *field = index;
    }
    r->edge.n = index + 1;
    return HPF_OK;
}

static hpf_status take_node_type(reader *r, uint32_t index, hpf_str name)
{
    if (index >= MOST_TYPES || name.length >= MOST_TYPE_BYTES) {
        return fail(r, HPF_ERR_LIMIT, "more than 64 types of nodes, or one longer than 31 bytes");
    }
    memcpy(r->types[index], name.data, name.length);
    r->types[index][name.length] = '\0';
    r->n_types = index + 1;
    return HPF_OK;
}

static hpf_status take_edge_type(reader *r, uint32_t index, hpf_str name)
{
    uint32_t *type = hpf_str_is(name, "weak")       ? &r->weak
                     : hpf_str_is(name, "shortcut") ? &r->shortcut
                     : hpf_str_is(name, "element")  ? &r->element
                     : hpf_str_is(name, "hidden")   ? &r->hidden
                                                    : NULL;
    if (type) {
        *type = index;
    }
    return HPF_OK;
}

/* Reads the types of the first field, which is the type, and passes the rest of the array. */
static hpf_status read_types(reader *r, hpf_status (*take)(reader *r, uint32_t, hpf_str))
{
    hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_OPEN_ARRAY, "'['");
    status = status == HPF_OK ? read_texts(r, take) : status;
    status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
    while (status == HPF_OK && r->lex.kind == HPF__JSON_COMMA) {
        status = hpf__json_pass(&r->lex);
        status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
    }
    return status == HPF_OK && r->lex.kind != HPF__JSON_CLOSE_ARRAY
               ? hpf__json_unexpected(&r->lex, "',' or ']'")
               : status;
}

static hpf_status read_meta_member(void *context, hpf_str key)
{
    reader *r = context;
    return hpf_str_is(key, "node_fields")   ? read_texts(r, take_node_field)
           : hpf_str_is(key, "edge_fields") ? read_texts(r, take_edge_field)
           : hpf_str_is(key, "node_types")  ? read_types(r, take_node_type)
           : hpf_str_is(key, "edge_types")  ? read_types(r, take_edge_type)
                                            : hpf__json_pass(&r->lex);
}

static hpf_status read_waste_text(reader *r, hpf_str *out)
{
    uint32_t number;
    hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_STRING, "a text");
    if (status == HPF_OK && !hpf__snapshot_text(r->out, r->lex.text, &number)) {
        return hpf_error_set_memory(r->err);
    }
    *out = status == HPF_OK ? hpf_snapshot_text(r->out, number) : HPF_STR("");
    return status == HPF_OK ? hpf__json_expect(&r->lex, HPF__JSON_COMMA, "','") : status;
}

/* Reads a row of waste, whose '[' was read. Rows of unknown kinds are passed. */
static hpf_status read_waste(void *context)
{
    reader *r = context;
    hpf_waste row = {.kind = HPF_N_WASTE_KINDS};
    uint64_t *numbers[] = {&row.n_blocks, &row.n_empty, &row.bytes, &row.all_bytes};
    enum { N_NUMBERS = sizeof numbers / sizeof *numbers };
    hpf_str kind;
    hpf_status status = r->lex.kind == HPF__JSON_OPEN_ARRAY ? read_waste_text(r, &kind)
                                                            : hpf__json_unexpected(&r->lex, "'['");
    for (int i = 0; status == HPF_OK && i < HPF_N_WASTE_KINDS; i++) {
        row.kind =
            hpf_str_is(kind, hpf_waste_name((hpf_waste_kind)i)) ? (hpf_waste_kind)i : row.kind;
    }
    status = status == HPF_OK ? read_waste_text(r, &row.type) : status;
    status = status == HPF_OK ? read_waste_text(r, &row.site) : status;
    for (int i = 0; status == HPF_OK && i < N_NUMBERS; i++) {
        bool is_last = i == N_NUMBERS - 1;
        status = hpf__json_whole(&r->lex, numbers[i]);
        status = status != HPF_OK
                     ? status
                     : hpf__json_expect(&r->lex, is_last ? HPF__JSON_CLOSE_ARRAY : HPF__JSON_COMMA,
                                        is_last ? "']'" : "','");
    }
    return status == HPF_OK && row.kind < HPF_N_WASTE_KINDS
               ? hpf_snapshot_add_waste(r->out, &row, r->err)
               : status;
}

static hpf_status read_head_member(void *context, hpf_str key)
{
    reader *r = context;
    if (hpf_str_is(key, "waste")) {
        return hpf__json_items(&r->lex, read_waste, r);
    }
    if (hpf_str_is(key, "process")) {
        hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_STRING, "a text");
        hpf_str text = r->lex.text;
        bool is_number = status == HPF_OK && hpf__take_whole(&text, 16, &r->out->process);
        r->out->process = is_number && text.length == 0 ? r->out->process : 0;
        return status;
    }
    return hpf_str_is(key, "meta") ? hpf__json_object(&r->lex, read_meta_member, r)
                                   : hpf__json_pass(&r->lex);
}

/* ---- Numbers ---- */

/* Returns the next byte that is not blank, which stays the next one. */
static int peek_after_blanks(hpf__cursor *scan)
{
    int byte;
    while ((byte = hpf__cursor_peek(scan)) == '\n' || byte == ' ' || byte == '\r' || byte == '\t') {
        hpf__cursor_pass(scan);
    }
    return byte;
}

static hpf_status fail_at(const reader *r, const char *what)
{
    hpf_status why = r->lex.scan.status;
    return why != HPF_OK && why != HPF_END ? why : fail(r, HPF_ERR_SYNTAX, what);
}

/* Reads an array of whole numbers, and calls `take` for each. This is most of the file. */
static hpf_status read_numbers(reader *r, hpf_status (*take)(reader *r, uint64_t number))
{
    hpf__cursor *scan = &r->lex.scan;
    hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_OPEN_ARRAY, "'['");
    int byte = status == HPF_OK ? peek_after_blanks(scan) : ']';
    for (bool is_empty = byte == ']'; status == HPF_OK && !is_empty;) {
        uint64_t number = 0;
        if (byte < '0' || byte > '9') {
            return fail_at(r, "expected a whole number");
        }
        for (; byte >= '0' && byte <= '9'; byte = hpf__cursor_peek(scan)) {
            if (number > INT64_MAX / 10 - 1) {
                return fail(r, HPF_ERR_RANGE, "the number is too large");
            }
            number = number * 10 + (unsigned)(byte - '0');
            hpf__cursor_pass(scan);
        }
        status = take(r, number);
        byte = peek_after_blanks(scan);
        if (status != HPF_OK || byte == ']') {
            break;
        }
        if (byte != ',') {
            return fail_at(r, "expected ',' or ']'");
        }
        hpf__cursor_pass(scan);
        byte = peek_after_blanks(scan);
    }
    if (status == HPF_OK && r->field != 0) {
        return fail(r, HPF_ERR_SYNTAX, "the last row lacks numbers");
    }
    return status == HPF_OK ? hpf__json_next(&r->lex) : status; /* the bracket */
}

static hpf_status add_node(reader *r)
{
    hpf_snapshot *s = r->out;
    size_t n = (size_t)s->n_nodes + 1;
    bool has_ids = r->columns & HPF_HEAPSNAPSHOT_IDS && r->node.id != NO_FIELD;
    bool has_sites = r->columns & HPF_HEAPSNAPSHOT_SITES && r->node.site != NO_FIELD;
    bool has_own_names = r->columns & HPF_HEAPSNAPSHOT_OWN_NAMES;
    if (r->type >= r->n_types || r->name >= HPF_SNAPSHOT_NONE) {
        return fail(r, HPF_ERR_RANGE, "the node has an unknown type or name");
    }
    if (s->n_nodes == HPF_SNAPSHOT_MOST || r->n_edges > HPF_SNAPSHOT_MOST - r->n_left ||
        r->size_bytes > INT64_MAX - r->total_bytes) {
        return fail(r, HPF_ERR_LIMIT, "more than 4294967294 nodes or edges, or 2^63 bytes");
    }
    if (!HPF__ARRAY_RESERVE(s->names, s->names_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->sizes, s->sizes_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->is_object, s->is_object_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->first_edges, s->first_edges_capacity, n + 1) ||
        (has_ids && !HPF__ARRAY_RESERVE(s->ids, s->ids_capacity, n)) ||
        (has_sites && !HPF__ARRAY_RESERVE(s->sites, s->sites_capacity, n)) ||
        (has_own_names && !HPF__ARRAY_RESERVE(s->own_names, s->own_names_capacity, n))) {
        return hpf_error_set_memory(r->err);
    }
    if (has_ids) {
        s->ids[s->n_nodes] = r->id;
    }
    if (has_sites) {
        s->sites[s->n_nodes] = r->site < HPF_SNAPSHOT_NONE ? (uint32_t)r->site : HPF_SNAPSHOT_NONE;
    }
    if (has_own_names) {
        s->own_names[s->n_nodes] = (uint32_t)r->name;
    }
    s->names[s->n_nodes] = (uint32_t)r->name;
    s->sizes[s->n_nodes] = r->size_bytes;
    s->is_object[s->n_nodes] = (uint8_t)r->type; /* until the names are known */
    s->first_edges[s->n_nodes++] = r->n_left;    /* in the file; weak ones are dropped later */
    r->n_left += (uint32_t)r->n_edges;
    s->first_edges[s->n_nodes] = r->n_left;
    r->total_bytes += r->size_bytes;
    return HPF_OK;
}

static hpf_status take_of_node(reader *r, uint64_t number)
{
    uint32_t field = r->field;
    if (field == r->node.type) {
        r->type = number;
    } else if (field == r->node.name) {
        r->name = number;
    } else if (field == r->node.id) {
        r->id = number;
    } else if (field == r->node.size) {
        r->size_bytes = number;
    } else if (field == r->node.n_edges) {
        r->n_edges = number;
    } else if (field == r->node.site) {
        r->site = number;
    }
    r->field = field + 1 == r->node.n ? 0 : field + 1;
    return r->field == 0 ? add_node(r) : HPF_OK;
}

/* `source` is the node of the edge, `n_left` the number of edges in the file before it. */
static hpf_status add_edge(reader *r)
{
    hpf_snapshot *s = r->out;
    while (r->source < s->n_nodes && s->first_edges[r->source + 1] == r->n_left) {
        s->first_edges[++r->source] = s->n_edges;
    }
    if (r->source == s->n_nodes || r->target % r->node.n != 0 ||
        r->target / r->node.n >= s->n_nodes) {
        return fail(r, HPF_ERR_RANGE,
                    r->source == s->n_nodes ? "more edges than the nodes have"
                                            : "the edge leads to no node");
    }
    r->n_left++;
    if (r->type == r->weak || (r->type == r->shortcut && r->source > 0)) {
        return HPF_OK;
    }
    uint32_t target = (uint32_t)(r->target / r->node.n);
    if (r->type == r->shortcut &&
        !HPF__ARRAY_PUSH(r->globals, r->n_globals, r->globals_capacity, target)) {
        return hpf_error_set_memory(r->err);
    }
    if (r->columns & HPF_HEAPSNAPSHOT_EDGE_NAMES && r->edge.name != NO_FIELD) {
        bool is_index = r->type == r->element || r->type == r->hidden;
        uint32_t name = r->name >= HPF_SNAPSHOT_INDEX ? HPF_SNAPSHOT_NONE
                        : is_index                    ? HPF_SNAPSHOT_INDEX + (uint32_t)r->name
                                                      : (uint32_t)r->name;
        size_t n = s->n_edges;
        if (!HPF__ARRAY_PUSH(s->edge_names, n, s->edge_names_capacity, name)) {
            return hpf_error_set_memory(r->err);
        }
    }
    return HPF__ARRAY_PUSH(s->targets, s->n_edges, s->targets_capacity, target)
               ? HPF_OK
               : hpf_error_set_memory(r->err);
}

static hpf_status take_of_edge(reader *r, uint64_t number)
{
    uint32_t field = r->field;
    if (field == r->edge.type) {
        r->type = number;
    } else if (field == r->edge.name) {
        r->name = number;
    } else if (field == r->edge.target) {
        r->target = number;
    }
    r->field = field + 1 == r->edge.n ? 0 : field + 1;
    return r->field == 0 ? add_edge(r) : HPF_OK;
}

static hpf_status read_edges(reader *r)
{
    hpf_snapshot *s = r->out;
    r->n_left = 0;
    hpf_status status = read_numbers(r, take_of_edge);
    while (status == HPF_OK && r->source < s->n_nodes) {
        if (s->first_edges[r->source + 1] != r->n_left) {
            return fail(r, HPF_ERR_SYNTAX, "fewer edges than the nodes have");
        }
        s->first_edges[++r->source] = s->n_edges;
    }
    return status;
}

/* ---- Names ---- */

/* Strings are numbered as they come; equal ones have one text. */
typedef struct strings {
    uint32_t *texts; /* by number in the file */
    size_t n, capacity;
} strings;

static hpf_status add_text(reader *r, hpf_str text, strings *all)
{
    uint32_t number;
    if (all->n == HPF_SNAPSHOT_MOST || !hpf__snapshot_text(r->out, text, &number) ||
        !HPF__ARRAY_PUSH(all->texts, all->n, all->capacity, number)) {
        return hpf_error_set_memory(r->err);
    }
    return HPF_OK;
}

/* Gives each node its name in place of the number of a string. */
static hpf_status name_nodes(reader *r, const strings *all, size_t n_strings)
{
    hpf_snapshot *s = r->out;
    bool keeps_names[MOST_TYPES], are_objects[MOST_TYPES];
    for (uint32_t i = 0; i < r->n_types; i++) {
        static const char *const named[] = {"object", "native", "closure", "synthetic"};
        keeps_names[i] = false;
        for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
            keeps_names[i] |= strcmp(r->types[i], named[k]) == 0;
        }
        are_objects[i] = strcmp(r->types[i], "synthetic") != 0;
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        uint8_t type = s->is_object[i];
        if (s->names[i] >= n_strings) {
            return hpf_error_set(r->err, HPF_ERR_RANGE, "node %u has the string %u, of %zu", i,
                                 s->names[i], n_strings);
        }
        if (s->sites && s->sites[i] >= n_strings) {
            return hpf_error_set(r->err, HPF_ERR_RANGE, "node %u has the site %u, of %zu texts", i,
                                 s->sites[i], n_strings);
        }
        if (s->sites) {
            uint32_t site = all->texts[s->sites[i]];
            s->sites[i] = hpf_snapshot_text(s, site).length > 0 ? site : HPF_SNAPSHOT_NONE;
        }
        if (s->own_names) {
            s->own_names[i] = all->texts[s->own_names[i]];
        }
        bool has_name = hpf_snapshot_text(s, all->texts[s->names[i]]).length > 0 || i == 0;
        s->names[i] = all->texts[keeps_names[type] && has_name ? s->names[i] : n_strings + type];
        s->is_object[i] = are_objects[type];
    }
    return HPF_OK;
}

/* Gives each edge that has a name its text in place of the number of a string. */
static hpf_status name_edges(reader *r, const strings *all, size_t n_strings)
{
    hpf_snapshot *s = r->out;
    for (uint32_t k = 0; s->edge_names && k < s->n_edges; k++) {
        if (s->edge_names[k] < HPF_SNAPSHOT_INDEX) {
            if (s->edge_names[k] >= n_strings) {
                return hpf_error_set(r->err, HPF_ERR_RANGE, "edge %u has the string %u, of %zu", k,
                                     s->edge_names[k], n_strings);
            }
            s->edge_names[k] = all->texts[s->edge_names[k]];
        }
    }
    return HPF_OK;
}

static hpf_status read_strings(reader *r)
{
    strings all = {0};
    hpf_status status = hpf__json_expect(&r->lex, HPF__JSON_OPEN_ARRAY, "'['");
    status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
    while (status == HPF_OK && r->lex.kind != HPF__JSON_CLOSE_ARRAY) {
        if (r->lex.kind != HPF__JSON_STRING) {
            status = hpf__json_unexpected(&r->lex, "a string");
            break;
        }
        status = add_text(r, r->lex.text, &all);
        status = status == HPF_OK ? hpf__json_next(&r->lex) : status;
        if (status == HPF_OK && r->lex.kind == HPF__JSON_COMMA) {
            status = hpf__json_next(&r->lex);
        } else if (status == HPF_OK && r->lex.kind != HPF__JSON_CLOSE_ARRAY) {
            status = hpf__json_unexpected(&r->lex, "',' or ']'");
        }
    }
    size_t n_strings = all.n;
    for (uint32_t i = 0; i < r->n_types && status == HPF_OK; i++) {
        char text[MOST_TYPE_BYTES + 2];
        int n = snprintf(text, sizeof text, "(%s)", r->types[i]);
        status = add_text(r, (hpf_str){text, (size_t)n}, &all);
    }
    status = status == HPF_OK ? name_nodes(r, &all, n_strings) : status;
    status = status == HPF_OK ? name_edges(r, &all, n_strings) : status;
    free(all.texts);
    return status;
}

/* ---- What belongs to the page ---- */

/* Marks the nodes that the page's global objects and documents lead to. `stack` has room for all
 * nodes. */
static void mark_owned(const reader *r, uint8_t *is_owned, uint32_t *stack)
{
    const hpf_snapshot *s = r->out;
    size_t n = 0;
    for (size_t i = 0; i < r->n_globals; i++) {
        if (!is_owned[r->globals[i]]) {
            is_owned[r->globals[i]] = 1;
            stack[n++] = r->globals[i];
        }
    }
    for (uint32_t k = s->first_edges[0]; k < s->first_edges[1]; k++) {
        uint32_t node = s->targets[k];
        if (!is_owned[node] && hpf_str_is(hpf_snapshot_name(s, node), "(Document DOM trees)")) {
            is_owned[node] = 1;
            stack[n++] = node;
        }
    }
    while (n > 0) {
        uint32_t node = stack[--n];
        for (uint32_t k = s->first_edges[node]; k < s->first_edges[node + 1]; k++) {
            if (!is_owned[s->targets[k]]) {
                is_owned[s->targets[k]] = 1;
                stack[n++] = s->targets[k];
            }
        }
    }
}

/* Drops references from the engine to what belongs to the page, as DevTools does: the engine's
 * tables refer to almost everything. */
static hpf_status drop_engine_edges(reader *r)
{
    hpf_snapshot *s = r->out;
    if (r->n_globals == 0) {
        return HPF_OK;
    }
    uint8_t *is_owned = calloc(s->n_nodes, sizeof *is_owned);
    uint32_t *stack = malloc(s->n_nodes * sizeof *stack);
    hpf_status status = is_owned && stack ? HPF_OK : hpf_error_set_memory(r->err);
    if (status == HPF_OK) {
        uint32_t n_edges = 0, k = 0;
        mark_owned(r, is_owned, stack);
        for (uint32_t i = 0; i < s->n_nodes; i++) {
            s->first_edges[i] = n_edges;
            for (uint32_t end = s->first_edges[i + 1]; k < end; k++) {
                if (i == 0 || is_owned[i] || !is_owned[s->targets[k]]) {
                    if (s->edge_names) {
                        s->edge_names[n_edges] = s->edge_names[k];
                    }
                    s->targets[n_edges++] = s->targets[k];
                }
            }
        }
        s->first_edges[s->n_nodes] = s->n_edges = n_edges;
    }
    free(is_owned);
    free(stack);
    return status;
}

/* ---- The file ---- */

/* Reads the part of the file after the one before it. */
static hpf_status read_part(reader *r, hpf_str key)
{
    if (hpf_str_is(key, "nodes") && !r->has_nodes && r->n_types > 0 && r->node.type != NO_FIELD &&
        r->node.name != NO_FIELD && r->node.size != NO_FIELD && r->node.n_edges != NO_FIELD) {
        r->has_nodes = true;
        return read_numbers(r, take_of_node);
    }
    if (hpf_str_is(key, "edges") && r->has_nodes && !r->has_edges && r->edge.type != NO_FIELD &&
        r->edge.target != NO_FIELD) {
        r->has_edges = true;
        return read_edges(r);
    }
    if (hpf_str_is(key, "strings") && r->has_edges && !r->has_strings) {
        r->has_strings = true;
        return read_strings(r);
    }
    return fail(r, HPF_ERR_ORDER,
                "expected the types of nodes and edges, then nodes, edges and strings");
}

static hpf_status read_member(void *context, hpf_str key)
{
    reader *r = context;
    if (hpf_str_is(key, "snapshot") && !r->has_nodes) {
        return hpf__json_object(&r->lex, read_head_member, r);
    }
    bool is_part = hpf_str_is(key, "nodes") || hpf_str_is(key, "edges") ||
                   hpf_str_is(key, "strings") || hpf_str_is(key, "snapshot");
    return is_part ? read_part(r, key) : hpf__json_pass(&r->lex);
}

bool hpf_heapsnapshot_is(hpf_str beginning)
{
    static const char first[] = "{\"snapshot\":";
    size_t at = 0, k = 0;
    for (; at < beginning.length && k < sizeof first - 1; at++) {
        char c = beginning.data[at];
        if (c == first[k]) {
            k++;
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            return false;
        }
    }
    return k == sizeof first - 1;
}

hpf_status hpf_heapsnapshot_read(hpf_snapshot *out, hpf_source *source, unsigned columns,
                                 const hpf_snapshot *owner, hpf_error *err)
{
    hpf_error ignored;
    *out = (hpf_snapshot){.texts = owner ? owner->texts : NULL, .borrows_texts = owner != NULL};
    const fields unknown = {0,        NO_FIELD, NO_FIELD, NO_FIELD,
                            NO_FIELD, NO_FIELD, NO_FIELD, NO_FIELD};
    reader r = {.lex = {.scan = {.source = source, .err = err ? err : &ignored, .line = 1}},
                .err = err ? err : &ignored,
                .out = out,
                .columns = columns,
                .node = unknown,
                .edge = unknown,
                .weak = NO_FIELD,
                .shortcut = NO_FIELD,
                .element = NO_FIELD,
                .hidden = NO_FIELD};
    hpf_status status = hpf__json_document(&r.lex, read_member, &r);
    if (status == HPF_OK && (!r.has_strings || out->n_nodes == 0)) {
        status = hpf_error_set(r.err, HPF_ERR_SYNTAX,
                               "no heap snapshot: it needs nodes, edges and strings");
    }
    if (status == HPF_OK) {
        status = drop_engine_edges(&r);
    }
    free(r.globals);
    hpf__json_lex_finish(&r.lex);
    if (status != HPF_OK) {
        hpf_snapshot_finish(out);
    }
    return status;
}
