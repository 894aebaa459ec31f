/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Selects names by two POSIX extended regular expressions.
 */
#ifndef HPFILE_NAME_FILTER_H
#define HPFILE_NAME_FILTER_H

#include <regex.h>

#include "hpfile/event.h"

HPF_BEGIN_DECLS

typedef struct hpf_name_filter {
    bool has_match, has_exclude;
    bool has_main; /* one of them names __main__, which is also the script of a job */
    regex_t match, exclude;
} hpf_name_filter;

/* Selects names that match `match` and do not match `exclude`; NULL is no condition. Errors:
 * ARGUMENT, LIMIT, MEMORY; there is nothing to finish then. */
HPF_API HPF_MUST_USE hpf_status hpf_name_filter_init(hpf_name_filter *out, const char *match,
                                                     const char *exclude, hpf_error *err);
HPF_API void hpf_name_filter_finish(hpf_name_filter *filter);

/* For hpf_survey_options.is_wanted; `context` is the filter. Returns true without memory. */
HPF_API bool hpf_name_filter_keeps(void *context, hpf_str job, hpf_str name);

HPF_END_DECLS
#endif
