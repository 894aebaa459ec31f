/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Call stacks of formats that have them: readers turn a stack into a name.
 */
#ifndef HPF_CALL_STACKS_H
#define HPF_CALL_STACKS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "event/emitter.h"
#include "event/frame_tree.h"
#include "hpfile/frame.h"
#include "hpfile/source.h"

/* Begins as {.emit = {.events = ..., .context = ...}, .source = ...}. Equal stacks, with equal
 * sources, are one name. */
typedef struct hpf__call_stacks {
    hpf__emitter emit;
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
    hpf_frame *frames; /* the stack being put together, innermost first */
    size_t n_frames, frames_capacity, room;
    hpf_arena *texts; /* of its frames */
} hpf__call_stacks;

/* Stores the name of a stack, innermost frame first: `(12)apply/eval/main`, with the number of the
 * stack and the labels of the frames. Emits a new name with its frames. Characters that would end a
 * name in `.hp` files are replaced. Errors: MEMORY, LIMIT, from the consumer. */
hpf_status hpf__call_stacks_name(hpf__call_stacks *stacks, const hpf_frame *frames, size_t n_frames,
                                 hpf_name *name, hpf_error *err);

/* Returns a text of the input, which was defined once and may be in many stacks, or its start if it
 * is long. */
hpf_str hpf__call_stacks_text(hpf_str text);

/* Begin to put a stack together, and add a frame outside of the others. Return false without
 * memory. */
bool hpf__call_stacks_begin(hpf__call_stacks *stacks);
bool hpf__call_stacks_push(hpf__call_stacks *stacks, hpf_frame frame);

/* Returns a text with more behind it, for a frame of this stack; no data without memory. */
hpf_str hpf__call_stacks_join(hpf__call_stacks *stacks, hpf_str text, const char *format, ...)
    HPF_PRINTF(3, 4);

/* Returns whether further frames of this stack would be cut. */
bool hpf__call_stacks_is_full(const hpf__call_stacks *stacks);

/* Adds a cost of this stack to the sample of the emitter; 0 is left out. */
hpf_status hpf__call_stacks_cost(hpf__call_stacks *stacks, uint64_t amount, hpf_error *err);

/* Chooses the value that `options` ask for, or the first one; `values` ends with NULL. Errors:
 * ARGUMENT, which lists them. */
hpf_status hpf__choose_value(size_t *chosen, const char *const *values,
                             const hpf_reader_options *options, hpf_error *err);

/* Emits the headers of a profile with bands by call stack. The text of the JOB is the command line;
 * others without data have their defaults. */
hpf_status hpf__call_stacks_headers(hpf__call_stacks *stacks, const hpf_str texts[HPF_N_HEADERS],
                                    hpf_error *err);

/* Returns the part of such a JOB, or of one by another break-down, that is the command line. */
hpf_str hpf__call_stacks_command(hpf_str job);

void hpf__call_stacks_finish(hpf__call_stacks *stacks);

#endif
