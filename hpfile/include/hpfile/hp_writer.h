/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of `.hp` files as GHC writes them (docs/formats/hp.md).
 *
 * The headers are written together before the first sample or mark, in GHC's order; missing ones
 * are written empty. A header that changes later is written again. Times have six decimals, or as
 * many as they need to be read back unchanged. With `flush_samples`, each sample is written in one
 * call, with its END_SAMPLE, so that followers of the file never see half a sample.
 *
 * Names and headers are written raw, as GHC does. Bytes that would be read back as something else
 * are replaced by '_': blanks inside a name that a reader would take for the end of it, line feeds
 * and NULs, a leading quote; a name that is a keyword gets a '_' in front. A line feed behind `\"`
 * in a header becomes a blank. What came from a `.hp` file never needs it.
 */
#ifndef HPFILE_WRITER_H
#define HPFILE_WRITER_H

#include "hpfile/event.h"
#include "hpfile/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_hp_writer hpf_hp_writer;

/* Creates a writer into `sink`, which is borrowed for its life. Returns NULL when there is no
 * memory. */
HPF_API hpf_hp_writer *hpf_hp_writer_create(hpf_sink *sink, bool flush_samples);

/* The events that the writer accepts; the context is the writer. */
HPF_API extern const hpf_events hpf_hp_writer_events;

/* Writes the headers if no sample or mark came. Does not finish the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_hp_writer_finish(hpf_hp_writer *writer, hpf_error *err);

HPF_API void hpf_hp_writer_destroy(hpf_hp_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
