/* SPDX-License-Identifier: BSD-2-Clause */
#include "closure_heap.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "native/collector/image/proc.h"
#include "symbol/resolve.h"

/* ---- For the engine ---- */

static int visit_sums(hpp_visit_sum *visit, void *visit_context, void *context)
{
    const hpp__closure_heap *h = context;
    int stop = h->native->heap.sums(visit, visit_context, h->native);
    for (uint32_t i = 0; i < h->names.n_names && !stop; i++) {
        hpp__closure_sum *from = h->sums[i];
        if (!from || from->n_bytes == 0) {
            continue;
        }
        const hpp_object sum = {
            .size_bytes = from->n_bytes,
            .shape = &from->shape,
            .calls = h->calls,
            .band_word = &from->band_word,
            .stack_word = &from->stack_word,
        };
        stop = visit(&sum, from->n_closures, visit_context);
    }
    return stop;
}

/* ---- Sums ---- */

/* Returns the module of "package:Module.Sub.Constructor"; empty if a name has none. */
static hpf_str module_of(hpf_str name)
{
    const char *colon = memchr(name.data, ':', name.length);
    size_t begin = colon ? (size_t)(colon - name.data) + 1 : name.length, end = begin;
    size_t at = begin;
    while (at < name.length && name.data[at] >= 'A' && name.data[at] <= 'Z') {
        while (at < name.length && name.data[at] != '.') {
            at++;
        }
        end = at < name.length ? at : end;
        at++;
    }
    return end > begin ? (hpf_str){name.data + begin, end - begin} : HPF_STR("");
}

/* Returns the sum of a name; NULL without memory. */
static hpp__closure_sum *sum_of(hpp__closure_heap *h, hpf_str name)
{
    uint32_t number = 0;
    bool is_new;
    if (!HPF__ARRAY_RESERVE_ZEROED(h->sums, h->sums_capacity, h->names.n_names + (size_t)1) ||
        hpf__intern_add(&h->names, name, &number, &is_new) != HPF_OK) {
        return NULL;
    }
    if (is_new) {
        hpp__closure_sum *sum = hpf_arena_alloc(h->arena, sizeof *sum);
        hpf_str kept = h->names.names[number], module = module_of(kept);
        h->sums[number] = sum;
        if (sum) {
            *sum = (hpp__closure_sum){
                .shape = {.description = kept, .type = kept, .module = module, .kind = kept}};
        }
    }
    return h->sums[number];
}

static void add_sum(hpf_str name, uint64_t n_bytes, uint64_t n_closures, void *context)
{
    hpp__closure_sum *sum = sum_of(context, name);
    if (sum) {
        sum->n_bytes += n_bytes;
        sum->n_closures += n_closures;
    }
}

/* Adds up the mappings of the program that have megablocks in them, by group. */
static bool find_inside(hpp__closure_heap *h, const hpp__image *image,
                        const hpp__haskell_heap *haskell)
{
    bool is_good = true;
    for (size_t i = 0; i < image->n_blocks && is_good; i++) {
        const hpp__image_block *block = &image->blocks[i];
        const uint64_t bytes = HPP_HASKELL_MEGABLOCK_BYTES;
        uint64_t first = (block->address + bytes - 1) / bytes * bytes;
        if (!block->is_mapping || first >= block->address + block->size_bytes ||
            !hpp__haskell_has(haskell, first)) {
            continue;
        }
        size_t group = hpp__site_heap_group(h->native, block->site);
        is_good = HPF__ARRAY_RESERVE_ZEROED(h->inside, h->inside_capacity, group + 1);
        if (is_good) {
            h->inside[group] += block->size_bytes;
        }
    }
    h->native->left_out = h->inside;
    h->native->n_left_out = h->inside_capacity;
    return is_good;
}

/* ---- Stable pointers ---- */

/* Looks for the variables that have the stable pointers, in the symbol table of the program or of
 * its run-time system. */
