/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The census engine: sums the sizes of live objects by band.
 *
 * One breakdown defines the bands; any number of restrictions select the objects that count.
 * Retainer sets and biographies are computed if the breakdown or a restriction needs them, also
 * both at once.
 *
 * The engine never stops its program. Without memory it continues with less detail, and each result
 * reports what is missing (hpp_missing): bytes whose band could not be created are in the band
 * OUT_OF_MEMORY.
 *
 * Sources: Park and Peyton Jones, "Implementation of Retainer Profiling"; Park and Marlow,
 * "Implementation of Lag/Drag/Void/Use Profiling"; the GHC guide, chapter "Profiling".
 *
 * Threads: use an engine in one thread at a time, except with hpp_census_options.many_threads.
 */
#ifndef HPP_CENSUS_H
#define HPP_CENSUS_H

#include "hpfile/frame.h"
#include "hpprof/census_types.h"
#include "result.h"
#include "schemes.h"

typedef struct hpp_census hpp_census;

/* Creates an engine for a heap. Copies `heap`; what it points to is borrowed. `options` may be NULL
 * (all zero). Errors: MEMORY; ARGUMENT for an invalid breakdown or selector, for a restriction by
 * an unknown phase or set, and for an adapter without a needed function. */
HPF_MUST_USE hpf_status hpp_census_create(hpp_census **out, const hpp_heap *heap,
                                          const hpp_census_options *options, hpf_error *err);
void hpp_census_destroy(hpp_census *census);

/* Divides the bands of all results by stack, with calls if the heap has them, and by the further
 * break-downs of `options`, those that the engine was created with. Call it before the first census
 * of an engine by type, retainer, biography or stack, without savings. A biography of sums has
 * results again only at the end then (hpp_census_final). Errors: MEMORY; ARGUMENT for a heap
 * without stacks. */
HPF_MUST_USE hpf_status hpp__census_divide_by_stack(hpp_census *census,
                                                    const hpp_census_options *options,
                                                    hpf_error *err);

/* Returns whether stacks of the heap may have the places of calls. */
bool hpp__census_has_calls(const hpp_census *census);

/* Stores up to `room` frames of a band's stack, innermost first, without the outermost (MAIN).
 * Returns the number of frames of the stack; 0 for a band that is not a stack. Of an engine that
 * divides its bands, these are the bands by stack: what the band is, unless it is a stack itself,
 * and the further break-downs come before the stack, and `room` is 5 or more. Texts are borrowed
 * from the heap and the engine. */
size_t hpp__census_frames(const hpp_census *census, uint32_t band_index, hpf_frame *frames,
                          size_t room);

/* Stores the frames of a stack of producers in the same way. */
size_t hpp__stack_frames(const hpp_stacks *stacks, void *context, const void *stack,
                         hpf_frame *frames, size_t room);

/* Return whether the profile needs retainer sets, or biographies. */
bool hpp_census_has_retainers(const hpp_census *census);
bool hpp_census_has_biography(const hpp_census *census);

/* Takes a census at `time_s`, in seconds, which must not decrease. Call it after a complete
 * collection. The result is never NULL, and valid until the next call on this engine. With a
 * biography it is provisional (see hpp_census_final), and the next era begins. */
const hpp_census_result *hpp_census_take(hpp_census *census, double time_s);

/* ---- Biography ---------------------------------------------------------------------------------
 * The hooks do nothing if the profile has no biography. An object that is overwritten, or changes
 * its size or shape (a thunk becomes an indirection), dies, and a new one is created. */

/* Returns the current era, from 1; 0 without a biography, and after hpp_census_end. */
uint32_t hpp_census_era(const hpp_census *census);

/* Returns where a biography keeps the current era; it has a value also after hpp_census_end. */
const uint32_t *hpp__census_era_place(const hpp_census *census);

/* Record that an object is created, or used. `life_word` is its word in the header, or NULL if the
 * word is in the engine's table. */
void hpp_census_created(hpp_census *census, hpp_ref ref, uint64_t *life_word);
void hpp_census_used(hpp_census *census, hpp_ref ref, uint64_t *life_word);

/* Records that an object is dead: collected, or about to be overwritten. `object` describes it as
 * the last census saw it. Its reference may be used again. */
void hpp_census_dead(hpp_census *census, hpp_ref ref, const hpp_object *object);

/* Records that an object moved, and renames it in the engine's tables; words in headers move with
 * the object. Call it for every survivor of a collection. The order is free, but `to` must not be
 * the reference of an object that is still to be reported as moved or dead. */
void hpp_census_moved(hpp_census *census, hpp_ref from, hpp_ref to);

/* Ends the profile: all objects die, so all phases are known. A second call does nothing. Errors:
 * MEMORY; the results of hpp_census_final stay provisional then. */
HPF_MUST_USE hpf_status hpp_census_end(hpp_census *census, hpf_error *err);

/* With a biography: return the number of censuses so far, and the result of one of them, by index
 * from 0. It is final after hpp_census_end, else provisional, and valid until the next call on this
 * engine. If the heap's sums have phases, they must be of that census after hpp_census_end.
 *
 * Bands of a final biography: LAG, USE, DRAG, VOID, INHERENT_USE. Of a provisional one:
 * NOT_YET_USED (lag or void), USE (used in this era), NOT_USED_SINCE (use or drag), INHERENT_USE.
 * A provisional profile with another breakdown, restricted by phase, counts an object if one of its
 * possible phases is selected. */
uint32_t hpp_census_n_eras(const hpp_census *census);
const hpp_census_result *hpp_census_final(hpp_census *census, uint32_t index);

/* ---- Retainer sets -----------------------------------------------------------------------------
 * Visits each set with a cost, by id: `id` is that in the names of bands, `text` the set as in
 * `.prof`, without braces: "<a[M],b[M]>, <c[M]>", or OUT_OF_MEMORY. The text is valid during the
 * call. Returns the value of the last visit. */
typedef int hpp_visit_set(uint32_t id, hpf_str text, void *context);
int hpp_census_each_set(hpp_census *census, hpp_visit_set *visit, void *context);

/* A profile may compare schemes: visits them, the profile's own first. */
bool hpp_census_compares_schemes(const hpp_census *census);
typedef int hpp_visit_scheme(const hpp_scheme *scheme, void *context);
int hpp_census_each_scheme(const hpp_census *census, hpp_visit_scheme *visit, void *context);

/* Retainers of one identity that are roots, or whose set is `by`: as in hpp_visit_set, or MANY,
 * UNREACHED, OUT_OF_MEMORY. Restrictions do not apply. */
typedef struct hpp_holding {
    hpf_str retainer; /* as in a set, without angle brackets */
    hpf_str by;
    bool is_root;
    uint64_t size_bytes, n_objects;
} hpp_holding;

/* Visits what held the retainers in all censuses; sizes and numbers are of the census in which a
 * holding was largest. */
typedef int hpp_visit_holding(const hpp_holding *holding, void *context);
int hpp_census_each_holding(hpp_census *census, hpp_visit_holding *visit, void *context);

typedef struct hpp__life_times hpp__life_times; /* life_times.h */

/* Returns how long objects were in each phase, once hpp_census_end was called; NULL without the
 * option life_times. */
const hpp__life_times *hpp__census_life_times(const hpp_census *census);

#endif
