/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The names of an imported profile that are stacks, and their frames. The temporary file of the
 * profile has a short key in place of such a name, because each sample repeats it.
 */
#ifndef HPF_FRAME_TABLE_H
#define HPF_FRAME_TABLE_H

#include "hpfile/event.h"

/* Creates an empty table. Returns NULL when there is no memory. */
HPF_API hpf_frame_table *hpf_frame_table_create(void);
HPF_API void hpf_frame_table_destroy(hpf_frame_table *table);

/* Adds a name and its frames; the first ones of a key count. Texts are copied. Errors: MEMORY,
 * LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_frame_table_add(hpf_frame_table *table, hpf_str key,
                                                    hpf_str name, const hpf_frame *frames,
                                                    size_t n_frames, hpf_error *err);

/* Returns the name of a key; the key if it is unknown. `table` may be NULL. */
HPF_API hpf_str hpf_frame_table_name(const hpf_frame_table *table, hpf_str key);

/* Fills at most `room` frames of a key, and returns how many there are; 0 for an unknown key. */
HPF_API size_t hpf_frame_table_get(const hpf_frame_table *table, hpf_str key, hpf_frame *frames,
                                   size_t room);

#endif
