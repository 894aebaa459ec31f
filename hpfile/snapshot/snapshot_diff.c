/* SPDX-License-Identifier: BSD-2-Clause
 *
 * First each object of the second snapshot finds its partner in the first; then rows are added up.
 */
#include "hpfile/snapshot_diff.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash_table.h"

enum { BEFORE, AFTER, N_SIDES };

typedef struct comparison {
    const hpf_snapshot_side *sides[N_SIDES];
    uint32_t n_names;            /* of both */
    uint32_t *partners[N_SIDES]; /* by node; NONE: it is in this snapshot only */
    hpf_snapshot_part part;
} comparison;

static uint32_t name_of(const comparison *c, int side, uint32_t node)
{
    return c->sides[side]->snapshot->names[node];
}

static uint32_t holder_name_of(const comparison *c, int side, uint32_t node)
{
    return name_of(c, side, c->sides[side]->holders[node]);
}

/* Returns the number of the site of a node, or `n_names`. */
static uint32_t site_of(const comparison *c, int side, uint32_t node)
{
    const hpf_snapshot *s = c->sides[side]->snapshot;
    bool has_site = s->sites && s->sites[node] != HPF_SNAPSHOT_NONE;
    return has_site ? s->sites[node] : c->n_names;
}

/* ---- Partners ---- */

static bool have_numbers_for_ids(const hpf_snapshot *s)
{
    uint32_t i = 0;
    while (s->ids && i < s->n_nodes && (s->ids[i] == 2 * (uint64_t)i + 1 || s->ids[i] == 0)) {
        i++;
    }
    return !s->ids || i == s->n_nodes;
}

/* Returns whether ids may last from one snapshot to the other. */
static bool may_last(const comparison *c)
{
    const hpf_snapshot *a = c->sides[BEFORE]->snapshot, *b = c->sides[AFTER]->snapshot;
    return a->process == b->process && !have_numbers_for_ids(a) && !have_numbers_for_ids(b);
}

/* Makes partners of two nodes. */
static void match(comparison *c, uint32_t before, uint32_t after)
{
    c->partners[BEFORE][before] = after;
    c->partners[AFTER][after] = before;
}

/* Matches objects by id and type. Sets `*lasts` if ids last. Returns false without memory. */
static bool match_ids(comparison *c, bool *lasts)
{
    const hpf_snapshot *a = c->sides[BEFORE]->snapshot, *b = c->sides[AFTER]->snapshot;
    hpf__hash_table table = {0};
    uint64_t n_shared = 0, n_same = 0;
    bool fits = true;
    for (uint32_t i = 0; i < a->n_nodes && fits; i++) {
        if (a->is_object[i]) {
            fits = hpf__hash_reserve(&table);
            if (fits) {
                hpf__hash_insert(&table, hpf__hash_word(a->ids[i]), i);
            }
        }
    }
    for (uint32_t i = 0; i < b->n_nodes && fits; i++) {
        uint32_t found = HPF__HASH_NONE;
        hpf__hash_probe probe = {0};
        while (b->is_object[i] &&
               (found = hpf__hash_next(&table, hpf__hash_word(b->ids[i]), &probe)) !=
                   HPF__HASH_NONE &&
               (a->ids[found] != b->ids[i] || c->partners[BEFORE][found] != HPF_SNAPSHOT_NONE)) {
        }
        if (found != HPF__HASH_NONE) {
            bool is_same = name_of(c, BEFORE, found) == name_of(c, AFTER, i);
            n_shared++;
            n_same += is_same;
            if (is_same) {
                match(c, found, i);
            }
        }
    }
    hpf__hash_finish(&table);
    *lasts = a->process != 0 || (n_shared > 0 && n_same >= n_shared - n_shared / 10);
    return fits;
}

/* Compares an object of the first snapshot with one of either. */
static bool have_one_shape(const comparison *c, uint32_t before, int side, uint32_t node)
{
    return c->sides[BEFORE]->snapshot->sizes[before] == c->sides[side]->snapshot->sizes[node] &&
           name_of(c, BEFORE, before) == name_of(c, side, node) &&
           holder_name_of(c, BEFORE, before) == holder_name_of(c, side, node) &&
           site_of(c, BEFORE, before) == site_of(c, side, node);
}

static uint32_t shape_hash(const comparison *c, int side, uint32_t node)
{
    uint64_t names = (uint64_t)name_of(c, side, node) << 32 | holder_name_of(c, side, node);
    uint64_t rest = hpf__hash_mix(site_of(c, side, node), c->sides[side]->snapshot->sizes[node]);
    return hpf__hash_word(hpf__hash_mix(names, rest));
}

/* Objects of one shape before: a list. */
typedef struct shape {
    uint32_t first; /* that has no partner yet */
    uint32_t last;
} shape;

