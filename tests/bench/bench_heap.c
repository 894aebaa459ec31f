/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Trees are built over a permutation of the array: the identity, or a random one.
 */
#include "bench_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rng.h"

static void fill(hpp_object *out, const bench_heap *heap, bench_object *object)
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
    bench_heap *heap = context;
    for (size_t i = 0; i < heap->n; i++) {
        hpp_object object = {0};
        fill(&object, heap, &heap->objects[i]);
        int result = visit((hpp_ref)&heap->objects[i], &object, visit_context);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

static void describe(hpp_object *out, hpp_ref ref, void *context)
{
    fill(out, context, (bench_object *)ref);
}

static size_t children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index, void *context)
{
    (void)context;
    const bench_object *object = (const bench_object *)ref;
    size_t n = 0;
    for (size_t i = from_index; i < 2 && n < capacity; i++) {
        if (object->children[i] != 0) {
            out[n++] = object->children[i];
        }
    }
    return n;
}

static int roots(hpp_visit_root *visit, void *visit_context, void *context)
{
    bench_heap *heap = context;
    int result = 0;
    for (size_t i = 0; i < BENCH_N_ROOTS && result == 0; i++) {
        result = visit(heap->roots[i], visit_context);
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
    return text(((const bench_stack *)stack)->label);
}

static hpf_str stack_module(const void *stack, void *context)
{
    (void)context;
    return text(((const bench_stack *)stack)->module);
}

static const void *stack_parent(const void *stack, void *context)
{
    (void)context;
    return ((const bench_stack *)stack)->parent;
}

static uint64_t stack_id(const void *stack, void *context)
{
    (void)context;
    return ((const bench_stack *)stack)->id;
}

static const hpp_stacks stacks = {
    .label = stack_label, .module = stack_module, .parent = stack_parent, .id = stack_id};

static void name_things(bench_heap *heap)
{
    for (unsigned i = 0; i < BENCH_N_SHAPES; i++) {
        snprintf(heap->names[i], sizeof heap->names[i], "K%u", i);
        heap->shapes[i] = (hpp_shape){.description = text(heap->names[i]),
                                      .type = text(heap->names[i / 4]),
                                      .kind = text(heap->names[i / 16])};
    }
    for (unsigned i = 0; i < BENCH_N_STACKS; i++) {
        bench_stack *stack = &heap->stacks[i];
        snprintf(stack->label, sizeof stack->label, "f%u", i);
        snprintf(stack->module, sizeof stack->module, "M%u", i / 50 % 100);
        stack->parent = i ? &heap->stacks[(i - 1) / 3] : NULL;
        stack->id = i;
    }
}

/* The places of the objects: object number i of the trees is objects[place[i]]. */
static size_t *make_places(size_t n, bool is_scattered, rng *r)
{
    size_t *places = malloc(n * sizeof *places);
    for (size_t i = 0; i < n; i++) {
        size_t other = is_scattered ? (size_t)rng_below(r, i + 1) : i;
        places[i] = places[other];
        places[other] = i;
    }
    return places;
}

void bench_heap_init(bench_heap *heap, size_t n, bool is_scattered, uint32_t retainer_rarity,
                     uint32_t share_rarity)
{
    rng r = {42};
    memset(heap, 0, sizeof *heap);
    heap->n = n;
    heap->has_headers = true;
    heap->objects = calloc(n, sizeof *heap->objects);
    heap->adapter = (hpp_heap){.size = sizeof heap->adapter,
                               .objects = objects,
                               .describe = describe,
                               .children = children,
                               .roots = roots,
                               .stacks = &stacks,
                               .context = heap,
                               .ref_shift = 4};
    name_things(heap);
    size_t *places = make_places(n, is_scattered, &r);
    for (size_t i = 0; i < BENCH_N_ROOTS; i++) {
        heap->roots[i] = (hpp_ref)&heap->objects[places[i]];
    }
    for (size_t i = 0; i < n; i++) {
        bench_object *o = &heap->objects[places[i]];
        o->shape = &heap->shapes[rng_below(&r, BENCH_N_SHAPES)];
        o->stack = &heap->stacks[rng_below(&r, BENCH_N_STACKS)];
        o->size_bytes = (uint32_t)(16 + 8 * rng_below(&r, 8));
        o->flags = retainer_rarity && rng_below(&r, retainer_rarity) == 0 ? HPP_RETAINER : 0;
        for (size_t j = 0; j < 2; j++) {
            /* Sixteen trees side by side: children of i are 2i + 16 and 2i + 17. */
            size_t child = 2 * i + BENCH_N_ROOTS + j;
            bool is_shared = share_rarity && rng_below(&r, share_rarity) == 0;
            child = is_shared ? (size_t)rng_below(&r, n) : child;
            o->children[j] = child < n ? (hpp_ref)&heap->objects[places[child]] : 0;
        }
    }
    free(places);
}

void bench_heap_finish(bench_heap *heap)
{
    free(heap->objects);
}

double bench_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t bench_resident_bytes(void)
{
    unsigned long long n_pages = 0, n_resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm) {
        if (fscanf(statm, "%llu %llu", &n_pages, &n_resident) != 2) {
            n_resident = 0;
        }
        fclose(statm);
    }
    return n_resident * 4096;
}

size_t bench_n_objects(int argc, char **argv)
{
    return argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 10000000;
}
