/* SPDX-License-Identifier: BSD-2-Clause */
#include "retainer_sites.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_expression.h"

enum { MAX_MATCHED_BYTES = 1024 }; /* regular expressions see no more of a name */

typedef struct expressions {
    regex_t *list;
    size_t n;
} expressions;

struct hpp__retainer_sites {
    expressions retainer, no_retainer;
};

static hpf_status compile(expressions *out, const char *const *texts, size_t n, hpf_error *err)
{
    out->list = calloc(n + 1, sizeof *out->list);
    hpf_status status = out->list ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n && status == HPF_OK; i++) {
        status = hpf__regular_expression(&out->list[i], texts[i], err);
        out->n += status == HPF_OK;
    }
    return status;
}

static void release(expressions *e)
{
    for (size_t i = 0; i < e->n; i++) {
        regfree(&e->list[i]);
    }
    free(e->list);
}

hpf_status hpp__retainer_sites_create(hpp__retainer_sites **out, const hpp_collector_options *o,
                                      hpf_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = compile(&(*out)->retainer, o->retainer, o->n_retainer, err);
    if (status == HPF_OK) {
        status = compile(&(*out)->no_retainer, o->no_retainer, o->n_no_retainer, err);
    }
    if (status != HPF_OK) {
        hpp__retainer_sites_destroy(*out);
        *out = NULL;
    }
    return status;
}

void hpp__retainer_sites_destroy(hpp__retainer_sites *sites)
{
    if (sites) {
        release(&sites->retainer);
        release(&sites->no_retainer);
        free(sites);
    }
}

static bool matches(const expressions *e, hpf_str text)
{
    char copy[MAX_MATCHED_BYTES + 1];
    size_t n = text.length < MAX_MATCHED_BYTES ? text.length : MAX_MATCHED_BYTES;
    memcpy(copy, text.data, n);
    copy[n] = '\0';
    for (size_t i = 0; i < e->n; i++) {
        if (regexec(&e->list[i], copy, 0, NULL, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether a function is what the compiler makes to initialise variables. */
static bool initialises_variables(hpf_str function)
{
    return hpf_str_begins(function, "__static_initialization_and_destruction_") ||
           hpf_str_begins(function, "_GLOBAL__") || hpf_str_begins(function, "__cxx_global_var_");
}

hpp__verdict hpp__retainer_sites_judge(const hpp__retainer_sites *s, hpf_str description,
                                       hpf_str function)
{
    if (s && (matches(&s->no_retainer, description) || matches(&s->no_retainer, function))) {
        return HPP__VERDICT_DOES_NOT;
    }
    if (s && (matches(&s->retainer, description) || matches(&s->retainer, function))) {
        return HPP__VERDICT_RETAINS;
    }
    return initialises_variables(function) ? HPP__VERDICT_DOES_NOT : HPP__VERDICT_BY_NUMBER;
}
