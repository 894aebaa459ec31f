/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap adapter of a profiled program. It has sums instead of objects, one for each group of
 * sites that no breakdown distinguishes: with the same stack of functions (and, for event logs,
 * lines of calls), line, call and mean of a sample. The group of a site is found once; a census
 * then only adds.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_SITE_HEAP_H
#define HPP_NATIVE_COLLECTOR_PROFILE_SITE_HEAP_H

#include "base/intern.h"
#include "hpprof/collector_types.h"
#include "life_sums.h"
#include "named_stacks.h"
#include "native/window/window_sums.h"

/* Groups that always exist. */
enum {
    HPP__GROUP_UNKNOWN,   /* no producer: stack NULL */
    HPP__GROUP_INHERITED, /* blocks that existed before */
    HPP__GROUP_TICKS,     /* no blocks: clock ticks */
};

/* A group of sites. */
typedef struct hpp__group {
    const hpp__stack *stack; /* NULL: unknown */
    const hpp__stack *calls; /* the same with lines of calls; NULL: unknown, or without lines */
    const hpp_shape *shape;  /* of its blocks: -hd, -hT, -hy */
    hpp__naming naming;    /* how the type is known: by a container, a variable, or only the site */
    uint32_t shape_number; /* from 1; 0: a special shape */
    double rate_bytes;     /* blocks are a sample (hpfile/margin.h); 0: all */
    bool is_object;        /* its blocks may own others: as hpp__site_type */
    bool is_closure;       /* its blocks are closures of a Haskell heap */
    uint32_t band_word, stack_word; /* the engine's */
} hpp__group;

typedef struct hpp__site_heap {
    hpp__named_stacks *stacks;        /* borrowed */
    hpp__named_stacks *calls;         /* borrowed; NULL: groups do not distinguish lines of calls */
    const hpp__window_reader *reader; /* borrowed */
    hpf_arena *arena;                 /* shapes and their texts */
    hpp__group *groups;
    hpp__costs *costs;       /* by group, as of the last hpp__site_heap_add_up */
    uint64_t *inherited;     /* the same: live bytes that a forked child has inherited */
    hpp_phase_bytes *phases; /* by group, as of the last hpp__site_heap_add_lives */
    size_t n_groups, groups_capacity, costs_capacity, inherited_capacity, phases_capacity;
    uint32_t *group_of; /* by site: index + 1, or 0: not known yet */
    size_t group_of_capacity;
    hpp__map files;           /* text of a file, by address -> number */
    hpp__map places;          /* function and file -> number */
    hpp__map shapes;          /* place, line and call -> number */
    hpp__map by_shape;        /* stack and shape -> index of the group + 1 */
    const uint64_t *left_out; /* by group: live bytes that another heap is made of; NULL: none */
    size_t n_left_out;
    double rate_bytes; /* blocks are a sample (hpfile/margin.h), with this mean at first; 0: all */
    double rate_now;   /* the same, of the last sum */
    bool with_types;   /* set it before the first sums: shapes have types */
    hpf__intern types;
    hpp__map typed; /* shape and type -> number of the shape with that type */
    uint32_t n_files, n_places;
    const hpp_shape **shape_list; /* by number - 1 */
    size_t shape_list_capacity;
    uint32_t n_shapes;
    hpp_heap heap; /* the adapter */
} hpp__site_heap;

/* Initialises a heap, which must not be moved; `stacks`, `calls`, which may be NULL, and `reader`
 * are borrowed. Errors: MEMORY; call hpp__site_heap_finish in any case. */
hpf_status hpp__site_heap_init(hpp__site_heap *heap, hpp__named_stacks *stacks,
                               hpp__named_stacks *calls, const hpp__window_reader *reader,
                               hpf_error *err);
void hpp__site_heap_finish(hpp__site_heap *heap);

/* Sums the costs of sites by group, and finds the groups of new sites. Sites that are incomplete or
 * without memory for a group are in the first group, the unknown one. Leaves out clock ticks. */
void hpp__site_heap_add_up(hpp__site_heap *heap, const hpp__window_sums *sums);

/* Returns the index of the group of a site, a new one if needed. */
size_t hpp__site_heap_group(hpp__site_heap *heap, uint32_t site);

/* Adds a group of closures, whose stacks and shape are borrowed, and stores its index. Returns
 * false without memory. */
bool hpp__site_heap_add_closures(hpp__site_heap *heap, const hpp__group *group, size_t *index);

/* Returns the live bytes of all groups. */
uint64_t hpp__site_heap_live_bytes(const hpp__site_heap *heap);

/* Sums the phases of sites by group. `live_bytes` is what they represent together, if the blocks
 * are a sample; NULL if all are known. Returns the sum of all groups. */
hpp_phase_bytes hpp__site_heap_add_lives(hpp__site_heap *heap, const hpp__life_sums *lives,
                                         const uint64_t *live_bytes);

/* Returns what a group says of the types of its blocks. The heap must be one with types. */
hpp__site_type hpp__site_heap_type(const hpp__site_heap *heap, size_t group);

/* Returns the index of the group of those blocks of a group that have a type, a new one if needed;
 * the group itself if the type is empty, or without memory. */
size_t hpp__site_heap_typed_group(hpp__site_heap *heap, size_t group, hpf_str type);

/* The live blocks of a group, or the lost ones among them. */
typedef struct hpp__alive {
    uint64_t bytes, blocks;
    uint64_t indirect_bytes, indirect_blocks; /* of these: lost indirectly */
} hpp__alive;

/* Returns the bytes of the first `n_alive` groups, and the variance of this estimate if blocks are
 * a sample; the program's own mappings are not. */
double hpp__site_heap_sum(const hpp__site_heap *heap, const hpp__alive *alive, size_t n_alive,
                          double *variance);

/* Stores the allocation sites with the most live bytes, largest first, at most `n_most`; those with
 * the same place are one. `alive` has an entry for each of the first `n_alive` groups. Texts are
 * borrowed from the heap, or in `arena`. Returns their number; 0 without memory. */
size_t hpp__site_heap_top(const hpp__site_heap *heap, const hpp__alive *alive, size_t n_alive,
                          hpp_site_figures *out, size_t n_most, hpf_arena *arena);

#endif
