/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From the tree of stacks to the arrays that the `.prof` writer takes. Numbers of stacks and cost
 * centres are dense and parents are older than children: they are the indices, but for the order of
 * cost centres, which is newest first.
 */
#include "report.h"

#include <stdlib.h>

#include "ccs/ccs.h"

/* Returns whether the costs of a cost centre are left out of totals. */
static bool is_hidden(const hpp_cc *centre)
{
    for (hpp_builtin which = HPP_CCS_MAIN; which < HPP_N_BUILTINS; which++) {
        if (centre == hpp_ccs_centre(hpp_ccs_builtin(which))) {
            return which != HPP_CCS_MAIN && which != HPP_CCS_PINNED;
        }
    }
    return false;
}

static hpf_prof_centre *list_centres(size_t *n_centres)
{
    const hpp_cc *newest = hpp_cc_newest();
    *n_centres = newest->id;
    hpf_prof_centre *centres = calloc(newest->id, sizeof *centres);
    for (const hpp_cc *cc = centres ? newest : NULL; cc; cc = cc->next) {
        centres[newest->id - cc->id] = (hpf_prof_centre){.label = hpf_str_of(cc->label),
                                                         .module = hpf_str_of(cc->module),
                                                         .srcloc = hpf_str_of(cc->srcloc),
                                                         .id = cc->id,
                                                         .is_caf = (cc->flags & HPP_CC_CAF) != 0,
                                                         .is_hidden = is_hidden(cc)};
    }
    return centres;
}

static hpf_prof_stack *list_stacks(size_t n_stacks, size_t n_centres)
{
    hpf_prof_stack *stacks = calloc(n_stacks, sizeof *stacks);
    for (uint32_t id = 1; stacks && id <= n_stacks; id++) {
        const hpp_ccs *ccs = hpp_ccs_by_id(id);
        const hpp_ccs *parent = hpp_ccs_parent(ccs);
        hpp_costs costs = hpp_ccs_costs(ccs);
        stacks[id - 1] = (hpf_prof_stack){
            .centre_index = (uint32_t)n_centres - hpp_ccs_centre(ccs)->id,
            .parent_index = parent ? hpp_ccs_id(parent) - 1 : HPF_PROF_NO_PARENT,
            .id = id,
            .entries = costs.entries,
            .ticks = costs.ticks,
            .allocated_bytes = costs.allocated_bytes,
        };
    }
    return stacks;
}

hpf_status hpp__report_write_kind(hpf_sink *sink, const hpf_prof *prof, hpp_report kind,
                                  hpf_error *err)
{
    switch (kind) {
    case HPP_REPORT_NONE:
        break;
    case HPP_REPORT_PLAIN:
        return hpf_prof_write(sink, prof, HPF_PROF_PLAIN, err);
    case HPP_REPORT_VERBOSE:
        return hpf_prof_write(sink, prof, HPF_PROF_VERBOSE, err);
    case HPP_REPORT_ALL:
        return hpf_prof_write(sink, prof, HPF_PROF_ALL, err);
    case HPP_REPORT_JSON:
        return hpf_prof_write_json(sink, prof, err);
    }
    return HPF_OK;
}

hpf_status hpp__report_write(hpf_sink *sink, hpf_prof *prof, hpp_report kind, hpf_error *err)
{
    /* Stacks first: the centres of the present ones are all known. */
    prof->n_stacks = hpp_ccs_count();
    hpf_prof_centre *centres = list_centres(&prof->n_centres);
    hpf_prof_stack *stacks = list_stacks(prof->n_stacks, prof->n_centres);
    prof->centres = centres;
    prof->stacks = stacks;
    hpf_status status = centres && stacks ? hpp__report_write_kind(sink, prof, kind, err)
                                          : hpf_error_set_memory(err);
    free(centres);
    free(stacks);
    return status;
}
