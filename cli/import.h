/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Converts profiles that a survey cannot read into two texts that it can: a `.hp` profile, and a
 * sidecar file with labels and quantities (event/sidecar.h). Frames of call stacks go to a table.
 */
#ifndef CENSUS_IMPORT_H
#define CENSUS_IMPORT_H

#include "event/frame_table.h"
#include "hpfile/format.h"
#include "hpfile/sink.h"

/* The output of an import; all borrowed. */
typedef struct import_output {
    hpf_sink *profile, *rest;
    hpf_frame_table *frames;
} import_output;

/* Reads the sources, all of one format, and writes both texts. Several sources are samples of one
 * profile, in the order in which they were taken; with their place in the list as times if a format
 * does not say when. Finishes no sink. Sets `*failed` to the source with the error. Errors: from
 * reading, MEMORY. */
hpf_status import_profile(const hpf_format *format, hpf_source *const *sources, size_t n_sources,
                          const hpf_reader_options *options, const import_output *to,
                          size_t *failed, hpf_error *err);

/* Writes the live bytes that the garbage collector measured as samples of one name, with times as
 * in hpf_survey_options. Returns HPF_END if the event log has none. */
hpf_status import_live(hpf_source *source, bool uses_mutator_clock, hpf_sink *profile,
                       hpf_sink *rest, hpf_error *err);

#endif
