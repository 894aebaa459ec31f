/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The events of a reader as a stack view shows them: with the names and costs of what is shown.
 */
#ifndef HPFILE_STACK_VIEWER_H
#define HPFILE_STACK_VIEWER_H

#include "hpfile/event.h"
#include "hpfile/frame.h"
#include "hpfile/stack_view.h"

HPF_BEGIN_DECLS

typedef struct hpf_stack_viewer hpf_stack_viewer;

/* Fills the frames of a name of the reader, as hpf_survey_frames. */
typedef size_t hpf_frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room);

/* Creates a viewer. The view is borrowed for its life, and what `frames_of` fills for the life of
 * the reader. Returns NULL when there is no memory. */
HPF_API hpf_stack_viewer *hpf_stack_viewer_create(const hpf_stack_view *view,
                                                  hpf_frames_of *frames_of, void *frames_context);
HPF_API void hpf_stack_viewer_destroy(hpf_stack_viewer *viewer);

/* Sets the consumer of the events from now on; `events` is copied. */
HPF_API void hpf_stack_viewer_emit_to(hpf_stack_viewer *viewer, const hpf_events *events,
                                      void *context);

/* The consumer for the reader; the context is the viewer. Errors: MEMORY, LIMIT; from the
 * consumer. */
HPF_API extern const hpf_events hpf_stack_viewer_events;

/* Checks at the end of the input that something is shown. Errors: RANGE if no stack has a function
 * that the view asks for, UNSUPPORTED if frames do not have what it shows of them. */
HPF_API hpf_status hpf_stack_viewer_check(const hpf_stack_viewer *viewer, hpf_error *err);

HPF_END_DECLS
#endif
