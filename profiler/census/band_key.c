/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Three small tables: stacks and shapes by address, texts by content.
 */
#include "base/arena.h"
#include "base/hash_table.h"
#include "band_key.h"

#include "hpfile/str.h"

#include "property.h"

#include "base/array.h"

static uint32_t new_key(hpp__band_keys *keys, hpp__origin origin)
{
    if (keys->n_keys == UINT32_MAX ||
        !HPF__ARRAY_RESERVE_ZEROED(keys->origins, keys->origins_capacity, keys->n_keys + 1)) {
        return HPP__KEY_OUT_OF_MEMORY;
    }
    keys->origins[keys->n_keys] = origin;
    return keys->n_keys++;
}

/* Creates the key of a copied text. */
static uint32_t new_text_key(hpp__band_keys *keys, hpf_str text)
{
    hpf_str copy = hpf_arena_str(keys->arena, text);
    return copy.data ? new_key(keys, (hpp__origin){NULL, copy}) : HPP__KEY_OUT_OF_MEMORY;
}

/* Returns the key of a text. Texts with equal hashes use the next odd numbers, which are never 0.
 */
static uint32_t text_key(hpp__band_keys *keys, hpf_str text)
{
    for (uint64_t hash = hpf__hash_bytes(text.data, text.length) | 1;; hash += 2) {
        uint64_t *key = hpp__map_add(&keys->texts, hash);
        if (!key) {
            return HPP__KEY_OUT_OF_MEMORY;
        }
        if (*key == 0) {
            *key = new_text_key(keys, text);
            return (uint32_t)*key;
        }
        if (hpf_str_equal(keys->origins[*key].text, text)) {
            return (uint32_t)*key;
        }
    }
}

/* Stores under which address the key of an object is cached. Returns false for one without a
 * producer, which needs none. */
static bool locate(const hpp__band_keys *keys, const hpp_object *object, bool *is_stack,
                   uint64_t *address)
{
    *is_stack = hpp__property_is_of_stack(keys->kind, keys->heap, object->stack);
    *address = (uintptr_t)(*is_stack ? object->stack : (const void *)object->shape);
    return *address != 0;
}

bool hpp__band_keys_find(const hpp__band_keys *keys, const hpp_object *object, uint32_t *key)
{
    bool is_stack;
    uint64_t address;
    *key = HPP__KEY_UNKNOWN;
    if (!locate(keys, object, &is_stack, &address)) {
        return true;
    }
    const uint64_t *known = hpp__map_find(is_stack ? &keys->stacks : &keys->shapes, address);
    *key = known ? (uint32_t)*known : HPP__KEY_OUT_OF_MEMORY;
    return *key != HPP__KEY_OUT_OF_MEMORY;
}

uint32_t hpp__band_keys_get(hpp__band_keys *keys, const hpp_object *object)
{
    uint32_t key;
    if (HPP_LIKELY(hpp__band_keys_find(keys, object, &key))) {
        return key;
    }
    bool is_stack;
    uint64_t address;
    locate(keys, object, &is_stack, &address);
    uint64_t *place = hpp__map_add(is_stack ? &keys->stacks : &keys->shapes, address);
    if (!place) {
        return HPP__KEY_OUT_OF_MEMORY;
    }
    hpf_str text = hpp__property_text(keys->kind, keys->heap, object);
    *place = keys->kind == HPF_BREAKDOWN_COST_CENTRE
                 ? new_key(keys, (hpp__origin){object->stack, {NULL, 0}})
             : keys->is_by_shape ? new_text_key(keys, text)
                                 : text_key(keys, text);
    return (uint32_t)*place;
}

hpf_str hpp__band_keys_label(const hpp__band_keys *keys, uint32_t key)
{
    const hpp__origin *origin = &keys->origins[key];
    return origin->stack ? keys->heap->stacks->label(origin->stack, keys->heap->context)
                         : origin->text;
}

static void write_labels(const hpp_heap *heap, const void *stack, hpp__text *out)
{
    const hpp_stacks *stacks = heap->stacks;
    const void *parent = stacks->parent(stack, heap->context);
    if (!parent) {
        hpp__text_add(out, stacks->label(stack, heap->context));
        return;
    }
    while (parent) {
        hpf_str label = stacks->label(stack, heap->context);
        if (hpf_str_is(label, "CAF")) {
            hpp__text_add(out, stacks->module(stack, heap->context));
            hpp__text_add(out, HPF_STR("."));
        }
        hpp__text_add(out, label);
        stack = parent;
        parent = stacks->parent(stack, heap->context);
        if (parent) {
            hpp__text_add(out, HPF_STR("/"));
        }
    }
}

void hpp__band_keys_write_name(const hpp__band_keys *keys, uint32_t key, size_t max_bytes,
                               hpp__text *out)
{
    const hpp__origin *origin = &keys->origins[key];
    const hpp_heap *heap = keys->heap;
    if (!origin->stack) {
        hpp__text_add(out, origin->text);
        return;
    }
    if (heap->stacks->parent(origin->stack, heap->context)) {
        hpp__text_add(out, HPF_STR("("));
        hpp__text_add_number(out, heap->stacks->id(origin->stack, heap->context));
        hpp__text_add(out, HPF_STR(")"));
    }
    size_t start = out->length;
    write_labels(heap, origin->stack, out);
    if (out->length - start > max_bytes) {
        hpp__text_cut(out, start + (max_bytes > 4 ? max_bytes - 4 : 0));
        hpp__text_add(out, HPF_STR("..."));
    }
}

void hpp__band_keys_write_whole(const hpp__band_keys *keys, uint32_t key, hpp__text *out)
{
    const hpp__origin *origin = &keys->origins[key];
    const hpp_heap *heap = keys->heap;
    if (!origin->stack) {
        hpp__text_add(out, origin->text);
        return;
    }
    for (const void *stack = origin->stack; stack;) {
        hpp__text_add(out, heap->stacks->label(stack, heap->context));
        hpp__text_add(out, HPF_STR("["));
        hpp__text_add(out, heap->stacks->module(stack, heap->context));
        stack = heap->stacks->parent(stack, heap->context);
        hpp__text_add(out, stack ? HPF_STR("],") : HPF_STR("]"));
    }
}

hpf_status hpp__band_keys_init(hpp__band_keys *keys, hpf_breakdown kind, const hpp_heap *heap,
                               hpf_arena *arena, hpf_error *err)
{
    bool is_by_shape = kind == HPF_BREAKDOWN_INFO_TABLE;
    *keys = (hpp__band_keys){.kind = is_by_shape ? HPF_BREAKDOWN_CLOSURE_DESCR : kind,
                             .is_by_shape = is_by_shape,
                             .heap = heap,
                             .arena = arena};
    hpf_status status = hpp__property_check(keys->kind, heap, err);
    if (status != HPF_OK) {
        return status;
    }
    if (!HPF__ARRAY_RESERVE_ZEROED(keys->origins, keys->origins_capacity, HPP__FIRST_KEY)) {
        return hpf_error_set_memory(err);
    }
    keys->origins[HPP__KEY_OUT_OF_MEMORY].text = HPF_STR("OUT_OF_MEMORY");
    keys->origins[HPP__KEY_UNKNOWN].text = HPP__UNKNOWN_TEXT;
    keys->n_keys = HPP__FIRST_KEY;
    return HPF_OK;
}

void hpp__band_keys_finish(hpp__band_keys *keys)
{
    hpp__map_finish(&keys->stacks);
    hpp__map_finish(&keys->shapes);
    hpp__map_finish(&keys->texts);
    free(keys->origins);
    *keys = (hpp__band_keys){0};
}
