/* SPDX-License-Identifier: BSD-2-Clause */
#include "census.h"

#include <stdio.h>

/* Returns whether addresses led to closures: the layout is the right one. */
static bool is_plausible(const hpp__haskell_marking *m)
{
    const uint64_t few = 100;
    return m->n_invalid <= m->n_closures / 20 + few && m->n_capabilities > 0 &&
           m->n_bytes <= m->heap->n_megablocks * (uint64_t)HPP_HASKELL_MEGABLOCK_BYTES;
}

/* Adds up the memory that blocks have in use, and what of it was not reached. */
static void find_rest(hpp__haskell_census *c)
{
    const hpp__haskell_marking *m = &c->marking;
    uint64_t n_bytes = hpp__haskell_nursery_bytes(&c->heap, m->capabilities, m->n_capabilities);
    uint64_t n_pinned_bytes = 0, reached_pinned_bytes = m->bytes_in[HPP__HASKELL_PINNED];
    for (size_t i = 0; i < c->heap.n_groups; i++) {
        const hpp__haskell_group *group = &c->heap.groups[i];
        if (hpp__haskell_place(group) == HPP__HASKELL_PINNED) {
            n_pinned_bytes += group->end - group->begin;
        } else if (!group->is_nursery) {
            n_bytes += group->used_end - group->begin;
        }
    }
    uint64_t reached_bytes = m->n_bytes - reached_pinned_bytes;
    c->unreached_bytes = n_bytes > reached_bytes ? n_bytes - reached_bytes : 0;
    c->pinned_rest_bytes =
        n_pinned_bytes > reached_pinned_bytes ? n_pinned_bytes - reached_pinned_bytes : 0;
}

hpp__haskell_found hpp__haskell_census_take(hpp__haskell_census *c, const hpp__image *image,
                                            const hpp_haskell_layout *layout,
                                            const hpp__haskell_variables *variables,
                                            hpp__haskell_names *names)
{
    c->closures = (hpp__haskell_closures){.heap = &c->heap, .variables = variables};
    c->marking = (hpp__haskell_marking){.heap = &c->heap};
    hpp__haskell_found found = hpp__haskell_heap_init(&c->heap, image, layout);
    if (found != HPP__HASKELL_FOUND) {
        return found;
    }
    if (!hpp__haskell_mark(&c->marking, &c->closures, names)) {
        return HPP__HASKELL_NO_MEMORY;
    }
    if (c->marking.n_running > 0) {
        return HPP__HASKELL_RUNNING;
    }
    find_rest(c);
    c->n_infos = (uint32_t)c->closures.n_infos;
    c->n_uses = (uint32_t)c->closures.n_uses;
    return is_plausible(&c->marking) ? HPP__HASKELL_FOUND : HPP__HASKELL_UNFIT;
}

void hpp__haskell_census_finish(hpp__haskell_census *c)
{
    hpp__haskell_marking_finish(&c->marking);
    hpp__haskell_closures_finish(&c->closures);
    hpp__haskell_heap_finish(&c->heap);
}

/* Visits a sum whose closures have an info table, and may have a subject. */
static void visit_sum(hpp__haskell_census *c, const hpp__haskell_info *info,
                      const hpp__haskell_info *subject, hpp__haskell_sum sum, uint32_t number,
                      hpp__haskell_visit *visit, void *context)
{
    hpp__text kind = {0};
    hpp__haskell_closure_name(&c->closures, info, &kind);
    sum.kind = hpp__text_str(&kind);
    sum.description = sum.module = sum.file = HPF_STR("");
    if (c->marking.names) {
        hpp__haskell_names_make(c->marking.names, &c->closures, info, subject);
        sum.description = hpp__text_str(&c->marking.names->description);
        sum.module = hpp__text_str(&c->marking.names->module);
        sum.file = c->marking.names->file;
        sum.line = c->marking.names->line;
    }
    visit(&sum, number, context);
    hpp__text_finish(&kind);
}

void hpp__haskell_census_each(hpp__haskell_census *c, hpp__haskell_visit *visit, void *context)
{
    const hpp__haskell_info *infos = c->closures.infos;
    for (uint32_t i = 0; i < c->n_infos; i++) {
        const hpp__haskell_sum sum = {.n_bytes = infos[i].n_bytes,
                                      .n_closures = infos[i].n_closures};
        if (sum.n_closures > 0 && !(c->marking.names && hpp__haskell_has_subject(&infos[i]))) {
            visit_sum(c, &infos[i], NULL, sum, i, visit, context);
        }
    }
    for (uint32_t i = 0; i < c->n_uses; i++) {
        const hpp__haskell_use *use = &c->closures.uses[i];
        const hpp__haskell_sum sum = {.n_bytes = use->n_bytes, .n_closures = use->n_closures};
        visit_sum(c, &infos[use->info], use->subject != UINT32_MAX ? &infos[use->subject] : NULL,
                  sum, c->n_infos + i, visit, context);
    }
    const hpf_str rests[] = {HPF_STR("UNREACHED"), HPF_STR("PINNED")};
    const uint64_t n_bytes[] = {c->unreached_bytes, c->pinned_rest_bytes};
    for (uint32_t i = 0; i < 2; i++) {
        const hpp__haskell_sum sum = {
            .kind = rests[i], .description = rests[i], .n_bytes = n_bytes[i], .n_closures = 1};
        visit(&sum, hpp__haskell_census_unreached(c) + i, context);
    }
}

void hpp__haskell_census_each_place(const hpp__haskell_census *c, hpp__haskell_visit_place *visit,
                                    void *context)
{
    static const char *const others[] = {"large objects", "compact regions", "pinned arrays"};
    for (unsigned i = 0; i < HPP__HASKELL_N_PLACES; i++) {
        char name[32];
        snprintf(name, sizeof name, "generation %u", i);
        visit(i < HPP__HASKELL_LARGE ? name : others[i - HPP__HASKELL_LARGE],
              c->marking.bytes_in[i], context);
    }
    visit("UNREACHED", c->unreached_bytes, context);
    visit("PINNED", c->pinned_rest_bytes, context);
}

uint32_t hpp__haskell_census_kind(hpp__haskell_census *c, const hpp__haskell_closure *closure)
{
    bool has_use = c->marking.names && hpp__haskell_has_subject(&c->closures.infos[closure->info]);
    uint32_t use = has_use ? hpp__haskell_use_of(&c->marking, closure) : 0;
    return !has_use                      ? closure->info
           : use > 0 && use <= c->n_uses ? c->n_infos + use - 1
                                         : UINT32_MAX;
}

uint32_t hpp__haskell_census_unreached(const hpp__haskell_census *c)
{
    return c->n_infos + c->n_uses;
}