/* Matches objects by shape, in their order. Returns false without memory. */
static bool match_shapes(comparison *c)
{
    const hpf_snapshot *a = c->sides[BEFORE]->snapshot, *b = c->sides[AFTER]->snapshot;
    hpf__hash_table table = {0};
    shape *shapes = NULL;
    size_t n_shapes = 0, capacity = 0;
    uint32_t *next = malloc(((size_t)a->n_nodes + 1) * sizeof *next);
    bool fits = next != NULL;
    for (uint32_t i = 0; i < a->n_nodes && fits; i++) {
        uint32_t hash = shape_hash(c, BEFORE, i), found;
        hpf__hash_probe probe = {0};
        next[i] = HPF_SNAPSHOT_NONE;
        if (!a->is_object[i]) {
            continue;
        }
        while ((found = hpf__hash_next(&table, hash, &probe)) != HPF__HASH_NONE &&
               !have_one_shape(c, shapes[found].last, BEFORE, i)) {
        }
        if (found != HPF__HASH_NONE) {
            next[shapes[found].last] = i;
            shapes[found].last = i;
        } else {
            fits = hpf__hash_reserve(&table) &&
                   HPF__ARRAY_PUSH(shapes, n_shapes, capacity, ((shape){i, i}));
            if (fits) {
                hpf__hash_insert(&table, hash, (uint32_t)n_shapes - 1);
            }
        }
    }
    for (uint32_t i = 0; i < b->n_nodes && fits; i++) {
        uint32_t hash = shape_hash(c, AFTER, i), found = HPF__HASH_NONE;
        hpf__hash_probe probe = {0};
        while (b->is_object[i] &&
               (found = hpf__hash_next(&table, hash, &probe)) != HPF__HASH_NONE &&
               !have_one_shape(c, shapes[found].last, AFTER, i)) {
        }
        if (found != HPF__HASH_NONE && shapes[found].first != HPF_SNAPSHOT_NONE) {
            uint32_t before = shapes[found].first;
            shapes[found].first = next[before];
            match(c, before, i);
        }
    }
    hpf__hash_finish(&table);
    free(shapes);
    free(next);
    return fits;
}

/* Finds the partners of all objects. Sets `*by_id`. Returns false without memory. */
static bool find_partners(comparison *c, bool *by_id)
{
    *by_id = false;
    for (int side = BEFORE; side < N_SIDES; side++) {
        size_t n_bytes = ((size_t)c->sides[side]->snapshot->n_nodes + 1) * sizeof(uint32_t);
        c->partners[side] = malloc(n_bytes);
        if (!c->partners[side]) {
            return false;
        }
        memset(c->partners[side], 0xff, n_bytes);
    }
    if (may_last(c) && !match_ids(c, by_id)) {
        return false;
    }
    for (int side = BEFORE; side < N_SIDES && !*by_id; side++) {
        memset(c->partners[side], 0xff,
               c->sides[side]->snapshot->n_nodes * sizeof *c->partners[side]);
    }
    return *by_id || match_shapes(c);
}

/* ---- Rows ---- */

static uint32_t row_of(const comparison *c, int side, uint32_t node)
{
    return c->part == HPF_SNAPSHOT_SITE     ? site_of(c, side, node)
           : c->part == HPF_SNAPSHOT_HOLDER ? holder_name_of(c, side, node)
                                            : name_of(c, side, node);
}

static void count(hpf_snapshot_change *row, int side, uint64_t size, bool is_alone)
{
    *(side == AFTER ? &row->n_after : &row->n_before) += 1;
    *(side == AFTER ? &row->after_bytes : &row->before_bytes) += size;
    *(side == AFTER ? &row->n_new : &row->n_gone) += is_alone;
    *(side == AFTER ? &row->new_bytes : &row->gone_bytes) += is_alone ? size : 0;
}

/* Adds up objects of one snapshot. An object that is in both, but has another holder now, is gone
 * from the row of one and new in that of the other. */
static void count_side(const comparison *c, int side, hpf_snapshot_diff *diff)
{
    const hpf_snapshot *s = c->sides[side]->snapshot;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        uint32_t partner = c->partners[side][i];
        bool is_alone = partner == HPF_SNAPSHOT_NONE;
        if (s->is_object[i]) {
            uint32_t row = row_of(c, side, i);
            bool stays = !is_alone && row_of(c, 1 - side, partner) == row;
            count(&diff->rows[row], side, s->sizes[i], !stays);
            count(&diff->total, side, s->sizes[i], is_alone);
            uint64_t before = is_alone ? 0 : c->sides[1 - side]->snapshot->sizes[partner];
            if (side == AFTER && !is_alone) {
                int64_t grown = (int64_t)s->sizes[i] - (int64_t)before;
                diff->total.grown_bytes += grown;
                diff->rows[row].grown_bytes += stays ? grown : 0;
            }
        }
    }
}

