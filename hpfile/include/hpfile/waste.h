/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory of a heap that does nothing for the program, by kind, type and site. One block can count
 * in several kinds: amounts of different kinds cannot be added up.
 */
#ifndef HPFILE_WASTE_H
#define HPFILE_WASTE_H

#include "hpfile/snapshot.h"

HPF_BEGIN_DECLS

/* Returns the word of a kind in files and tables: "equal", "room", "unwritten", "slack",
 * "boxed", "size". */
HPF_API const char *hpf_waste_name(hpf_waste_kind kind);

/* Returns what it says of its blocks: "less than half full". */
HPF_API const char *hpf_waste_phrase(hpf_waste_kind kind);

/* The payload of a HEAP_PROF_WASTE record of an event log begins with the live bytes, in eight
 * bytes; then come rows: the kind in one byte, the waste and the number of blocks in eight bytes
 * each, the type, a NUL, the site and a NUL. Removes a row from the front of `*rest`. Returns false
 * if there is none; its texts are borrowed. */
HPF_API bool hpf_waste_take_row(hpf_waste *row, hpf_str *rest);

/* Adds a row to a snapshot, which copies its texts. Errors: MEMORY. */
HPF_API hpf_status hpf_snapshot_add_waste(hpf_snapshot *snapshot, const hpf_waste *row,
                                          hpf_error *err);

/* Adds the waste of a snapshot of V8, which has no rows and was read with own names: a row for each
 * text that more than one string has, and one of numbers that are objects. Longer texts than V8
 * writes are not compared. Errors: MEMORY. */
HPF_API hpf_status hpf_snapshot_find_waste(hpf_snapshot *snapshot, hpf_error *err);

/* Sorts rows by kinds of waste, sizes last and in their order; then by bytes, largest first. */
HPF_API void hpf_waste_sort(hpf_waste *rows, size_t n);

HPF_END_DECLS
#endif
