/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A heap adapter made of a language's description of its objects, and the hooks.
 *
 * The second word of a header is for the biography if there is one, because its hooks are hot, else
 * for the retainer sets. Without headers, producers are in a table here, and the words in tables of
 * the census engine.
 */
#include "hpprof/runtime.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "hpfile/str.h"
#include "base/map.h"
#include "core/profiler.h"
#include "base/options.h"

/* Variables that hold references. */
typedef struct root_range {
    const hpp_ref *variables;
    size_t n;
} root_range;

struct hpp_runtime {
    hpp_language language;
    hpp_heap heap;
    hpp_profiler *profiler;
    hpp_census *census; /* NULL without a heap profile */
    bool has_biography;
    const uint32_t *era; /* of a biography; else of 0 */
    hpp_needs needs;
    bool has_threads;
    pthread_mutex_t mutex; /* of `producers`, where there are threads */
    hpp__map producers;    /* by reference, of objects without headers */
    hpp__life life;        /* of the first object whose description is `life_of` */
    const char *life_of;   /* borrowed from the options */
    root_range *roots;
    size_t n_roots, roots_capacity;
};

/* A visit of objects on its way through the language. */
typedef struct visit {
    hpp_runtime *runtime;
    hpp_visit_object *visit;
    void *context;
} visit;

/* ---- headers and tables ---- */

static hpp_header *header_of(const hpp_runtime *r, hpp_ref ref)
{
    return r->language.header ? r->language.header(ref, r->language.context) : NULL;
}

static void lock(hpp_runtime *r)
{
    if (r->has_threads) {
        pthread_mutex_lock(&r->mutex);
    }
}

static void unlock(hpp_runtime *r)
{
    if (r->has_threads) {
        pthread_mutex_unlock(&r->mutex);
    }
}

/* Stores a producer; without memory it is lost. Call it under the lock. */
static void table_producer(hpp_runtime *r, hpp_ref ref, const hpp_ccs *producer)
{
    uint64_t *place = hpp__map_add(&r->producers, ref);
    if (place) {
        *place = (uintptr_t)producer;
    }
}

static const hpp_ccs *tabled_producer(const hpp_runtime *r, hpp_ref ref)
{
    const uint64_t *place = hpp__map_find(&r->producers, ref);
    return place ? (const hpp_ccs *)(uintptr_t)*place : NULL;
}

/* ---- the heap, as the engine sees it ---- */

static void describe(hpp_object *out, hpp_ref ref, void *context)
{
    hpp_runtime *r = context;
    const hpp_language *l = &r->language;
    hpp_header *header = header_of(r, ref);
    out->shape = l->shape(ref, l->context);
    out->size_bytes = l->size_bytes(ref, l->context);
    out->flags = l->flags ? l->flags(ref, l->context) : 0;
    if (!header) {
        out->stack = tabled_producer(r, ref);
        return;
    }
    out->size_bytes -= sizeof *header;
    out->stack = header->producer;
    out->life_word = r->has_biography ? &header->word : NULL;
    out->retainer_word = r->has_biography ? NULL : &header->word;
}

static int pass_on(hpp_ref ref, void *context)
{
    const visit *v = context;
    hpp_object object = {0};
    describe(&object, ref, v->runtime);
    return v->visit(ref, &object, v->context);
}

static int visit_objects(hpp_visit_object *visit_object, void *visit_context, void *context)
{
    hpp_runtime *r = context;
    visit v = {r, visit_object, visit_context};
    return r->language.objects(pass_on, &v, r->language.context);
}

static size_t list_children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                            void *context)
{
    const hpp_runtime *r = context;
    return r->language.children(out, capacity, ref, from_index, r->language.context);
}

static int visit_roots(hpp_visit_root *visit_root, void *visit_context, void *context)
{
    const hpp_runtime *r = context;
    for (size_t i = 0; i < r->n_roots; i++) {
        for (size_t k = 0; k < r->roots[i].n; k++) {
            hpp_ref ref = r->roots[i].variables[k];
            int stop = ref != 0 ? visit_root(ref, visit_context) : 0;
            if (stop != 0) {
                return stop;
            }
        }
    }
    return r->language.roots ? r->language.roots(visit_root, visit_context, r->language.context)
                             : 0;
}

