/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the writer and the reader of profiles in JSON agree on.
 */
#ifndef HPF_JSON_PROFILE_MEMBERS_H
#define HPF_JSON_PROFILE_MEMBERS_H

#include "hpfile/event.h"

/* The version that is written; others are not read. */
#define HPF__JSON_PROFILE_VERSION 1

#define HPF__JSON_PROFILE_FORMAT "heapcensus profile"

/* The member that holds a header. */
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

#endif
