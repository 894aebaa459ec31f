/* SPDX-License-Identifier: BSD-2-Clause
 *
 * First all groups, in the order of dominators, so that a parent comes before its children; then
 * the large ones, sorted by their parents.
 */
#include "hpfile/dominator_tree.h"
#include "snapshot/snapshot.h"

#include "base/array.h"

typedef struct grouping {
    hpf_dominator_group *groups;
    uint32_t n_groups;
    size_t capacity;
    uint32_t *group_of;    /* by node */
    hpf__hash_table table; /* of parent and name */
} grouping;

/* Returns the group of a name below `parent`, a new one if there is none; NONE without memory. */
static uint32_t child_of(grouping *g, uint32_t parent, uint32_t name)
{
    uint32_t hash = hpf__hash_word((uint64_t)parent << 32 | name), index;
    hpf__hash_probe probe = {0};
    while ((index = hpf__hash_next(&g->table, hash, &probe)) != HPF__HASH_NONE &&
           (index == 0 || g->groups[index].parent != parent || g->groups[index].name != name)) {
    }
    if (index != HPF__HASH_NONE) {
        return index;
    }
    if (!hpf__hash_reserve(&g->table) ||
        !HPF__ARRAY_RESERVE(g->groups, g->capacity, (size_t)g->n_groups + 1)) {
        return HPF_SNAPSHOT_NONE;
    }
    hpf__hash_insert(&g->table, hash, g->n_groups);
    g->groups[g->n_groups] = (hpf_dominator_group){
        .name = name,
        .parent = parent,
        .depth = g->n_groups ? g->groups[parent].depth + 1 : 0,
        .largest = HPF_SNAPSHOT_NONE,
        .largest_before = HPF_SNAPSHOT_NONE,
    };
    return g->n_groups++;
}

/* Counts a node of the snapshot before, which is above all others of its group. */
static void add_before(hpf_dominator_group *group, const hpf_dominators *d, uint32_t node)
{
    group->before_bytes += d->retained_bytes[node];
    if (group->largest_before == HPF_SNAPSHOT_NONE ||
        d->retained_bytes[node] > d->retained_bytes[group->largest_before]) {
        group->largest_before = node;
    }
}

static void add_after(hpf_dominator_group *group, const hpf_dominators *d, uint32_t node)
{
    group->n_retained += d->n_retained[node];
    group->retained_bytes += d->retained_bytes[node];
    if (group->largest == HPF_SNAPSHOT_NONE ||
        d->retained_bytes[node] > d->retained_bytes[group->largest]) {
        group->largest = node;
    }
}

/* Counts a node in a group, `is_inside` if the one above it is in the group, too. */
static void count_node(grouping *g, const hpf_snapshot_side *side, bool is_before, uint32_t node,
                       uint32_t index, bool is_inside)
{
    hpf_dominator_group *group = &g->groups[index];
    g->group_of[node] = index;
    if (is_before) {
        group->n_before += side->snapshot->is_object[node];
    } else {
        group->n_objects += side->snapshot->is_object[node];
        group->self_bytes += side->snapshot->sizes[node];
    }
    if (!is_inside) {
        (is_before ? add_before : add_after)(group, side->dominators, node);
    }
}

static bool add_node(grouping *g, const hpf_snapshot_side *side, bool is_before, uint32_t node)
{
    const hpf_snapshot *s = side->snapshot;
    const hpf_dominators *d = side->dominators;
    uint32_t name = s->names[node];
    uint32_t index = node == 0 ? 0 : g->group_of[d->dominators[node]];
    bool is_inside =
        index > 0 && (g->groups[index].name == name || g->groups[index].name == HPF_SNAPSHOT_NONE);
    if (node == 0 ? g->n_groups == 0 : !is_inside) {
        bool is_deep = node != 0 && g->groups[index].depth == HPF_DOMINATOR_TREE_DEPTH;
        index = child_of(g, index, is_deep ? HPF_SNAPSHOT_NONE : name);
        if (index == HPF_SNAPSHOT_NONE) {
            return false;
        }
    }
    count_node(g, side, is_before, node, index, is_inside);
    return true;
}

static uint64_t larger_amount(const hpf_dominator_group *group)
{
    return group->before_bytes > group->retained_bytes ? group->before_bytes
                                                       : group->retained_bytes;
}

