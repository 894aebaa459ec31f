/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Converts profiles that a survey cannot read into two texts that it can: a `.hp` profile, and a
 * sidecar file with labels and quantities (event/sidecar.h).
 */
#ifndef CENSUS_IMPORT_H
#define CENSUS_IMPORT_H

#include "hpfile/format.h"
#include "hpfile/sink.h"

/* Reads the whole source and writes both texts. `max_name_bytes` is that of hpf_reader_options.
 * Finishes neither sink. Errors: those of reading, MEMORY. */
hpf_status import_profile(const hpf_format *format, hpf_source *source, size_t max_name_bytes,
                          hpf_sink *profile, hpf_sink *rest, hpf_error *err);

/* Writes the live bytes that the garbage collector measured as samples of one name. Returns HPF_END
 * if the event log has none. */
hpf_status import_live(hpf_source *source, hpf_sink *profile, hpf_sink *rest, hpf_error *err);

#endif
