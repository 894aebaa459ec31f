/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A snapshot of a heap: its objects at one moment, and which object refers to which. Node 0 is the
 * root; what keeps objects alive is its children.
 *
 * Memory: 17 bytes for each object and 4 for each edge, and one copy of each name; further columns
 * take their size.
 */
#ifndef HPFILE_SNAPSHOT_H
#define HPFILE_SNAPSHOT_H

#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* Most nodes, and most edges. */
#define HPF_SNAPSHOT_MOST (UINT32_MAX - 1)

/* Not a node. */
#define HPF_SNAPSHOT_NONE UINT32_MAX

/* Added to a number of `edge_names` that is an index, less than this. */
#define HPF_SNAPSHOT_INDEX (UINT32_C(1) << 31)

/* Memory that does nothing for the program (hpfile/waste.h). */
typedef enum hpf_waste_kind {
    HPF_WASTE_EQUAL,     /* blocks that are equal to another one of their type */
    HPF_WASTE_ROOM,      /* of containers of which less than half is used: what is not */
    HPF_WASTE_UNWRITTEN, /* of blocks that are zero from before their middle to their end */
    HPF_WASTE_SLACK,     /* what the allocator has added to the sizes that were asked for */
    HPF_WASTE_BOXED,     /* blocks with a value that fits in the word that refers to them */
    HPF_WASTE_SIZE,      /* slack by size: `type` says which */
    HPF_N_WASTE_KINDS
} hpf_waste_kind;

typedef struct hpf_waste {
    hpf_waste_kind kind;
    hpf_str type, site;        /* site: empty if unknown */
    uint64_t n_blocks;         /* or containers */
    uint64_t n_empty;          /* of these: containers without an element */
    uint64_t bytes, all_bytes; /* waste, and what it is a part of */
} hpf_waste;

/* All zero is an empty snapshot. */
typedef struct hpf_snapshot {
    uint32_t n_nodes, n_edges;
    uint32_t *names;       /* by node: the number of its name */
    uint64_t *sizes;       /* by node, in bytes */
    uint8_t *is_object;    /* by node: it counts as an object; a root or a variable does not */
    uint32_t *first_edges; /* by node, and n_edges after the last */
    uint32_t *targets;     /* by edge: the node that it leads to */
    /* Further columns, by node; NULL if there is none. */
    uint64_t *ids;       /* unique; last as long as the object; 0: none */
    uint32_t *sites;     /* the number of the text of the place that allocated it; NONE: unknown */
    uint32_t *own_names; /* the number of the text of the object itself, such as a string's */
    /* By edge, or NULL: the number of the text of the field that refers, or HPF_SNAPSHOT_INDEX and
     * its index; NONE: unknown. */
    uint32_t *edge_names;

    hpf_waste *waste; /* rows, if it was looked for */
    size_t n_waste;

    uint64_t process;          /* in which ids last; another in each process; 0: unknown */
    struct hpf__intern *texts; /* names by number; private */
    bool borrows_texts;        /* of another snapshot; private */
    size_t names_capacity, sizes_capacity, is_object_capacity, first_edges_capacity,
        targets_capacity, ids_capacity, sites_capacity, own_names_capacity, edge_names_capacity,
        waste_capacity;
} hpf_snapshot;

/* An edge, by its number, and a node at one of its ends. */
typedef struct hpf_snapshot_edge {
    uint32_t edge, node;
} hpf_snapshot_edge;

/* Adds a node, without edges. Errors: MEMORY; LIMIT (HPF_SNAPSHOT_MOST). */
HPF_API hpf_status hpf_snapshot_add_node(hpf_snapshot *snapshot, hpf_str name, uint64_t size_bytes,
                                         bool is_object, hpf_error *err);

/* Sets the id and the site of the last node. Errors: MEMORY. */
HPF_API hpf_status hpf_snapshot_set_origin(hpf_snapshot *snapshot, uint64_t id, hpf_str site,
                                           hpf_error *err);

/* Adds an edge from the last node to `target`, which may be added later. Same errors. */
HPF_API hpf_status hpf_snapshot_add_edge(hpf_snapshot *snapshot, uint32_t target, hpf_error *err);

/* Sets the field that the last edge refers by: its name, or if that is empty its index, less than
 * HPF_SNAPSHOT_INDEX; NONE: unknown. Errors: MEMORY. */
HPF_API hpf_status hpf_snapshot_set_field(hpf_snapshot *snapshot, hpf_str name, uint32_t index,
                                          hpf_error *err);

/* Stores the edges that lead to a node in `out`, which has room for `most`, in their order. Returns
 * how many there are. */
HPF_API size_t hpf_snapshot_referrers(const hpf_snapshot *snapshot, uint32_t node,
                                      hpf_snapshot_edge *out, size_t most);

/* Makes all nodes reachable: if there are some that the root does not reach, adds a node
 * "(unreached)" below the root, and below it as few of them as it takes to reach all: the ones that
 * no other refers to, and one of each cycle of which this is true. Takes 16 bytes for each node
 * meanwhile. Errors: MEMORY; LIMIT. */
HPF_API hpf_status hpf_snapshot_connect(hpf_snapshot *snapshot, hpf_error *err);

/* Return the name of a node, and a name by its number (`names`); numbers are less than
 * hpf_snapshot_n_texts. Borrowed. */
HPF_API hpf_str hpf_snapshot_name(const hpf_snapshot *snapshot, uint32_t node);
HPF_API hpf_str hpf_snapshot_text(const hpf_snapshot *snapshot, uint32_t number);
HPF_API uint32_t hpf_snapshot_n_texts(const hpf_snapshot *snapshot);

/* Stores the number of a name. Returns false if no node has it. */
HPF_API bool hpf_snapshot_find_text(const hpf_snapshot *snapshot, hpf_str name, uint32_t *number);

HPF_API void hpf_snapshot_finish(hpf_snapshot *snapshot);

HPF_END_DECLS
#endif
