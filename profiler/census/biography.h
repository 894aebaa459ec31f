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
#include "result.h"
#include "base/map.h"

/* ---- The biography word ------------------------------------------------------------------------
 *
 * Bit 63: used at least once. Bits 32-62: the era of creation. Bits 0-31: the era of the last use.
 * (Park and Marlow, "Implementation of Lag/Drag/Void/Use Profiling": LDV words.) An object without
 * a biography has 0, and counts as created in the era of the first census that visits it.
 *
 * Threads: any thread may use an object at any time; two threads in one era write the same value.
 */
#define HPP_LIFE_USED (UINT64_C(1) << 63)
#define HPP_MAX_ERA   UINT32_C(0x7fffffff)

/* Returns the word of an object created in `era`. */
static inline uint64_t hpp_life_created_in(uint32_t era)
{
    return (uint64_t)era << 32;
}

/* Returns the word after a use in `era`. Era 0 means that the profile has no biography. */
static inline uint64_t hpp_life_after_use(uint64_t life, uint32_t era)
{
    return era == 0 ? life : ((life >> 32 << 32) | HPP_LIFE_USED | era);
}

static inline int hpp_life_is_used(uint64_t life)
{
    return (life & HPP_LIFE_USED) != 0;
}

static inline uint32_t hpp_life_creation_era(uint64_t life)
{
    return (uint32_t)(life >> 32) & HPP_MAX_ERA;
}

static inline uint32_t hpp_life_last_use_era(uint64_t life)
{
    return (uint32_t)life;
}

/* Update a word in a header: when its object is created, and when it is used. */
static inline void hpp_life_create(uint64_t *life_word, uint32_t era)
{
    HPP_RELAXED_STORE(life_word, hpp_life_created_in(era));
}

static inline void hpp_life_use(uint64_t *life_word, uint32_t era)
{
    HPP_RELAXED_STORE(life_word, hpp_life_after_use(HPP_RELAXED_LOAD(life_word), era));
}

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

/* A part of an object's history: it is in `band` from the era `since` on. */
typedef struct hpp__stay {
    uint32_t band, since;
    uint32_t before; /* the stay before it, or the next free one: index + 1, or 0 */
} hpp__stay;

typedef struct hpp__biography {
    uint32_t era;       /* the current one, from 1 */
    uint32_t lost_band; /* for objects without memory for a band */
    bool has_histories;
    bool is_summed_up;
    hpp__map lives;   /* object -> its word, if not in its header */
    hpp__era *eras;   /* by number - 1; always room for the current one */
    hpp__phases *now; /* of the current era, by band */
    hpp__difference *differences;
    hpp__stay *stays;
    size_t eras_capacity, now_capacity, differences_capacity, stays_capacity;
    uint32_t n_differences, n_stays;
    uint32_t free_stay;     /* index + 1, or 0 */
    hpp__map difference_of; /* era and band -> index + 1 */
    hpp__map history_of;    /* object -> its last stay: index + 1 */
    uint64_t n_lost;        /* incomplete biographies */
    uint64_t n_skipped;     /* censuses without a record */
} hpp__biography;

/* Initialises a biography. `ref_shift` is that of the heap. Errors: MEMORY. */
hpf_status hpp__biography_init(hpp__biography *biography, unsigned ref_shift, bool has_histories,
                               uint32_t lost_band, hpf_error *err);
void hpp__biography_finish(hpp__biography *biography);

/* The hooks of census.h, without locks. `band` is the object's current band; it is ignored if there
 * are histories. */
void hpp__biography_created(hpp__biography *biography, hpp_ref ref, uint64_t *life_word);
void hpp__biography_used(hpp__biography *biography, hpp_ref ref, uint64_t *life_word);
void hpp__biography_dead(hpp__biography *biography, hpp_ref ref, const hpp_object *object,
                         uint32_t band);
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
