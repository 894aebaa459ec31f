/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options and results of a census (census.h).
 */
#ifndef HPPROF_CENSUS_TYPES_H
#define HPPROF_CENSUS_TYPES_H

#include "hpprof/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The letter after -h. */
typedef enum hpp_breakdown {
    HPP_BY_STACK = 'c',       /* producer: cost-centre stack or call stack */
    HPP_IN_STACK = 'C',       /* restrictions only: a cost centre anywhere in the stack */
    HPP_BY_MODULE = 'm',      /* module of the producer, or of the shape when there is none */
    HPP_BY_DESCRIPTION = 'd', /* closure description */
    HPP_BY_TYPE = 'y',        /* type description */
    HPP_BY_RETAINERS = 'r',   /* retainer set */
    HPP_BY_BIOGRAPHY = 'b',   /* lag, drag, void, use, and inherently used */
    HPP_BY_KIND = 'T',        /* kind of object */
} hpp_breakdown;

/* An object passes when the selector names it: -hc the innermost cost centre, -hC any cost centre
 * of its stack, -hm, -hd, -hy, -hT the text, -hr the innermost cost centre of one of its retainers
 * (the set MANY is selected by "MANY", objects that no root reaches by "UNREACHED"), -hb "lag",
 * "drag", "void", "use" or "inherent_use". Names are compared whole, byte by byte, with the full
 * text. Several restrictions must all be passed, also several of one selector. */
typedef struct hpp_restriction {
    hpp_breakdown selector;
    const hpf_str *names;
    size_t n_names;
} hpp_restriction;

/* How retainers are told. */
typedef struct hpp_retaining {
    /* R(), the identity of a retainer: any of stack (the default, 0), module, description, type,
     * kind. The coarser, the fewer sets and visits. */
    hpp_breakdown identity;
    /* isRetainer(); NULL: the object's flags say so. Must answer the same for the same object
     * during one census. */
    bool (*is_retainer)(hpp_ref ref, const hpp_object *object, void *context);
    void *context;
} hpp_retaining;

typedef struct hpp_census_options {
    hpp_breakdown breakdown;             /* 0: by stack */
    const hpp_restriction *restrictions; /* copied */
    size_t n_restrictions;
    uint32_t max_retainers;  /* -R: larger sets are the set MANY; 0: 8 */
    uint32_t max_name_bytes; /* -L: names of stacks and retainer sets are cut there, on a
                                character boundary; 0: 25 */
    bool count_stacks;       /* -xt: HPP_STACK objects cost what they are */
    bool many_threads;       /* the hooks (not the census) are called by several threads at once */
    hpp_retaining retaining;
} hpp_census_options;

/* One band of a result. `index` is dense from 0 in order of first appearance and means the same
 * name in all results of an engine; it can serve as an hpf_name. Names are borrowed until the
 * engine is destroyed. */
typedef struct hpp_band {
    uint32_t index;
    hpf_str name;
    uint64_t size_bytes; /* never 0 */
} hpp_band;

/* What is missing for lack of memory; all 0 when nothing is. */
typedef struct hpp_missing {
    /* In this census. */
    uint64_t unnamed_bytes; /* counted, but under the band OUT_OF_MEMORY */
    uint64_t n_sets;        /* retainer sets that could not be made, so that objects have the set
                               OUT_OF_MEMORY instead; or that may not be visited */
    uint64_t n_untraced;    /* objects whose children could not be followed */
    /* Since the beginning. */
    uint64_t n_biographies; /* objects whose last phase is unknown: seen as lag or use */
    uint64_t n_eras;        /* censuses that left no record: their era goes on */
} hpp_missing;

/* The retainer pass of one census. */
typedef struct hpp_retainer_figures {
    uint64_t n_objects;  /* reached from the roots */
    uint64_t n_visits;   /* arrivals at an object: the paper's visits per object are
                            n_visits / n_objects */
    uint64_t n_scans;    /* times that an object's children were walked */
    uint64_t max_frames; /* deepest work stack */
    uint64_t size_bytes; /* cost of all sets together: of what is counted, but UNREACHED */
    uint32_t n_sets;     /* made since the beginning */
} hpp_retainer_figures;

/* One sample. */
typedef struct hpp_census_result {
    double time_s;
    uint32_t era;          /* from 1 */
    bool is_provisional;   /* phases that only the future can tell are joined */
    const hpp_band *bands; /* by index, increasing */
    size_t n_bands;
    uint64_t size_bytes; /* all bands together */
    uint64_t live_bytes; /* all objects, restricted or not; stacks only when counted */
    uint64_t n_live_objects;
    hpp_retainer_figures retainers;
    hpp_missing missing;
} hpp_census_result;

#ifdef __cplusplus
}
#endif
#endif
