/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The frames of the names of an imported profile.
 */
#ifndef HPF_FRAME_TABLE_H
#define HPF_FRAME_TABLE_H

#include "hpfile/event.h"

/* Creates an empty table. Returns NULL when there is no memory. */
HPF_API hpf_frame_table *hpf_frame_table_create(void);
HPF_API void hpf_frame_table_destroy(hpf_frame_table *table);

/* Adds the frames of a name; the first ones count. Texts are copied. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_frame_table_add(hpf_frame_table *table, hpf_str name,
                                                    const hpf_frame *frames, size_t n_frames,
                                                    hpf_error *err);

/* Fills at most `room` frames of a name, and returns how many there are; 0 for an unknown name. */
HPF_API size_t hpf_frame_table_get(const hpf_frame_table *table, hpf_str name, hpf_frame *frames,
                                   size_t room);

#endif
