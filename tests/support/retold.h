/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles emitted in another format and read back, as texts.
 */
#ifndef CENSUS_TESTS_RETOLD_H
#define CENSUS_TESTS_RETOLD_H

#include "event/format_row.h"
#include "hpfile/format.h"

/* Creates a writer; NULL on any failure. */
hpf_writer *create_writer(const hpf_format *format, hpf_sink *sink,
                          const hpf_writer_options *options);

/* Returns a `.hp` text in another format, as a sink into memory or as a text that ends with a NUL.
 * Freed by the caller. NULL on any failure. */
hpf_sink *written_as(const hpf_format *format, hpf_str hp);
char *retold_as(const hpf_format *format, hpf_str hp);

/* All events of `text` read as `format`, one line each (readings.h). Freed by the caller; NULL with
 * `err` filled when it is refused. */
char *events_of(const hpf_format *format, hpf_str text, hpf_error *err);

/* The text read as `format`, written as `.hp`; the same. */
char *retold_as_hp(const hpf_format *format, hpf_str text, hpf_error *err);

#endif
