/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options and results of a census (census.h).
 */
#ifndef HPPROF_CENSUS_TYPES_H
#define HPPROF_CENSUS_TYPES_H

#include "hpfile/breakdown.h"
#include "hpprof/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An object passes if one of the names equals: for -hc the innermost cost centre, for -hC any cost
 * centre of its stack, for -hm, -hd, -hy and -hT the text, for -hr the innermost cost centre of one
 * of its retainers ("MANY" for the set MANY, "UNREACHED" for objects that no root reaches), for -hb
 * "lag", "drag", "void", "use" or "inherent_use". Names are compared with the full text, byte by
 * byte. An object counts if it passes all restrictions, also those with equal selectors. */
typedef struct hpp_restriction {
    hpf_breakdown selector;
    const hpf_str *names;
    size_t n_names;
} hpp_restriction;

/* Which objects are retainers, and which of them count as one. */
typedef struct hpp_retaining {
    /* R(), the identity of a retainer: by stack (0, the default), module, description, type or
     * kind. A coarser identity has fewer sets and visits. */
    hpf_breakdown identity;
    /* isRetainer(); NULL: use the object's flags. Must not change its answer during a census. */
    bool (*is_retainer)(hpp_ref ref, const hpp_object *object, void *context);
    void *context;
} hpp_retaining;

typedef struct hpp_census_options {
    hpf_breakdown breakdown;             /* NONE: by stack; not by info table or era */
    const hpp_restriction *restrictions; /* copied */
    size_t n_restrictions;
    uint32_t max_retainers;  /* -R: a larger set is MANY; 0: 8 */
    uint32_t max_name_bytes; /* -L: longest name of a stack or retainer set, cut at a character
                                boundary; 0: 25 */
    bool count_stacks;       /* -xt: count HPP_STACK objects */
    bool many_threads;       /* several threads call the hooks at once (but not the census) */
    hpp_retaining retaining;
} hpp_census_options;

/* One band of a result. `index` counts from 0 in order of first appearance, and is the same for a
 * name in all results of an engine; it can be used as an hpf_name. Names are valid until the engine
 * is destroyed. */
typedef struct hpp_band {
    uint32_t index;
    hpf_str name;
    uint64_t size_bytes; /* never 0 */
} hpp_band;

/* What is missing for lack of memory; all 0 if nothing is. */
typedef struct hpp_missing {
    /* In this census. */
    uint64_t unnamed_bytes; /* in the band OUT_OF_MEMORY */
    uint64_t n_sets;        /* retainer sets that could not be created (their objects have the set
                               OUT_OF_MEMORY) or cannot be visited */
    uint64_t n_untraced;    /* objects whose children could not be followed */
    /* Since the start. */
    uint64_t n_biographies; /* objects whose last phase is unknown: they count as lag or use */
    uint64_t n_eras;        /* censuses without a record: their era continues */
} hpp_missing;

/* The retainer pass of one census. */
typedef struct hpp_retainer_figures {
    uint64_t n_objects;  /* reached from the roots */
    uint64_t n_visits;   /* n_visits / n_objects is the paper's visits per object */
    uint64_t n_scans;    /* walks over the children of an object */
    uint64_t max_frames; /* deepest work stack */
    uint64_t size_bytes; /* cost of all sets: all that is counted, except UNREACHED */
    uint32_t n_sets;     /* created since the start */
} hpp_retainer_figures;

/* One sample. */
typedef struct hpp_census_result {
    double time_s;
    uint32_t era;          /* from 1 */
    bool is_provisional;   /* phases that are not known yet are joined */
    const hpp_band *bands; /* by index, increasing */
    size_t n_bands;
    uint64_t size_bytes; /* all bands together */
    uint64_t live_bytes; /* all objects, whatever the restrictions; stacks only with count_stacks */
    uint64_t n_live_objects;
    hpp_retainer_figures retainers;
    hpp_missing missing;
} hpp_census_result;

#ifdef __cplusplus
}
#endif
#endif
