/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are not terminated, so they are copied before they are matched.
 */
#include "hpfile/name_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
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

/* Returns whether a name matches, or what is shown of it: it without the number of its stack. */
static bool matches(const regex_t *expression, const char *text, const char *shown)
{
    return regexec(expression, text, 0, NULL, 0) == 0 ||
           (shown > text && regexec(expression, shown, 0, NULL, 0) == 0);
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
    const char *shown = text + (name.length - hpf__without_id(name).length);
    bool is_kept = (!filter->has_match || matches(&filter->match, text, shown)) &&
                   (!filter->has_exclude || !matches(&filter->exclude, text, shown));
    free(text);
    return is_kept;
}
