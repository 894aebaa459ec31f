/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whose code a frame is. A band, a row or a sentence is named by the innermost frame of the
 * program's own code; the frames of standard libraries and allocators inside it are passed over.
 *
 * Threads: rules may be used in several threads at once.
 */
#ifndef HPFILE_FRAME_RULES_H
#define HPFILE_FRAME_RULES_H

#include "hpfile/error.h"
#include "hpfile/frame.h"

HPF_BEGIN_DECLS

/* From the one that names a stack first to the one that does last. */
typedef enum hpf_frame_owner {
    HPF_FRAME_OF_PROGRAM,
    HPF_FRAME_OF_LIBRARY,  /* installed: a header below /usr, a package of Python or Rust, a library
                              without symbols */
    HPF_FRAME_OF_STANDARD, /* the standard library of C, C++, Rust or Python */
    HPF_FRAME_OF_ALLOCATOR /* also of one that the user skips */
} hpf_frame_owner;

typedef struct hpf_frame_rules hpf_frame_rules;

/* Creates rules. `skip` are POSIX extended regular expressions for more functions to skip; they
 * match anywhere in a label unless they have anchors. With `skips_none`, all frames are of the
 * program. Errors: MEMORY; ARGUMENT, LIMIT for an expression. */
HPF_API HPF_MUST_USE hpf_status hpf_frame_rules_create(hpf_frame_rules **out,
                                                       const char *const *skip, size_t n_skip,
                                                       bool skips_none, hpf_error *err);
HPF_API void hpf_frame_rules_destroy(hpf_frame_rules *rules);

/* Returns the owner of a frame, by its place, its module and its label. Rules may be NULL: then all
 * frames are of the program. */
HPF_API hpf_frame_owner hpf_frame_rules_owner(const hpf_frame_rules *rules, const hpf_frame *frame);

/* Returns the index of the frame that names a stack: the innermost one of the first owner. In a
 * stack with Python, frames without are the interpreter's. Returns 0 without frames. */
HPF_API size_t hpf_frame_rules_own(const hpf_frame_rules *rules, const hpf_frame *frames, size_t n);

HPF_END_DECLS
#endif
