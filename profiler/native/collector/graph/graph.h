/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The graph of an image: which live block points to which, and which roots point into the heap.
 *
 * Every aligned word of a block or a root that is the address of a byte of a live block is an edge;
 * one past the end is not. So a number that happens to look like an address is an edge, too. Texts
 * of strings have no edges. What the memory of an array had before it is behind its last element,
 * and behind the letters of a short string: there, edges are only those to blocks that nothing else
 * reaches. Of the objects of CPython, edges are only what their garbage collector would follow; of
 * the closures of a Haskell heap, which are blocks, too, the same.
 *
 * Nodes are numbered: first the blocks, in the order of the image, then closures, then the roots. A
 * graph takes 32 bytes for a node and 4 bytes for an edge, so at most half of what it was read from
 * and 32 bytes for each block; while it is made, also a sixtieth of the addresses of the heap.
 * Memory is read in pieces of at most a MiB. The graph keeps nothing of the image, which can be
 * closed.
 *
 * Threads: one thread at a time.
 */
#ifndef HPP_NATIVE_COLLECTOR_GRAPH_GRAPH_H
#define HPP_NATIVE_COLLECTOR_GRAPH_GRAPH_H

#include "base/arena.h"
#include "native/python/heap/fields.h"
#include "native/python/heap/objects.h"
#include "native/collector/roots/roots.h"
#include "native/collector/graph/room.h"
#include "native/haskell/references.h"

typedef struct hpp__graph_node {
    uint64_t mark;       /* for a census: its retainer word. 0: not reached (yet) */
    uint64_t size_bytes; /* of a root 0 */
    uint64_t first_edge; /* its edges end where the edges of the next node begin */
    uint32_t site;       /* of a root: its index; of a closure: its kind */
    uint32_t group;      /* for the heap adapter: of sites */
} hpp__graph_node;

typedef struct hpp__graph_root {
    hpp__root_kind kind;
    hpf_str name;
    hpf_str module; /* empty if there is none */
    uint32_t site;  /* of a block of kind mmap, whose name it has instead; else 0 */
    uint32_t order; /* of stacks and registers, as in hpp__root_part */
} hpp__graph_root;

/* A frame of a waiting thread that has values in registers, which are not known: the root that they
 * would be. */
typedef struct hpp__hidden_frame {
    hpp__graph_root root;
    uint64_t return_address;
} hpp__hidden_frame;

typedef struct hpp__graph {
    hpp__graph_node *nodes; /* blocks, then roots, then one that ends the last one's edges */
    uint32_t *edges;        /* numbers of blocks */
    uint32_t *fields;       /* by edge, or NULL: which field refers, see hpp__graph_field */
    hpp__graph_root *roots;
    hpp__hidden_frame *hidden; /* of each thread, inner ones first */
    hpp__root_area *areas;     /* of memory that roots are in, sorted by address */
    size_t n_blocks, n_roots, n_hidden, n_areas, n_edges;
    size_t n_closures;       /* of the blocks, the last ones */
    uint64_t n_unread_bytes; /* of blocks and roots that could not be read */
    size_t nodes_capacity, edges_capacity, fields_capacity, roots_capacity, hidden_capacity;
    bool with_fields;
    bool knows_main; /* the frame of main, or of what else the first thread has begun with */
    hpf__intern field_names;
    hpf_arena *arena;   /* texts of roots */
    hpp__python python; /* objects of CPython; their names stay when the image is closed */
} hpp__graph;

/* What the graph asks of names. Borrowed. */
typedef struct hpp__graph_names {
    hpp_resolver *resolver; /* of variables and functions */
    /* Returns whether a site is a call of operator new, not new[]. NULL: of none is that known. */
    bool (*calls_new)(void *context, uint32_t site);
    /* Returns the layout of the words that refer to the blocks of a site, if these are parts of
     * containers. NULL: of none is that known. */
    hpp__room_layout (*layout_of)(void *context, uint32_t site);
    void *context;
} hpp__graph_names;

/* What the graph of an image needs of the image before. All zero: there is none. */
typedef struct hpp__graph_past {
    hpp__stacks stacks;
    hpp__python_past python;
} hpp__graph_past;

void hpp__graph_past_finish(hpp__graph_past *past);

/* Makes the graph of an image, with or without the fields that refer. `past` becomes that of the
 * next one; `haskell` is a census of its Haskell heap, or NULL. Errors: MEMORY, LIMIT, SYNTAX for
 * invalid blocks. Call hpp__graph_finish in any case. */
hpf_status hpp__graph_init(hpp__graph *graph, const hpp__image *image, hpp__graph_past *past,
                           const hpp__graph_names *names, hpp__haskell_census *haskell,
                           bool with_fields, hpf_error *err);
void hpp__graph_finish(hpp__graph *graph);

/* Adds a root, whose texts are borrowed, with edges to blocks. Returns false without memory. */
bool hpp__graph_add_root(hpp__graph *graph, hpp__graph_root root, const uint32_t *blocks,
                         size_t n_blocks);

/* Returns the number of the first closure, and of the block after the last one of the image. */
static inline size_t hpp__graph_first_closure(const hpp__graph *graph)
{
    return graph->n_blocks - graph->n_closures;
}

/* Returns the bytes of all blocks. */
static inline uint64_t hpp__graph_bytes(const hpp__graph *graph)
{
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < graph->n_blocks; i++) {
        n_bytes += graph->nodes[i].size_bytes;
    }
    return n_bytes;
}

/* Returns the edges of a node. */
static inline const uint32_t *hpp__graph_edges(const hpp__graph *graph, size_t node, size_t *n)
{
    uint64_t first = graph->nodes[node].first_edge;
    *n = (size_t)(graph->nodes[node + 1].first_edge - first);
    return *n > 0 ? graph->edges + first : NULL; /* a graph without edges has no array */
}

/* What refers, of an edge: a field with a name; or, if `name` is empty, the word of the block with
 * this number, or item of a list or tuple of Python; or UINT32_MAX: not known. */
typedef struct hpp__graph_field {
    hpf_str name;
    uint32_t number;
} hpp__graph_field;

/* Returns the field of edge `index` of a node, in a graph with fields. */
hpp__graph_field hpp__graph_field_of(const hpp__graph *graph, size_t node, size_t index);

#endif
