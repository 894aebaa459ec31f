/* SPDX-License-Identifier: BSD-2-Clause */
#include "snapshot/snapshot.h"

#include "base/array.h"

static hpf_status fail_full(hpf_error *err)
{
    return hpf_error_set(err, HPF_ERR_LIMIT, "a snapshot has more than %u objects or references",
                         HPF_SNAPSHOT_MOST);
}

bool hpf__snapshot_text(hpf_snapshot *s, hpf_str name, uint32_t *number)
{
    bool is_new;
    s->texts = s->texts ? s->texts : calloc(1, sizeof *s->texts);
    return s->texts && hpf__intern_add(s->texts, name, number, &is_new) == HPF_OK;
}

hpf_status hpf_snapshot_add_node(hpf_snapshot *s, hpf_str name, uint64_t size_bytes, bool is_object,
                                 hpf_error *err)
{
    uint32_t number;
    size_t n = (size_t)s->n_nodes + 1;
    if (s->n_nodes == HPF_SNAPSHOT_MOST) {
        return fail_full(err);
    }
    if (!hpf__snapshot_text(s, name, &number) ||
        !HPF__ARRAY_RESERVE(s->names, s->names_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->sizes, s->sizes_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->is_object, s->is_object_capacity, n) ||
        !HPF__ARRAY_RESERVE(s->first_edges, s->first_edges_capacity, n + 1) ||
        (s->ids && !HPF__ARRAY_RESERVE(s->ids, s->ids_capacity, n)) ||
        (s->sites && !HPF__ARRAY_RESERVE(s->sites, s->sites_capacity, n)) ||
        (s->own_names && !HPF__ARRAY_RESERVE(s->own_names, s->own_names_capacity, n))) {
        return hpf_error_set_memory(err);
    }
    if (s->ids) {
        s->ids[s->n_nodes] = 0;
    }
    if (s->sites) {
        s->sites[s->n_nodes] = HPF_SNAPSHOT_NONE;
    }
    if (s->own_names) {
        s->own_names[s->n_nodes] = number;
    }
    s->names[s->n_nodes] = number;
    s->sizes[s->n_nodes] = size_bytes;
    s->is_object[s->n_nodes] = is_object;
    s->first_edges[s->n_nodes++] = s->n_edges;
    s->first_edges[s->n_nodes] = s->n_edges;
    return HPF_OK;
}

hpf_status hpf_snapshot_set_origin(hpf_snapshot *s, uint64_t id, hpf_str site, hpf_error *err)
{
    uint32_t number;
    size_t n_others = (size_t)s->n_nodes - 1;
    bool has_new_ids = !s->ids && id != 0, has_new_sites = !s->sites && site.length > 0;
    if ((site.length > 0 && !hpf__snapshot_text(s, site, &number)) ||
        (has_new_ids && !HPF__ARRAY_RESERVE(s->ids, s->ids_capacity, s->n_nodes)) ||
        (has_new_sites && !HPF__ARRAY_RESERVE(s->sites, s->sites_capacity, s->n_nodes))) {
        return hpf_error_set_memory(err);
    }
    if (has_new_ids) {
        memset(s->ids, 0, n_others * sizeof *s->ids);
    }
    if (has_new_sites) {
        memset(s->sites, 0xff, n_others * sizeof *s->sites);
    }
    if (s->ids) {
        s->ids[n_others] = id;
    }
    if (s->sites) {
        s->sites[n_others] = site.length > 0 ? number : HPF_SNAPSHOT_NONE;
    }
    return HPF_OK;
}

hpf_status hpf_snapshot_add_edge(hpf_snapshot *s, uint32_t target, hpf_error *err)
{
    if (s->n_edges == HPF_SNAPSHOT_MOST) {
        return fail_full(err);
    }
    if (s->edge_names) {
        size_t n = s->n_edges;
        if (!HPF__ARRAY_PUSH(s->edge_names, n, s->edge_names_capacity, HPF_SNAPSHOT_NONE)) {
            return hpf_error_set_memory(err);
        }
    }
    if (!HPF__ARRAY_PUSH(s->targets, s->n_edges, s->targets_capacity, target)) {
        return hpf_error_set_memory(err);
    }
    s->first_edges[s->n_nodes] = s->n_edges;
    return HPF_OK;
}

