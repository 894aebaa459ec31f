/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names addresses, and groups them by name.
 */
#include "hpprof/bins_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/names.h"
#include "hpfile/str.h"

hpf_status hpp_bins_init(hpp_bins_table *t, hpf_error *err)
{
    *t = (hpp_bins_table){.texts = hpf_arena_create()};
    hpf_status status = t->texts ? HPF_OK : hpf_error_set_memory(err);
    status = status == HPF_OK ? hpp_resolver_create(&t->resolver, NULL, err) : status;
    if (status != HPF_OK) {
        hpf_arena_destroy(t->texts);
    }
    return status;
}

void hpp_bins_finish(hpp_bins_table *t)
{
    hpp_resolver_destroy(t->resolver);
    hpf_arena_destroy(t->texts);
    free(t->rows);
}

/* Stores the names of an address. The resolver's texts last as long as the resolver. */
static void name_row(hpp_bins_table *t, hpp_bins_row *row, uint32_t object)
{
    hpp_functions found = hpp_resolver_find(t->resolver, object, row->address);
    const hpp_function *innermost = &found.list[0];
    row->function = innermost->name;
    row->linkage = found.list[found.n - 1].linkage;
    if (innermost->line > 0) {
        hpf_str file = hpf__base_name(innermost->file);
        char *place = hpf_arena_alloc(t->texts, file.length + 16);
        int length =
            place ? sprintf(place, "%.*s:%" PRIu32, (int)file.length, file.data, innermost->line)
                  : 0;
        row->place = (hpf_str){place, (size_t)length};
    }
}

/* Returns the object that contains an address, or NULL. */
static const hpf_bins_object *find_object(const hpf_bins *bins, uint64_t address)
{
    for (size_t i = 0; i < bins->n_objects; i++) {
        if (address >= bins->objects[i].start && address < bins->objects[i].end) {
            return &bins->objects[i];
        }
    }
    return NULL;
}

/* Adds the rows of a file. An address of the heap follows the call that allocates. */
static bool add_rows(hpp_bins_table *t, const hpf_bins *bins, int side)
{
    for (size_t i = 0; i < bins->n_bins; i++) {
        uint64_t address = bins->bins[i].address - (bins->kind == HPF_BINS_HEAP);
        uint64_t amount = bins->bins[i].count * bins->unit;
        const hpf_bins_object *in = find_object(bins, address);
        hpp_bins_row row = {.address = in ? address - in->bias : address};
        row.amounts[side] = amount;
        t->totals[side] += amount;
        if (in) {
            const char *path = hpf_arena_text(t->texts, in->path);
            if (!path) {
                return false;
            }
            const hpp_object_file file = {.path = path,
                                          .build_id = (const uint8_t *)in->build_id.data,
                                          .n_build_id = in->build_id.length};
            row.path = (hpf_str){path, in->path.length};
            row.module = hpf__base_name(row.path);
            name_row(t, &row, hpp_resolver_object(t->resolver, &file));
        }
        if (!HPF__ARRAY_PUSH(t->rows, t->n_rows, t->capacity, row)) {
            return false;
        }
    }
    t->unknown[side] += bins->unknown_count * bins->unit;
    t->totals[side] += bins->unknown_count * bins->unit;
    return true;
}

hpf_status hpp_bins_add(hpp_bins_table *t, const hpf_bins *bins, int side, hpf_error *err)
{
    if (t->kind && t->kind != bins->kind) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "it counts %s, the files before it %s",
                             bins->kind == HPF_BINS_TIME ? "time" : "allocation",
                             bins->kind == HPF_BINS_TIME ? "allocation" : "time");
    }
    t->kind = bins->kind;
    return add_rows(t, bins, side) ? HPF_OK : hpf_error_set_memory(err);
}

/* Orders rows so that those with equal texts and addresses are neighbours. */
static int by_name(const void *a, const void *b)
{
    const hpp_bins_row *x = a, *y = b;
    int order = hpf_str_compare(x->path, y->path);
    order = order ? order : hpf_str_compare(x->function, y->function);
    order = order ? order : hpf_str_compare(x->place, y->place);
    return order ? order : (x->address > y->address) - (x->address < y->address);
}

static uint64_t sum_of(const hpp_bins_row *row)
{
    return row->amounts[0] + row->amounts[1];
}

static int by_amount(const void *a, const void *b)
{
    uint64_t x = sum_of(a), y = sum_of(b);
    return x != y ? (x < y) - (x > y) : by_name(a, b);
}

/* Removes from a row what a group does not distinguish. */
static void generalise(hpp_bins_row *row, hpp_bins_group group)
{
    static const hpf_str none = {"", 0};
    if (group != HPP_BINS_BY_ADDRESS && row->path.length > 0) {
        row->address = 0;
    }
    if (group == HPP_BINS_BY_FUNCTION || group == HPP_BINS_BY_MODULE) {
        row->place = none;
    }
    if (group == HPP_BINS_BY_MODULE) {
        row->function = none;
        row->linkage = none;
    }
}

void hpp_bins_group_rows(hpp_bins_table *t, hpp_bins_group group)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_rows; i++) {
        generalise(&t->rows[i], group);
    }
    HPF__ARRAY_SORT(t->rows, t->n_rows, by_name);
    for (size_t i = 0; i < t->n_rows; i++) {
        if (n > 0 && by_name(&t->rows[n - 1], &t->rows[i]) == 0) {
            for (int side = 0; side < HPP_BINS_MOST_FILES; side++) {
                t->rows[n - 1].amounts[side] += t->rows[i].amounts[side];
            }
        } else {
            t->rows[n++] = t->rows[i];
        }
    }
    t->n_rows = n;
    HPF__ARRAY_SORT(t->rows, t->n_rows, by_amount);
}

static int by_change(const void *a, const void *b)
{
    const uint64_t *x = ((const hpp_bins_row *)a)->amounts, *y = ((const hpp_bins_row *)b)->amounts;
    uint64_t p = x[1] > x[0] ? x[1] - x[0] : x[0] - x[1],
             q = y[1] > y[0] ? y[1] - y[0] : y[0] - y[1];
    return p != q ? (p < q) - (p > q) : by_amount(a, b);
}

void hpp_bins_sort_by_change(hpp_bins_table *t)
{
    HPF__ARRAY_SORT(t->rows, t->n_rows, by_change);
}

uint64_t hpp_bins_amount_between(const hpp_bins_table *t, hpf_str path, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->n_rows; i++) {
        const hpp_bins_row *row = &t->rows[i];
        if (row->address >= from && row->address < to && hpf_str_equal(row->path, path)) {
            sum += row->amounts[0];
        }
    }
    return sum;
}
