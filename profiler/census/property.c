/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A row for each property: its text for a stack, for a shape, or for both.
 */
#include "property.h"

#include "hpfile/str.h"

static const struct {
    const char *word;
    hpf_breakdown property;
} words[] = {
    {"stack", HPF_BREAKDOWN_COST_CENTRE},         {"module", HPF_BREAKDOWN_MODULE},
    {"description", HPF_BREAKDOWN_CLOSURE_DESCR}, {"type", HPF_BREAKDOWN_TYPE},
    {"kind", HPF_BREAKDOWN_CLOSURE_TYPE},         {"info", HPF_BREAKDOWN_INFO_TABLE},
};

hpf_breakdown hpp__property_named(hpf_str word)
{
    size_t i = 0;
    while (i < sizeof words / sizeof *words && !hpf_str_is(word, words[i].word)) {
        i++;
    }
    return i < sizeof words / sizeof *words ? words[i].property : HPF_BREAKDOWN_NONE;
}

const char *hpp__property_word(hpf_breakdown property)
{
    size_t i = 0;
    while (words[i].property != property) {
        i++;
    }
    return words[i].word;
}

static hpf_str label_of_stack(const hpp_heap *heap, const void *stack)
{
    return heap->stacks->label(stack, heap->context);
}

static hpf_str module_of_stack(const hpp_heap *heap, const void *stack)
{
    return heap->stacks->module(stack, heap->context);
}

static hpf_str module_of_shape(const hpp_shape *shape)
{
    return shape->module;
}

static hpf_str description_of_shape(const hpp_shape *shape)
{
    return shape->description;
}

static hpf_str type_of_shape(const hpp_shape *shape)
{
    return shape->type;
}

static hpf_str kind_of_shape(const hpp_shape *shape)
{
    return shape->kind;
}

/* A property with both functions is of the stack where an object has one. */
static const struct property {
    hpf_str (*of_stack)(const hpp_heap *heap, const void *stack);
    hpf_str (*of_shape)(const hpp_shape *shape);
} properties[HPF_N_BREAKDOWNS] = {
    [HPF_BREAKDOWN_COST_CENTRE] = {label_of_stack, NULL},
    [HPF_BREAKDOWN_MODULE] = {module_of_stack, module_of_shape},
    [HPF_BREAKDOWN_CLOSURE_DESCR] = {NULL, description_of_shape},
    [HPF_BREAKDOWN_TYPE] = {NULL, type_of_shape},
    [HPF_BREAKDOWN_CLOSURE_TYPE] = {NULL, kind_of_shape},
};

static bool has_stacks(const hpp_heap *heap)
{
    return heap->stacks && heap->stacks->label && heap->stacks->module && heap->stacks->parent &&
           heap->stacks->id;
}

bool hpp__is_property(hpf_breakdown breakdown)
{
    return (unsigned)breakdown < HPF_N_BREAKDOWNS &&
           (properties[breakdown].of_stack || properties[breakdown].of_shape);
}

hpf_status hpp__property_check(hpf_breakdown property, const hpp_heap *heap, hpf_error *err)
{
    if (!hpp__is_property(property)) {
        return hpf_error_set(err, HPF_ERR_ARGUMENT, "invalid break-down");
    }
    return properties[property].of_shape || has_stacks(heap)
               ? HPF_OK
               : hpf_error_set(err, HPF_ERR_ARGUMENT,
                               "cost centres need stacks of producers, which this heap does not "
                               "have");
}

bool hpp__property_is_of_stack(hpf_breakdown property, const hpp_heap *heap, bool has_stack)
{
    const struct property *p = &properties[property];
    return p->of_stack && (!p->of_shape || (has_stack && heap->stacks));
}

hpf_str hpp__property_text(hpf_breakdown property, const hpp_heap *heap, const hpp_object *object)
{
    const struct property *p = &properties[property];
    hpf_str text = {NULL, 0};
    if (!hpp__property_is_of_stack(property, heap, object->stack)) {
        text = p->of_shape(object->shape);
    } else if (object->stack) {
        text = p->of_stack(heap, object->stack);
    }
    return text.length ? text : HPP__UNKNOWN_TEXT;
}
