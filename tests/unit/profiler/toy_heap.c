/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The toy heap: references are addresses of objects when these have headers, numbers otherwise.
 */
#include "toy_heap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

/* Made-up references look like addresses: multiples of 16. */
#define FIRST_REF 0x10000u

/* Where a made-up reference leads: the table is the simplest that works for objects that move. */
static toy_object *object_at(toy_heap *heap, hpp_ref ref)
{
    if (heap->has_headers) {
        return (toy_object *)ref;
    }
    for (size_t i = (size_t)(ref - FIRST_REF) / 16 % heap->room;; i = (i + 1) % heap->room) {
        if (heap->objects[i].ref == ref) {
            return &heap->objects[i];
        }
    }
}

static void fill(hpp_object *out, toy_heap *heap, toy_object *object)
{
    out->size_bytes = object->size_bytes;
    out->shape = object->shape;
    out->stack = object->stack;
    out->flags = object->flags;
    out->life_word = heap->has_headers ? &object->words[0] : NULL;
    out->retainer_word = heap->has_headers ? &object->words[1] : NULL;
}

static int objects(hpp_visit_object *visit, void *visit_context, void *context)
{
    toy_heap *heap = context;
    int result = 0;
    for (size_t i = 0; i < heap->n && result == 0; i++) {
        if (heap->objects[i].ref != 0) {
            hpp_object object = {0};
            fill(&object, heap, &heap->objects[i]);
            result = visit(heap->objects[i].ref, &object, visit_context);
        }
    }
    return result;
}

static void describe(hpp_object *out, hpp_ref ref, void *context)
{
    fill(out, context, object_at(context, ref));
}

static size_t children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index, void *context)
{
    toy_heap *heap = context;
    const toy_object *object = object_at(heap, ref);
    size_t n = 0;
    for (size_t i = from_index; i < object->n_children && n < capacity; i++) {
        size_t child = object->children[i];
        out[n++] = child == SIZE_MAX ? 0 : heap->objects[child].ref;
    }
    return n;
}

static int roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    toy_heap *heap = context;
    int result = 0;
    for (size_t i = 0; i < heap->n && result == 0; i++) {
        if (heap->objects[i].ref != 0 && heap->objects[i].is_root) {
            result = visit(heap->objects[i].ref, visit_context);
        }
    }
    return result;
}

static hpf_str text(const char *bytes)
{
    return (hpf_str){bytes, strlen(bytes)};
}

static hpf_str stack_label(const void *stack, void *context)
{
    (void)context;
    return text(((const toy_stack *)stack)->label);
}

static hpf_str stack_module(const void *stack, void *context)
{
    (void)context;
    return text(((const toy_stack *)stack)->module);
}

static const void *stack_parent(const void *stack, void *context)
{
    (void)context;
    return ((const toy_stack *)stack)->parent;
}

static uint64_t stack_id(const void *stack, void *context)
{
    (void)context;
    return ((const toy_stack *)stack)->id;
}

void toy_init(toy_heap *heap, size_t room, bool has_headers)
{
    static const hpp_stacks stacks = {
        .label = stack_label, .module = stack_module, .parent = stack_parent, .id = stack_id};
    *heap = (toy_heap){.room = room, .has_headers = has_headers, .next_ref = FIRST_REF};
    heap->objects = calloc(room, sizeof *heap->objects);
    heap->adapter = (hpp_heap){
        .size = sizeof heap->adapter,
        .objects = objects,
        .describe = describe,
        .children = children,
        .roots = roots,
        .stacks = &stacks,
        .context = heap,
    };
}

void toy_finish(toy_heap *heap)
{
    for (size_t i = 0; i < heap->n; i++) {
        free(heap->objects[i].children);
    }
    free(heap->objects);
}

size_t toy_new(toy_heap *heap, uint64_t size_bytes, const hpp_shape *shape, const toy_stack *stack,
               uint32_t flags)
{
    assert(heap->n < heap->room);
    toy_object *object = &heap->objects[heap->n];
    *object = (toy_object){
        .ref = heap->has_headers ? (hpp_ref)object : heap->next_ref,
        .size_bytes = size_bytes,
        .shape = shape,
        .stack = stack,
        .flags = flags,
    };
    heap->next_ref += 16;
    return heap->n++;
}

void toy_link(toy_heap *heap, size_t from, size_t to)
{
    toy_object *object = &heap->objects[from];
    object->children =
        realloc(object->children, (object->n_children + 1) * sizeof *object->children);
    object->children[object->n_children++] = to;
}

void toy_unlink_all(toy_heap *heap, size_t from)
{
    heap->objects[from].n_children = 0;
}

hpp_object toy_describe(toy_heap *heap, size_t index)
{
    hpp_object object = {0};
    fill(&object, heap, &heap->objects[index]);
    return object;
}

uint64_t *toy_life_word(toy_heap *heap, size_t index)
{
    return heap->has_headers ? &heap->objects[index].words[0] : NULL;
}

uint64_t toy_band(const hpp_census_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_bands; i++) {
        const hpp_band *band = &result->bands[i];
        if (band->name.length == strlen(name) &&
            memcmp(band->name.data, name, band->name.length) == 0) {
            return band->size_bytes;
        }
    }
    return 0;
}

uint32_t toy_random(uint64_t *state, uint32_t limit)
{
    rng r = {*state};
    uint64_t number = rng_below(&r, limit);
    *state = r.state;
    return (uint32_t)number;
}
