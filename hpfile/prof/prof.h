/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The report of retainer profiling, and what the readers and the writer of reports share.
 */
#ifndef HPF_PROF_H
#define HPF_PROF_H

#include "hpfile/prof.h"

/* Returns whether GHC hides a cost centre of this label and place: GC, SYSTEM and others of its
 * own. */
HPF_API bool hpf_prof_hides(hpf_str label, hpf_str srcloc);

/* One census of retainer profiling. */
typedef struct hpf_prof_census {
    uint64_t number; /* from 0 */
    double time_s;
    uint64_t max_stack_entries; /* deepest work stack of the traversal */
    double visits_per_object;
} hpf_prof_census;

HPF_API void hpf_prof_write_census(hpf_sink *sink, const hpf_prof_census *census);

/* Retainer sets follow the censuses: the title once, then "SET id = {text}" for each. */
HPF_API void hpf_prof_write_sets_title(hpf_sink *sink);
HPF_API void hpf_prof_write_set(hpf_sink *sink, uint64_t id, hpf_str text);

/* Reads one line: HPF_OK and the members of `SET id = {text}`, borrowed from the line; HPF_END when
 * it is another line. */
HPF_API hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line);

#endif
