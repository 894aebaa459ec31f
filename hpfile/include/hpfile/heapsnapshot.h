/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Snapshots as files: the `.heapsnapshot` of Chrome, Node and Deno (docs/formats/heapsnapshot.md).
 */
#ifndef HPFILE_HEAPSNAPSHOT_H
#define HPFILE_HEAPSNAPSHOT_H

#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/snapshot.h"

HPF_BEGIN_DECLS

/* Returns whether a file begins as a snapshot does. */
HPF_API bool hpf_heapsnapshot_is(hpf_str beginning);

/* Columns that are read only if they are asked for. */
enum {
    HPF_HEAPSNAPSHOT_IDS = 1,
    HPF_HEAPSNAPSHOT_OWN_NAMES = 2,
    HPF_HEAPSNAPSHOT_SITES = 4,
    HPF_HEAPSNAPSHOT_EDGE_NAMES = 8
};

/* Reads the whole source, with the further columns `columns`. New texts are added to those of
 * `owner`, which the snapshot shares, so equal texts of both have one number; `owner` must live
 * longer. NULL: the snapshot has its own texts. Weak references are left out, and shortcuts, except
 * from the root, which only show other references again; if the root has some, which lead to global
 * objects, also those from what these do not lead to, to what they do. A node of strings, arrays,
 * code and the like, or without a name, has the name of its type in parentheses, and the text in
 * the file as its own name. Errors: SYNTAX; RANGE, for a number that refers to nothing; LIMIT;
 * MEMORY; from the source. */
HPF_API HPF_MUST_USE hpf_status hpf_heapsnapshot_read(hpf_snapshot *out, hpf_source *source,
                                                      unsigned columns, const hpf_snapshot *owner,
                                                      hpf_error *err);

/* Writes a snapshot. Errors are the sink's. */
HPF_API void hpf_heapsnapshot_write(const hpf_snapshot *snapshot, hpf_sink *sink);

HPF_END_DECLS
#endif
