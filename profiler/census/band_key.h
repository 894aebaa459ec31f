/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps an object to the key of its band, a small number, and a key to its name.
 *
 * Shapes and stacks are looked up by address; texts are compared once per shape. Equal texts have
 * equal keys, except by info table, where each shape has a key of its own.
 */
#ifndef HPP_BAND_KEY_H
#define HPP_BAND_KEY_H

#include "base/arena.h"
#include "hpprof/census_types.h"
#include "base/map.h"
#include "base/text.h"

/* Keys that always exist. */
enum {
    HPP__KEY_OUT_OF_MEMORY = 0, /* there was no memory for a key */
    HPP__KEY_UNKNOWN = 1,       /* has no producer, or an empty text */
    HPP__FIRST_KEY = 2
};

/* The meaning of a key: a stack, or a text. */
typedef struct hpp__origin {
    const void *stack; /* NULL: a text */
    hpf_str text;
} hpp__origin;

typedef struct hpp__band_keys {
    hpf_breakdown kind;   /* a property */
    bool is_by_shape;     /* by info table: each shape has a key, whose text is its description */
    const hpp_heap *heap; /* borrowed */
    hpp__map stacks;      /* stack -> key */
    hpp__map shapes;      /* shape -> key */
    hpp__map texts;       /* hash of a text -> key; equal hashes are probed */
    hpp__origin *origins; /* by key */
    size_t origins_capacity;
    uint32_t n_keys;
    hpf_arena *arena; /* texts; borrowed */
} hpp__band_keys;

/* Initialises keys. Texts are copied into `arena`, which must outlive them. Errors: MEMORY;
 * ARGUMENT for a break-down that is neither by a property (property.h) nor by info table. */
hpf_status hpp__band_keys_init(hpp__band_keys *keys, hpf_breakdown kind, const hpp_heap *heap,
                               hpf_arena *arena, hpf_error *err);
void hpp__band_keys_finish(hpp__band_keys *keys);

/* Returns the key of an object, a new one if needed; HPP__KEY_OUT_OF_MEMORY without memory. */
uint32_t hpp__band_keys_get(hpp__band_keys *keys, const hpp_object *object);

/* Finds the key of an object without creating one. */
bool hpp__band_keys_find(const hpp__band_keys *keys, const hpp_object *object, uint32_t *key);

/* Returns the text that selectors compare: the innermost label of a stack, or the whole text. */
hpf_str hpp__band_keys_label(const hpp__band_keys *keys, uint32_t key);

/* Appends the band name of a key. A stack is "(id)inner/.../outer", cut to `max_bytes` after the
 * id, with "..." at the end; MAIN is left out unless it is alone, and CAF is "Module.CAF". */
void hpp__band_keys_write_name(const hpp__band_keys *keys, uint32_t key, size_t max_bytes,
                               hpp__text *out);

/* Appends a key as a retainer of `.prof` files: "inner[Module],...,MAIN[MAIN]". */
void hpp__band_keys_write_whole(const hpp__band_keys *keys, uint32_t key, hpp__text *out);

#endif
