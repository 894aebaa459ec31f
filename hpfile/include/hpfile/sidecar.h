/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The sidecar of a `.hp` file, NAME.lines, with the data that `.hp` cannot hold: quantities, and
 * the labels of marks (docs/formats/sidecar.md).
 */
#ifndef HPFILE_SIDECAR_H
#define HPFILE_SIDECAR_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

HPF_BEGIN_DECLS

typedef struct hpf_sidecar_writer hpf_sidecar_writer;

/* Creates a writer into `sink`, which is borrowed for its life. Returns NULL when there is no
 * memory. */
HPF_API hpf_sidecar_writer *hpf_sidecar_writer_create(hpf_sink *sink);
HPF_API void hpf_sidecar_writer_destroy(hpf_sidecar_writer *writer);

/* The events that it accepts; the context is the writer. Points of lines and marks are rows, in the
 * order of the events; a sample sends the rows before it out. */
HPF_API extern const hpf_events hpf_sidecar_writer_events;

/* Reads a sidecar, and emits its points and marks in the order of the rows. A last row without a
 * line feed is left out: it may be in the middle of being written. Texts are borrowed for the call.
 * Errors: from the source; SYNTAX with the place; LIMIT for a row of more than 1 MiB; from
 * `events`. */
HPF_API HPF_MUST_USE hpf_status hpf_sidecar_read(hpf_source *source, const hpf_events *events,
                                                 void *context, hpf_error *err);

/* Returns whether a quantity is in a unit of its own instead of the value unit: its name ends with
 * the unit in parentheses, as in "visits (per object)". */
HPF_API bool hpf_quantity_has_own_unit(hpf_str name);

HPF_END_DECLS
#endif
