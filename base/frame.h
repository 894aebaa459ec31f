/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frames as JSON, frames of names, and the names of closure types.
 */
#ifndef HPF_FRAME_H
#define HPF_FRAME_H

#include "base/buffer.h"
#include "base/json.h"
#include "hpfile/frame.h"

/* Adds the member `frames` to an object: the frames of a name, innermost first, as objects with
 * `label`, `module` and `source`; for an info table also `table`, `closure_type` and `type`. Adds
 * nothing if there are no frames. */
void hpf_json_frames(hpf_json *json, const hpf_frame *frames, size_t n_frames);

/* Fills at most `room` frames of a name such as `(12)apply/eval/main`, innermost first; they have
 * labels only, borrowed from the name. Any other name is one frame. A slash that would leave a
 * frame empty belongs to the frame, so that the operator `/` is one. Returns the number of frames.
 */
size_t hpf__frames_of_name(hpf_str name, hpf_frame *frames, size_t room);

/* Returns whether a frame is the type of the objects that its stack allocated, or says what else is
 * known of them. */
static inline bool hpf__frame_is_type(const hpf_frame *frame)
{
    return frame->type.length > 0 && frame->table.length == 0;
}

/* The module of closures of a Haskell program, as `census run` records them, that have none. */
#define HPF__HASKELL_HEAP "Haskell heap"

/* Returns how many of the `n` frames of a stack come before its functions. */
static inline size_t hpf__n_types(const hpf_frame *frames, size_t n)
{
    size_t i = 0;
    while (i < n && hpf__frame_is_type(&frames[i])) {
        i++;
    }
    return i;
}

/* Append the label of a frame as it is shown: MODULE.CAF for a CAF, an info table as `TABLE
 * MODULE.LABEL SOURCE`, or, if only its symbol is known, as MODULE.LABEL, "(unknown)" where there
 * is none. Return false without memory. */
bool hpf__append_frame(hpf__buffer *to, const hpf_frame *frame);
bool hpf__append_info_table(hpf__buffer *to, const hpf_frame *info);

/* Returns GHC's name for a closure type given as a decimal number, such as THUNK for 15. Returns
 * the text itself if it is not such a number. */
hpf_str hpf_closure_type_name(hpf_str number);

#endif
