/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The adapter for language runtimes with a heap and a garbage collector.
 *
 * A runtime describes its objects (hpp_language), calls a hook where it creates, uses, moves or
 * frees one, and takes a census after a complete collection if one is due. The profiler keeps the
 * producer of an object and one more word: in a header of two words in the object, or in a table
 * for objects that have no room for one; a heap may have both. Profiles show sizes without the
 * header.
 *
 *   hpp_runtime_start(&runtime, &language, &config, NULL);
 *   ... object created:              hpp_runtime_created(runtime, ref, n_bytes);
 *   ... object entered, read, called: hpp_runtime_used(runtime, ref);
 *   if (hpp_runtime_wants_collection(runtime)) {
 *       ... collect everything; for each dead object: hpp_runtime_dead(runtime, ref);
 *                               for each moved one: hpp_runtime_moved(runtime, from, to);
 *       hpp_runtime_collected(runtime);
 *   }
 *   hpp_runtime_stop(runtime, NULL);
 *
 * Without a profile the runtime is NULL, which every hook accepts. Only biographies need `used`;
 * biographies and objects without headers need `dead` and `moved`. hpp_runtime_needs returns which
 * hooks are needed. Objects with headers have the inline hooks hpp_header_used and
 * hpp_header_overwritten, which call the profiler only where the header does not say enough.
 *
 * Threads: with the option `many_threads`, call hooks on any thread, else on one at a time. Call
 * the other functions on one thread while no thread changes the heap.
 */
#ifndef HPPROF_RUNTIME_H
#define HPPROF_RUNTIME_H

#include "hpprof/life_word.h"
#include "hpprof/profiler.h"

HPF_BEGIN_DECLS

/* The profiler's part of an object. The runtime copies it when the object moves, and does not
 * change it. */
typedef struct hpp_header {
    const hpp_ccs *producer;
    uint64_t word; /* of the biography, or else of the retainer set */
} hpp_header;

/* Describes the objects of a runtime. Every function gets `context` as its last argument. */
typedef struct hpp_language {
    size_t size; /* of the struct (hpfile/version.h) */
    /* Returns the shape of an object, never NULL. */
    const hpp_shape *(*shape)(hpp_ref ref, void *context);

    /* Returns an object's size in the heap, with its header. */
    uint64_t (*size_bytes)(hpp_ref ref, void *context);

    /* Returns an object's header, or NULL for an object without one; it keeps that while the object
     * lives. May be NULL if no object has one. */
    hpp_header *(*header)(hpp_ref ref, void *context);

    /* No object is without a header: only biographies need the hooks `dead` and `moved` then. */
    bool all_have_headers;

    /* Returns flags (hpp_object_flag) of an object in addition to its shape's. May be NULL. */
    uint32_t (*flags)(hpp_ref ref, void *context);

    /* Lists children, as in hpp_heap. May be NULL without -hr. */
    size_t (*children)(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                       void *context);

    /* Visits every object in the heap once. Ends at the first visit that does not return 0, and
     * returns that value. */
    int (*objects)(hpp_visit_root *visit, void *visit_context, void *context);

    /* Visits roots that are not registered, such as the stacks of threads. May be NULL. */
    int (*roots)(hpp_visit_root *visit, void *visit_context, void *context);

    void *context;
} hpp_language;

typedef struct hpp_runtime hpp_runtime;

/* Starts a profile of a runtime, as hpp_profiler_start does. `language` is copied, `config->heap`
 * ignored. Errors: as hpp_profiler_start. */
HPF_API HPF_MUST_USE hpf_status hpp_runtime_start(hpp_runtime **out, const hpp_language *language,
                                                  const hpp_config *config, hpf_error *err);
HPF_API hpp_profiler *hpp_runtime_profiler(hpp_runtime *runtime);

/* The hooks that the profile needs, from its start to hpp_runtime_stop. */
typedef struct hpp_needs {
    bool used;       /* hpp_runtime_used */
    bool dead;       /* hpp_runtime_dead, hpp_runtime_overwritten */
    bool young_dead; /* hpp_runtime_dead also of objects created since the last census */
    bool moved;      /* hpp_runtime_moved */
    /* The current era, if a biography in the header is all that inline hooks update; else NULL. */
    const uint32_t *era;
} hpp_needs;
HPF_API hpp_needs hpp_runtime_needs(const hpp_runtime *runtime);

/* ---- hooks ---------------------------------------------------------------------------------- */

/* Records a new object of `n_bytes`, with its header. The calling thread's stack is its producer,
 * and is charged for the allocation. Call it when the object can be described. Without a profile
 * (NULL) it does not write the header: a runtime that uses the producer must zero it. */
HPF_API void hpp_runtime_created(hpp_runtime *runtime, hpp_ref ref, size_t n_bytes);

/* Records the use of an object. */
HPF_API void hpp_runtime_used(hpp_runtime *runtime, hpp_ref ref);

/* Records that an object is garbage, while it can still be described. */
HPF_API void hpp_runtime_dead(hpp_runtime *runtime, hpp_ref ref);

/* Records that an object is overwritten by another in its place, such as a thunk by its value. Call
 * it twice: before, with `is_done` false, and after, with true. The new object has the old one's
 * producer. */
HPF_API void hpp_runtime_overwritten(hpp_runtime *runtime, hpp_ref ref, bool is_done);

/* The same hooks for an object whose header is `header`; `needs` are the profile's. */
static inline void hpp_header_used(hpp_runtime *runtime, const hpp_needs *needs, hpp_ref ref,
                                   hpp_header *header)
{
    if (needs->era) {
        hpp_life_use(&header->word, *needs->era);
    } else if (needs->used) {
        hpp_runtime_used(runtime, ref);
    }
}

static inline void hpp_header_overwritten(hpp_runtime *runtime, const hpp_needs *needs, hpp_ref ref,
                                          hpp_header *header, bool is_done)
{
    if (needs->era && is_done) {
        hpp_life_create(&header->word, *needs->era);
    } else if (needs->era && hpp_life_creation_era(header->word) == *needs->era) {
        return; /* no census has seen it */
    } else if (needs->dead) {
        hpp_runtime_overwritten(runtime, ref, is_done);
    }
}

/* Records that an object was moved, with its header. `to` can be described, `from` need not be. The
 * order of moves is free, but `to` must not be the reference of an object that is still to be
 * reported as moved or dead. */
HPF_API void hpp_runtime_moved(hpp_runtime *runtime, hpp_ref from, hpp_ref to);

/* ---- roots ---------------------------------------------------------------------------------- */

/* Register and unregister `n` variables that hold references or 0, to be read at each census.
 * Without memory they are not registered, and objects that only they reach are shown as UNREACHED.
 */
HPF_API void hpp_runtime_add_roots(hpp_runtime *runtime, const hpp_ref *variables, size_t n);
HPF_API void hpp_runtime_remove_roots(hpp_runtime *runtime, const hpp_ref *variables);

/* ---- censuses ------------------------------------------------------------------------------- */

/* Returns whether a census is due, which needs a complete collection first. */
HPF_API bool hpp_runtime_wants_collection(const hpp_runtime *runtime);

/* Takes a census if one is due. Call it after a complete collection. */
HPF_API void hpp_runtime_collected(hpp_runtime *runtime);

/* As hpp_profiler_stop, hpp_profiler_destroy. */
HPF_API HPF_MUST_USE hpf_status hpp_runtime_stop(hpp_runtime *runtime, hpf_error *err);
HPF_API void hpp_runtime_destroy(hpp_runtime *runtime);

HPF_END_DECLS
#endif
