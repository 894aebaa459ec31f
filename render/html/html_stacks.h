/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The call stacks of names as a tree, for pages: each function, module and place is written once,
 * and each stack is a node of the tree.
 */
#ifndef HPR_HTML_STACKS_H
#define HPR_HTML_STACKS_H

#include "base/intern.h"
#include "hpfile/survey.h"
#include "html/html_pack.h"

/* Zero-initialised: empty. Nodes and their parents are packed in the order in which they are added;
 * a parent comes before its children. */
typedef struct hpr__stacks {
    hpf__intern frames; /* texts, each ended by a NUL: of frames, and of calls in them */
    hpf__intern nodes;  /* parent and frame */
    hpr__packer parents, calls, ends;
    hpr__packer owns; /* how many frames of a stack are not inside the one that names it */
    hpf__buffer text;
} hpr__stacks;

/* Returns whether a name has a stack of several frames: of an event log or an imported profile, or
 * as text such as `(12)apply/eval/main`. */
bool hpr__has_stacks(const hpf_survey *survey);

/* Adds the stack of a name. Errors: MEMORY, LIMIT. */
HPF_MUST_USE hpf_status hpr__stacks_add(hpr__stacks *stacks, const hpf_survey *survey,
                                        hpf_name name, hpf_error *err);

/* Adds the frames, the tree, and the node of each stack to an object. Returns false without memory.
 */
bool hpr__stacks_json(hpf_json *json, hpr__stacks *stacks);
void hpr__stacks_finish(hpr__stacks *stacks);

/* Adds the member "moved": for each frame of the older recording, surveys[0], whose line moved
 * (match.h), its text in both. Errors: MEMORY, LIMIT. */
HPF_MUST_USE hpf_status hpr__moved_frames_json(hpf_json *json, hpf_survey *const surveys[2],
                                               hpf_error *err);

/* Adds the member "stack": the frames of a stack, or without any the frames in its name; outermost
 * first as in the list of frames. Without memory it is empty. */
void hpr__stack_json(hpf_json *json, hpf_str name, const hpf_frame *frames, size_t n_frames);

#endif
