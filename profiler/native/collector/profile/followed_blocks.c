/* SPDX-License-Identifier: BSD-2-Clause */
#include "followed_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "census/biography.h"

static const uint32_t no_node = UINT32_MAX;

/* Returns the era of the engine that ended with the first census at the end of `era` of the window,
 * or later; the current one if there was none yet. */
static uint32_t engine_era(const hpp__followed *w, const hpp_census *engine, uint32_t era)
{
    size_t ended;
    HPF__ARRAY_BISECT(ended, hpp_census_era(engine) - 1, i, w->eras[i] < era);
    return (uint32_t)ended + 1;
}

/* Returns the word of a life. A sampled block whose use ends an era is known to be used in it only
 * when the next one has begun: until then, it counts as used. */
static uint64_t word_of(const hpp__followed *w, const hpp_census *engine,
                        const hpp__image_life *life)
{
    uint32_t now = hpp_census_era(engine);
    uint64_t word = hpp_life_created_in(now);
    if (life->last_use != 0) {
        uint32_t last_use = engine_era(w, engine, life->last_use);
        bool is_used_now = life->may_be_used && last_use + 1 == now;
        word = hpp_life_after_use(word, is_used_now ? now : last_use);
    }
    return word;
}

static void end_life(hpp__followed *w, hpp_census *engine, uint32_t number)
{
    static const hpp_shape any;
    hpp__watched *block = &w->blocks[number];
    const hpp_object object = {
        .size_bytes = block->bytes, .shape = &any, .life_word = &block->word};
    hpp_census_dead(engine, hpp__watched_ref(number), &object);
}

static uint32_t new_place(hpp__followed *w)
{
    uint32_t number = w->first_free;
    if (number != 0) {
        w->first_free = w->blocks[number].node;
    } else if (HPF__ARRAY_RESERVE(w->blocks, w->blocks_capacity, w->n_blocks + 2)) {
        w->n_blocks += w->n_blocks == 0; /* number 0 is none */
        number = (uint32_t)w->n_blocks++;
    }
    return number;
}

/* Follows a block that an image shows. */
static bool follow(hpp__followed *w, hpp_census *engine, const hpp__image_life *life, uint32_t node)
{
    uint64_t *known = hpp__map_add(&w->number_of, life->address);
    if (!known) {
        return false;
    }
    hpp__watched *block = *known != 0 ? &w->blocks[*known] : NULL;
    if (block && block->birth != life->birth) {
        end_life(w, engine, (uint32_t)*known);
    }
    uint64_t word = word_of(w, engine, life);
    if (!block) {
        *known = new_place(w);
        if (*known == 0) {
            hpp__map_remove(&w->number_of, life->address);
            return false;
        }
        block = &w->blocks[*known];
    } else if (block->birth == life->birth) { /* as it was first seen */
        word = hpp_life_with_creation(word, hpp_life_creation_era(block->word));
    }
    *block = (hpp__watched){life->address, life->bytes, word, life->birth, node};
    w->of_node[node] = (uint32_t)*known;
    w->bytes += life->bytes;
    return true;
}

/* Ends the lives of the blocks that have no node: the last image does not show them. */
static void end_unseen_lives(hpp__followed *w, hpp_census *engine)
{
    for (uint32_t i = 1; i < w->n_blocks; i++) {
        hpp__watched *block = &w->blocks[i];
        if (block->address != 0 && block->node == no_node) {
            end_life(w, engine, i);
            hpp__map_remove(&w->number_of, block->address);
            *block = (hpp__watched){.node = w->first_free};
            w->first_free = i;
        }
    }
}

/* Takes the nodes of the previous image from all blocks. */
static void leave_nodes(hpp__followed *w)
{
    for (size_t i = 1; i < w->n_blocks; i++) {
        if (w->blocks[i].address != 0) {
            w->blocks[i].node = no_node;
        }
    }
    w->bytes = 0;
}

bool hpp__followed_follow(hpp__followed *w, hpp_census *engine, const hpp__image *image,
                          uint32_t era)
{
    uint32_t now = hpp_census_era(engine);
    if (now == 0 || !HPF__ARRAY_RESERVE(w->eras, w->eras_capacity, now) ||
        !HPF__ARRAY_RESERVE(w->of_node, w->of_node_capacity, image->n_blocks + 1)) {
        return false;
    }
    w->eras[now - 1] = era;
    memset(w->of_node, 0, image->n_blocks * sizeof *w->of_node);
    leave_nodes(w);
    size_t node = 0;
    bool is_good = true;
    for (size_t i = 0; i < image->n_lives && is_good; i++) {
        const hpp__image_life *life = &image->lives[i];
        while (node < image->n_blocks && image->blocks[node].address < life->address) {
            node++;
        }
        if (node < image->n_blocks && image->blocks[node].address == life->address) {
            is_good = follow(w, engine, life, (uint32_t)node);
        }
    }
    end_unseen_lives(w, engine);
    return is_good;
}

void hpp__followed_note(hpp__followed *w, const hpp_census *engine, const hpp_window_death *deaths,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t *number =
            deaths[i].address != 0 ? hpp__map_find(&w->number_of, deaths[i].address) : NULL;
        hpp__watched *block = number ? &w->blocks[*number] : NULL;
        if (block && block->birth == deaths[i].birth) {
            block->word =
                hpp_life_after_use(block->word, engine_era(w, engine, deaths[i].last_use));
        }
    }
}

/* Scales bands into `out`, whose sum is that of the bands, scaled. Returns the sum. */
static uint64_t scale(const hpp_band **bands, size_t *n_bands, double factor, hpp_band *out)
{
    double sum = 0;
    uint64_t sum_bytes = 0;
    size_t n = 0;
    for (size_t i = 0; i < *n_bands; i++) {
        sum += (double)(*bands)[i].size_bytes * factor;
        out[n] = (*bands)[i];
        out[n].size_bytes = (uint64_t)(sum + 0.5) - sum_bytes;
        sum_bytes += out[n].size_bytes;
        n += out[n].size_bytes > 0;
    }
    *bands = out;
    *n_bands = n;
    return sum_bytes;
}

void hpp__followed_scale(hpp__followed *w, hpp_census_result *result, double factor)
{
    hpp_bands *further[] = {&result->by_stack, &result->further[0], &result->further[1]};
    enum { N_FURTHER = sizeof further / sizeof *further };
    _Static_assert(N_FURTHER == HPP_MAX_FURTHER_BANDS + 1, "all bands are scaled");
    size_t n = result->n_bands + 1; /* room for one that is dropped */
    for (int i = 0; i < N_FURTHER; i++) {
        n += further[i]->n_bands + 1;
    }
    if (!HPF__ARRAY_RESERVE(w->scaled, w->scaled_capacity, n)) {
        return;
    }
    hpp_band *out = w->scaled;
    result->size_bytes = scale(&result->bands, &result->n_bands, factor, out);
    out += result->n_bands + 1;
    for (int i = 0; i < N_FURTHER; i++) {
        scale(&further[i]->bands, &further[i]->n_bands, factor, out);
        out += further[i]->n_bands + 1;
    }
}

void hpp__followed_end(hpp__followed *w, hpp_census *engine)
{
    leave_nodes(w);
    end_unseen_lives(w, engine);
}

void hpp__followed_finish(hpp__followed *w)
{
    free(w->blocks);
    free(w->of_node);
    free(w->eras);
    free(w->scaled);
    hpp__map_finish(&w->number_of);
    *w = (hpp__followed){0};
}
