/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --source: costs by line of the program's text, from profiles with places.
 */
#ifndef CENSUS_REPORT_SOURCE_H
#define CENSUS_REPORT_SOURCE_H

#include "input.h"
#include "hpfile/sink.h"

typedef struct report_source_options {
    const char *folder;
    size_t n_lines;
    bool exact, has_colours; /* as in source_view */
} report_source_options;

/* Write the view of a surveyed heap profile, of an opened `.prof`, and of files of address bins.
 * Errors: UNSUPPORTED if no cost has a place; from the input and the texts. */
hpf_status report_source_heap(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err);
hpf_status report_source_prof(const input *in, const report_source_options *options, hpf_sink *sink,
                              hpf_error *err);
/* Returns an exit status; prints messages. */
int report_source_bins(const char *const *paths, size_t n, const report_source_options *options,
                       const char *output);

#endif
