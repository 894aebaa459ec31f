/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A bin for each site; the reader adds up those with the same address.
 */
#include "site_bins.h"

#include <stdlib.h>

#include "base/array.h"

/* Returns the bin of a site; its address is 0 if it is unknown. */
static hpf_bin bin_of(hpp__site_heap *heap, const hpp__costs *costs, const hpp_window_site *site)
{
    hpf_bin bin = {0, costs->allocated_bytes};
    hpp_window_node node;
    if (site->call != HPP_CALL_TICK) {
        bin.address = hpp__named_stacks_producer(heap->stacks, site->node).return_address;
    } else {
        bin.count = costs->allocations;
        if (site->node != 0 && hpp__window_reader_node(heap->reader, site->node, &node)) {
            bin.address = node.address - (node.flags & HPP_NODE_EXACT ? 0 : 1);
        }
    }
    return bin;
}

static void collect(hpf_bins *out, hpf_bin *bins, hpp__site_heap *heap,
                    const hpp__window_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_sites; i++) {
        hpp_window_site site = {0};
        bool is_known = i >= HPP_FIRST_SITE && hpp__window_reader_site(heap->reader, i, &site);
        bool is_time = is_known && site.call == HPP_CALL_TICK;
        bool is_entry = is_known && site.call == HPP_CALL_ENTRY;
        if (is_entry || is_time != (out->kind == HPF_BINS_TIME)) {
            continue;
        }
        hpf_bin bin = is_known ? bin_of(heap, &sums->sites[i], &site)
                               : (hpf_bin){0, sums->sites[i].allocated_bytes};
        if (bin.address == 0) {
            out->unknown_count += bin.count;
        } else {
            bins[out->n_bins++] = bin;
        }
    }
    out->bins = bins;
}

/* The objects of a window, and the memory of their texts. */
typedef struct objects {
    hpf_bins_object *list;
    hpp_window_module **modules;
    size_t n, capacity, modules_capacity;
} objects;

static bool add_objects(objects *o, const hpp__window_reader *reader)
{
    hpp_window_module module;
    for (uint32_t i = 0; hpp__window_reader_module(reader, i, &module); i++) {
        hpp_window_module *copy = malloc(sizeof *copy);
        if (!copy || !HPF__ARRAY_RESERVE(o->list, o->capacity, o->n + 1) ||
            !HPF__ARRAY_RESERVE(o->modules, o->modules_capacity, o->n + 1)) {
            free(copy);
            return false;
        }
        *copy = module;
        o->modules[o->n] = copy;
        o->list[o->n++] = (hpf_bins_object){
            .start = module.begin,
            .end = module.end,
            .bias = module.bias,
            .path = hpf_str_of(copy->path),
            .build_id = {(const char *)copy->build_id, module.n_build_id},
        };
    }
    return true;
}

hpf_status hpp__site_bins_write(const char *path, hpp__site_heap *heap,
                                const hpp__window_sums *sums, hpf_bins_kind kind, uint64_t unit,
                                hpf_error *err)
{
    hpf_bins bins = {.kind = kind, .unit = unit};
    objects o = {0};
    hpf_bin *list = calloc(sums->n_sites + (size_t)1, sizeof *list);
    hpf_status status = HPF_OK;
    if (list && add_objects(&o, heap->reader)) {
        collect(&bins, list, heap, sums);
        bins.objects = o.list;
        bins.n_objects = o.n;
        hpf_sink *sink = hpf_sink_to_path(path, err);
        if (sink) {
            hpf_bins_write(sink, &bins);
            status = hpf_sink_finish(sink, err);
        } else {
            status = err->status;
        }
        hpf_sink_destroy(sink);
    } else {
        status = hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < o.n; i++) {
        free(o.modules[i]);
    }
    free(o.modules);
    free(o.list);
    free(list);
    return status;
}
