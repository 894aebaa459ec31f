/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The census engine: what is alive, broken down into bands.
 *
 * One breakdown decides the bands; any number of restrictions decide which objects count. Retainer
 * sets and biographies are computed when the breakdown or a restriction asks for them, also both at
 * once.
 *
 * The engine never fails its program. When memory runs out it goes on with less, and each result
 * says what is missing (hpp_missing): bytes that could not be told apart are in a band of their
 * own.
 *
 * Sources: Park and Peyton Jones, "Implementation of Retainer Profiling"; Park and Marlow,
 * "Implementation of Lag/Drag/Void/Use Profiling"; the GHC guide, chapter "Profiling".
 *
 * Threads: one engine, one thread at a time; but see hpp_census_options.many_threads.
 */
#ifndef HPPROF_CENSUS_H
#define HPPROF_CENSUS_H

#include "hpprof/census_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpp_census hpp_census;

/* Makes an engine for a heap. `heap` is copied, what it points to is borrowed. NULL `options` means
 * all zero. Errors: MEMORY; ARGUMENT for a breakdown or selector that is none, for a restriction by
 * a phase or set that does not exist, and for an adapter that lacks a needed function. */
HPF_API HPF_MUST_USE hpf_status hpp_census_create(hpp_census **out, const hpp_heap *heap,
                                                  const hpp_census_options *options,
                                                  hpf_error *err);
HPF_API void hpp_census_destroy(hpp_census *census);

/* Whether the profile needs retainer sets, biographies. */
HPF_API bool hpp_census_has_retainers(const hpp_census *census);
HPF_API bool hpp_census_has_biography(const hpp_census *census);

/* Takes a census at `time_s`, a time that never decreases. The caller has just collected garbage.
 * The result is borrowed until the next call on this engine. Without biography it is final.
 * Biography: it is provisional (see hpp_census_final), and the next era begins.
 * When memory is short the result says so; it is never NULL. */
HPF_API const hpp_census_result *hpp_census_take(hpp_census *census, double time_s);

/* ---- Biography ---------------------------------------------------------------------------------
 * The hooks do nothing when the profile has no biography. An object that is overwritten by another
 * - a thunk by an indirection, anything that changes its size or its shape - is dead and born. */

/* The current era, from 1; 0 without biography, and after the end. */
HPF_API uint32_t hpp_census_era(const hpp_census *census);

/* An object is made; is used. `life_word` is its word in the header, or NULL when it is kept in the
 * engine's table. */
HPF_API void hpp_census_created(hpp_census *census, hpp_ref ref, uint64_t *life_word);
HPF_API void hpp_census_used(hpp_census *census, hpp_ref ref, uint64_t *life_word);

/* An object is dead: found by the collector, or overwritten. Call it while the object can still be
 * described, `object` being as the last census saw it. Its place may be used again. */
HPF_API void hpp_census_dead(hpp_census *census, hpp_ref ref, const hpp_object *object);

/* An object moves. Words in headers move along with the bytes; what the engine keeps in tables for
 * a biography is rekeyed. Call it for every survivor of a collection, in any order in which `to`
 * is never the reference of an object that is yet to be moved or reported dead. */
HPF_API void hpp_census_moved(hpp_census *census, hpp_ref from, hpp_ref to);

/* The end: all objects die, and all phases are known. Idempotent. Errors: MEMORY, and then the
 * results of hpp_census_final stay provisional. */
HPF_API HPF_MUST_USE hpf_status hpp_census_end(hpp_census *census, hpf_error *err);

/* Biography only. The censuses taken so far, and the result of one of them, by index from 0:
 * complete after hpp_census_end, else provisional. Borrowed until the next call on this engine.
 *
 * Bands of a final biography: LAG, USE, DRAG, VOID, INHERENT_USE. Of a provisional one:
 * NOT_YET_USED (lag or void), USE (used in this era), NOT_USED_SINCE (use or drag), INHERENT_USE.
 * A provisional profile by something else, restricted by phase, counts an object when one of its
 * possible phases is selected. */
HPF_API uint32_t hpp_census_n_eras(const hpp_census *census);
HPF_API const hpp_census_result *hpp_census_final(hpp_census *census, uint32_t index);

/* ---- Retainer sets -----------------------------------------------------------------------------
 * Visits, by id, each set that something has cost so far, as `.prof` shows it: `id` as in the
 * bands' names, `text` without braces, "<a[M],b[M]>, <c[M]>". The text is borrowed for the call;
 * it is OUT_OF_MEMORY when there is none for it.
 * Returns what `visit` returned. */
typedef int hpp_visit_set(uint32_t id, hpf_str text, void *context);
HPF_API int hpp_census_each_set(hpp_census *census, hpp_visit_set *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
