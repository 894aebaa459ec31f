/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles as tables of comma-separated values, for plotting tools and spreadsheets
 * (docs/formats/csv.md). Two shapes:
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
#ifndef HPFILE_CSV_H
#define HPFILE_CSV_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpf_csv_shape { HPF_CSV_WIDE, HPF_CSV_TIDY } hpf_csv_shape;

typedef struct hpf_csv_writer hpf_csv_writer;

/* Creates a writer into `sink`, which is borrowed for its life. Returns NULL when there is no
 * memory. */
HPF_API hpf_csv_writer *hpf_csv_writer_create(hpf_sink *sink, hpf_csv_shape shape);

/* The events that the writer accepts; the context is the writer. A wide table needs all names
 * before the first sample, and fails on later ones with HPF_ERR_ORDER. */
HPF_API extern const hpf_events hpf_csv_writer_events;

/* Writes the last rows. Does not finish the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_csv_writer_finish(hpf_csv_writer *writer, hpf_error *err);

HPF_API void hpf_csv_writer_destroy(hpf_csv_writer *writer);

/* Reads a table of either shape. It is tidy if its columns are `time`, `name` and `value`, in any
 * order; else the first column is the time and each other one a name. Errors: SYNTAX, ORDER (time
 * goes back), RANGE, LIMIT, MEMORY, those of the source and of the consumer. */
HPF_API HPF_MUST_USE hpf_status hpf_csv_read(hpf_source *source, const hpf_events *events,
                                             void *context, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