static void find_stables(hpp__closure_heap *h, const hpp__image *image)
{
    static const char *const names[] = {"stable_ptr_table", "SPT_size"};
    char link[32], program[PATH_MAX], root[HPP__PROC_ROOT_BYTES];
    snprintf(link, sizeof link, "/proc/%u/exe", (unsigned)image->process_id);
    ssize_t n = readlink(link, program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    h->has_looked = true;
    for (size_t i = 0; i < image->n_maps && h->stables[0] == 0; i++) {
        const hpp__image_map *map = &image->maps[i];
        const char *slash = strrchr(map->path, '/');
        if (map->offset != 0 || !slash ||
            (strcmp(map->path, program) != 0 && strncmp(slash, "/libHSrts", 9) != 0)) {
            continue;
        }
        const hpp_object_file file = {
            .path = map->path,
            .root = hpp__proc_root(image->process_id, root) ? root : NULL,
        };
        uint32_t object = hpp_resolver_object(h->resolver, &file);
        uint64_t bias = map->begin - hpp_resolver_address(h->resolver, object, 0);
        for (size_t k = 0; k < 2; k++) {
            bool is_found =
                hpp__resolver_variable_named(h->resolver, object, names[k], &h->stables[k]);
            h->stables[k] = is_found ? h->stables[k] + bias : 0;
        }
    }
}

static hpp__haskell_stables read_stables(hpp__closure_heap *h, const hpp__image *image)
{
    uint64_t table = 0;
    uint32_t n = 0;
    if (!h->has_looked) {
        find_stables(h, image);
    }
    bool is_known = h->stables[0] != 0 && h->stables[1] != 0 &&
                    hpp__image_read(image, &table, h->stables[0], sizeof table) &&
                    hpp__image_read(image, &n, h->stables[1], sizeof n);
    return is_known ? (hpp__haskell_stables){table, n} : (hpp__haskell_stables){0, 0};
}

/* ---- A census ---- */

bool hpp__closure_heap_take(hpp__closure_heap *h, const hpp__image *image)
{
    hpp__haskell_census *census = calloc(1, sizeof *census);
    for (uint32_t i = 0; i < h->names.n_names; i++) {
        if (h->sums[i]) {
            h->sums[i]->n_bytes = h->sums[i]->n_closures = 0;
        }
    }
    if (h->inside_capacity > 0) {
        memset(h->inside, 0, h->inside_capacity * sizeof *h->inside);
    }
    if (!census) {
        return false;
    }
    hpp__haskell_found found =
        hpp__haskell_census_take(census, image, h->layout, read_stables(h, image));
    bool is_counted = false;
    if (found == HPP__HASKELL_FOUND) {
        hpp__haskell_census_each(census, add_sum, h);
        add_sum(HPF_STR("UNREACHED"), census->unreached_bytes, 1, h);
        add_sum(HPF_STR("PINNED"), census->pinned_rest_bytes, 1, h);
        is_counted = find_inside(h, image, &census->heap);
    }
    bool is_unsettled = found == HPP__HASKELL_COLLECTING || found == HPP__HASKELL_RUNNING;
    h->n_counted += is_counted;
    h->n_skipped += is_unsettled;
    h->n_unfit += found == HPP__HASKELL_UNFIT;
    hpp__haskell_census_finish(census);
    free(census);
    return is_counted || (h->n_counted == 0 && !is_unsettled);
}

/* ---- Life ---- */

hpf_status hpp__closure_heap_init(hpp__closure_heap *h, hpp__site_heap *native,
                                  const hpp_haskell_layout *layout, hpp_resolver *resolver,
                                  hpf_error *err)
{
    *h = (hpp__closure_heap){.native = native, .layout = layout, .resolver = resolver};
    h->heap = (hpp_heap){.size = sizeof h->heap,
                         .sums = visit_sums,
                         .stacks = &hpp__named_stacks_view,
                         .context = h};
    h->arena = hpf_arena_create();
    hpp__named_stacks *stacks = native->calls ? native->calls : native->stacks;
    h->calls = hpp__named_stacks_special(stacks, HPF_STR("Haskell heap"));
    return h->arena && h->calls ? HPF_OK : hpf_error_set_memory(err);
}

void hpp__closure_heap_finish(hpp__closure_heap *h)
{
    hpf_arena_destroy(h->arena);
    hpf__intern_finish(&h->names);
    free(h->sums);
    free(h->inside);
    *h = (hpp__closure_heap){0};
}
