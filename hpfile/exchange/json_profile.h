/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole profiles as JSON (docs/formats/json-profile.md): headers, marks, quantities, and an object
 * for each sample with its amounts by name. Everything is kept except the order of the costs of a
 * sample; costs of a repeated name are added up.
 */
#ifndef HPF_JSON_PROFILE_H
#define HPF_JSON_PROFILE_H

#include "hpfile/event.h"
#include "hpfile/source.h"

/* The version that is written; others are not read. */
#define HPF__JSON_PROFILE_VERSION 1

#define HPF__JSON_PROFILE_FORMAT "heapcensus profile"

/* Returns the member that holds a header. */
static inline const char *hpf__json_profile_member(hpf_header which)
{
    static const char *const members[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = "job",
        [HPF_HEADER_DATE] = "date",
        [HPF_HEADER_SAMPLE_UNIT] = "sample_unit",
        [HPF_HEADER_VALUE_UNIT] = "value_unit",
    };
    return members[which];
}

/* Reads a profile. Members may come in any order; unknown ones are skipped. Missing units are
 * seconds and bytes, other missing headers are empty. Marks that precede the samples are emitted in
 * the order of time. Errors: SYNTAX, ORDER (time goes back), RANGE, VERSION, LIMIT, MEMORY, from
 * the source and the consumer. */
hpf_status hpf__json_profile_read(hpf_source *source, const hpf_events *events, void *context,
                                  const hpf_reader_options *options, hpf_error *err);

#endif
