/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of a Haskell heap in an image: its megablocks, the groups of blocks in them, and the
 * generations that these belong to.
 *
 * No symbols are needed. A megablock begins with descriptors that have the addresses of their own
 * blocks; the descriptors of blocks with objects point to their generations, each of which points
 * to the next one. So a layout is checked by the heap itself.
 *
 * Nothing that is read is trusted: a group lies within the mapping that it is in, addresses are
 * looked up, what does not fit is no heap.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HASKELL_MEGABLOCKS_H
#define HPP_NATIVE_HASKELL_MEGABLOCKS_H

#include "base/map.h"
#include "layouts.h"
#include "native/collector/image/image.h"

enum {
    HPP__HASKELL_MAX_GENERATIONS = 16,
    HPP__HASKELL_MAX_CAPABILITIES = 1024,
    HPP__HASKELL_MAX_MEGABLOCKS = 1 << 18,
    HPP__HASKELL_MAX_PLACES = 1 << 20, /* of megablocks, from the first to the last */
};

/* Where closures are: in the blocks of a generation, by its number, or in others of any. */
enum {
    HPP__HASKELL_LARGE = HPP__HASKELL_MAX_GENERATIONS,
    HPP__HASKELL_COMPACT,
    HPP__HASKELL_PINNED,
    HPP__HASKELL_N_PLACES
};

/* A group of blocks with objects. */
typedef struct hpp__haskell_group {
    uint64_t begin, end; /* of its memory */
    uint64_t used_end;   /* of its objects, as its descriptor has it */
    uint64_t object_end; /* no object that is in use ends after this */
    uint32_t generation;
    uint16_t flags;
    bool is_nursery; /* objects are allocated in it: `used_end` may be an old one */
} hpp__haskell_group;

typedef struct hpp__haskell_heap {
    const hpp__image *image; /* borrowed */
    const hpp_haskell_layout *layout;
    bool is_threaded;
    uint64_t first;       /* address of the first megablock */
    uint32_t *megablocks; /* by place from there: number + 1, or 0 */
    size_t n_places;
    size_t n_megablocks;
    uint64_t *addresses; /* by number */
    size_t addresses_capacity;
    uint32_t *group_of; /* by block of a megablock: index of its group + 1, or 0 */
    hpp__haskell_group *groups;
    size_t n_groups, groups_capacity, group_of_capacity;
    uint64_t generations[HPP__HASKELL_MAX_GENERATIONS];
    size_t n_generations;
    bool is_collecting; /* a collection of the young generations is under way */
    bool is_collecting_all;
    unsigned char *memory; /* of the megablocks, as far as they were read */
    uint8_t *is_read;      /* by number: 1: yes, 2: it cannot be */
    hpp__map pages;        /* of other memory: address -> page, or NULL if it cannot be read */
    size_t n_pages;
} hpp__haskell_heap;

typedef enum hpp__haskell_found {
    HPP__HASKELL_FOUND,
    HPP__HASKELL_NO_HEAP, /* there is none yet, or no longer */
    HPP__HASKELL_UNFIT,   /* it is not laid out as expected */
    HPP__HASKELL_RUNNING, /* threads run Haskell code: what they have in registers is not known */
    HPP__HASKELL_COLLECTING, /* all of it is being collected: objects are half moved */
    HPP__HASKELL_NO_MEMORY,
} hpp__haskell_found;

/* Finds the heap of an image. Call hpp__haskell_heap_finish in any case. */
hpp__haskell_found hpp__haskell_heap_init(hpp__haskell_heap *heap, const hpp__image *image,
                                          const hpp_haskell_layout *layout);
void hpp__haskell_heap_finish(hpp__haskell_heap *heap);

/* Returns the group that has an address, or NULL. */
static inline const hpp__haskell_group *hpp__haskell_group_of(const hpp__haskell_heap *heap,
                                                              uint64_t address)
{
    uint64_t place = (address - heap->first) / HPP_HASKELL_MEGABLOCK_BYTES;
    uint32_t megablock =
        address >= heap->first && place < heap->n_places ? heap->megablocks[place] : 0;
    if (megablock == 0) {
        return NULL;
    }
    size_t block = address % HPP_HASKELL_MEGABLOCK_BYTES / HPP_HASKELL_BLOCK_BYTES;
    uint32_t group = heap->group_of[(size_t)(megablock - 1) * HPP_HASKELL_MEGABLOCK_BLOCKS + block];
    return group != 0 ? &heap->groups[group - 1] : NULL;
}

/* Returns where the closures of a group are. */
static inline unsigned hpp__haskell_place(const hpp__haskell_group *group)
{
    return group->flags & HPP_HASKELL_IS_COMPACT  ? HPP__HASKELL_COMPACT
           : group->flags & HPP_HASKELL_IS_PINNED ? HPP__HASKELL_PINNED
           : group->flags & HPP_HASKELL_IS_LARGE  ? HPP__HASKELL_LARGE
                                                  : group->generation;
}

/* Returns whether an address is in a megablock. */
static inline bool hpp__haskell_has(const hpp__haskell_heap *heap, uint64_t address)
{
    uint64_t place = (address - heap->first) / HPP_HASKELL_MEGABLOCK_BYTES;
    return address >= heap->first && place < heap->n_places && heap->megablocks[place] != 0;
}

/* Returns the number of the word at an address of a megablock, among those of all. */
static inline size_t hpp__haskell_word_number(const hpp__haskell_heap *heap, uint64_t address)
{
    uint64_t place = (address - heap->first) / HPP_HASKELL_MEGABLOCK_BYTES;
    size_t bytes = (size_t)(heap->megablocks[place] - 1) * HPP_HASKELL_MEGABLOCK_BYTES +
                   address % HPP_HASKELL_MEGABLOCK_BYTES;
    return bytes / sizeof(uint64_t);
}

/* Returns `n` words at an address: they are in one megablock, or in one group. NULL if they cannot
 * be read. */
const uint64_t *hpp__haskell_words(hpp__haskell_heap *heap, uint64_t address, size_t n);

/* Reads memory that is not in megablocks: code, static objects. Pages are kept, up to a limit. */
bool hpp__haskell_read(hpp__haskell_heap *heap, void *out, uint64_t address, size_t n_bytes);

/* Reads memory that may be in megablocks, or not. */
bool hpp__haskell_read_any(hpp__haskell_heap *heap, void *out, uint64_t address, size_t n_bytes);

/* Returns the used bytes of the nurseries, as far as the capabilities know: while a thread runs
 * Haskell code, what it has allocated in its block is in a register. */
uint64_t hpp__haskell_nursery_bytes(hpp__haskell_heap *heap, const uint64_t *capabilities,
                                    size_t n);

#endif
