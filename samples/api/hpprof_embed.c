/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles a toy heap with libhpprof: a list that grows, and a queue that stays short.
 *
 *     cc hpprof_embed.c $(pkg-config --cflags --libs hpprof) -o hpprof_embed
 *     ./hpprof_embed -hc          writes hpprof_embed.hp; draw it: census plot hpprof_embed.hp
 */
#include <hpprof/hpprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object of the toy heap, with its producer. All objects are in one linked list. */
typedef struct object {
    struct object *next;
    const hpp_shape *shape;
    const hpp_ccs *producer;
    size_t n_bytes;
} object;

typedef struct toy_heap {
    object *objects;
} toy_heap;

static const hpp_shape cell = {.description = {"Cell", 4}, .type = {"List", 4}};
static const hpp_shape task = {.description = {"Task", 4}, .type = {"Queue", 5}};

static void make(toy_heap *heap, const hpp_shape *shape, size_t n_bytes)
{
    object *new = malloc(sizeof *new + n_bytes);
    if (!new) {
        abort();
    }
    *new = (object){heap->objects, shape, hpp_ccs_current(), n_bytes};
    heap->objects = new;
    hpp_ccs_allocated(n_bytes);
}

/* Frees the objects of one shape; a runtime would collect garbage here. */
static void drop(toy_heap *heap, const hpp_shape *shape)
{
    for (object **at = &heap->objects; *at;) {
        object *next = (*at)->next;
        if ((*at)->shape == shape) {
            free(*at);
            *at = next;
        } else {
            at = &(*at)->next;
        }
    }
}

/* The heap adapter: visits every live object. See hpprof/heap.h. */
static int visit_objects(hpp_visit_object *visit, void *visit_context, void *context)
{
    const toy_heap *heap = context;
    for (const object *at = heap->objects; at; at = at->next) {
        hpp_object seen = {.size_bytes = at->n_bytes, .shape = at->shape, .stack = at->producer};
        int result = visit((hpp_ref)at, &seen, visit_context);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    toy_heap toy = {0};
    const char *text = argc > 1 ? argv[1] : "-hc";
    hpp_heap heap = {
        .size = sizeof heap, .objects = visit_objects, .stacks = &hpp_ccs_stacks, .context = &toy};
    hpp_options *options = hpp_options_create();
    hpp_profiler *profiler = NULL;
    hpf_error err = {0};
    hpp_config config = {
        .size = sizeof config, .options = options, .program = argv[0], .heap = &heap};
    if (hpp_options_parse(options, hpf_str_of(text), &err) != HPF_OK ||
        hpp_profiler_start(&profiler, &config, &err) != HPF_OK) {
        fprintf(stderr, "no profile: %s\n", err.message);
    }
    for (int round = 0; round < 20; round++) {
        HPP_SCC("grow")
        make(&toy, &cell, 1000);
        HPP_SCC("enqueue")
        make(&toy, &task, 4000);
        hpp_profiler_census(profiler); /* all that is not alive has been freed */
        drop(&toy, &task);
    }
    if (hpp_profiler_stop(profiler, &err) != HPF_OK) {
        fprintf(stderr, "the profile is incomplete: %s\n", err.message);
    }
    hpp_profiler_destroy(profiler);
    hpp_options_destroy(options);
    drop(&toy, &cell);
    return 0;
}
