/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of comma-separated values (docs/formats/csv.md): the reader of both shapes of profiles,
 * and cells for other tables.
 *
 *   wide: a row for each sample, a column for each name      tidy: a row for each amount
 *
 *     time,"main","queens"                                     time,name,value
 *     0.1,1024,0                                               0.1,"main",1024
 *     0.2,1024,77                                              0.1,"queens",0
 *
 * A wide table is complete: a name that is absent has 0. A tidy one omits zeros, except next to an
 * amount of the same name, so that plotted lines come down to zero.
 *
 * Headers and marks are not written; when a table is read, JOB and DATE are empty and the units are
 * seconds and bytes. Costs of a repeated name in a sample are added up.
 */
#ifndef HPF_CSV_H
#define HPF_CSV_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

/* Reads a table of either shape. It is tidy if its columns are `time`, `name` and `value`, in any
 * order; else the first column is the time and each other one a name. Errors: SYNTAX, ORDER (time
 * goes back), RANGE, LIMIT, MEMORY, from the source and the consumer. */
hpf_status hpf__csv_read(hpf_source *source, const hpf_events *events, void *context,
                         const hpf_reader_options *options, hpf_error *err);

/* Returns whether the first cell of the first line is `time`. */
bool hpf__csv_is_format(hpf_str head);

#endif
