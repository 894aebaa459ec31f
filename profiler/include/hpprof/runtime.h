/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The adapter for language runtimes that have a heap and a collector of their own.
 *
 * A runtime says how to look at its objects (hpp_language), calls a hook where it makes, uses,
 * moves and frees one, and takes a census after a complete collection when one is due. What the
 * profiler knows of an object - who made it, and one word more - is in a header of two words that
 * the runtime puts into each object, or, for runtimes that cannot change their objects, in a table
 * of the profiler. Sizes are told without the header.
 *
 *   hpp_runtime_start(&runtime, &language, &config, NULL);
 *   ... object made:                  hpp_runtime_created(runtime, ref, n_bytes);
 *   ... object entered, read, called: hpp_runtime_used(runtime, ref);
 *   if (hpp_runtime_wants_collection(runtime)) {
 *       ... collect everything; for each object that is gone: hpp_runtime_dead(runtime, ref);
 *                               for each that has moved: hpp_runtime_moved(runtime, from, to);
 *       hpp_runtime_collected(runtime);
 *   }
 *   hpp_runtime_stop(runtime, NULL);
 *
 * Without a profile the runtime is NULL, and every hook accepts that. `dead` and `used` matter to a
 * biography only, `moved` also to tables: hpp_runtime_needs says what can be left out.
 *
 * Threads: hooks on any thread when the options' `many_threads` is set, else on one at a time.
 * Everything else on one thread, with the heap at rest.
 */
#ifndef HPPROF_RUNTIME_H
#define HPPROF_RUNTIME_H

#include "hpprof/profiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The profiler's part of an object. Not to be touched by the runtime, but to be copied with the
 * object when it moves. */
typedef struct hpp_header {
    const hpp_ccs *producer;
    uint64_t word; /* of the biography, or else of the retainer set */
} hpp_header;

/* How to look at objects. `context` is given back, last. Functions marked so may be NULL. */
typedef struct hpp_language {
    /* What the object has in common with others of its class. Never NULL. */
    const hpp_shape *(*shape)(hpp_ref ref, void *context);

    /* What it takes in the heap, header included. */
    uint64_t (*size_bytes)(hpp_ref ref, void *context);

    /* May be NULL: there are no headers. Else the object's, or NULL for one that has none. */
    hpp_header *(*header)(hpp_ref ref, void *context);

    /* May be NULL: hpp_object_flag values of this object, added to its shape's. */
    uint32_t (*flags)(hpp_ref ref, void *context);

    /* May be NULL without -hr: children, as in hpp_heap. */
    size_t (*children)(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                       void *context);

    /* Visits every object in the heap, once. Returns what a visit returned, if not 0. */
    int (*objects)(hpp_visit_root *visit, void *visit_context, void *context);

    /* May be NULL: visits roots besides those registered: the stacks of threads, say. */
    int (*roots)(hpp_visit_root *visit, void *visit_context, void *context);

    void *context;
} hpp_language;

typedef struct hpp_runtime hpp_runtime;

/* Starts a profile of a runtime: hpp_profiler_start with a heap made of `language`, which is
 * copied; `config->heap` is not looked at. `*out` is NULL when there is nothing to profile, and
 * after a failure. Errors: those of hpp_profiler_start. */
HPF_API HPF_MUST_USE hpf_status hpp_runtime_start(hpp_runtime **out, const hpp_language *language,
                                                  const hpp_config *config, hpf_error *err);
HPF_API hpp_profiler *hpp_runtime_profiler(hpp_runtime *runtime);

/* Which hooks the profile needs. */
typedef struct hpp_needs {
    bool used;  /* hpp_runtime_used */
    bool dead;  /* hpp_runtime_dead, hpp_runtime_overwritten */
    bool moved; /* hpp_runtime_moved */
} hpp_needs;
HPF_API hpp_needs hpp_runtime_needs(const hpp_runtime *runtime);

/* ---- hooks ---------------------------------------------------------------------------------- */

/* A new object of `n_bytes`, header included, made by the calling thread's stack, which also pays
 * for the allocation. Call it when the object can be looked at. Without a profile (NULL) it writes
 * nothing: a runtime that goes by the producer in its headers zeroes them itself. */
HPF_API void hpp_runtime_created(hpp_runtime *runtime, hpp_ref ref, size_t n_bytes);

HPF_API void hpp_runtime_used(hpp_runtime *runtime, hpp_ref ref);

/* The object is garbage, and can still be looked at. */
HPF_API void hpp_runtime_dead(hpp_runtime *runtime, hpp_ref ref);

/* The object is overwritten by another, in its place: a thunk by its value. Call it before, with
 * `is_done` false, and after, with true: the old one dies, the new one is born, and has the old
 * one's producer. */
HPF_API void hpp_runtime_overwritten(hpp_runtime *runtime, hpp_ref ref, bool is_done);

/* The object has moved, header and all. For the order of moves see hpp_census_moved. */
HPF_API void hpp_runtime_moved(hpp_runtime *runtime, hpp_ref from, hpp_ref to);

/* ---- roots ---------------------------------------------------------------------------------- */

/* Registers `n` variables that hold references, or 0: they are read at each census. The same for
 * taking them away again. Without memory they are not registered, and what they alone reach is
 * shown as UNREACHED. */
HPF_API void hpp_runtime_add_roots(hpp_runtime *runtime, const hpp_ref *variables, size_t n);
HPF_API void hpp_runtime_remove_roots(hpp_runtime *runtime, const hpp_ref *variables);

/* ---- censuses ------------------------------------------------------------------------------- */

/* Whether a census is due, for which everything has to be collected. */
HPF_API bool hpp_runtime_wants_collection(const hpp_runtime *runtime);

/* A complete collection has just ended: takes a census if one is due. */
HPF_API void hpp_runtime_collected(hpp_runtime *runtime);

/* As hpp_profiler_stop, hpp_profiler_destroy. */
HPF_API HPF_MUST_USE hpf_status hpp_runtime_stop(hpp_runtime *runtime, hpf_error *err);
HPF_API void hpp_runtime_destroy(hpp_runtime *runtime);

#ifdef __cplusplus
}
#endif
#endif
