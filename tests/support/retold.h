/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles emitted in another format and read back, as texts.
 */
#ifndef CENSUS_TESTS_RETOLD_H
#define CENSUS_TESTS_RETOLD_H

#include "hpfile/csv.h"
#include "hpfile/format.h"

/* A `.hp` text as JSON / as a table. Freed by the caller; ends with a NUL. NULL on any failure. */
char *retold_as_json(hpf_str hp);
char *retold_as_csv(hpf_str hp, hpf_csv_shape shape);

/* All events of `text` read as `format`, one line each (readings.h). Freed by the caller; NULL with
 * `err` filled when it is refused. */
char *events_of(hpf_format format, hpf_str text, hpf_error *err);

/* The text read as `format`, written as `.hp`; the same. */
char *retold_as_hp(hpf_format format, hpf_str text, hpf_error *err);

#endif
