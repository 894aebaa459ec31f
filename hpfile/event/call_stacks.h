/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks of formats that have them: readers turn a stack into a name.
 */
#ifndef HPF_CALL_STACKS_H
#define HPF_CALL_STACKS_H

#include "base/buffer.h"
#include "event/emitter.h"
#include "event/frame_tree.h"
#include "hpfile/frame.h"
#include "hpfile/source.h"

/* Most bytes of a text of a frame, and of all texts of a stack. */
enum { HPF__MOST_TEXT_BYTES = 1 << 14, HPF__MOST_STACK_BYTES = 1 << 20 };

/* Begins as {.emit = ..., .source = ...}. Equal stacks, with equal sources, are one name. */
typedef struct hpf__call_stacks {
    hpf__emitter *emit;
    const hpf_source *source; /* whose bytes limit the frames; NULL: nothing does */
    uint64_t earlier_bytes;   /* of sources before it */
    hpf__frame_tree tree;
    hpf_name *names; /* by node */
    uint32_t node;   /* of the stack that was named last */
    size_t n_names, names_capacity;
    uint32_t n_stacks;
    size_t n_passed, n_text_bytes; /* frames, and bytes of names, so far */
    hpf_frame *cut;                /* the frames of a stack that is cut */
    size_t cut_capacity;
    hpf__buffer text;
} hpf__call_stacks;

/* Stores the name of a stack, innermost frame first: `(12)apply/eval/main`, with the number of the
 * stack and the labels of the frames. Emits a new name with its frames. Characters that would end a
 * name in `.hp` files are replaced. Errors: MEMORY, LIMIT, from the consumer. */
HPF_API hpf_status hpf__call_stacks_name(hpf__call_stacks *stacks, const hpf_frame *frames,
                                         size_t n_frames, hpf_name *name, hpf_error *err);

/* Returns a text of the input, which was defined once and may be in many stacks, or its start if it
 * is long. */
hpf_str hpf__call_stacks_text(hpf_str text);

/* Returns the number of frames from which on a stack is cut, at least 2. A reader need not put more
 * frames together than one more, nor more texts than HPF__MOST_STACK_BYTES. */
size_t hpf__call_stacks_room(const hpf__call_stacks *stacks);

/* Adds a cost of a stack to the sample of the emitter; 0 is left out. */
hpf_status hpf__call_stacks_cost(hpf__call_stacks *stacks, const hpf_frame *frames, size_t n_frames,
                                 uint64_t amount, hpf_error *err);
/* Chooses the value that `options` ask for, or the first one; `values` ends with NULL. Errors:
 * ARGUMENT, which lists them. */
hpf_status hpf__choose_value(size_t *chosen, const char *const *values,
                             const hpf_reader_options *options, hpf_error *err);

/* Emits the JOB of a command line whose profile has bands by call stack. */
hpf_status hpf__call_stacks_job(hpf__emitter *emit, hpf_str command, hpf_error *err);

/* Returns the part of such a JOB, or of one by another break-down, that is the command line. */
HPF_API hpf_str hpf__call_stacks_command(hpf_str job);

HPF_API void hpf__call_stacks_finish(hpf__call_stacks *stacks);

#endif
