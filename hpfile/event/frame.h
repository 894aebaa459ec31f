/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames as JSON.
 */
#ifndef HPF_FRAME_H
#define HPF_FRAME_H

#include "hpfile/frame.h"
#include "io/json.h"

/* Adds the member `frames` to an object: the frames of a name, innermost first, as objects with
 * `label`, `module` and `source`; for an info table also `table`, `closure_type` and `type`. Adds
 * nothing if there are no frames. */
HPF_API void hpf_json_frames(hpf_json *json, const hpf_frame *frames, size_t n_frames);

#endif
