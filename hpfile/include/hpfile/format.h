/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Detecting the format of an input, and reading any format.
 */
#ifndef HPFILE_FORMAT_H
#define HPFILE_FORMAT_H

#include "hpfile/event.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpf_format {
    HPF_FORMAT_HP,       /* also any input of no other format */
    HPF_FORMAT_CSV,      /* hpfile/csv.h: the first cell of the first line is `time` */
    HPF_FORMAT_JSON,     /* hpfile/json_profile.h: the text begins with a brace */
    HPF_FORMAT_EVENTLOG, /* hpfile/eventlog.h: the bytes begin with hdrb */
    HPF_FORMAT_PROF, /* hpfile/prof.h: text that says what it is in the first line, or JSON whose
                        first member is "program". No heap profile */
} hpf_format;

/* "hp", "csv", "json", "eventlog" or "prof". */
HPF_API const char *hpf_format_name(hpf_format format);

/* Detects the format from the first bytes, and rewinds the source, which was opened with `keep`.
 * Errors: those of the source. */
HPF_API HPF_MUST_USE hpf_status hpf_format_detect(hpf_format *out, hpf_source *source,
                                                  hpf_error *err);

/* Reads the whole source as `format`. Errors: those of the format's reader; UNSUPPORTED for PROF.
 */
HPF_API HPF_MUST_USE hpf_status hpf_format_read(hpf_format format, hpf_source *source,
                                                const hpf_events *events, void *context,
                                                hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
