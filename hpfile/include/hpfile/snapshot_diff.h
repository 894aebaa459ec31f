/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What changed between two heap snapshots: by type, by what holds the objects, or by site.
 */
#ifndef HPFILE_SNAPSHOT_DIFF_H
#define HPFILE_SNAPSHOT_DIFF_H

#include "hpfile/dominators.h"

HPF_BEGIN_DECLS

/* What the rows are. */
typedef enum hpf_snapshot_part {
    HPF_SNAPSHOT_TYPE,
    HPF_SNAPSHOT_HOLDER, /* the type of what holds the object */
    HPF_SNAPSHOT_SITE    /* objects without one have a row without a name */
} hpf_snapshot_part;

/* The objects of a row; one that belongs to another row now is gone from one and new in the other.
 * Bytes afterwards are those before, and `new_bytes` and `grown_bytes`, without `gone_bytes`. */
typedef struct hpf_snapshot_change {
    hpf_str name; /* borrowed from a snapshot */
    uint64_t n_before, n_after, n_new, n_gone;
    uint64_t before_bytes, after_bytes, new_bytes, gone_bytes;
    int64_t grown_bytes;     /* how much the objects that are in both have grown */
    uint64_t retained_bytes; /* by the new ones: they, and all that each of them dominates */
} hpf_snapshot_change;

typedef struct hpf_snapshot_diff {
    bool by_id;                /* objects were matched by their ids; else by their shape */
    hpf_snapshot_change *rows; /* largest growth first; only of what changed */
    uint32_t n_rows;
    hpf_snapshot_change total; /* without a name */
} hpf_snapshot_diff;

/* Compares two snapshots all of whose nodes the root reaches, with the texts of the first
 * (hpf_heapsnapshot_read). An object is the same if it has the
 * same id and type. Ids last within a process; if the files do not say whose they are, if both have
 * some, other than 1, 3, 5 ..., and of those that are in both at least nine tenths belong to
 * objects of the same type. Else as many objects are the same as have the same type, type of the
 * holder, site and size in both; the first ones of each. Takes at most 40 bytes for each node
 * meanwhile. Errors: MEMORY, also with more than 2^30 objects; UNSUPPORTED, for sites that a
 * snapshot does not have. */
HPF_API HPF_MUST_USE hpf_status hpf_snapshot_diff_init(hpf_snapshot_diff *out,
                                                       const hpf_snapshot_side *before,
                                                       const hpf_snapshot_side *after,
                                                       hpf_snapshot_part part, hpf_error *err);
HPF_API void hpf_snapshot_diff_finish(hpf_snapshot_diff *diff);

HPF_END_DECLS
#endif
