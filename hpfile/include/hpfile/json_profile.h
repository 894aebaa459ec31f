/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole profiles as JSON (docs/formats/json-profile.md): headers, marks, quantities, and an object
 * for each sample with its amounts by name. Nothing is lost but the order of the costs of a sample;
 * those of a repeated name are added up.
 */
#ifndef HPFILE_JSON_PROFILE_H
#define HPFILE_JSON_PROFILE_H

#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_json_profile_writer hpf_json_profile_writer;

/* Creates a writer into `sink`, which is borrowed for its life. Returns NULL when there is no
 * memory. */
HPF_API hpf_json_profile_writer *hpf_json_profile_writer_create(hpf_sink *sink);

/* The events that the writer accepts; the context is the writer. Headers, marks and quantities must
 * come before the first sample, as hpf_survey_emit sends them; later ones fail with HPF_ERR_ORDER.
 */
HPF_API extern const hpf_events hpf_json_profile_writer_events;

/* Writes the end of the document. Does not finish the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_json_profile_writer_finish(hpf_json_profile_writer *writer,
                                                               hpf_error *err);

HPF_API void hpf_json_profile_writer_destroy(hpf_json_profile_writer *writer);

/* Reads a profile. Members may come in any order; unknown ones are skipped. Missing units are
 * seconds and bytes, other missing headers are empty. Marks that precede the samples are emitted in
 * the order of time. Errors: SYNTAX, ORDER (time goes back), RANGE, VERSION, LIMIT, MEMORY, those
 * of the source and of the consumer. */
HPF_API HPF_MUST_USE hpf_status hpf_json_profile_read(hpf_source *source, const hpf_events *events,
                                                      void *context, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