static int compare_amounts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* How much a group must retain to stay, and how many of those that retain no more do. */
typedef struct limit {
    uint64_t least;
    uint32_t n_least;
} limit;

/* Returns false without memory. */
static bool find_limit(limit *out, const grouping *g, double least_share, uint32_t most_groups)
{
    uint64_t least = (uint64_t)((double)larger_amount(&g->groups[0]) * least_share);
    uint64_t *all = malloc(g->n_groups * sizeof *all);
    if (!all) {
        return false;
    }
    for (uint32_t i = 0; i < g->n_groups; i++) {
        all[i] = larger_amount(&g->groups[i]);
    }
    qsort(all, g->n_groups, sizeof *all, compare_amounts);
    *out = (limit){least > 0 ? least : 1, UINT32_MAX};
    if (g->n_groups > most_groups && out->least <= all[most_groups]) {
        *out = (limit){all[most_groups], most_groups};
        for (uint32_t i = 0; i < most_groups && all[i] > out->least; i++) {
            out->n_least--;
        }
    }
    free(all);
    return true;
}

/* The larger growth first: without a snapshot before, the larger amount. Equal ones keep the order
 * in which they were found. */
static int compare_groups(const void *a, const void *b)
{
    const hpf_dominator_group *x = a, *y = b;
    int order = (x->parent > y->parent) - (x->parent < y->parent);
    int64_t grown = (int64_t)(x->retained_bytes - x->before_bytes);
    int64_t more = (int64_t)(y->retained_bytes - y->before_bytes);
    order = order ? order : (grown < more) - (grown > more);
    order = order ? order : compare_amounts(&x->retained_bytes, &y->retained_bytes);
    return order ? order : (x->first_child > y->first_child) - (x->first_child < y->first_child);
}

/* Drops small groups, and sorts the others: after the root its children, and so on. Until the end,
 * `first_child` is the old index. */
static void drop_small(grouping *g, limit most, uint32_t *new_index)
{
    hpf_dominator_group *groups = g->groups;
    uint32_t n = 1;
    new_index[0] = 0;
    for (uint32_t i = 1; i < g->n_groups; i++) {
        hpf_dominator_group group = groups[i];
        uint64_t amount = larger_amount(&group);
        bool stays = amount > most.least || (amount == most.least && most.n_least > 0);
        most.n_least -= stays && amount == most.least;
        new_index[i] = stays ? n : HPF_SNAPSHOT_NONE;
        if (stays) {
            group.first_child = i;
            groups[n++] = group;
        } else if (new_index[group.parent] != HPF_SNAPSHOT_NONE) {
            hpf_dominator_group *parent = &groups[new_index[group.parent]];
            parent->n_rest++;
            parent->n_rest_objects += group.n_retained;
            parent->rest_bytes += group.retained_bytes;
            parent->rest_before_bytes += group.before_bytes;
        }
    }
    qsort(groups + 1, n - 1, sizeof *groups, compare_groups);
    for (uint32_t i = 1; i < n; i++) {
        new_index[groups[i].first_child] = i;
    }
    for (uint32_t i = 1; i < n; i++) {
        groups[i].parent = new_index[groups[i].parent];
        groups[i].first_child = 0;
    }
    for (uint32_t i = n; i-- > 1;) {
        groups[groups[i].parent].first_child = i;
        groups[groups[i].parent].n_children++;
    }
    g->n_groups = n;
}

/* Adds the nodes of a snapshot. Returns false without memory. */
static bool add_side(grouping *g, const hpf_snapshot_side *side, bool is_before)
{
    const uint32_t n = side->snapshot->n_nodes;
    g->group_of = malloc((size_t)n * sizeof *g->group_of);
    bool fits = g->group_of != NULL;
    for (uint32_t i = 0; i < n && fits; i++) {
        fits = add_node(g, side, is_before, side->dominators->order[i]);
    }
    free(g->group_of);
    return fits;
}

/* Makes the tree of all groups; `fits`: all are there. */
static hpf_status make_tree(hpf_dominator_tree *tree, grouping *g, bool fits, double least_share,
                            uint32_t most_groups, hpf_error *err)
{
    limit most;
    hpf__hash_finish(&g->table);
    fits = fits && find_limit(&most, g, least_share, most_groups);
    uint32_t *new_index = fits ? malloc(g->n_groups * sizeof *new_index) : NULL;
    if (!new_index) {
        free(g->groups);
        return hpf_error_set_memory(err);
    }
    drop_small(g, most, new_index);
    free(new_index);
    *tree = (hpf_dominator_tree){g->groups, g->n_groups};
    return HPF_OK;
}

