/* SPDX-License-Identifier: BSD-2-Clause */
#include "schemes.h"

#include <stdlib.h>
#include <time.h>

const char *const hpp__rule_words[HPP_RETAINERS_NAMED] = {[HPP_RETAINERS_FLAGGED] = "flagged",
                                                          [HPP_RETAINERS_ALL] = "all",
                                                          [HPP_RETAINERS_ROOTS] = "roots"};

hpf_status hpp__schemes_init(hpp__schemes *s, const hpp_heap *heap,
                             const hpp_census_options *options, uint32_t max_retainers,
                             hpf_arena *arena, hpf_error *err)
{
    size_t n_rules = options->n_rules ? options->n_rules : 1;
    size_t n_identities = options->n_identities ? options->n_identities : 1;
    if (n_rules * n_identities == 1) {
        return HPF_OK;
    }
    s->all = calloc(n_rules * n_identities, sizeof *s->all);
    s->retainers = calloc(n_rules * n_identities, sizeof *s->retainers);
    hpf_status status = s->all && s->retainers ? HPF_OK : hpf_error_set_memory(err);
    for (size_t i = 0; i < n_rules * n_identities && status == HPF_OK; i++) {
        hpp_retaining scheme = options->retaining;
        if (options->n_rules > 0) {
            scheme.rule = options->rules[i / n_identities].rule;
            scheme.named = options->rules[i / n_identities].named;
        }
        if (options->n_identities > 0) {
            scheme.identity = options->identities[i % n_identities];
        }
        status = hpp__retainer_init(&s->retainers[i], heap, &scheme, max_retainers, arena, err);
        s->all[i].retaining = &s->retainers[i].retaining;
        s->n++;
    }
    return status;
}

void hpp__schemes_finish(hpp__schemes *s)
{
    for (size_t i = 0; i < s->n; i++) {
        hpp__retainer_finish(&s->retainers[i]);
    }
    free(s->retainers);
    free(s->all);
    *s = (hpp__schemes){0};
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void hpp__scheme_pass(hpp_scheme *scheme, hpp__retainer *retainer)
{
    uint64_t begun_ns = scheme ? now_ns() : 0;
    hpp__retainer_pass(retainer);
    if (scheme) {
        scheme->time_ns += now_ns() - begun_ns;
    }
}

void hpp__scheme_add(hpp_scheme *scheme, const hpp_retainer_figures *f)
{
    scheme->n_censuses++;
    scheme->n_objects += f->n_objects;
    scheme->n_visits += f->n_visits;
    scheme->n_costed += f->n_costed;
    scheme->n_retainers += f->n_retainers;
    scheme->largest_set =
        f->largest_set > scheme->largest_set ? f->largest_set : scheme->largest_set;
    scheme->n_sets = f->n_sets;
}
