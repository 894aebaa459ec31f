/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers follow the depth-first order, as in the paper. Nodes are linked from the last number to
 * the first, so the linked ones are all from `linked` on.
 */
#include "hpfile/dominators.h"
#include "snapshot/snapshot.h"

typedef struct search {
    uint32_t n;
    uint32_t *ancestors; /* first the parent in the depth-first tree; compressed when linked */
    uint32_t *semis;     /* semidominators */
    uint32_t *labels;    /* the number with the least semidominator on the path to the ancestor */
    uint32_t *buckets;   /* by semidominator: first number that waits for it, 0: none */
    uint32_t *results;   /* dominators; first the next number in the bucket */
    uint32_t *first_sources, *sources; /* edges, by the number that they lead to */
    uint32_t *path;                    /* of a compression */
} search;

static void *new_array(uint32_t n)
{
    return calloc((size_t)n + 1, sizeof(uint32_t));
}

static void search_finish(search *f)
{
    free(f->ancestors);
    free(f->semis);
    free(f->labels);
    free(f->buckets);
    free(f->results);
    free(f->first_sources);
    free(f->sources);
    free(f->path);
}

static bool search_allocate(search *f, const hpf_snapshot *s)
{
    f->n = s->n_nodes;
    f->semis = new_array(f->n);
    f->labels = new_array(f->n);
    f->buckets = new_array(f->n);
    f->results = new_array(f->n);
    f->first_sources = new_array(f->n);
    f->sources = new_array(s->n_edges);
    return f->semis && f->labels && f->buckets && f->results && f->first_sources && f->sources;
}

/* Sorts the edges by their targets, from counts to ends to begins. */
static void sort_edges(search *f, const hpf_snapshot *s, const uint32_t *order,
                       const uint32_t *numbers)
{
    uint32_t *first = f->first_sources;
    for (uint32_t i = 0; i < s->n_edges; i++) {
        first[numbers[s->targets[i]]]++;
    }
    for (uint32_t i = 1; i <= f->n; i++) {
        first[i] += first[i - 1];
    }
    for (uint32_t i = f->n; i-- > 0;) {
        for (uint32_t k = s->first_edges[order[i]]; k < s->first_edges[order[i] + 1]; k++) {
            f->sources[--first[numbers[s->targets[k]]]] = i;
        }
    }
}

/* Walks the snapshot, and stores the order, the edges in the numbers of the order, and the parents
 * of the depth-first tree. */
static hpf_status number(search *f, const hpf_snapshot *s, uint32_t *order, hpf_error *err)
{
    hpf__walk walk;
    hpf_status status = hpf__walk_init(&walk, s, err);
    if (status != HPF_OK) {
        return status;
    }
    uint32_t *end = order, *none = NULL;
    hpf__walk_from(&walk, 0, &end, &none);
    uint32_t *numbers = walk.next_edges; /* which the walk needs no more */
    for (uint32_t i = 0; i < f->n; i++) {
        numbers[order[i]] = i;
    }
    sort_edges(f, s, order, numbers);
    for (uint32_t i = 0; i < f->n; i++) {
        f->semis[i] = numbers[walk.parents[order[i]]]; /* in passing */
    }
    memcpy(walk.parents, f->semis, (size_t)f->n * sizeof *f->semis);
    f->ancestors = walk.parents;
    f->path = walk.next_edges;
    return HPF_OK;
}

/* EVAL with COMPRESS, of section 4, with a path in place of recursion. */
static uint32_t eval(search *f, uint32_t v, uint32_t linked)
{
    if (v < linked) {
        return v;
    }
    uint32_t n = 0, u = v;
    for (; f->ancestors[u] >= linked; u = f->ancestors[u]) {
        f->path[n++] = u;
    }
    while (n > 0) {
        uint32_t w = f->path[--n], above = f->ancestors[w];
        if (f->semis[f->labels[above]] < f->semis[f->labels[w]]) {
            f->labels[w] = f->labels[above];
        }
        f->ancestors[w] = f->ancestors[above];
    }
    return f->labels[v];
}

/* Steps 2 to 4 of section 3. */
static void find(search *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        f->semis[i] = f->labels[i] = i;
    }
    for (uint32_t w = f->n; w-- > 1;) {
        uint32_t parent = f->ancestors[w];
        for (uint32_t i = f->first_sources[w]; i < f->first_sources[w + 1]; i++) {
            uint32_t semi = f->semis[eval(f, f->sources[i], w + 1)];
            f->semis[w] = semi < f->semis[w] ? semi : f->semis[w];
        }
        f->results[w] = f->buckets[f->semis[w]];
        f->buckets[f->semis[w]] = w;
        for (uint32_t v = f->buckets[parent], next; v != 0; v = next) {
            uint32_t u = eval(f, v, w);
            next = f->results[v];
            f->results[v] = f->semis[u] < f->semis[v] ? u : parent;
        }
        f->buckets[parent] = 0;
    }
    for (uint32_t w = 1; w < f->n; w++) {
        if (f->results[w] != f->semis[w]) {
            f->results[w] = f->results[f->results[w]];
        }
    }
}

/* Adds up what each node retains, from the last in the order to the first. */
static void add_up(hpf_dominators *d, const hpf_snapshot *s, const search *f)
{
    d->dominators[0] = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        d->dominators[d->order[i]] = d->order[f->results[i]];
        d->retained_bytes[i] = s->sizes[i];
        d->n_retained[i] = s->is_object[i];
    }
    for (uint32_t i = f->n; i-- > 1;) {
        uint32_t node = d->order[i];
        d->retained_bytes[d->dominators[node]] += d->retained_bytes[node];
        d->n_retained[d->dominators[node]] += d->n_retained[node];
    }
}

hpf_status hpf_dominators_init(hpf_dominators *d, const hpf_snapshot *s, hpf_error *err)
{
    search f = {0};
    *d = (hpf_dominators){.order = new_array(s->n_nodes)};
    hpf_status status = d->order && search_allocate(&f, s) ? number(&f, s, d->order, err)
                                                           : hpf_error_set_memory(err);
    if (status == HPF_OK) {
        find(&f);
        d->dominators = new_array(s->n_nodes);
        d->retained_bytes = calloc((size_t)s->n_nodes + 1, sizeof *d->retained_bytes);
        d->n_retained = new_array(s->n_nodes);
        if (d->dominators && d->retained_bytes && d->n_retained) {
            add_up(d, s, &f);
        } else {
            status = hpf_error_set_memory(err);
        }
    }
    search_finish(&f);
    if (status != HPF_OK) {
        hpf_dominators_finish(d);
    }
    return status;
}

void hpf_dominators_finish(hpf_dominators *d)
{
    free(d->order);
    free(d->dominators);
    free(d->retained_bytes);
    free(d->n_retained);
    *d = (hpf_dominators){0};
}

uint32_t *hpf_dominators_holders(const hpf_dominators *d, const hpf_snapshot *s)
{
    uint32_t *holders = new_array(s->n_nodes);
    for (uint32_t i = 0; holders && i < s->n_nodes; i++) {
        uint32_t node = d->order[i], above = d->dominators[node];
        holders[node] = i == 0 ? 0 : s->names[above] == s->names[node] ? holders[above] : above;
    }
    return holders;
}
