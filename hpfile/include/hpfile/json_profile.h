/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole profiles as JSON (docs/formats/json-profile.md): headers, marks, lines, and an object for
 * each sample that holds its amounts by name. Nothing is lost but the order and number of equal
 * names in a sample, whose amounts are added up.
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

/* A writer into `sink`, which is borrowed for the writer's life. NULL when there is no memory. */
HPF_API hpf_json_profile_writer *hpf_json_profile_writer_create(hpf_sink *sink);

/* The events that the writer accepts; the context is the writer. Headers, marks and lines must come
 * before the first sample, and are refused later with HPF_ERR_ORDER: hpf_survey_emit sends them so.
 */
HPF_API extern const hpf_events hpf_json_profile_writer_events;

/* Closes what is open. Does not finish the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_json_profile_writer_finish(hpf_json_profile_writer *writer,
                                                               hpf_error *err);

HPF_API void hpf_json_profile_writer_destroy(hpf_json_profile_writer *writer);

/* Reads a profile. Members may stand in any order, and others are passed over; missing units are
 * seconds and bytes, other missing headers empty. A mark is sent before the first sample that is
 * later, if it stands before the samples. Errors: SYNTAX, ORDER (time goes back), RANGE, VERSION,
 * LIMIT, MEMORY, those of the source, what a consumer returned. */
HPF_API HPF_MUST_USE hpf_status hpf_json_profile_read(hpf_source *source, const hpf_events *events,
                                                      void *context, hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
