/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The retainer sets of a `.prof` report, for the names of `-hr` profiles. Such a name has the
 * number of its set and the labels of the members, truncated: `(105)SYSTEM,eval,lookupVa`. The
 * report has the full members, each a cost-centre stack:
 *
 *     SET 105 = {<SYSTEM.SYSTEM>, <Main.eval,Main.main>, <Main.lookupVar,Main.eval,Main.main>}
 *
 * GHC renumbers its sets during a run, and a report may be of another run. So a name belongs to a
 * set only if the labels match, too.
 *
 * Memory: the text of the sets.
 */
#ifndef HPFILE_RETAINER_SETS_H
#define HPFILE_RETAINER_SETS_H

#include "hpfile/event.h"
#include "hpfile/source.h"
#include "hpfile/prof.h"

HPF_BEGIN_DECLS

typedef struct hpf_retainer_sets hpf_retainer_sets;

/* Reads the whole source; other lines are skipped. A source without sets is not an error. Errors:
 * MEMORY; LIMIT, for a line of more than 16 MiB; from the source. */
HPF_API HPF_MUST_USE hpf_status hpf_retainer_sets_read(hpf_retainer_sets **out, hpf_source *source,
                                                       hpf_error *err);
HPF_API void hpf_retainer_sets_destroy(hpf_retainer_sets *sets);

HPF_API uint32_t hpf_retainer_sets_n(const hpf_retainer_sets *sets);

/* The set of a name. Borrowed from the sets. */
typedef struct hpf_retainer_set {
    hpf_str name;    /* with all its labels, not truncated */
    hpf_str members; /* as in the report, without the braces */
} hpf_retainer_set;

/* Finds the set of a profile's name. Returns false if it is unknown, also without memory. */
HPF_API bool hpf_retainer_sets_find(hpf_retainer_sets *sets, hpf_str name, hpf_retainer_set *out);

/* Removes the next member from the members of a set, and returns it without its brackets; data is
 * NULL after the last. */
HPF_API hpf_str hpf_retainer_sets_next_member(hpf_str *members);

/* Returns what held the retainers; none if the report does not have it, like GHC's reports.
 * Borrowed from the sets. */
HPF_API const hpf_prof_holding *hpf_retainer_sets_holdings(const hpf_retainer_sets *sets,
                                                           size_t *n);

HPF_END_DECLS
#endif
