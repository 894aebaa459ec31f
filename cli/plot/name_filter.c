/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are not terminated, so they are copied before they are matched.
 */
#include "name_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_expression.h"

static bool compile(regex_t *out, const char *text, char *complaint, size_t complaint_bytes)
{
    hpf_error err;
    bool is_good = hpf__regular_expression(out, text, &err) == HPF_OK;
    if (!is_good) {
        snprintf(complaint, complaint_bytes, "%s", err.message);
    }
    return is_good;
}

bool name_filter_init(name_filter *out, const char *match, const char *exclude, char *complaint,
                      size_t complaint_bytes)
{
    memset(out, 0, sizeof *out);
    if (match && !compile(&out->match, match, complaint, complaint_bytes)) {
        return false;
    }
    out->has_match = match != NULL;
    if (exclude && !compile(&out->exclude, exclude, complaint, complaint_bytes)) {
        name_filter_finish(out);
        return false;
    }
    out->has_exclude = exclude != NULL;
    return true;
}

void name_filter_finish(name_filter *filter)
{
    if (filter->has_match) {
        regfree(&filter->match);
    }
    if (filter->has_exclude) {
        regfree(&filter->exclude);
    }
    memset(filter, 0, sizeof *filter);
}

bool name_filter_keeps(void *context, hpf_str name)
{
    const name_filter *filter = context;
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
