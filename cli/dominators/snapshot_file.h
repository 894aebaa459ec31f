/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A file with a heap snapshot, and its dominator tree.
 */
#ifndef CENSUS_SNAPSHOT_FILE_H
#define CENSUS_SNAPSHOT_FILE_H

#include "hpfile/dominator_tree.h"

/* Groups that retain less than this share of all bytes are only counted. */
#define SNAPSHOT_LEAST_SHARE 0.0001

typedef struct snapshot_file {
    hpf_snapshot snapshot;
    hpf_dominators dominators;
    hpf_dominator_tree tree;
} snapshot_file;

/* Reads a file ("-" is standard input), and makes the tree of the groups that retain at least
 * SNAPSHOT_LEAST_SHARE, at most `most_groups` of them; 0: no tree. `columns` are the further ones
 * of the snapshot (heapsnapshot.h). Returns false after a message. */
bool snapshot_file_load(snapshot_file *file, const char *path, unsigned columns,
                        uint32_t most_groups);
/* Reads two files, without trees; the second has the texts of the first. Returns false after a
 * message. */
bool snapshot_file_load_pair(snapshot_file *files, const char *const *paths, unsigned columns);
/* Reads the snapshot of a file alone, in the same way. */
bool snapshot_file_read(hpf_snapshot *snapshot, const char *path, unsigned columns);

void snapshot_file_finish(snapshot_file *file);

/* Return the name of a node, and of a group. Borrowed. */
hpf_str snapshot_file_node_name(const snapshot_file *file, uint32_t node);
hpf_str snapshot_file_group_name(const snapshot_file *file, uint32_t group);

#endif
