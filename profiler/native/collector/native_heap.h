/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap of a profiled program as the census engine sees it: not objects, but sums, one for each
 * group of sites that no breakdown tells apart - the same stack of functions, the same place, the
 * same call. A site's group is found once; a census then only adds.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_HEAP_H
#define HPP_NATIVE_HEAP_H

#include "hpprof/collector_types.h"
#include "native_stacks.h"
#include "native/window/window_sums.h"

/* Groups that are there from the start. */
enum {
    HPP__GROUP_UNKNOWN,   /* no producer: stack NULL */
    HPP__GROUP_INHERITED, /* what a forked child has from its parent */
    HPP__GROUP_TICKS,     /* no blocks: clock ticks */
};

/* Sites that cannot be told apart. */
typedef struct hpp__group {
    const hpp__stack *stack; /* NULL: unknown */
    const hpp_shape *shape;  /* of its blocks: -hd, -hT */
    uint32_t band_word;      /* the engine's */
} hpp__group;

typedef struct hpp__native_heap {
    hpp__native_stacks *stacks;       /* borrowed */
    const hpp__window_reader *reader; /* borrowed */
    hpf_arena *arena;                 /* shapes and their texts */
    hpp__group *groups;
    hpp__costs *costs; /* by group, as of the last hpp__native_heap_add_up */
    size_t n_groups, groups_capacity, costs_capacity;
    uint32_t *group_of; /* by site: index + 1, or 0: not known yet */
    size_t group_of_capacity;
    hpp__map files;    /* text of a file, by address -> number */
    hpp__map places;   /* function and file -> number */
    hpp__map shapes;   /* place, line and call -> number */
    hpp__map by_shape; /* stack and shape -> index of the group + 1 */
    uint32_t n_files, n_places;
    const hpp_shape **shape_list; /* by number - 1 */
    size_t shape_list_capacity;
    uint32_t n_shapes;
    hpp_heap heap; /* what the engine gets */
} hpp__native_heap;

/* `stacks` and `reader` are borrowed. The heap must not move. Errors: MEMORY. Finish in any case.
 */
hpf_status hpp__native_heap_init(hpp__native_heap *heap, hpp__native_stacks *stacks,
                                 const hpp__window_reader *reader, hpf_error *err);
void hpp__native_heap_finish(hpp__native_heap *heap);

/* Adds the sums of sites up by group, finding the groups of new sites. What finds no memory for a
 * group, or is not complete yet, is in the first group, the unknown one. Clock ticks are left out.
 */
void hpp__native_heap_add_up(hpp__native_heap *heap, const hpp__window_sums *sums);

/* What is alive of a group. */
typedef struct hpp__alive {
    uint64_t bytes, blocks;
} hpp__alive;

/* Writes at most `n_most` places to `out`, largest first; returns how many. `alive` has an entry
 * for each of the first `n_alive` groups. Texts are borrowed from the heap, or written into
 * `arena`. Nothing without memory. */
size_t hpp__native_top(const hpp__native_heap *heap, const hpp__alive *alive, size_t n_alive,
                       hpp_site_figures *out, size_t n_most, hpf_arena *arena);

#endif
