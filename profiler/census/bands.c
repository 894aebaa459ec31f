/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bands by index, and the few of them that a result shows.
 */
#include "base/arena.h"
#include "bands.h"

#include "base/array.h"

static bool write_into_arena(hpp__bands *b, uint32_t key, hpf_str *name)
{
    hpp__text text = {0};
    b->write_name(key, &text, b->context);
    *name = text.is_short ? (hpf_str){NULL, 0} : hpf_arena_str(b->arena, hpp__text_str(&text));
    hpp__text_finish(&text);
    return name->data != NULL;
}

/* Makes room for `n` bands and the lost band. */
static bool reserve(hpp__bands *b, size_t n)
{
    return HPF__ARRAY_RESERVE(b->bands, b->bands_capacity, n + 1) &&
           HPF__ARRAY_RESERVE(b->shown, b->shown_capacity, n + 1) &&
           HPF__ARRAY_RESERVE(b->key_of, b->key_of_capacity, n + 1);
}

static uint32_t add_band(hpp__bands *b, uint32_t key, hpf_str name)
{
    b->key_of[b->n_bands] = key;
    b->bands[b->n_bands] = (hpp_band){.index = b->n_bands, .name = name};
    return ++b->n_bands;
}

static hpp_band *band_of(hpp__bands *b, uint32_t key)
{
    hpf_str name;
    if (key < b->index_of_capacity && b->index_of[key] != 0) {
        return &b->bands[b->index_of[key] - 1];
    }
    if (key == b->lost_key ||
        !HPF__ARRAY_RESERVE_ZEROED(b->index_of, b->index_of_capacity, key + (size_t)1) ||
        !reserve(b, b->n_bands + (size_t)1) || !write_into_arena(b, key, &name)) {
        if (b->lost_index == 0) {
            b->lost_index = add_band(b, b->lost_key, HPF_STR("OUT_OF_MEMORY"));
        }
        return &b->bands[b->lost_index - 1];
    }
    b->index_of[key] = add_band(b, key, name);
    return &b->bands[b->index_of[key] - 1];
}

void hpp__bands_begin(hpp__bands *b)
{
    for (uint32_t i = 0; i < b->n_bands; i++) {
        b->bands[i].size_bytes = 0;
    }
}

void hpp__bands_add(hpp__bands *b, uint32_t key, uint64_t size_bytes)
{
    if (size_bytes > 0) {
        band_of(b, key)->size_bytes += size_bytes;
    }
}

void hpp__bands_end(hpp__bands *b, hpp_census_result *result)
{
    result->bands = b->shown;
    result->n_bands = 0;
    result->size_bytes = 0;
    for (uint32_t i = 0; i < b->n_bands; i++) {
        if (b->bands[i].size_bytes > 0) {
            b->shown[result->n_bands++] = b->bands[i];
            result->size_bytes += b->bands[i].size_bytes;
        }
    }
    result->missing.unnamed_bytes = b->lost_index ? b->bands[b->lost_index - 1].size_bytes : 0;
}

bool hpp__bands_init(hpp__bands *b, uint32_t lost_key, hpp__write_name *write_name, void *context,
                     hpf_arena *arena)
{
    *b = (hpp__bands){
        .arena = arena, .write_name = write_name, .context = context, .lost_key = lost_key};
    return reserve(b, 0);
}

void hpp__bands_finish(hpp__bands *b)
{
    free(b->bands);
    free(b->shown);
    free(b->key_of);
    free(b->index_of);
}
