/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects are numbered as they are found: first the ones that the heap visits, then roots and
 * children that it did not visit, such as static objects.
 */
#include "census/snapshot.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "census/property.h"
#include "census/traverse.h"
#include "hpfile/heapsnapshot.h"
#include "hpfile/waste.h"

typedef struct capture {
    hpf_snapshot *out;
    const hpp_heap *heap;
    hpp__map numbers; /* by reference */
    hpp_ref *refs; /* by number - 1: number 0 is the root. NULL if they are in a row, as numbers */
    size_t n_refs, refs_capacity;
    uint32_t *roots; /* numbers */
    size_t n_roots, roots_capacity;
    hpp__heap_snapshot_options options;
} capture;

hpf_status hpp__heap_snapshot_check(const hpp_heap *heap, hpf_error *err)
{
    if (!heap || !heap->objects || !heap->describe || !heap->children || !heap->roots) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT,
                             "a snapshot needs roots and children, which this heap does not have");
    }
    return HPF_OK;
}

/* Returns the number of an object, a new one if it has none; 0 without memory. */
static uint32_t number_of(capture *c, hpp_ref ref)
{
    if (c->options.ref_bytes > 0) {
        size_t n = (ref - c->options.first_ref) / c->options.ref_bytes + 1;
        c->n_refs = n > c->n_refs ? n : c->n_refs;
        return n <= HPF_SNAPSHOT_MOST ? (uint32_t)n : 0;
    }
    uint64_t *number = hpp__map_add(&c->numbers, ref);
    if (number && *number == 0 && c->n_refs < HPF_SNAPSHOT_MOST &&
        HPF__ARRAY_PUSH(c->refs, c->n_refs, c->refs_capacity, ref)) {
        *number = c->n_refs;
    }
    return number ? (uint32_t)*number : 0;
}

static hpp_ref ref_of(const capture *c, size_t number)
{
    size_t i = number - 1;
    return c->refs ? c->refs[i] : c->options.first_ref + i * c->options.ref_bytes;
}

static int visit_object(hpp_ref ref, const hpp_object *object, void *context)
{
    (void)object;
    return number_of(context, ref) == 0;
}

static int visit_root(hpp_ref ref, void *context)
{
    capture *c = context;
    uint32_t number = number_of(c, ref);
    return number == 0 || !HPF__ARRAY_PUSH(c->roots, c->n_roots, c->roots_capacity, number);
}

static hpf_str name_of(const capture *c, const hpp_object *object)
{
    const hpp_shape *shape = object->shape;
    hpf_str first = c->options.by_type ? shape->type : shape->description;
    hpf_str second = c->options.by_type ? shape->description : shape->type;
    if (first.length > 0 || second.length > 0) {
        return first.length > 0 ? first : second;
    }
    bool has_stack = object->stack && c->heap->stacks;
    return has_stack ? hpp__property_text(HPF_BREAKDOWN_COST_CENTRE, c->heap, object)
                     : HPP__UNKNOWN_TEXT;
}

static hpf_status set_field(capture *c, hpp_ref ref, size_t index, hpf_error *err)
{
    hpf_str name = HPF_STR("");
    uint32_t number = UINT32_MAX;
    if (!c->options.field) {
        return HPF_OK;
    }
    c->options.field(ref, index, &name, &number, c->options.context);
    return hpf_snapshot_set_field(c->out, name, number, err);
}

static hpf_status add_children(capture *c, hpp_ref ref, bool is_weak, hpf_error *err)
{
    enum { BATCH = 64 };
    hpp_ref children[BATCH];
    hpf_status status = HPF_OK;
    size_t n = BATCH;
    for (size_t from = is_weak ? 1 : 0; n == BATCH && status == HPF_OK; from += n) {
        n = c->heap->children(children, BATCH, ref, from, c->heap->context);
        for (size_t i = 0; i < n && status == HPF_OK; i++) {
            uint32_t number = children[i] ? number_of(c, children[i]) : 0;
            if (number > 0) {
                status = hpf_snapshot_add_edge(c->out, number, err);
                status = status == HPF_OK ? set_field(c, ref, from + i, err) : status;
            } else if (children[i]) {
                status = hpf_error_set_memory(err);
            }
        }
    }
    return status;
}

static hpf_status add_object(capture *c, hpp_ref ref, hpf_error *err)
{
    hpp_object object = {0};
    c->heap->describe(&object, ref, c->heap->context);
    uint32_t flags = hpp__object_flags(&object);
    bool is_place = (flags & HPP_STATIC) || ((flags & HPP_STACK) && !c->options.count_stacks);
    hpf_status status = hpf_snapshot_add_node(c->out, name_of(c, &object),
                                              is_place ? 0 : object.size_bytes, !is_place, err);
    uint64_t id = c->options.identify ? c->options.identify(ref, c->options.context) : 0;
    bool has_site =
        c->options.with_sites && c->options.by_type && object.shape->type.length > 0 && !is_place;
    if (status == HPF_OK) {
        status = hpf_snapshot_set_origin(c->out, id > 0 ? 2 * id + 1 : 0,
                                         has_site ? object.shape->description : HPF_STR(""), err);
    }
    return status == HPF_OK ? add_children(c, ref, (flags & HPP_WEAK) != 0, err) : status;
}

static hpf_status fill(capture *c, hpf_error *err)
{
    const hpp_heap *heap = c->heap;
    if (heap->objects(visit_object, c, heap->context) != 0 ||
        heap->roots(visit_root, c, heap->context) != 0) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf_snapshot_add_node(c->out, HPF_STR("(root)"), 0, false, err);
    for (size_t i = 0; i < c->n_roots && status == HPF_OK; i++) {
        status = hpf_snapshot_add_edge(c->out, c->roots[i], err);
    }
    for (size_t i = 1; i <= c->n_refs && status == HPF_OK; i++) {
        status = add_object(c, ref_of(c, i), err);
    }
    for (size_t i = 0; i < c->options.n_waste && status == HPF_OK; i++) {
        status = hpf_snapshot_add_waste(c->out, &c->options.waste[i], err);
    }
    return status;
}

hpf_status hpp__heap_snapshot_take(hpf_snapshot *out, const hpp_heap *heap,
                                   hpp__heap_snapshot_options options, hpf_error *err)
{
    *out = (hpf_snapshot){.process = options.process};
    capture c = {.out = out, .heap = heap, .options = options};
    c.numbers.is_near = true;
    c.numbers.unit_shift = heap->ref_shift;
    hpf_status status = fill(&c, err);
    hpp__map_finish(&c.numbers);
    free(c.refs);
    free(c.roots);
    if (status != HPF_OK) {
        hpf_snapshot_finish(out);
    }
    return status;
}

hpf_status hpp__heap_snapshot_write(hpf_snapshot *snapshot, const char *path, hpf_error *err)
{
    hpf_status status = hpf_snapshot_connect(snapshot, err);
    hpf_sink *sink = status == HPF_OK ? hpf_sink_to_path(path, err) : NULL;
    if (sink) {
        hpf_heapsnapshot_write(snapshot, sink);
        status = hpf_sink_finish(sink, err);
        hpf_sink_destroy(sink);
    } else if (status == HPF_OK) {
        status = err->status;
    }
    hpf_snapshot_finish(snapshot);
    return status;
}
