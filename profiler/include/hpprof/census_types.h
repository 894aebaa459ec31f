/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options of a census: what its bands are, and which objects count.
 */
#ifndef HPPROF_CENSUS_TYPES_H
#define HPPROF_CENSUS_TYPES_H

#include "hpfile/breakdown.h"
#include "hpprof/heap.h"

HPF_BEGIN_DECLS

/* An object passes if one of the names equals: for -hc the innermost cost centre, for -hC any cost
 * centre of its stack, for -hm, -hd, -hy and -hT the text, for -hr the innermost cost centre of one
 * of its retainers, or the part of it before an '@' ("MANY" for the set MANY, "UNREACHED" for
 * objects that no root reaches), for -hb "lag", "drag", "void", "use" or "inherent_use". Names are
 * compared with the full text, byte by byte. An object counts if it passes all restrictions, also
 * those with equal selectors. */
typedef struct hpp_restriction {
    hpf_breakdown selector;
    const hpf_str *names;
    size_t n_names;
} hpp_restriction;

/* isRetainer(): which objects are retainers. Roots always are, in their own sets. */
typedef enum hpp_retainer_rule {
    HPP_RETAINERS_FLAGGED, /* those with HPP_RETAINER: thunks, mutable objects, stacks */
    HPP_RETAINERS_ALL,     /* all: the set of an object contains its parents */
    HPP_RETAINERS_ROOTS,   /* roots only: the set of an object contains the roots that lead to it */
    HPP_RETAINERS_NAMED,   /* objects that pass the restriction `named` */
} hpp_retainer_rule;

/* Which objects are retainers, and which of them count as one. */
typedef struct hpp_retaining {
    /* R(), the identity of a retainer: by stack (0, the default), module, description, type, kind
     * or info table (the shape). A coarser identity has fewer sets and visits. */
    hpf_breakdown identity;
    hpp_retainer_rule rule;
    hpp_restriction named; /* by stack, module, description, type or kind; copied */
    /* Decides instead of `rule` unless NULL. Must not change its answer during a census. */
    bool (*is_retainer)(hpp_ref ref, const hpp_object *object, void *context);
    void *context;
} hpp_retaining;

/* Most further break-downs, and of these, most that stacks do not say. */
enum { HPP_MAX_FURTHER = 5, HPP_MAX_FURTHER_BANDS = 2 };

typedef struct hpp_census_options {
    hpf_breakdown breakdown; /* NONE: by stack; not by info table or era */
    /* Further break-downs that a recording of `census run` answers, too, each once; those by stack,
     * module and description are in its stacks. */
    hpf_breakdown further[HPP_MAX_FURTHER];
    size_t n_further;
    const hpp_restriction *restrictions; /* copied */
    size_t n_restrictions;
    uint32_t max_retainers;  /* -R: a larger set is MANY; 0: 8 */
    uint32_t max_name_bytes; /* -L: longest name of a stack or retainer set, cut at a character
                                boundary; 0: 25 */
    bool count_stacks;       /* -xt: count HPP_STACK objects */
    bool savings;       /* --savings: break down objects in lag, drag or void by phase, producer
                           and retainer set at once; `breakdown` is ignored */
    bool life_times;    /* --life-times: measure how long each object is in each phase; needs a
                           biography, and a heap whose objects are visited */
    bool count_objects; /* --count: the cost of an object is 1, not its size */
    bool many_threads;  /* several threads call the hooks at once (but not the census) */
    hpp_retaining retaining;
    /* Schemes to compare with `retaining`, which is the first of them: each rule (isRetainer())
     * with each identity (R()). No rule, or no identity, means the identity of `retaining`.
     * Copied. */
    const hpp_retaining *rules;
    const hpf_breakdown *identities;
    size_t n_rules, n_identities;
} hpp_census_options;

/* Returns whether a break-down, the first or a further one, or a restriction is by a property. */
static inline bool hpp_census_asks_for(const hpp_census_options *options, hpf_breakdown property)
{
    bool asks = options->breakdown == property;
    for (size_t i = 0; i < options->n_further && !asks; i++) {
        asks = options->further[i] == property;
    }
    for (size_t i = 0; i < options->n_restrictions && !asks; i++) {
        asks = options->restrictions[i].selector == property;
    }
    return asks;
}

HPF_END_DECLS
#endif