hpf_status hpf_dominator_tree_compare(hpf_dominator_tree *tree, const hpf_snapshot_side *before,
                                      const hpf_snapshot_side *after, double least_share,
                                      uint32_t most_groups, hpf_error *err)
{
    *tree = (hpf_dominator_tree){0};
    grouping g = {0};
    bool fits = add_side(&g, after, false) && (!before || add_side(&g, before, true));
    return make_tree(tree, &g, fits, least_share, most_groups, err);
}

/* ---- Below a group ---- */

/* The place of a node: OUTSIDE the path, BELOW the group that it leads to, or else the number of
 * names from the root to the node's own group, which is on the path. */
enum { OUTSIDE = 0, BELOW = UINT8_MAX };

static uint8_t place_of(const hpf_snapshot *s, const hpf_dominators *d, const uint8_t *places,
                        const uint32_t *path, uint32_t n_path, uint32_t node)
{
    uint8_t above = node == 0 ? OUTSIDE : places[d->dominators[node]];
    if (node == 0) {
        return 1;
    }
    if (above == OUTSIDE || above == BELOW || (above > 1 && s->names[node] == path[above - 1])) {
        return above;
    }
    return above == n_path ? BELOW : s->names[node] == path[above] ? (uint8_t)(above + 1) : OUTSIDE;
}

/* Adds the nodes of the group to which a path of names leads, and those below it. Returns false
 * without memory. */
static bool add_below(grouping *g, const hpf_snapshot_side *side, const uint32_t *path,
                      uint32_t n_path)
{
    const hpf_snapshot *s = side->snapshot;
    const hpf_dominators *d = side->dominators;
    uint8_t *places = malloc(s->n_nodes);
    g->group_of = malloc((size_t)s->n_nodes * sizeof *g->group_of);
    bool fits = places && g->group_of;
    for (uint32_t i = 0; i < s->n_nodes && fits; i++) {
        uint32_t node = d->order[i];
        places[node] = place_of(s, d, places, path, n_path, node);
        if (places[node] == BELOW) {
            fits = add_node(g, side, false, node);
        } else if (places[node] == n_path) {
            fits = g->n_groups > 0 || child_of(g, 0, path[n_path - 1]) != HPF_SNAPSHOT_NONE;
            if (fits) {
                g->groups[0].depth = n_path - 1;
                count_node(g, side, false, node, 0,
                           node > 0 && places[d->dominators[node]] == n_path);
            }
        }
    }
    free(places);
    free(g->group_of);
    return fits;
}

hpf_status hpf_dominator_tree_below(hpf_dominator_tree *tree, const hpf_snapshot *snapshot,
                                    const hpf_dominators *dominators, const uint32_t *path,
                                    uint32_t n_path, uint32_t most_groups, hpf_error *err)
{
    *tree = (hpf_dominator_tree){0};
    grouping g = {0};
    const hpf_snapshot_side only = {snapshot, dominators, NULL};
    if (n_path == 0 || n_path > HPF_DOMINATOR_TREE_DEPTH) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "a path has 1 to %u names",
                             HPF_DOMINATOR_TREE_DEPTH);
    }
    bool fits = add_below(&g, &only, path, n_path);
    if (fits && g.n_groups == 0) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "no group has this path");
    }
    return make_tree(tree, &g, fits, 0, most_groups, err);
}

hpf_status hpf_dominator_tree_init(hpf_dominator_tree *tree, const hpf_snapshot *snapshot,
                                   const hpf_dominators *dominators, double least_share,
                                   uint32_t most_groups, hpf_error *err)
{
    const hpf_snapshot_side only = {snapshot, dominators, NULL};
    return hpf_dominator_tree_compare(tree, NULL, &only, least_share, most_groups, err);
}

void hpf_dominator_tree_finish(hpf_dominator_tree *tree)
{
    free(tree->groups);
    *tree = (hpf_dominator_tree){0};
}

/* Stores in `holders` by node the node before it on a shortest way from the root, and in `order`
 * the nodes, from near ones to far ones. Returns their number. */
