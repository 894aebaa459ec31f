/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares retainer schemes: what each choice of isRetainer() and R() costs and tells, on the same
 * heaps. (Park and Peyton Jones, "Implementation of Retainer Profiling": the algorithm is
 * parameterized over roots, R() and isRetainer(); the coarser R() is, the less a traversal costs.)
 *
 * Passes of several schemes may share the words in the headers of objects, because a pass ignores
 * words that another one has left; so each is evaluated before the next one begins.
 */
#ifndef HPP_SCHEMES_H
#define HPP_SCHEMES_H

#include "retainer.h"

/* "flagged", "all", "roots". */
extern const char *const hpp__rule_words[HPP_RETAINERS_NAMED];

/* The figures of a scheme, added up over all censuses. */
typedef struct hpp_scheme {
    const hpp_retaining *retaining;
    uint64_t n_censuses, n_objects, n_visits;
    uint64_t n_costed, n_retainers; /* objects with a cost, and the retainers in their sets */
    uint32_t largest_set;
    uint32_t n_sets;  /* created since the start */
    uint64_t time_ns; /* processor time of the passes */
} hpp_scheme;

/* All zero: there is only one scheme, and nothing to compare. */
typedef struct hpp__schemes {
    hpp_scheme *all;          /* the first is the profile's own */
    hpp__retainer *retainers; /* by scheme; not used for the first */
    size_t n;
} hpp__schemes;

/* Initialises all schemes of the options if there are several. Errors: MEMORY; ARGUMENT for an
 * invalid identity. */
hpf_status hpp__schemes_init(hpp__schemes *schemes, const hpp_heap *heap,
                             const hpp_census_options *options, uint32_t max_retainers,
                             hpf_arena *arena, hpf_error *err);
void hpp__schemes_finish(hpp__schemes *schemes);

/* Runs a pass, and adds its time to a scheme unless that is NULL. */
void hpp__scheme_pass(hpp_scheme *scheme, hpp__retainer *retainer);

/* Adds the figures of a pass, after the costs of all objects were added to their sets. */
void hpp__scheme_add(hpp_scheme *scheme, const hpp_retainer_figures *figures);

#endif
