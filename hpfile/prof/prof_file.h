/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A report that is being read back, by one of two readers: of text, and of JSON.
 */
#ifndef HPF_PROF_FILE_H
#define HPF_PROF_FILE_H

#include "base/arena.h"
#include "hpfile/prof.h"
#include "io/byte_cursor.h"

/* Deeper trees are refused: each level takes some of the C stack, or of the time for all stacks
 * above it. */
enum { HPF__PROF_DEEPEST = 2000 };

struct hpf_prof_file {
    hpf_prof prof; /* `centres` and `stacks` are set at the end */
    hpf_arena *arena;
    hpf_prof_centre *centres; /* prof.n_centres */
    size_t centres_capacity;
    hpf_prof_stack *stacks; /* prof.n_stacks */
    size_t stacks_capacity;
};

/* Makes room for the centre of this index, and counts it if it is the next one. Errors: MEMORY. */
hpf_status hpf__prof_file_fit_centre(hpf_prof_file *file, uint32_t index, hpf_error *err);

/* Adds a stack without costs, of no centre yet (UINT32_MAX). Errors: LIMIT; MEMORY. */
hpf_status hpf__prof_file_add_stack(hpf_prof_file *file, uint32_t parent_index, hpf_error *err);

/* Copies a text for the life of the file. Errors: MEMORY. */
hpf_status hpf__prof_file_keep(hpf_prof_file *file, hpf_str text, hpf_str *copy, hpf_error *err);

/* Returns whether GHC hides a cost centre of this label and place: GC, SYSTEM and others of its
 * own. */
bool hpf__prof_hides(hpf_str label, hpf_str srcloc);

/* Both read from where the scan is to the end of the input. */
hpf_status hpf__prof_read_json(hpf_prof_file *file, hpf__cursor scan, hpf_error *err);
hpf_status hpf__prof_read_text(hpf_prof_file *file, hpf__cursor scan, hpf_error *err);

#endif
