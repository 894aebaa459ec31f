/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames as JSON, and the names of closure types.
 */
#ifndef HPF_FRAME_H
#define HPF_FRAME_H

#include "hpfile/frame.h"
#include "io/json.h"

/* Adds the member `frames` to an object: the frames of a name, innermost first, as objects with
 * `label`, `module` and `source`; for an info table also `table`, `closure_type` and `type`. Adds
 * nothing if there are no frames. */
HPF_API void hpf_json_frames(hpf_json *json, const hpf_frame *frames, size_t n_frames);

/* Returns GHC's name for a closure type given as a decimal number, such as THUNK for 15. Returns
 * the text itself if it is not such a number. */
HPF_API hpf_str hpf_closure_type_name(hpf_str number);

#endif
