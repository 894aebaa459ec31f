/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From an object to its band: a small number, the key, and the key's name.
 *
 * Shapes and stacks are known by address, so that an object costs one look-up of a pointer; texts
 * are read and compared once per shape. Equal texts have equal keys.
 */
#ifndef HPP_BAND_KEY_H
#define HPP_BAND_KEY_H

#include "hpfile/arena.h"
#include "hpprof/census_types.h"
#include "base/map.h"
#include "base/text.h"

/* Keys that every keys has. */
enum {
    HPP__KEY_OUT_OF_MEMORY = 0, /* could not be told apart from others */
    HPP__KEY_UNKNOWN = 1,       /* has no producer, or an empty text */
    HPP__FIRST_KEY = 2
};

/* What one key stands for: a stack, or a text. */
typedef struct hpp__origin {
    const void *stack; /* NULL: a text */
    hpf_str text;
} hpp__origin;

typedef struct hpp__band_keys {
    hpp_breakdown kind;   /* stack, module, description, type or kind */
    const hpp_heap *heap; /* borrowed */
    hpp__map stacks;      /* stack -> key */
    hpp__map shapes;      /* shape -> key */
    hpp__map texts;       /* hash of a text -> key; equal hashes are kept apart by probing */
    hpp__origin *origins; /* by key */
    size_t origins_capacity;
    uint32_t n_keys;
    hpf_arena *arena; /* texts; borrowed */
} hpp__band_keys;

/* Names of text go into `arena`, which outlives the keys. Errors: MEMORY; ARGUMENT for a
 * breakdown that is none of the object itself. */
hpf_status hpp__band_keys_init(hpp__band_keys *keys, hpp_breakdown kind, const hpp_heap *heap,
                               hpf_arena *arena, hpf_error *err);
void hpp__band_keys_finish(hpp__band_keys *keys);

/* The key of an object; HPP__KEY_OUT_OF_MEMORY when a new one cannot be made. */
uint32_t hpp__band_keys_get(hpp__band_keys *keys, const hpp_object *object);

/* The key of an object that a census has seen; false when there is none. */
bool hpp__band_keys_find(const hpp__band_keys *keys, const hpp_object *object, uint32_t *key);

/* The text by which a selector knows a key: the innermost label of a stack, or the whole text. */
hpf_str hpp__band_keys_label(const hpp__band_keys *keys, uint32_t key);

/* Appends the name of a key as a band. A stack is "(id)inner/.../outer", of which the part behind
 * the number is cut to `max_bytes`, with "..." at its end; MAIN is left out unless it is alone, and
 * CAF is "Module.CAF". */
void hpp__band_keys_write_name(const hpp__band_keys *keys, uint32_t key, size_t max_bytes,
                               hpp__text *out);

/* Appends a key as `.prof` files show a retainer: "inner[Module],...,MAIN[MAIN]". */
void hpp__band_keys_write_whole(const hpp__band_keys *keys, uint32_t key, hpp__text *out);

/* What an object's selectors and breakdowns see, without a memo. */
hpf_str hpp__object_text(const hpp_heap *heap, const hpp_object *object, hpp_breakdown kind);

#endif
