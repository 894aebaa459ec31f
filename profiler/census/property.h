/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Properties of objects, by which a census divides the heap and restrictions choose objects. To add
 * one, add its row in property.c. Retainers and biographies are not properties: a census finds
 * them.
 */
#ifndef HPP_PROPERTY_H
#define HPP_PROPERTY_H

#include "hpfile/breakdown.h"

#include "hpprof/heap.h"

/* What an object without a value has. */
#define HPP__UNKNOWN_TEXT HPF_STR("UNKNOWN")

/* Returns whether a break-down is by a property. */
bool hpp__is_property(hpf_breakdown breakdown);

/* Return the property that a word names, NONE if it names none, and the word of a property:
 * "stack", "module", "description", "type", "kind", "info". */
hpf_breakdown hpp__property_named(hpf_str word);
const char *hpp__property_word(hpf_breakdown property);

/* Checks that a break-down is by a property, and that the heap has what the property needs. Errors:
 * ARGUMENT. */
hpf_status hpp__property_check(hpf_breakdown property, const hpp_heap *heap, hpf_error *err);

/* Returns whether the property of an object with a stack, or without one, depends on the stack,
 * otherwise on the shape. All objects with the same stack, or the same shape, have the same text.
 */
bool hpp__property_is_of_stack(hpf_breakdown property, const hpp_heap *heap, bool has_stack);

/* Returns the text of an object, UNKNOWN if it is empty. */
hpf_str hpp__property_text(hpf_breakdown property, const hpp_heap *heap, const hpp_object *object);

#endif
