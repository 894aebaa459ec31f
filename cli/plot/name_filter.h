/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which names count, by two regular expressions (POSIX, extended).
 */
#ifndef CENSUS_NAME_FILTER_H
#define CENSUS_NAME_FILTER_H

#include <regex.h>

#include "hpfile/event.h"

typedef struct name_filter {
    bool has_match, has_exclude;
    regex_t match, exclude;
} name_filter;

/* Names in which `match` is found and `exclude` is not; NULL is no condition. False: one of them is
 * no regular expression, and `complaint` says why; there is nothing to finish. */
bool name_filter_init(name_filter *out, const char *match, const char *exclude, char *complaint,
                      size_t complaint_bytes);
void name_filter_finish(name_filter *filter);

/* For hpf_survey_options.is_wanted; `context` is the filter. Without memory, a name counts. */
bool name_filter_keeps(void *context, hpf_str name);

#endif
