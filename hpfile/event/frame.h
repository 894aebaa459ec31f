/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames as JSON.
 */
#ifndef HPF_FRAME_H
#define HPF_FRAME_H

#include "hpfile/frame.h"
#include "io/json.h"

/* Adds the member `frames` of an object: what a name of an event log stands for, innermost first,
 * as objects with `label`, `module` and `source`, an info table also with `table`, `closure_type`
 * and `type`. None: nothing. */
HPF_API void hpf_json_frames(hpf_json *json, const hpf_frame *frames, size_t n_frames);

#endif