static void make_heap(hpp_runtime *r)
{
    r->heap = (hpp_heap){
        .size = sizeof r->heap,
        .objects = visit_objects,
        .describe = describe,
        .children = r->language.children ? list_children : NULL,
        .roots = visit_roots,
        .stacks = &hpp_ccs_stacks,
        .context = r,
    };
}

/* ---- life ---- */

/* With histories, a census without memory for its record has still seen the young objects. */
static void set_needs(hpp_runtime *r)
{
    bool has_table = r->census && !r->language.all_have_headers;
    bool has_histories = r->has_biography && hpp_census_has_retainers(r->census);
    bool calls = has_table || has_histories || r->life_of;
    r->needs =
        (hpp_needs){.used = r->has_biography || r->life_of,
                    .dead = r->has_biography || calls,
                    .young_dead = calls,
                    .moved = calls,
                    .era = r->has_biography && !has_histories && !r->life_of ? r->era : NULL};
}

hpf_status hpp_runtime_start(hpp_runtime **out, const hpp_language *language,
                             const hpp_config *config, hpf_error *err)
{
    hpp_config with_heap;
    hpp_language own;
    *out = NULL;
    hpf_status status = HPF__OPTIONS_COPY(&with_heap, config, err);
    status = status == HPF_OK ? HPF__OPTIONS_COPY(&own, language, err) : status;
    const hpp_options *o = with_heap.options;
    if (status != HPF_OK || !o) {
        return status;
    }
    hpp_runtime *r = calloc(1, sizeof *r);
    if (!r) {
        return hpf_error_set_memory(err);
    }
    if (o->life_of && o->census->many_threads) {
        free(r);
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "--life cannot be used with many threads");
    }
    pthread_mutex_init(&r->mutex, NULL);
    r->language = own;
    r->has_threads = o->census->many_threads;
    make_heap(r);
    with_heap.heap = &r->heap;
    status = hpp_profiler_start(&r->profiler, &with_heap, err);
    if (!r->profiler) {
        hpp_runtime_destroy(r);
        return status;
    }
    r->census = hpp__profiler_engine(r->profiler);
    static const uint32_t no_era = 0;
    r->has_biography = r->census && hpp_census_has_biography(r->census);
    r->era = r->has_biography ? hpp__census_era_place(r->census) : &no_era;
    r->life_of = o->life_of;
    r->life.state = r->life_of ? HPP__LIFE_AWAITED : HPP__LIFE_NONE;
    set_needs(r);
    *out = r;
    return HPF_OK;
}

hpp_profiler *hpp_runtime_profiler(hpp_runtime *r)
{
    return r ? r->profiler : NULL;
}

hpp_needs hpp_runtime_needs(const hpp_runtime *r)
{
    return r ? r->needs : (hpp_needs){0};
}

hpf_status hpp_runtime_stop(hpp_runtime *r, hpf_error *err)
{
    if (!r) {
        return HPF_OK;
    }
    hpf_status status = HPF_OK;
    if (r->life.state == HPP__LIFE_AWAITED) {
        status = hpf_error_set(err, HPF_ERR_UNSUPPORTED, "no object '%s' was created", r->life_of);
    } else if (r->life.state != HPP__LIFE_NONE) {
        status = hpp__profiler_write_life(r->profiler, &r->life, err);
    }
    r->life.state = HPP__LIFE_NONE;
    hpf_status stopped = hpp_profiler_stop(r->profiler, status == HPF_OK ? err : NULL);
    return status == HPF_OK ? stopped : status;
}

void hpp_runtime_destroy(hpp_runtime *r)
{
    if (r) {
        hpp_profiler_destroy(r->profiler);
        hpp__map_finish(&r->producers);
        pthread_mutex_destroy(&r->mutex);
        free(r->roots);
        free(r);
    }
}

/* ---- hooks ---- */

