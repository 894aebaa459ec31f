/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Biography: lag, drag, void, use. (Park and Marlow, "Implementation of Lag/Drag/Void/Use
 * Profiling".)
 *
 * Time is counted in eras; each census ends one. It sums, for each band, the bytes not used yet,
 * those used at least once, and those inherently used. The rest is known when an object dies: an
 * object never used was void from its creation to the census before its death; one last used in era
 * t was drag from t + 1 to that census. Such an interval is recorded as two differences, at its
 * first era and after its last. At the end they are summed over the eras, and lag = not used -
 * void,  use = used - drag.
 *
 * An object whose band changes during its life (its retainer set) has a history: a list of bands,
 * each with its first era. Its last interval is then recorded in parts.
 */
#ifndef HPP_BIOGRAPHY_H
#define HPP_BIOGRAPHY_H

#include "hpprof/census_types.h"
#include "hpprof/life_word.h"
#include "result.h"
#include "base/map.h"

/* ---- Phases --------------------------------------------------------------------------------- */

/* The band of objects that a restriction excludes in this census. */
#define HPP__NO_BAND UINT32_MAX

/* The bytes of one band in one era. At the end, `unused_bytes` is lag, `used_bytes` is use. */
typedef struct hpp__phases {
    uint32_t band;
    uint64_t inherent_bytes;
    uint64_t unused_bytes;   /* not used yet */
    uint64_t used_bytes;     /* used at least once */
    uint64_t used_now_bytes; /* of these, used in this era; at the end: drag */
    uint64_t void_bytes;     /* at the end */
} hpp__phases;

/* A census of the past. */
typedef struct hpp__era {
    double time_s;
    uint64_t live_bytes, n_live_objects;
    hpp_retainer_figures retainers;
    hpp_missing missing;
    hpp__phases *phases; /* of the bands that hold something */
    size_t n_phases;
    uint32_t first_difference; /* of this era: index + 1, or 0 */
} hpp__era;

/* The change of a band's void and drag at an era. */
typedef struct hpp__difference {
    uint32_t band;
    uint32_t next; /* of the same era: index + 1, or 0 */
    int64_t void_bytes, drag_bytes;
} hpp__difference;

/* Where the last interval was recorded: its band, eras, and differences (index + 1; none: 0). */
typedef struct hpp__interval {
    uint32_t band, from, to, begin, end;
} hpp__interval;

/* The phase in which an object died: drag or void, from era `from` on. */
typedef struct hpp__last_phase {
    uint32_t from;
    bool is_drag;
    uint64_t bytes;
} hpp__last_phase;

/* How long an object was in each phase, in seconds, up to the last census before its death: void if
 * it was never used, else in all others. */
typedef enum hpp__phase {
    HPP__PHASE_LAG,
    HPP__PHASE_USE,
    HPP__PHASE_DRAG,
    HPP__PHASE_VOID,
    HPP__N_PHASES
} hpp__phase;

typedef struct hpp__life_seconds {
    bool is_used;
    double of[HPP__N_PHASES];
} hpp__life_seconds;

/* A part of an object's history: it is in `band` from the era `since` on. */
typedef struct hpp__stay {
    uint32_t band, since;
    uint32_t before; /* the stay before it, or the next free one: index + 1, or 0 */
} hpp__stay;

typedef struct hpp__biography {
    uint32_t era;       /* the current one, from 1 */
    uint32_t lost_band; /* for objects without memory for a band */
    bool has_histories;
    bool keeps_phases; /* of past eras */
    bool is_summed_up;
    hpp__map lives;   /* object -> its word, if not in its header */
    hpp__era *eras;   /* by number - 1; always room for the current one */
    hpp__phases *now; /* of the current era, by band */
    hpp__difference *differences;
    hpp__stay *stays;
    size_t eras_capacity, now_capacity, differences_capacity, stays_capacity;
    uint32_t n_differences, n_stays;
    hpp__interval last_recorded;
    uint32_t free_stay;     /* index + 1, or 0 */
    hpp__map difference_of; /* era and band -> index + 1 */
    hpp__map history_of;    /* object -> its last stay: index + 1 */
    uint64_t n_lost;        /* incomplete biographies */
    uint64_t n_skipped;     /* censuses without a record */
} hpp__biography;

/* Initialises a biography. `ref_shift` is the heap's. Errors: MEMORY. */
hpf_status hpp__biography_init(hpp__biography *biography, unsigned ref_shift, bool has_histories,
                               uint32_t lost_band, hpf_error *err);
void hpp__biography_finish(hpp__biography *biography);

/* The hooks of census.h, without locks. hpp__biography_dead returns whether the object's last phase
 * is still to be recorded, with hpp__biography_record for the band that the object was in; with
 * histories it records the phase itself. */
void hpp__biography_created(hpp__biography *biography, hpp_ref ref, uint64_t *life_word);
void hpp__biography_used(hpp__biography *biography, hpp_ref ref, uint64_t *life_word);
bool hpp__biography_dead(hpp__biography *biography, hpp_ref ref, const hpp_object *object,
                         hpp__last_phase *phase);
void hpp__biography_record(hpp__biography *biography, const hpp__last_phase *phase, uint32_t band);
/* Measures the phases of an object that dies, before hpp__biography_dead. Returns false if it has
 * none, because no census has seen it or its uses are not known. */
bool hpp__biography_measure(const hpp__biography *biography, hpp_ref ref, const hpp_object *object,
                            hpp__life_seconds *life);
void hpp__biography_moved(hpp__biography *biography, hpp_ref from, hpp_ref to);

/* A census: begin, see each living object, look at `now`, end. Objects in HPP__NO_BAND are seen,
 * too. `record` is what else is known; without memory the census leaves no record, and the era
 * goes on. */
void hpp__biography_begin_census(hpp__biography *biography);
void hpp__biography_see(hpp__biography *biography, hpp_ref ref, const hpp_object *object,
                        uint32_t band);
void hpp__biography_end_census(hpp__biography *biography, const hpp__era *record);

/* Adds the phases of a sum, between begin and end of a census, or, with `is_final`, as they are at
 * the end. */
void hpp__biography_add(hpp__biography *biography, uint32_t band, const hpp_phase_bytes *phases,
                        bool is_final);

/* Sums all eras, once all objects are dead. Errors: MEMORY; the call can be repeated then. */
hpf_status hpp__biography_sum_up(hpp__biography *biography, hpf_error *err);

#endif
