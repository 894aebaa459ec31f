/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each rule is answered by one of three: the stack (c, C, and m where there is one), the shape
 * (d, y, T, and m where there is no stack), or the retainer set (r). Phases are a set of bits.
 */
#include "base/arena.h"
#include "restrict.h"

#include "hpfile/str.h"

#include "band_key.h"

/* ---- One name against one rule ---- */

static bool is_named(const hpp_restriction *rule, hpf_str text)
{
    for (size_t i = 0; i < rule->n_names; i++) {
        if (hpf_str_equal(rule->names[i], text)) {
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

static witness witness_of(const hpp__restrict *r, hpf_breakdown selector, const hpp_object *object)
{
    switch (selector) {
    case HPF_BREAKDOWN_COST_CENTRE:
    case HPF_BREAKDOWN_IN_STACK:
        return BY_STACK;
    case HPF_BREAKDOWN_MODULE:
        return object->stack && r->heap->stacks ? BY_STACK : BY_SHAPE;
    case HPF_BREAKDOWN_RETAINER:
        return BY_RETAINERS;
    default:
        return BY_SHAPE;
    }
}

static bool ask(const hpp__restrict *r, witness who, const hpp_object *object)
{
    for (size_t i = 0; i < r->n_rules; i++) {
        const hpp_restriction *rule = &r->rules[i];
        if (witness_of(r, rule->selector, object) != who) {
            continue;
        }
        bool passes = rule->selector == HPF_BREAKDOWN_IN_STACK
                          ? is_named_in_stack(r->heap, rule, object->stack)
                          : is_named(rule, hpp__object_text(r->heap, object, rule->selector));
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
        const char *text = hpf_arena_text(arena, from->names[i]);
        if (!text) {
            return hpf_error_set_memory(err);
        }
        names[i] = (hpf_str){text, from->names[i].length};
    }
    *to = (hpp_restriction){from->selector, names, from->n_names};
    return HPF_OK;
}

static hpf_status note_selector(hpp__restrict *r, hpf_breakdown selector, hpf_error *err)
{
    switch (selector) {
    case HPF_BREAKDOWN_COST_CENTRE:
    case HPF_BREAKDOWN_IN_STACK:
        r->has_stack = true;
        return r->heap->stacks ? HPF_OK
                               : hpf_error_set(err, HPF_ERR_ARGUMENT,
                                               "this restriction needs stacks of producers, which "
                                               "this heap does not have");
    case HPF_BREAKDOWN_MODULE:
        r->has_stack |= r->heap->stacks != NULL;
        r->has_shape = true;
        return HPF_OK;
    case HPF_BREAKDOWN_CLOSURE_DESCR:
    case HPF_BREAKDOWN_TYPE:
    case HPF_BREAKDOWN_CLOSURE_TYPE:
        r->has_shape = true;
        return HPF_OK;
    case HPF_BREAKDOWN_RETAINER:
        r->has_retainers = true;
        return HPF_OK;
    default:
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid restriction");
    }
}

static hpf_status add_rule(hpp__restrict *r, const hpp_restriction *rule, hpf_arena *arena,
                           hpf_error *err)
{
    if (rule->selector == HPF_BREAKDOWN_BIOGRAPHY) {
        return add_phases(r, rule, err);
    }
    hpf_status status = note_selector(r, rule->selector, err);
    return status != HPF_OK ? status : copy_rule(&r->rules[r->n_rules++], rule, arena, err);
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
