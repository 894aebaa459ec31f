/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are not terminated, so they are copied before they are matched.
 */
#include "hpfile/name_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/python_main.h"
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
    out->has_main = hpf__names_main(match) || hpf__names_main(exclude);
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

static bool matches(const regex_t *expression, const char *const *texts, size_t n)
{
    bool is_match = false;
    for (size_t i = 0; i < n && !is_match; i++) {
        is_match = regexec(expression, texts[i], 0, NULL, 0) == 0;
    }
    return is_match;
}

/* A name matches as it is, as it is shown without the number of its stack, or with __main__. */
bool hpf_name_filter_keeps(void *context, hpf_str job, hpf_str name)
{
    const hpf_name_filter *filter = context;
    hpf_str script = filter->has_main ? hpf__python_script(job) : HPF_STR("");
    char *text = malloc(name.length + 1), *alias = malloc(HPF__MAIN_ROOM(name.length));
    bool is_kept = true;
    if (text && alias) {
        memcpy(text, name.data, name.length);
        text[name.length] = '\0';
        const char *texts[3] = {text, text + (name.length - hpf__without_id(name).length)};
        size_t n = texts[1] > text ? 2 : 1;
        if (script.length > 0) {
            hpf__write_with_main(alias, texts[1], script);
            texts[n++] = alias;
        }
        is_kept = (!filter->has_match || matches(&filter->match, texts, n)) &&
                  (!filter->has_exclude || !matches(&filter->exclude, texts, n));
    }
    free(text);
    free(alias);
    return is_kept;
}
