/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading, writing, combining and changing of counts.
 */
#include "coverage/tix.h"

#include <stdlib.h>

#include "coverage/haskell_text.h"
#include "hpfile/sink.h"

/* ---- Reading and writing ---- */

static bool prepare(hpc_tix *tix)
{
    tix->arena = tix->arena ? tix->arena : hpf_arena_create();
    return tix->arena != NULL;
}

hpc_tix_module *hpc_tix_add(hpc_tix *tix, hpf_str name, uint32_t hash, size_t n_counts)
{
    if (!prepare(tix)) {
        return NULL;
    }
    hpc_tix_module module = {
        .name = hpf_arena_str(tix->arena, name),
        .hash = hash,
        .n_declared = n_counts,
        .counts = hpf_arena_array(tix->arena, n_counts, sizeof *module.counts),
        .n_counts = n_counts,
    };
    bool is_added = module.name.data && module.counts &&
                    HPF__ARRAY_PUSH(tix->modules, tix->n_modules, tix->capacity, module);
    return is_added ? &tix->modules[tix->n_modules - 1] : NULL;
}

/* The counts of a module while they are read. */
typedef struct counts {
    uint64_t *items;
    size_t n, capacity;
} counts;

static hpf_status read_counts(hpc_haskell *h, counts *c)
{
    hpf_status status = hpc_haskell_expect(h, "[");
    bool is_more = status == HPF_OK && hpc_haskell_peek(h) != ']';
    while (is_more) {
        uint64_t count;
        status = hpc_haskell_whole(h, UINT64_MAX, "a count", &count);
        if (status == HPF_OK && !HPF__ARRAY_PUSH(c->items, c->n, c->capacity, count)) {
            status = hpf_error_set_memory(h->err);
        }
        is_more = status == HPF_OK && hpc_haskell_take(h, ",");
    }
    if (status == HPF_OK && !hpc_haskell_take(h, "]")) {
        status = hpc_haskell_expected(h, "',' or ']' after a count");
    }
    return status;
}

static hpf_status read_module(hpc_tix *tix, hpc_haskell *h, counts *c)
{
    hpf_str name;
    uint64_t hash, n_declared;
    hpf_status status = hpc_haskell_expect(h, "TixModule");
    c->n = 0;
    if (status != HPF_OK ||
        (status = hpc_haskell_string(h, "the name of a module", &name)) != HPF_OK ||
        (status = hpc_haskell_whole(h, UINT64_MAX, "the hash", &hash)) != HPF_OK ||
        (status = hpc_haskell_whole(h, INT64_MAX, "the number of counts", &n_declared)) != HPF_OK ||
        (status = read_counts(h, c)) != HPF_OK) {
        return status;
    }
    hpc_tix_module *module = hpc_tix_add(tix, name, (uint32_t)hash, c->n);
    if (!module) {
        return hpf_error_set_memory(h->err);
    }
    module->n_declared = n_declared;
    if (c->n > 0) {
        memcpy(module->counts, c->items, c->n * sizeof *c->items);
    }
    return HPF_OK;
}

static hpf_status read_modules(hpc_tix *tix, hpc_haskell *h)
{
    counts c = {NULL, 0, 0};
    hpf_status status = hpc_haskell_expect(h, "Tix");
    status = status == HPF_OK ? hpc_haskell_expect(h, "[") : status;
    bool is_more = status == HPF_OK && hpc_haskell_peek(h) != ']';
    while (is_more) {
        status = read_module(tix, h, &c);
        is_more = status == HPF_OK && hpc_haskell_take(h, ",");
    }
    if (status == HPF_OK && !hpc_haskell_take(h, "]")) {
        status = hpc_haskell_expected(h, "',' or ']' after a module");
    }
    if (status == HPF_OK && (hpc_haskell_peek(h), h->at < h->text.length)) {
        status = hpc_haskell_expected(h, "the end of the file");
    }
    free(c.items);
    return status;
}

hpf_status hpc_tix_read(hpc_tix *out, hpf_str text, hpf_error *err)
{
    *out = (hpc_tix){0};
    if (!prepare(out)) {
        return hpf_error_set_memory(err);
    }
    hpc_haskell h = {.text = text, .arena = out->arena, .err = err};
    hpf_status status = read_modules(out, &h);
    hpc_haskell_finish(&h);
    if (status != HPF_OK) {
        hpc_tix_finish(out);
    }
    return status;
}

void hpc_tix_write(const hpc_tix *tix, hpf_sink *sink)
{
    hpf_sink_text(sink, "Tix [");
    for (size_t i = 0; i < tix->n_modules; i++) {
        const hpc_tix_module *m = &tix->modules[i];
        hpf_sink_text(sink, i > 0 ? ",TixModule " : "TixModule ");
        hpc_haskell_show(sink, m->name);
        hpf_sink_text(sink, " ");
        hpf_sink_whole(sink, m->hash);
        hpf_sink_text(sink, " ");
        hpf_sink_whole(sink, m->n_declared);
        hpf_sink_text(sink, " [");
        for (size_t k = 0; k < m->n_counts; k++) {
            hpf_sink_text(sink, k > 0 ? "," : "");
            hpf_sink_whole(sink, m->counts[k]);
        }
        hpf_sink_text(sink, "]");
    }
    hpf_sink_text(sink, "]");
}

