/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The heap adapter of a profiled program whose graph is known: objects are the nodes of the graph.
 * A reference is the address of a node, so it is valid for one graph only; except for blocks whose
 * lives are followed (followed_blocks.h).
 *
 * A block has the stack and the shape of its site. A root is a static object and a retainer, with a
 * shape of its own.
 *
 * Roots have ranks, and yield to roots of a lower rank: variables hold what they reach; memory that
 * the program has mapped, a heap of its own, holds what no variable reaches; stacks and registers
 * of threads hold the rest, outer frames before inner ones. A program works on its tables through
 * local variables, but the question is who will still hold them later; and inner frames have words
 * that earlier calls have left. In Python, variables of modules go first, functions that run go
 * second, and variables in C follow; the interpreter holds what nothing else does. In Haskell,
 * variables at the top level go before stable pointers, and these before threads.
 *
 * What the variables of main held when it returned is in no memory any more, and what the first
 * thread has in registers while it runs is not known. So then they hold what was made in the places
 * of which they held blocks in the last image where that was known, if hardly any block of the
 * place was lost.
 *
 * A frame is a holder with a name of its own from the second census in a row on in which it holds
 * something, or as soon as that is a twentieth of the heap. Before, its thread's stack holds it.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_PROFILE_GRAPH_HEAP_H
#define HPP_NATIVE_COLLECTOR_PROFILE_GRAPH_HEAP_H

#include "base/intern.h"
#include "native/collector/graph/graph.h"
#include "site_heap.h"
#include "followed_blocks.h"
#include "retainer_sites.h"

/* A root, for the engine. */
typedef struct hpp__root_object {
    hpp_shape shape;
    const hpp__stack *stack; /* NULL unless retainers are identified by stack */
    uint16_t rank;           /* of a frame: of the first one; those of the graph have their own */
    bool is_frame;           /* of a stack */
    bool is_established;     /* a frame that has a name of its own */
    uint32_t last_census;    /* in which it held something that no root of a lower rank reached */
    uint64_t held_bytes;     /* then */
} hpp__root_object;

/* A root of the graph. */
typedef struct hpp__ranked_root {
    hpp__root_object *object;
    uint16_t rank;
} hpp__ranked_root;

/* The blocks of a place (function@file:line) in an image. */
typedef struct hpp__held_by_main {
    const hpp__root_object *holder; /* a variable or the frame of main; NULL: none */
    uint32_t n_held, n_lost;        /* how many these held; how many were not reached */
    uint32_t n_unknown;             /* that only words of no known frame reached */
} hpp__held_by_main;

/* In the last image where it was known, and in this one. */
typedef struct hpp__place_of_main {
    hpp__held_by_main known, now;
} hpp__place_of_main;

typedef struct hpp__graph_heap {
    hpp__site_heap *native;           /* borrowed */
    const hpp__retainer_sites *sites; /* borrowed; may be NULL */
    bool with_stacks;                 /* roots need stacks */
    hpp__graph *graph;                /* borrowed; NULL: no objects */
    bool is_sample;                   /* blocks with a site are a sample */
    /* Only these blocks have a cost, and lives; borrowed. NULL: all have a cost. Set it after the
     * graph whose blocks it follows. */
    hpp__followed *watch;
    hpf_arena *arena;
    hpf__intern names;             /* of roots */
    hpp__root_object **root_named; /* by number of the name */
    hpp__ranked_root *roots;       /* by root of the graph */
    size_t root_named_capacity, roots_capacity;
    unsigned char *verdicts; /* by group: hpp__verdict + 1, or 0: not known yet */
    unsigned char *retains;  /* by group, in this graph; 0: it does not */
    size_t verdicts_capacity, retains_capacity;
    uint16_t *ranks; /* by block: the lowest of the roots that reach it */
    size_t ranks_capacity;
    hpp__map place_numbers; /* description, by address -> 1 + index in `of_main` */
    hpp__place_of_main *of_main;
    uint32_t *place_of_site;     /* the same number; 0: not known yet */
    unsigned char *part_of_site; /* as part_of in graph_heap.c; 0: not known yet */
    size_t n_of_main, of_main_capacity, place_of_site_capacity, part_of_site_capacity;
    uint32_t n_censuses;
    hpp__map n_of_site; /* description, by address -> live blocks, and whether they were few */
    hpp_heap heap;      /* the adapter */
} hpp__graph_heap;

/* Initialises an adapter, which must not be moved. Errors: MEMORY. Call hpp__graph_heap_finish in
 * any case. */
hpf_status hpp__graph_heap_init(hpp__graph_heap *heap, hpp__site_heap *native,
                                const hpp__retainer_sites *sites, bool with_stacks, hpf_error *err);
void hpp__graph_heap_finish(hpp__graph_heap *heap);

/* Returns how the words of containers refer to the blocks of a site, as
 * hpp__named_stacks_is_part. */
hpp__room_layout hpp__graph_heap_layout(hpp__graph_heap *heap, uint32_t site);

/* Presents a graph from now on, which is borrowed; NULL: no objects. Finds the groups of its
 * blocks, by their sites and by `types`, which may be NULL; closures have theirs. Finds out which
 * of them retain. Returns false without memory; then there are no objects. */
bool hpp__graph_heap_set(hpp__graph_heap *heap, hpp__graph *graph, const hpp__types *types);

/* Returns the bytes that a block counts for: in a sample, those that it stands for. A block that is
 * not in the sample counts for none; it may hold others. */
uint64_t hpp__graph_heap_weight(const hpp__graph_heap *heap, const hpp__graph_node *node);

/* Returns how many blocks a block counts for. */
uint64_t hpp__graph_heap_blocks(const hpp__graph_heap *heap, const hpp__graph_node *node);

/* Returns whether a root reaches a block of the graph. */
bool hpp__graph_heap_reaches(const hpp__graph_heap *heap, size_t block);

#endif
