/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are not terminated, so they are copied before they are matched.
 */
#include "hpfile/name_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/regular_expression.h"

hpf_status hpf_name_filter_init(hpf_name_filter *out, const char *match, const char *exclude,
                                hpf_error *err)
{
    memset(out, 0, sizeof *out);
    hpf_status status = match ? hpf__regular_expression(&out->match, match, err) : HPF_OK;
    out->has_match = match && status == HPF_OK;
    if (exclude && status == HPF_OK) {
        status = hpf__regular_expression(&out->exclude, exclude, err);
        out->has_exclude = status == HPF_OK;
    }
    if (status != HPF_OK) {
        hpf_name_filter_finish(out);
    }
    return status;
}

void hpf_name_filter_finish(hpf_name_filter *filter)
{
    if (filter->has_match) {
        regfree(&filter->match);
    }
    if (filter->has_exclude) {
        regfree(&filter->exclude);
    }
    memset(filter, 0, sizeof *filter);
}

bool hpf_name_filter_keeps(void *context, hpf_str name)
{
    const hpf_name_filter *filter = context;
    char *text = malloc(name.length + 1);
    if (!text) {
        return true;
    }
    memcpy(text, name.data, name.length);
    text[name.length] = '\0';
    bool is_kept = (!filter->has_match || regexec(&filter->match, text, 0, NULL, 0) == 0) &&
                   (!filter->has_exclude || regexec(&filter->exclude, text, 0, NULL, 0) != 0);
    free(text);
    return is_kept;
}