void hpc_tix_finish(hpc_tix *tix)
{
    hpf_arena_destroy(tix->arena);
    free(tix->modules);
    *tix = (hpc_tix){0};
}

/* ---- Changing and combining ---- */

void hpc_tix_filter(hpc_tix *tix, bool (*keep)(const void *context, hpf_str name),
                    const void *context)
{
    size_t n = 0;
    for (size_t i = 0; i < tix->n_modules; i++) {
        if (keep(context, tix->modules[i].name)) {
            tix->modules[n++] = tix->modules[i];
        }
    }
    tix->n_modules = n;
}

void hpc_tix_apply(hpc_tix *tix, hpc_tix_map how)
{
    for (size_t i = 0; i < tix->n_modules && how != HPC_TIX_ID; i++) {
        for (size_t k = 0; k < tix->modules[i].n_counts; k++) {
            uint64_t *count = &tix->modules[i].counts[k];
            *count = how == HPC_TIX_INV && *count == 0;
        }
    }
}

/* A module of one of the files to be combined. */
typedef struct part {
    const hpc_tix_module *module;
    bool is_second;
} part;

/* By name, then file, then order in the file. */
static int compare_parts(const void *a, const void *b)
{
    const part *x = a, *y = b;
    int order = hpf_str_compare(x->module->name, y->module->name);
    order = order ? order : x->is_second - y->is_second;
    return order ? order : (x->module > y->module) - (x->module < y->module);
}

static bool joins(uint64_t *to, uint64_t from, hpc_tix_join how)
{
    switch (how) {
    case HPC_TIX_ADD:
        *to += from;
        return *to >= from;
    case HPC_TIX_DIFF:
        *to = *to == 0 && from > 0;
        break;
    case HPC_TIX_SUB:
        *to = *to > from ? *to - from : 0;
        break;
    }
    return true;
}

/* Appends a module of one file, combined with the other file's unless it is NULL. */
static hpf_status combine_module(hpc_tix *out, const hpc_tix_module *a, const hpc_tix_module *b,
                                 hpc_tix_join how, hpf_error *err)
{
    if (b && a->hash != b->hash) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "module %.*s has the hash %lu in one file and %lu in the other: they "
                             "are of different compilations",
                             (int)a->name.length, a->name.data, (unsigned long)a->hash,
                             (unsigned long)b->hash);
    }
    if (b && (a->n_counts != b->n_counts || a->n_declared != a->n_counts ||
              b->n_declared != b->n_counts)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "module %.*s has %zu counts of %llu declared in one file, and %zu of "
                             "%llu in the other",
                             (int)a->name.length, a->name.data, a->n_counts,
                             (unsigned long long)a->n_declared, b->n_counts,
                             (unsigned long long)b->n_declared);
    }
    hpc_tix_module *to = hpc_tix_add(out, a->name, a->hash, a->n_counts);
    if (!to) {
        return hpf_error_set_memory(err);
    }
    to->n_declared = a->n_declared;
    for (size_t i = 0; i < a->n_counts; i++) {
        to->counts[i] = a->counts[i];
        if (b && !joins(&to->counts[i], b->counts[i], how)) {
            return hpf_error_set(err, HPF_ERR_RANGE, "a sum of counts is 2^64 or more");
        }
    }
    return HPF_OK;
}

hpf_status hpc_tix_combine(hpc_tix *out, const hpc_tix *a, const hpc_tix *b, hpc_tix_join how,
                           bool is_union, hpf_error *err)
{
    size_t n = a->n_modules + b->n_modules;
    part *parts = malloc((n + 1) * sizeof *parts);
    *out = (hpc_tix){0};
    if (!parts || !prepare(out)) {
        free(parts);
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        bool is_second = i >= a->n_modules;
        parts[i].module = is_second ? &b->modules[i - a->n_modules] : &a->modules[i];
        parts[i].is_second = is_second;
    }
    qsort(parts, n, sizeof *parts, compare_parts);
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < n && status == HPF_OK;) {
        const hpc_tix_module *of[2] = {NULL, NULL};
        size_t first = i;
        while (i < n && hpf_str_equal(parts[i].module->name, parts[first].module->name)) {
            of[parts[i].is_second] = parts[i].module;
            i++;
        }
        if (of[0] && of[1]) {
            status = combine_module(out, of[0], of[1], how, err);
        } else if (is_union) {
            status = combine_module(out, of[0] ? of[0] : of[1], NULL, how, err);
        }
    }
    free(parts);
    if (status != HPF_OK) {
        hpc_tix_finish(out);
    }
    return status;
}
