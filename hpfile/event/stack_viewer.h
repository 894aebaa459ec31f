/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The names of a stack view, for the reader.
 */
#ifndef HPF_STACK_VIEWER_H
#define HPF_STACK_VIEWER_H

#include "hpfile/stack_viewer.h"

/* As for a reader (detect/reader.h). */
hpf_str hpf__stack_viewer_name(const hpf_stack_viewer *viewer, hpf_name name);
size_t hpf__stack_viewer_frames(const hpf_stack_viewer *viewer, hpf_name name, hpf_frame *frames,
                                size_t room);

/* Each stack keeps a name of its own, and all of its frames. */
void hpf__stack_viewer_keep_stacks(hpf_stack_viewer *viewer);

#endif
