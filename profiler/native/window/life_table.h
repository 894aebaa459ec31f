/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The lives of blocks, in private memory of the program. The preload library writes them (lives/),
 * the collector reads them in an image (image/image_lives.h). The window has the address:
 *
 * - of sampled blocks, the offset of a list of chunks (hpp_sample_chunk);
 * - in a program that `census cc` compiled, whose window has no biography_bytes, the offset of an
 * array of the addresses of leaves. A leaf has a word for each granule.
 */
#ifndef HPP_NATIVE_WINDOW_LIFE_TABLE_H
#define HPP_NATIVE_WINDOW_LIFE_TABLE_H

#include <stdbool.h>

#include "block_table.h"

/* The life of a block. */
typedef struct hpp_life {
    uint32_t site;
    uint32_t birth;    /* era */
    uint32_t last_use; /* era; 0: not used yet */
    bool is_drag;      /* drag from the era after its last use on is recorded */
    uint64_t bytes;    /* the size, or what a sampled block represents */
} hpp_life;

/* ---- sampled blocks -------------------------------------------------------------------------- */

typedef enum hpp_sample_state {
    HPP_SAMPLE_FREE,
    HPP_SAMPLE_TAKEN, /* a thread fills or empties it */
    HPP_SAMPLE_LIVE,
    HPP_SAMPLE_BUSY, /* live, and a thread is looking at its pages */
    HPP_SAMPLE_LEFT, /* freed while it was busy: that thread empties it */
} hpp_sample_state;

/* A slot and its block. */
typedef struct hpp_sample {
    _Atomic uint32_t state; /* hpp_sample_state */
    uint8_t n_filling;      /* eras whose entries are of its creation, not of uses */
    bool is_dirty;          /* its memory may not be zero */
    bool is_tracked;        /* it has a life */
    bool has_gap;           /* no memory is mapped in the page before it */
    uint32_t n_probes;      /* pages whose entries were dropped; 0: all */
    uint32_t probes_seed;   /* which ones */
    uint32_t serial;        /* number of blocks that it has had */
    uint32_t watched;       /* its place in the window, plus 1; 0: none */
    uintptr_t block;
    uint64_t n_bytes;
    hpp_life life;
} hpp_sample;

/* Slots of one size. Records of chunks are never freed. */
typedef struct hpp_sample_chunk {
    uintptr_t begin;        /* 0: the chunk of a large block that was freed */
    _Atomic uintptr_t twin; /* 0: it was moved over the chunk, which is frozen */
    uint64_t n_bytes;       /* mapped */
    uint64_t stride_bytes;
    uint32_t n_slots;
    bool can_thaw;           /* frozen, but its blocks are watched as soon as the fork is over */
    _Atomic uint32_t n_used; /* no later slot was ever taken */
    _Atomic uint32_t n_taken;
    _Atomic uint32_t last_freed; /* slot, where the memory is in a cache */
    struct hpp_sample_chunk *next;
    hpp_sample slots[];
} hpp_sample_chunk;

/* ---- all blocks ------------------------------------------------------------------------------ */

/* A word in the first granule of a block: bits 0-31 the era of its birth, 32-62 the era of its last
 * use, or 0; bit 63: hpp_life.is_drag. 0: no life. In a granule whose number is a multiple of
 * HPP_LIFE_MARK_GRANULES, and that is not the first of a block: the distance to the first one. */
#define HPP_LIFE_LAST_USE_SHIFT 32
#define HPP_LIFE_LAST_USE_MASK  0x7fffffffu
#define HPP_LIFE_IS_DRAG        ((uint64_t)1 << 63)
enum {
    HPP_LIFE_LEAF_SHIFT = 26, /* 64 MiB of addresses */
    HPP_MAX_LIFE_LEAVES = 1 << (HPP_ADDRESS_BITS - HPP_LIFE_LEAF_SHIFT),
    HPP_GRANULES_PER_LIFE_LEAF = 1 << (HPP_LIFE_LEAF_SHIFT - HPP_GRANULE_SHIFT),
    HPP_LIFE_LEAF_BYTES = HPP_GRANULES_PER_LIFE_LEAF * 8,
    HPP_LIFE_MARK_GRANULES = 1024 / HPP_GRANULE_BYTES,
};

#endif