hpf_status hpf_snapshot_set_field(hpf_snapshot *s, hpf_str name, uint32_t index, hpf_error *err)
{
    uint32_t number;
    size_t n_others = (size_t)s->n_edges - 1;
    bool is_new = !s->edge_names;
    if ((name.length > 0 && !hpf__snapshot_text(s, name, &number)) ||
        !HPF__ARRAY_RESERVE(s->edge_names, s->edge_names_capacity, s->n_edges)) {
        return hpf_error_set_memory(err);
    }
    if (is_new) {
        memset(s->edge_names, 0xff, n_others * sizeof *s->edge_names);
    }
    s->edge_names[n_others] = name.length > 0              ? number
                              : index < HPF_SNAPSHOT_INDEX ? HPF_SNAPSHOT_INDEX + index
                                                           : HPF_SNAPSHOT_NONE;
    return HPF_OK;
}

size_t hpf_snapshot_referrers(const hpf_snapshot *s, uint32_t node, hpf_snapshot_edge *out,
                              size_t most)
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        for (uint32_t k = s->first_edges[i]; k < s->first_edges[i + 1]; k++) {
            if (s->targets[k] == node && n++ < most) {
                out[n - 1] = (hpf_snapshot_edge){k, i};
            }
        }
    }
    return n;
}

hpf_str hpf_snapshot_name(const hpf_snapshot *s, uint32_t node)
{
    return hpf_snapshot_text(s, s->names[node]);
}

hpf_str hpf_snapshot_text(const hpf_snapshot *s, uint32_t number)
{
    return s->texts->names[number];
}

uint32_t hpf_snapshot_n_texts(const hpf_snapshot *s)
{
    return s->texts ? s->texts->n_names : 0;
}

bool hpf_snapshot_find_text(const hpf_snapshot *s, hpf_str name, uint32_t *number)
{
    return s->texts && hpf__intern_find(s->texts, name, number);
}

void hpf_snapshot_finish(hpf_snapshot *s)
{
    free(s->names);
    free(s->sizes);
    free(s->is_object);
    free(s->first_edges);
    free(s->targets);
    free(s->ids);
    free(s->sites);
    free(s->own_names);
    free(s->edge_names);
    free(s->waste);
    if (s->texts && !s->borrows_texts) {
        hpf__intern_finish(s->texts);
        free(s->texts);
    }
    *s = (hpf_snapshot){0};
}

/* ---- Walks ---- */

hpf_status hpf__walk_init(hpf__walk *w, const hpf_snapshot *s, hpf_error *err)
{
    *w = (hpf__walk){.snapshot = s};
    w->next_edges = malloc(((size_t)s->n_nodes + 1) * sizeof *w->next_edges);
    w->parents = malloc(((size_t)s->n_nodes + 1) * sizeof *w->parents);
    if (!w->next_edges || !w->parents) {
        hpf__walk_finish(w);
        return hpf_error_set_memory(err);
    }
    memset(w->parents, 0xff, (size_t)s->n_nodes * sizeof *w->parents);
    return HPF_OK;
}

void hpf__walk_finish(hpf__walk *w)
{
    free(w->next_edges);
    free(w->parents);
    *w = (hpf__walk){0};
}

