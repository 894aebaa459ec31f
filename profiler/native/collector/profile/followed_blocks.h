/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The blocks whose lives are followed, from image to image, for censuses by retainer and phase at
 * once. An image shows which of them live, and when each was last used. One that a later image does
 * not show has died. The program has reported its last use if no image can have shown it.
 *
 * A block is known by its address and the era of its birth: two blocks of one address that images
 * show were not born in the same era, since eras begin with images.
 *
 * There are two numberings of eras. The program's, in the window, go on with each image. The census
 * engine's go on with each census, so they fall behind if an image has none. `eras` leads from the
 * engine's numbers to the program's.
 *
 * Memory: 40 bytes for each block, and the engine's.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_FOLLOWED_BLOCKS_H
#define HPP_NATIVE_COLLECTOR_PROFILE_FOLLOWED_BLOCKS_H

#include "base/map.h"
#include "census/census.h"
#include "native/collector/image/image.h"
#include "native/window/window.h"

typedef struct hpp__watched {
    uint64_t address; /* 0: a free place */
    uint64_t bytes;   /* that it represents */
    uint64_t word;    /* its life, in eras of the engine */
    uint32_t birth;   /* era of the window */
    uint32_t node;    /* of the graph; a free place: the next one */
} hpp__watched;

typedef struct hpp__followed {
    hpp__watched *blocks; /* by number; 0 is none */
    uint32_t *of_node;    /* number of the block of a node */
    uint32_t *eras;       /* of the window, by era of the engine - 1 */
    size_t n_blocks, blocks_capacity, of_node_capacity, eras_capacity;
    uint32_t first_free; /* 0: none */
    hpp__map number_of;  /* address -> number */
    uint64_t bytes;      /* that all of them represent */
    hpp_band *scaled;    /* bands of a result */
    size_t scaled_capacity;
} hpp__followed;

/* Follows the blocks of an image of the era `era`, whose blocks are the first nodes of a graph,
 * before the census. Returns false without memory. */
bool hpp__followed_follow(hpp__followed *watch, hpp_census *engine, const hpp__image *image,
                          uint32_t era);

/* Notes the last uses of blocks that have died since an image. Call it before that image is
 * followed, since it may show the blocks no more, and again after its census, since it may still
 * show them. */
void hpp__followed_note(hpp__followed *watch, const hpp_census *engine,
                        const hpp_window_death *deaths, size_t n);

/* Multiplies the bands of a result, which are borrowed from the watch then, so that their sum is
 * exact. Without memory, they stay. */
void hpp__followed_scale(hpp__followed *watch, hpp_census_result *result, double factor);

/* Lets all blocks die. */
void hpp__followed_end(hpp__followed *watch, hpp_census *engine);
void hpp__followed_finish(hpp__followed *watch);

/* Returns the reference of the engine to a block that is followed: an odd one. */
static inline hpp_ref hpp__watched_ref(uint32_t number)
{
    return (hpp_ref)number << 1 | 1;
}

static inline uint32_t hpp__watched_number(hpp_ref ref)
{
    return (uint32_t)(ref >> 1);
}

#endif
