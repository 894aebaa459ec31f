/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which allocation sites make retainers, that is blocks that hold others: by default those with few
 * live blocks (a cache, a table, a session), not those with many (nodes, strings), nor those where
 * variables get their first values: these hold under their own names. Regular expressions decide
 * for the sites that they match.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_RETAINER_SITES_H
#define HPP_NATIVE_COLLECTOR_PROFILE_RETAINER_SITES_H

#include "hpprof/collector_types.h"

/* Of a site that did not retain at the last census; and of one that did, so that a site does not
 * change from census to census. */
enum { HPP__RETAINER_MAX_BLOCKS = 8, HPP__RETAINER_STILL_MAX_BLOCKS = 16 };

typedef struct hpp__retainer_sites hpp__retainer_sites;

/* Compiles `retainer` and `no_retainer` of the options. Errors: MEMORY; ARGUMENT for an invalid
 * expression. */
hpf_status hpp__retainer_sites_create(hpp__retainer_sites **out,
                                      const hpp_collector_options *options, hpf_error *err);
void hpp__retainer_sites_destroy(hpp__retainer_sites *sites);

typedef enum hpp__verdict {
    HPP__VERDICT_BY_NUMBER, /* retains if it has few blocks */
    HPP__VERDICT_RETAINS,
    HPP__VERDICT_DOES_NOT,
} hpp__verdict;

/* Returns what the expressions say about a site, of which the description ("function@file:line")
 * or the function alone must match; `no_retainer` goes first. `sites` may be NULL. */
hpp__verdict hpp__retainer_sites_judge(const hpp__retainer_sites *sites, hpf_str description,
                                       hpf_str function);

#endif