void hpf__walk_from(hpf__walk *w, uint32_t start, uint32_t **entered, uint32_t **left)
{
    const hpf_snapshot *s = w->snapshot;
    uint32_t node = start, parent = start;
    for (bool is_new = true;;) {
        if (is_new) {
            w->parents[node] = parent;
            w->next_edges[node] = s->first_edges[node];
            if (*entered) {
                *(*entered)++ = node;
            }
        }
        is_new = false;
        uint32_t edge = w->next_edges[node], end = s->first_edges[node + 1];
        while (edge < end && hpf__walk_has_reached(w, s->targets[edge])) {
            edge++;
        }
        if (edge < end) {
            w->next_edges[node] = edge + 1;
            parent = node;
            node = s->targets[edge];
            is_new = true;
            continue;
        }
        if (*left) {
            *(*left)++ = node;
        }
        if (node == start) {
            return;
        }
        w->next_edges[node] = end;
        node = w->parents[node];
    }
}

/* ---- Nodes that the root does not reach ---- */

/* Adds an edge from the root, after its others. */
static hpf_status add_to_root(hpf_snapshot *s, uint32_t target, hpf_error *err)
{
    hpf_status status = hpf_snapshot_add_edge(s, target, err);
    if (status != HPF_OK) {
        return status;
    }
    uint32_t at = s->first_edges[1];
    const size_t n_bytes = (s->n_edges - 1 - at) * sizeof *s->targets;
    memmove(s->targets + at + 1, s->targets + at, n_bytes);
    s->targets[at] = target;
    if (s->edge_names) {
        memmove(s->edge_names + at + 1, s->edge_names + at, n_bytes);
        s->edge_names[at] = HPF_SNAPSHOT_NONE;
    }
    for (uint32_t i = 1; i < s->n_nodes; i++) {
        s->first_edges[i]++;
    }
    return HPF_OK;
}

/* Stores in `heads` the nodes that lead to all that `walk` has not reached, and returns their
 * number. In the reverse of the order in which a walk leaves nodes, the first node of what is not
 * reached yet is in a component that no other leads to (Kosaraju; Sharir, "A strong-connectivity
 * algorithm and its applications in data flow analysis", 1981). */
static uint32_t find_heads(const hpf_snapshot *s, hpf__walk *walk, uint32_t *heads, uint32_t n_left,
                           uint32_t *left)
{
    uint32_t *none = NULL, *end = left;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        if (!hpf__walk_has_reached(walk, i)) {
            hpf__walk_from(walk, i, &none, &end);
        }
    }
    for (uint32_t i = 0; i < n_left; i++) {
        walk->parents[left[i]] = HPF_SNAPSHOT_NONE;
    }
    uint32_t n = 0;
    for (uint32_t i = n_left; i-- > 0;) {
        if (!hpf__walk_has_reached(walk, left[i])) {
            heads[n++] = left[i];
            hpf__walk_from(walk, left[i], &none, &none);
        }
    }
    return n;
}

hpf_status hpf_snapshot_connect(hpf_snapshot *s, hpf_error *err)
{
    hpf__walk walk = {0};
    hpf_status status = hpf__walk_init(&walk, s, err);
    uint32_t *reached =
        status == HPF_OK ? malloc(((size_t)s->n_nodes + 1) * sizeof *reached) : NULL;
    uint32_t *heads = NULL, n_heads = 0;
    if (status == HPF_OK && !reached) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK && s->n_nodes > 0) {
        uint32_t *end = reached, *none = NULL;
        hpf__walk_from(&walk, 0, &end, &none);
        uint32_t n_left = s->n_nodes - (uint32_t)(end - reached);
        heads = malloc(((size_t)n_left + 1) * sizeof *heads);
        if (!heads) {
            status = hpf_error_set_memory(err);
        } else if (n_left > 0) {
            n_heads = find_heads(s, &walk, heads, n_left, reached);
        }
    }
    free(reached);
    hpf__walk_finish(&walk);
    uint32_t group = s->n_nodes;
    if (status == HPF_OK && n_heads > 0) {
        status = hpf_snapshot_add_node(s, HPF_STR("(unreached)"), 0, false, err);
        for (uint32_t i = 0; i < n_heads && status == HPF_OK; i++) {
            status = hpf_snapshot_add_edge(s, heads[i], err);
        }
        status = status == HPF_OK ? add_to_root(s, group, err) : status;
    }
    free(heads);
    return status;
}
