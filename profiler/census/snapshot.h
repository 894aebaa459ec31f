/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A snapshot of a heap: all objects, and which refers to which.
 *
 * A weak pointer does not hold its key, its first child. Objects have their description as a name,
 * or with `by_type` their type; without it the other of the two; without both the innermost cost
 * centre or function of their producer.
 * Static objects, and with `count_stacks` false stacks, have no size and do not count.
 *
 * Memory: the snapshot, and 30 to 50 bytes for each object meanwhile; nothing if references are in
 * a row (`ref_bytes`).
 */
#ifndef HPP_SNAPSHOT_H
#define HPP_SNAPSHOT_H

#include "hpprof/heap.h"
#include "hpfile/snapshot.h"

/* Returns HPF_ERR_ARGUMENT if the heap has no objects, children or roots. */
hpf_status hpp__heap_snapshot_check(const hpp_heap *heap, hpf_error *err);

typedef struct hpp__heap_snapshot_options {
    bool by_type, count_stacks;
    bool with_sites; /* descriptions are sites: objects whose name is a type keep theirs */
    /* Returns what identifies an object in a later snapshot of the process, at most 2^50; 0:
     * nothing does. NULL: references are valid for this snapshot only. */
    uint64_t (*identify)(hpp_ref ref, void *context);
    /* Stores what refers, of child `index` of an object: the name of a field, or if that is empty a
     * number; UINT32_MAX: unknown. NULL: children are numbered. */
    void (*field)(hpp_ref ref, size_t index, hpf_str *name, uint32_t *number, void *context);
    void *context;
    uint64_t process; /* whose identities they are; 0 only without `identify` */
    /* If not 0: references are `first_ref`, and each `ref_bytes` more than the one before, in the
     * order in which the heap visits its objects and then its roots. Nothing else is a child. */
    size_t ref_bytes;
    hpp_ref first_ref;
    const hpf_waste *waste; /* rows, which are copied */
    size_t n_waste;
} hpp__heap_snapshot_options;

/* Takes a snapshot, whose root does not reach all objects yet (hpf_snapshot_connect). The heap must
 * not change meanwhile. Errors: MEMORY; LIMIT. */
hpf_status hpp__heap_snapshot_take(hpf_snapshot *out, const hpp_heap *heap,
                                   hpp__heap_snapshot_options options, hpf_error *err);

/* Makes the root of a snapshot reach all objects, writes the file `path`, and frees the snapshot.
 * Errors: MEMORY; LIMIT; IO. */
hpf_status hpp__heap_snapshot_write(hpf_snapshot *snapshot, const char *path, hpf_error *err);

#endif
