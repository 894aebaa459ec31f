/* SPDX-License-Identifier: BSD-2-Clause */
#include "hpfile/prof.h"

#include "base/array.h"

#include <stdlib.h>

static int compare_costs(uint64_t ticks_a, uint64_t bytes_a, uint64_t ticks_b, uint64_t bytes_b)
{
    return ticks_a != ticks_b   ? (ticks_a < ticks_b ? 1 : -1)
           : bytes_a != bytes_b ? (bytes_a < bytes_b ? 1 : -1)
                                : 0;
}

static int compare_centres(const void *a, const void *b)
{
    const hpf_prof_row *x = a, *y = b;
    int order = compare_costs(x->ticks, x->bytes, y->ticks, y->bytes);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_siblings(const void *a, const void *b)
{
    const hpf_prof_row *x = *(hpf_prof_row *const *)a, *y = *(hpf_prof_row *const *)b;
    if (x->parent != y->parent) {
        return x->parent + 1 > y->parent + 1 ? 1 : -1; /* the root, without a parent, is first */
    }
    int order = compare_costs(x->inherited_ticks, x->inherited_bytes, y->inherited_ticks,
                              y->inherited_bytes);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static void sum_stacks(hpf_prof_costs *v)
{
    const hpf_prof *prof = v->prof;
    for (uint32_t i = 0; i < prof->n_centres; i++) {
        v->centres[i] =
            (hpf_prof_row){.centre = &prof->centres[i], .index = i, .name = prof->centres[i].label};
    }
    for (uint32_t i = (uint32_t)prof->n_stacks; i-- > 0;) {
        const hpf_prof_stack *s = &prof->stacks[i];
        hpf_prof_row *centre = &v->centres[s->centre_index], *row = &v->stacks[i];
        centre->entries += s->entries;
        centre->ticks += s->ticks;
        centre->bytes += s->allocated_bytes;
        row->centre = centre->centre;
        row->index = i;
        row->parent = s->parent_index;
        row->entries = s->entries;
        row->ticks = s->ticks;
        row->bytes = s->allocated_bytes;
        row->inherited_ticks += row->centre->is_hidden ? 0 : s->ticks;
        row->inherited_bytes += row->centre->is_hidden ? 0 : s->allocated_bytes;
        if (i > 0) {
            v->stacks[s->parent_index].inherited_ticks += row->inherited_ticks;
            v->stacks[s->parent_index].inherited_bytes += row->inherited_bytes;
        }
        v->by_parent[i] = row;
    }
}

static bool is_used(const hpf_prof_row *row)
{
    return row->entries > 0 || row->ticks > 0 || row->bytes > 0;
}

size_t hpf_prof_rows_sort(hpf_prof_row *rows, size_t n)
{
    size_t n_used = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(rows[i].centre && rows[i].centre->is_hidden) && is_used(&rows[i])) {
            rows[n_used++] = rows[i];
        }
    }
    HPF__ARRAY_SORT(rows, n_used, compare_centres);
    return n_used;
}

/* Returns whether a stack is worth a row: 1 % of time or allocation, or with `all` any cost. */
static bool is_shown(const hpf_prof_costs *v, const hpf_prof_row *row, bool all)
{
    bool has_costs = row->inherited_ticks > 0 || row->inherited_bytes > 0;
    return all ? has_costs || row->entries > 0
               : has_costs && ((double)row->inherited_ticks >= .01 * (double)v->prof->total_ticks ||
                               (double)row->inherited_bytes >= .01 * (double)v->prof->total_bytes);
}

/* Fills the tree, the most expensive child of a stack first. */
static bool grow_tree(hpf_prof_costs *v, bool all)
{
    size_t n = v->prof->n_stacks, n_open = 1, n_bytes = 0;
    qsort(v->by_parent, n, sizeof(hpf_prof_row *), compare_siblings);
    for (size_t i = n; i-- > 1;) {
        v->stacks[v->by_parent[i]->parent].first_child = (uint32_t)i;
    }
    hpf_prof_row **open = malloc(n * sizeof(hpf_prof_row *));
    if (!open) {
        return false;
    }
    open[0] = &v->stacks[0];
    while (n_open > 0) {
        hpf_prof_row *row = open[--n_open];
        size_t i = row->first_child, end = i;
        v->tree[v->n_tree++] = row;
        size_t length = row->depth + row->centre->label.length;
        n_bytes = length > n_bytes ? length : n_bytes;
        while (i > 0 && end < n && v->by_parent[end]->parent == row->index) {
            end++;
        }
        while (end-- > i && i > 0) {
            v->by_parent[end]->depth = row->depth + 1;
            if (is_shown(v, v->by_parent[end], all)) {
                open[n_open++] = v->by_parent[end];
            }
        }
    }
    free(open);
    v->indented = malloc(n_bytes + 1);
    return v->indented != NULL;
}

void hpf_prof_costs_finish(hpf_prof_costs *v)
{
    free(v->centres);
    free(v->stacks);
    free(v->by_parent);
    free(v->tree);
    free(v->indented);
    hpf_prof_file_destroy(v->file);
}

hpf_status hpf_prof_costs_read(hpf_prof_costs *out, hpf_source *source, size_t n_rows,
                               hpf_error *err)
{
    hpf_prof_costs *v = out;
    *v = (hpf_prof_costs){.file = NULL};
    hpf_status status = hpf_prof_read(&v->file, source, err);
    if (status != HPF_OK) {
        return status;
    }
    const hpf_prof *prof = v->prof = hpf_prof_file_report(v->file);
    v->s_per_tick =
        (double)prof->tick_us / 1e6 / (prof->n_processors > 1 ? (double)prof->n_processors : 1);
    v->centres = calloc(prof->n_centres, sizeof *v->centres);
    v->stacks = calloc(prof->n_stacks, sizeof *v->stacks);
    v->by_parent = calloc(prof->n_stacks, sizeof(hpf_prof_row *));
    v->tree = calloc(prof->n_stacks, sizeof(hpf_prof_row *));
    if (!v->centres || !v->stacks || !v->by_parent || !v->tree) {
        return hpf_error_set_memory(err);
    }
    sum_stacks(v);
    for (size_t i = 0; i < prof->n_stacks; i++) {
        v->n_used_stacks += is_used(&v->stacks[i]);
    }
    v->n_centres = hpf_prof_rows_sort(v->centres, prof->n_centres);
    v->n_centres = n_rows > 0 && n_rows < v->n_centres ? n_rows : v->n_centres;
    return grow_tree(v, n_rows == 0) ? HPF_OK : hpf_error_set_memory(err);
}
