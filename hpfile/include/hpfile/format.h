/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The formats of profiles: detecting the format of an input, and reading any of them. writer.h says
 * what each can do, and writes them.
 */
#ifndef HPFILE_FORMAT_H
#define HPFILE_FORMAT_H

#include "hpfile/event.h"
#include "hpfile/source.h"
#include "hpfile/writer.h"

HPF_BEGIN_DECLS

/* The formats that programs ask for most; all others are found by their names. */
HPF_API extern const hpf_format hpf_format_hp, hpf_format_eventlog, hpf_format_massif,
    hpf_format_prof;

/* Returns all formats, ending with NULL; static. */
HPF_API const hpf_format *const *hpf_formats(void);

/* Returns the format of that name ("hp", "csv", "json", "eventlog", ...), or NULL. */
HPF_API const hpf_format *hpf_format_find(const char *name);

/* Detects the format from the first bytes, and rewinds the source, which was opened with `keep`.
 * Input of no known format is "hp". Errors: from the source; UNSUPPORTED for a file of another
 * tool, which the message names. */
HPF_API HPF_MUST_USE hpf_status hpf_format_detect(const hpf_format **out, hpf_source *source,
                                                  hpf_error *err);

/* Reads the whole source as `format`. NULL `options` are all zero. Errors: from the format's
 * reader; UNSUPPORTED for a format without heap profiles. */
HPF_API HPF_MUST_USE hpf_status hpf_format_read(const hpf_format *format, hpf_source *source,
                                                const hpf_events *events, void *context,
                                                const hpf_reader_options *options, hpf_error *err);

HPF_END_DECLS
#endif
