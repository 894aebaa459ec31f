/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A source whose bytes are appended before they are read, and where a reader of one is.
 */
#ifndef HPF_SOURCE_H
#define HPF_SOURCE_H

#include "hpfile/source.h"

/* Creates an empty one, with the folder for temporary files of another source. Errors: MEMORY. */
HPF_MUST_USE hpf_status hpf__source_create_spool(hpf_source **out, const hpf_source *like,
                                                 hpf_error *err);
HPF_MUST_USE hpf_status hpf__source_append(hpf_source *source, hpf_str bytes, hpf_error *err);

/* Returns how many bytes were returned, decompressed. */
uint64_t hpf__source_offset(const hpf_source *source);

#endif
