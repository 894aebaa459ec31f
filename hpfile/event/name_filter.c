/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are not terminated, so they are copied before they are matched.
 */
#include "hpfile/name_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/regular_expression.h"

/* The name by which Python calls the module of a script. */
static const char main_module[] = "__main__";

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
    out->has_main =
        (match && strstr(match, main_module)) || (exclude && strstr(exclude, main_module));
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

/* Returns the module of the Python script in a command line, as bands have it; empty if there is
 * none. */
static hpf_str script_of(hpf_str job)
{
    static const char suffix[] = ".py";
    const size_t n_suffix = sizeof suffix - 1;
    while (job.length > 0) {
        const char *blank = memchr(job.data, ' ', job.length);
        hpf_str word = {job.data, blank ? (size_t)(blank - job.data) : job.length};
        hpf_str file = hpf__base_name(word);
        job = hpf_str_from(job, word.length + (blank != NULL));
        if (file.length > n_suffix &&
            memcmp(file.data + file.length - n_suffix, suffix, n_suffix) == 0) {
            return (hpf_str){file.data, file.length - n_suffix};
        }
    }
    return (hpf_str){"", 0};
}

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Writes a name in which the module of the script is __main__. */
static void write_alias(char *out, const char *name, hpf_str script)
{
    bool is_begin = true; /* of a frame or a member */
    while (*name) {
        if (is_begin && strncmp(name, script.data, script.length) == 0 &&
            !is_in_word(name[script.length])) {
            memcpy(out, main_module, sizeof main_module - 1);
            out += sizeof main_module - 1;
            name += script.length;
            is_begin = false;
        } else {
            is_begin = !is_in_word(*name) && *name != '.';
            *out++ = *name++;
        }
    }
    *out = '\0';
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
    hpf_str script = filter->has_main ? script_of(job) : (hpf_str){"", 0};
    char *text = malloc(name.length + 1), *alias = malloc(sizeof main_module * (name.length + 1));
    bool is_kept = true;
    if (text && alias) {
        memcpy(text, name.data, name.length);
        text[name.length] = '\0';
        const char *texts[3] = {text, text + (name.length - hpf__without_id(name).length)};
        size_t n = texts[1] > text ? 2 : 1;
        if (script.length > 0) {
            write_alias(alias, texts[1], script);
            texts[n++] = alias;
        }
        is_kept = (!filter->has_match || matches(&filter->match, texts, n)) &&
                  (!filter->has_exclude || !matches(&filter->exclude, texts, n));
    }
    free(text);
    free(alias);
    return is_kept;
}
