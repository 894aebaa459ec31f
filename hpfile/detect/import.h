/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a profile whose format cannot be read in pieces, or several that are samples of one. Names
 * and frames stay in memory; samples, marks and quantities can be kept in a spool, from which a
 * second pass reads them. Its functions for that do the same as those of detect/reader.h.
 */
#ifndef HPF_IMPORT_H
#define HPF_IMPORT_H

#include "hpfile/source.h"
#include "hpfile/writer.h"

typedef struct hpf__import hpf__import;

/* Creates an import. `events` is copied. Returns NULL when there is no memory. */
hpf__import *hpf__import_create(const hpf_events *events, void *context,
                                const hpf_reader_options *options);
void hpf__import_destroy(hpf__import *import);

/* Reads the sources, all of one format, and emits their events, with all four headers. Several
 * sources are samples in the order in which they were taken; with their place in the list as times
 * if the format does not say when. Names are emitted when they are used. Appends to the spool
 * (hpf__source_create_spool), unless NULL; offsets of samples are places in it, or their numbers.
 * Sets `*failed` to the source with the error. Errors: those of reading; RANGE, ORDER, MEMORY;
 * SYNTAX for a profile without samples; those of the consumer. */
HPF_MUST_USE hpf_status hpf__import_read(hpf__import *import, const hpf_format *format,
                                         hpf_source *const *sources, size_t n_sources,
                                         hpf_source *spool, size_t *failed, hpf_error *err);

/* Emits the events of the next bytes of the spool. Errors: IO, those of the consumer. */
hpf_status hpf__import_feed(hpf__import *import, const char *bytes, size_t n_bytes, hpf_error *err);
void hpf__import_revisit(hpf__import *import, const hpf_events *events, void *context);

hpf_str hpf__import_name(const hpf__import *import, hpf_name name);
size_t hpf__import_frames(const hpf__import *import, hpf_name name, hpf_frame *frames, size_t room);

/* Returns whether the profile was read. */
bool hpf__import_is_over(const hpf__import *import);

#endif
