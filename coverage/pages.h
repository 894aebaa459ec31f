/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Marked-up coverage: a page for each module, with its text in colours, and pages that list the
 * modules.
 */
#ifndef HPC_PAGES_H
#define HPC_PAGES_H

#include "coverage/report.h"

/* The look of pages. */
typedef struct hpc_pages_options {
    bool highlight_covered; /* colours show what was evaluated, not what was not */
    bool has_counts;        /* the line of a declaration says how often it was entered */
} hpc_pages_options;

typedef struct hpc_pages hpc_pages;

/* Returns NULL without memory. */
hpc_pages *hpc_pages_create(const hpc_pages_options *options);
void hpc_pages_destroy(hpc_pages *pages);

/* Adds a module and writes its page; `tix` has a count for each box. Stores the number of boxes
 * after the end of the text in `*n_outside`. Errors: ARGUMENT; MEMORY. */
HPF_MUST_USE hpf_status hpc_pages_add(hpc_pages *pages, const hpc_mix *mix,
                                      const hpc_tix_module *tix, hpf_str text, size_t *n_outside,
                                      hpf_sink *sink, hpf_error *err);

/* The lists of modules: by name, and by shares of three kinds of boxes. */
enum { HPC_N_LISTS = 4 };

/* Returns the name of the page of a list, without suffix: static. */
const char *hpc_pages_list_name(int list);

/* Writes a list of all modules. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpc_pages_write_list(hpc_pages *pages, int list, hpf_sink *sink,
                                             hpf_error *err);

#endif