/* Returns whether an object is new in its row. */
static bool is_new(const comparison *c, uint32_t node)
{
    uint32_t partner = c->partners[AFTER][node];
    return c->sides[AFTER]->snapshot->is_object[node] &&
           (partner == HPF_SNAPSHOT_NONE || row_of(c, BEFORE, partner) != row_of(c, AFTER, node));
}

/* Adds up what new objects retain, each byte once in each row: on the way through the dominator
 * tree, `n_open` counts by row the new objects above. Returns false without memory. */
static bool add_retained(const comparison *c, hpf_snapshot_diff *diff)
{
    const hpf_dominators *d = c->sides[AFTER]->dominators;
    const uint32_t n = c->sides[AFTER]->snapshot->n_nodes;
    uint32_t *children = calloc((size_t)n + 1, sizeof *children); /* the first, and the next one */
    uint32_t *next = calloc((size_t)n + 1, sizeof *next);         /* below the same; 0 ends */
    uint32_t *n_open = calloc((size_t)c->n_names + 1, sizeof *n_open), n_open_in_all = 0;
    bool fits = children && next && n_open;
    for (uint32_t i = n; i-- > 1 && fits;) {
        uint32_t node = d->order[i], above = d->dominators[node];
        next[node] = children[above];
        children[above] = node;
    }
    for (uint32_t node = 0, is_entered = 1; fits;) {
        bool is_alone = c->partners[AFTER][node] == HPF_SNAPSHOT_NONE &&
                        c->sides[AFTER]->snapshot->is_object[node];
        uint32_t row = row_of(c, AFTER, node);
        if (is_entered && is_new(c, node) && n_open[row]++ == 0) {
            diff->rows[row].retained_bytes += d->retained_bytes[node];
        }
        if (is_entered && is_alone && n_open_in_all++ == 0) {
            diff->total.retained_bytes += d->retained_bytes[node];
        }
        if (is_entered && children[node]) {
            node = children[node];
            continue;
        }
        n_open[row] -= is_new(c, node);
        n_open_in_all -= is_alone;
        if (node == 0) {
            break;
        }
        is_entered = next[node] != 0;
        node = is_entered ? next[node] : d->dominators[node];
    }
    free(children);
    free(next);
    free(n_open);
    return fits;
}

static int compare_rows(const void *left, const void *right)
{
    const hpf_snapshot_change *a = left, *b = right;
    int64_t x = (int64_t)(a->after_bytes - a->before_bytes);
    int64_t y = (int64_t)(b->after_bytes - b->before_bytes);
    int order = (x < y) - (x > y);
    order = order ? order : (a->new_bytes < b->new_bytes) - (a->new_bytes > b->new_bytes);
    return order ? order : hpf_str_compare(a->name, b->name);
}

static bool make_rows(const comparison *c, hpf_snapshot_diff *diff)
{
    diff->rows = calloc((size_t)c->n_names + 1, sizeof *diff->rows);
    if (!diff->rows) {
        return false;
    }
    for (uint32_t i = 0; i < c->n_names; i++) {
        diff->rows[i].name = hpf_snapshot_text(c->sides[BEFORE]->snapshot, i);
    }
    count_side(c, BEFORE, diff);
    count_side(c, AFTER, diff);
    if (!add_retained(c, diff)) {
        return false;
    }
    for (uint32_t i = 0; i <= c->n_names; i++) {
        if (diff->rows[i].n_new || diff->rows[i].n_gone || diff->rows[i].grown_bytes) {
            diff->rows[diff->n_rows++] = diff->rows[i];
        }
    }
    HPF__ARRAY_SORT(diff->rows, diff->n_rows, compare_rows);
    return true;
}

hpf_status hpf_snapshot_diff_init(hpf_snapshot_diff *out, const hpf_snapshot_side *before,
                                  const hpf_snapshot_side *after, hpf_snapshot_part part,
                                  hpf_error *err)
{
    comparison c = {
        .sides = {before, after}, .n_names = hpf_snapshot_n_texts(before->snapshot), .part = part};
    *out = (hpf_snapshot_diff){0};
    if (part == HPF_SNAPSHOT_SITE && !(before->snapshot->sites && after->snapshot->sites)) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "a heap snapshot does not name both types and sites: take it with "
                             "census run -hy");
    }
    bool fits = find_partners(&c, &out->by_id) && make_rows(&c, out);
    free(c.partners[BEFORE]);
    free(c.partners[AFTER]);
    if (!fits) {
        hpf_snapshot_diff_finish(out);
        return hpf_error_set_memory(err);
    }
    return HPF_OK;
}

void hpf_snapshot_diff_finish(hpf_snapshot_diff *diff)
{
    free(diff->rows);
    *diff = (hpf_snapshot_diff){0};
}
