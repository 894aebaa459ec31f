/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Selects names by two POSIX extended regular expressions.
 */
#ifndef CENSUS_NAME_FILTER_H
#define CENSUS_NAME_FILTER_H

#include <regex.h>

#include "hpfile/event.h"

typedef struct name_filter {
    bool has_match, has_exclude;
    regex_t match, exclude;
} name_filter;

/* Selects names that match `match` and do not match `exclude`; NULL is no condition. Returns false
 * if an expression is invalid, with the reason in `complaint`; there is nothing to finish then. */
bool name_filter_init(name_filter *out, const char *match, const char *exclude, char *complaint,
                      size_t complaint_bytes);
void name_filter_finish(name_filter *filter);

/* For hpf_survey_options.is_wanted; `context` is the filter. Returns true without memory. */
bool name_filter_keeps(void *context, hpf_str name);

#endif
