/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options of a census: what its bands are, and which objects count.
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

#ifdef __cplusplus
}
#endif
#endif