/* What the profiler takes of an object is not the program's allocation. */
void hpp_runtime_created(hpp_runtime *r, hpp_ref ref, size_t n_bytes)
{
    if (!r) {
        return;
    }
    const hpp_ccs *producer = hpp_ccs_current();
    hpp_header *header = header_of(r, ref);
    if (header) {
        header->producer = producer;
        hpp_life_create(&header->word, *r->era);
        n_bytes -= sizeof *header;
    } else if (r->census) {
        lock(r);
        table_producer(r, ref, producer);
        unlock(r);
    }
    hpp_ccs_allocated(n_bytes);
    if (r->life.state == HPP__LIFE_AWAITED &&
        hpf_str_is(r->language.shape(ref, r->language.context)->description, r->life_of)) {
        hpp_object object = {0};
        describe(&object, ref, r);
        hpp__life_created(&r->life, ref, &object, hpp_profiler_time_s(r->profiler));
    }
    if (r->has_biography && !header) {
        hpp_census_created(r->census, ref, NULL);
    }
}

void hpp_runtime_used(hpp_runtime *r, hpp_ref ref)
{
    if (r && r->life.ref == ref) {
        hpp__life_used(&r->life, hpp_profiler_time_s(r->profiler));
    }
    if (r && r->has_biography) {
        hpp_header *header = header_of(r, ref);
        hpp_census_used(r->census, ref, header ? &header->word : NULL);
    }
}

static void record_death(hpp_runtime *r, hpp_ref ref, const hpp_header *header)
{
    if (r->life.ref == ref) {
        hpp__life_ended(&r->life, hpp_profiler_time_s(r->profiler));
    }
    /* No census has seen an object that was created in this era. */
    bool is_young = header && r->needs.era && hpp_life_creation_era(header->word) == *r->era;
    if (r->has_biography && !is_young) {
        hpp_object object = {0};
        lock(r);
        describe(&object, ref, r);
        unlock(r);
        hpp_census_dead(r->census, ref, &object);
    }
}

void hpp_runtime_dead(hpp_runtime *r, hpp_ref ref)
{
    if (!r) {
        return;
    }
    const hpp_header *header = header_of(r, ref);
    record_death(r, ref, header);
    if (!header) {
        lock(r);
        hpp__map_remove(&r->producers, ref);
        unlock(r);
    }
}

void hpp_runtime_overwritten(hpp_runtime *r, hpp_ref ref, bool is_done)
{
    hpp_header *header = r ? header_of(r, ref) : NULL;
    if (r && !is_done) {
        record_death(r, ref, header);
    } else if (r && r->has_biography) {
        hpp_census_created(r->census, ref, header ? &header->word : NULL);
    }
}

void hpp_runtime_moved(hpp_runtime *r, hpp_ref from, hpp_ref to)
{
    if (!r || from == to) {
        return;
    }
    r->life.ref = r->life.ref == from ? to : r->life.ref;
    if (!r->census) {
        return;
    }
    if (!header_of(r, to)) {
        lock(r);
        const hpp_ccs *producer = tabled_producer(r, from);
        hpp__map_remove(&r->producers, from);
        table_producer(r, to, producer);
        unlock(r);
    }
    if (r->has_biography) {
        hpp_census_moved(r->census, from, to);
    }
}

/* ---- roots ---- */

void hpp_runtime_add_roots(hpp_runtime *r, const hpp_ref *variables, size_t n)
{
    if (!r) {
        return;
    }
    if (HPF__ARRAY_RESERVE(r->roots, r->roots_capacity, r->n_roots + 1)) {
        r->roots[r->n_roots++] = (root_range){variables, n};
    } else {
        hpp__profiler_losses(r->profiler)->n_roots += n;
    }
}

void hpp_runtime_remove_roots(hpp_runtime *r, const hpp_ref *variables)
{
    for (size_t i = r ? r->n_roots : 0; i-- > 0;) {
        if (r->roots[i].variables == variables) {
            r->roots[i] = r->roots[--r->n_roots];
            return;
        }
    }
}

/* ---- censuses ---- */

bool hpp_runtime_wants_collection(const hpp_runtime *r)
{
    return r && hpp_profiler_census_due(r->profiler);
}

void hpp_runtime_collected(hpp_runtime *r)
{
    if (hpp_runtime_wants_collection(r)) {
        hpp_profiler_census(r->profiler);
    }
}
