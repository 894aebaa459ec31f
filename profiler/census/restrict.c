/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each rule is answered by one of three: the stack, the shape (property.h says which), or the
 * retainer set. Phases are a set of bits.
 */
#include "base/arena.h"
#include "base/words.h"
#include "restrict.h"

#include <string.h>

#include "hpfile/str.h"

#include "property.h"

/* ---- One name against one rule ---- */

/* Returns the name without its place: "parse" of "parse@file.c:12". */
static hpf_str without_place(hpf_str name)
{
    return hpf__take_until(&name, '@');
}

/* A rule has names with their places, or without. */
static bool is_named(const hpp_restriction *rule, hpf_str text)
{
    for (size_t i = 0; i < rule->n_names; i++) {
        if (hpf_str_equal(rule->names[i], text) ||
            hpf_str_equal(rule->names[i], without_place(text))) {
            return true;
        }
    }
    return false;
}

static bool is_named_in_stack(const hpp_heap *heap, const hpp_restriction *rule, const void *stack)
{
    while (stack) {
        if (is_named(rule, heap->stacks->label(stack, heap->context))) {
            return true;
        }
        stack = heap->stacks->parent(stack, heap->context);
    }
    return false;
}

/* ---- One object against all rules, remembered ---- */

/* Who answers a rule. */
typedef enum witness { BY_STACK, BY_SHAPE, BY_RETAINERS } witness;

/* Returns the property of which a rule lists values. */
static hpf_breakdown property_of(const hpp_restriction *rule)
{
    return rule->selector == HPF_BREAKDOWN_IN_STACK ? HPF_BREAKDOWN_COST_CENTRE : rule->selector;
}

static witness witness_of(const hpp__restrict *r, const hpp_restriction *rule,
                          const hpp_object *object)
{
    return rule->selector == HPF_BREAKDOWN_RETAINER                               ? BY_RETAINERS
           : hpp__property_is_of_stack(property_of(rule), r->heap, object->stack) ? BY_STACK
                                                                                  : BY_SHAPE;
}

static bool ask(const hpp__restrict *r, witness who, const hpp_object *object)
{
    for (size_t i = 0; i < r->n_rules; i++) {
        const hpp_restriction *rule = &r->rules[i];
        if (witness_of(r, rule, object) != who) {
            continue;
        }
        bool passes = rule->selector == HPF_BREAKDOWN_IN_STACK
                          ? is_named_in_stack(r->heap, rule, object->stack)
                          : is_named(rule, hpp__property_text(rule->selector, r->heap, object));
        if (!passes) {
            return false;
        }
    }
    return true;
}

/* Returns whether an object passes the rules of a witness. The answer is cached by an address: 1
 * passes, 2 does not. `which` selects one of several answers for one address. */
static bool remembered(hpp__map *known, const void *address, unsigned which, const hpp__restrict *r,
                       witness who, const hpp_object *object)
{
    unsigned shift = which * 2;
    uint64_t *verdicts = hpp__map_find(known, (uintptr_t)address);
    if (HPP_LIKELY(verdicts && (*verdicts >> shift & 3) != 0)) {
        return (*verdicts >> shift & 3) == 1;
    }
    bool passes = ask(r, who, object);
    uint64_t *place = hpp__map_add(known, (uintptr_t)address);
    if (place) {
        *place |= (uint64_t)(passes ? 1 : 2) << shift;
    }
    return passes;
}

bool hpp__restrict_passes(hpp__restrict *r, const hpp_object *object)
{
    if (r->has_stack && !object->stack && !ask(r, BY_STACK, object)) {
        return false;
    }
    if (r->has_stack && object->stack &&
        !remembered(&r->stacks, object->stack, 0, r, BY_STACK, object)) {
        return false;
    }
    return !r->has_shape ||
           remembered(&r->shapes, object->shape, object->stack ? 1 : 0, r, BY_SHAPE, object);
}

bool hpp__restrict_passes_set(const hpp__restrict *r, size_t n_labels, hpp__label_at *label,
                              void *context)
{
    for (size_t i = 0; i < r->n_rules; i++) {
        bool passes = r->rules[i].selector != HPF_BREAKDOWN_RETAINER;
        for (size_t j = 0; j < n_labels && !passes; j++) {
            passes = is_named(&r->rules[i], label(j, context));
        }
        if (!passes) {
            return false;
        }
    }
    return true;
}

/* ---- Reading the rules ---- */

static uint32_t phase_named(hpf_str name)
{
    static const struct {
        const char *name;
        uint32_t phase;
    } phases[] = {{"lag", HPP__LAG},
                  {"use", HPP__USE},
                  {"drag", HPP__DRAG},
                  {"void", HPP__VOID},
                  {"inherent_use", HPP__INHERENT}};
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        if (hpf_str_is(name, phases[i].name)) {
            return phases[i].phase;
        }
    }
    return 0;
}

static hpf_status add_phases(hpp__restrict *r, const hpp_restriction *rule, hpf_error *err)
{
    uint32_t allowed = 0;
    for (size_t i = 0; i < rule->n_names; i++) {
        uint32_t phase = phase_named(rule->names[i]);
        if (phase == 0) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT,
                                 "phase must be lag, drag, void, use or inherent_use");
        }
        allowed |= phase;
    }
    r->phases &= allowed;
    r->has_phases = true;
    return HPF_OK;
}

static hpf_status copy_rule(hpp_restriction *to, const hpp_restriction *from, hpf_arena *arena,
                            hpf_error *err)
{
    hpf_str *names = hpf_arena_array(arena, from->n_names, sizeof *names);
    if (!names) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < from->n_names; i++) {
        names[i] = hpf_arena_str(arena, from->names[i]);
        if (!names[i].data) {
            return hpf_error_set_memory(err);
        }
    }
    *to = (hpp_restriction){from->selector, names, from->n_names};
    return HPF_OK;
}

static hpf_status add_rule(hpp__restrict *r, const hpp_restriction *rule, hpf_arena *arena,
                           hpf_error *err)
{
    if (rule->selector == HPF_BREAKDOWN_BIOGRAPHY) {
        return add_phases(r, rule, err);
    }
    if (rule->selector == HPF_BREAKDOWN_RETAINER) {
        r->has_retainers = true;
    } else {
        hpf_breakdown property = property_of(rule);
        hpf_status status = hpp__property_check(property, r->heap, err);
        if (status != HPF_OK) {
            return status;
        }
        r->has_stack |= hpp__property_is_of_stack(property, r->heap, true);
        r->has_shape |= !hpp__property_is_of_stack(property, r->heap, false);
    }
    return copy_rule(&r->rules[r->n_rules++], rule, arena, err);
}

hpf_status hpp__restrict_init(hpp__restrict *r, const hpp_heap *heap, const hpp_restriction *rules,
                              size_t n_rules, hpf_arena *arena, hpf_error *err)
{
    *r = (hpp__restrict){.heap = heap, .phases = HPP__ALL_PHASES};
    r->rules = hpf_arena_array(arena, n_rules, sizeof *r->rules);
    if (!r->rules) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < n_rules && status == HPF_OK; i++) {
        status = add_rule(r, &rules[i], arena, err);
    }
    return status;
}

void hpp__restrict_finish(hpp__restrict *r)
{
    hpp__map_finish(&r->stacks);
    hpp__map_finish(&r->shapes);
}
