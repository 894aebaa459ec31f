/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Restrictions: which objects a profile counts. The verdict on a stack or a shape is cached by its
 * address, that on a retainer set by its number, so an object takes two lookups whatever the number
 * of names.
 */
#ifndef HPP_RESTRICT_H
#define HPP_RESTRICT_H

#include "base/arena.h"
#include "hpprof/census_types.h"
#include "base/map.h"

/* Phases of a life, as a set. */
enum {
    HPP__LAG = 1u << 0,
    HPP__USE = 1u << 1,
    HPP__DRAG = 1u << 2,
    HPP__VOID = 1u << 3,
    HPP__INHERENT = 1u << 4,
    HPP__ALL_PHASES = (1u << 5) - 1
};

typedef struct hpp__restrict {
    const hpp_heap *heap;   /* borrowed */
    hpp_restriction *rules; /* all but those by phase */
    size_t n_rules;
    uint32_t phases;                /* allowed by all restrictions by phase */
    bool has_phases, has_retainers; /* there are such restrictions */
    bool has_stack, has_shape;      /* some rule needs the stack, or the shape */
    hpp__map stacks;                /* stack -> verdict + 1, for rules answered by the stack */
    hpp__map shapes;                /* shape -> verdicts: by shape alone, and of its module */
} hpp__restrict;

/* Copies the rules into `arena`, which must outlive them. Errors: MEMORY; ARGUMENT for an invalid
 * selector or phase. */
hpf_status hpp__restrict_init(hpp__restrict *r, const hpp_heap *heap, const hpp_restriction *rules,
                              size_t n_rules, hpf_arena *arena, hpf_error *err);
void hpp__restrict_finish(hpp__restrict *r);

/* Returns whether an object passes all restrictions by producer, module, description, type and
 * kind. */
bool hpp__restrict_passes(hpp__restrict *r, const hpp_object *object);

/* Returns the i-th label of a retainer set. */
typedef hpf_str hpp__label_at(size_t i, void *context);

/* Returns whether a retainer set passes all restrictions by retainer: each contains one of its
 * labels. */
bool hpp__restrict_passes_set(const hpp__restrict *r, size_t n_labels, hpp__label_at *label,
                              void *context);

#endif