static uint32_t find_shortest(const hpf_snapshot *s, uint32_t *holders, uint32_t *order)
{
    uint32_t n = 0;
    memset(holders, 0xff, (size_t)s->n_nodes * sizeof *holders);
    order[n++] = holders[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = s->first_edges[order[i]]; k < s->first_edges[order[i] + 1]; k++) {
            if (holders[s->targets[k]] == HPF_SNAPSHOT_NONE) {
                holders[s->targets[k]] = order[i];
                order[n++] = s->targets[k];
            }
        }
    }
    return n;
}

uint32_t *hpf_snapshot_holders(const hpf_snapshot *s)
{
    uint32_t *holders = malloc(((size_t)s->n_nodes + 1) * sizeof *holders);
    uint32_t *order = malloc(((size_t)s->n_nodes + 1) * sizeof *order);
    if (holders && order) {
        (void)find_shortest(s, holders, order);
    }
    bool fits = order != NULL;
    free(order);
    if (!fits) {
        free(holders);
        holders = NULL;
    }
    return holders;
}

/* A way is like a dominator: the tree of ways groups as the other does, with the wanted nodes in
 * place of all. */
hpf_status hpf_path_tree_init(hpf_dominator_tree *tree, const hpf_snapshot *s,
                              const uint8_t *is_wanted, double least_share, uint32_t most_groups,
                              hpf_error *err)
{
    const size_t n = (size_t)s->n_nodes + 1;
    hpf_snapshot wanted = *s;
    hpf_dominators ways = {malloc(n * sizeof *ways.order), malloc(n * sizeof *ways.dominators),
                           malloc(n * sizeof *ways.retained_bytes),
                           malloc(n * sizeof *ways.n_retained)};
    wanted.sizes = malloc(n * sizeof *wanted.sizes);
    wanted.is_object = malloc(n);
    *tree = (hpf_dominator_tree){0};
    hpf_status status = HPF_OK;
    if (!ways.order || !ways.dominators || !ways.retained_bytes || !ways.n_retained ||
        !wanted.sizes || !wanted.is_object) {
        status = hpf_error_set_memory(err);
    }
    if (status == HPF_OK) {
        for (uint32_t i = 0; i < s->n_nodes; i++) {
            wanted.is_object[i] = is_wanted[i] != 0;
            wanted.sizes[i] = ways.retained_bytes[i] = is_wanted[i] ? s->sizes[i] : 0;
            ways.n_retained[i] = wanted.is_object[i];
        }
        wanted.n_nodes = find_shortest(s, ways.dominators, ways.order);
        for (uint32_t i = wanted.n_nodes; i-- > 1;) {
            uint32_t node = ways.order[i], above = ways.dominators[node];
            ways.retained_bytes[above] += ways.retained_bytes[node];
            ways.n_retained[above] += ways.n_retained[node];
        }
        status = hpf_dominator_tree_init(tree, &wanted, &ways, least_share, most_groups, err);
    }
    free(wanted.sizes);
    free(wanted.is_object);
    hpf_dominators_finish(&ways);
    return status;
}

hpf_snapshot_step *hpf_snapshot_path(const hpf_snapshot *s, const uint32_t *holders, uint32_t node,
                                     size_t *n_steps)
{
    size_t n = 1;
    for (uint32_t u = node; u != 0; u = holders[u]) {
        n += s->names[holders[u]] != s->names[u];
    }
    hpf_snapshot_step *steps = calloc(n, sizeof *steps);
    *n_steps = n;
    for (uint32_t u = node; steps; u = holders[u]) {
        if (steps[n - 1].n_nodes > 0 && s->names[steps[n - 1].node] != s->names[u]) {
            n--;
        }
        steps[n - 1].node = steps[n - 1].n_nodes > 0 ? steps[n - 1].node : u;
        steps[n - 1].n_nodes++;
        if (u == 0) {
            break;
        }
    }
    const size_t half = HPF_SNAPSHOT_MOST_STEPS / 2;
    if (steps && *n_steps > 2 * half) {
        steps[half] = (hpf_snapshot_step){(uint32_t)(*n_steps - 2 * half), 0};
        memmove(steps + half + 1, steps + *n_steps - half, half * sizeof *steps);
        *n_steps = 2 * half + 1;
    }
    return steps;
}
