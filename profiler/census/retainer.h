/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Retainer profiling: who keeps an object alive. (Park and Peyton Jones, "Implementation of
 * Retainer Profiling".)
 *
 * The retainer sets of a heap are the least solution of: R(r) is in the set of each root r; and the
 * set of each child of c holds R(c) when c is a retainer, or else the whole set of c. A pass
 * computes it by a walk from the roots that carries sets. A child whose set does not change is not
 * walked again, nor is a retainer, which always passes on the same set.
 *
 * An object's word holds the number of the pass that wrote it and the number of its set. A word of
 * an earlier pass counts as empty, so nothing is cleared between passes.
 */
#ifndef HPP_RETAINER_H
#define HPP_RETAINER_H

#include "band_key.h"
#include "base/map.h"
#include "restrict.h"
#include "result.h"
#include "retainer_set.h"
#include "traverse.h"

typedef enum hpp__set_note {
    HPP__SET_PASSES = 1u << 0, /* the restrictions; neither: not known yet */
    HPP__SET_FAILS = 1u << 1,
    HPP__SET_CHARGED = 1u << 2, /* it has a cost */
} hpp__set_note;

/* What holds the retainers: the retainer sets of retainers, by their identity. From a set of
 * retainers, they lead to the sets that hold these, and so on to the roots. */

/* In place of a set: the retainer is a root. */
#define HPP__SET_OF_ROOT UINT32_MAX

/* Retainers with one identity and one set. */
typedef struct hpp__holding {
    uint32_t retainer, set;
    uint64_t size_bytes, n_objects;      /* in this census */
    uint64_t most_bytes, n_most_objects; /* in the census in which they were largest */
} hpp__holding;

typedef struct hpp__holders {
    hpp__map index_of; /* identity and set -> index + 1 */
    hpp__holding *all;
    size_t n, capacity;
} hpp__holders;

typedef struct hpp__retainer {
    const hpp_heap *heap; /* borrowed */
    hpp_retaining retaining;
    hpp__band_keys identity; /* R() */
    hpp__restrict named;     /* isRetainer(), for HPP_RETAINERS_NAMED */
    hpp__sets sets;
    hpp__holders holders;
    hpp__traverse traverse;
    hpp__map words;               /* of objects without one in their header */
    uint32_t pass;                /* of all engines; from 1 */
    uint64_t n_in_table;          /* objects of the last pass whose word is in the table */
    bool has_dropped;             /* the walk stopped somewhere for lack of memory */
    uint64_t n_untraced;          /* in this pass: objects that cannot be followed at all */
    hpp_retainer_figures figures; /* of this pass */
    unsigned char *notes;         /* by set: a set of hpp__set_note */
    size_t notes_capacity;
} hpp__retainer;

/* Initialises a retainer pass. Errors: MEMORY; ARGUMENT for an invalid identity. */
hpf_status hpp__retainer_init(hpp__retainer *retainer, const hpp_heap *heap,
                              const hpp_retaining *retaining, uint32_t max_retainers,
                              hpf_arena *arena, hpf_error *err);
void hpp__retainer_finish(hpp__retainer *retainer);

/* Computes the retainer sets of all objects that the roots reach. */
void hpp__retainer_pass(hpp__retainer *retainer);

/* Returns the set of an object, after a pass. */
uint32_t hpp__retainer_set(const hpp__retainer *retainer, hpp_ref ref, const hpp_object *object);

/* Returns whether a set passes the restrictions by retainer. */
bool hpp__retainer_set_passes(hpp__retainer *retainer, const hpp__restrict *restrictions,
                              uint32_t set);

/* After a pass, for each object: if it is a retainer, adds it to what holds retainers. */
void hpp__retainer_add_holder(hpp__retainer *retainer, hpp_ref ref, const hpp_object *object);

/* Ends the census for what holds retainers. */
void hpp__retainer_end_holders(hpp__retainer *retainer);

/* Adds the cost of an object to its set. */
void hpp__retainer_charge(hpp__retainer *retainer, uint32_t set, uint64_t size_bytes);
bool hpp__retainer_is_charged(const hpp__retainer *retainer, uint32_t set);

/* Appends "(id)label,label", cut to `max_bytes`; or MANY, UNREACHED, OUT_OF_MEMORY. */
void hpp__retainer_write_name(const hpp__retainer *retainer, uint32_t set, size_t max_bytes,
                              hpp__text *out);

/* Appends "<inner[M],...>, <...>", or the name of a special set. */
void hpp__retainer_write_whole(const hpp__retainer *retainer, uint32_t set, hpp__text *out);

#endif
