/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The frames of a name: the cost centres or functions of its stack, or its info table.
 */
#ifndef HPFILE_FRAME_H
#define HPFILE_FRAME_H

#include "hpfile/breakdown.h"
#include "hpfile/error.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* One cost centre of a stack, or one info table. Unknown texts are empty. The innermost frames of a
 * stack may say what else is known of the objects that the stack allocated: they have a `type`,
 * which is the label, and no `table`. The first is the band of the profile, a type, a retainer set
 * or a phase; the others are of the break-down `further`. */
typedef struct hpf_frame {
    hpf_str label, module;
    hpf_str source;          /* file, line and columns, as GHC writes them */
    hpf_str function_source; /* where its function begins, if `source` is the place of a call */
    bool is_caf;
    hpf_breakdown further; /* NONE, unless `type` is of a further break-down */
    hpf_str type;
    hpf_str table, closure_type; /* of info tables only; the closure type is a number */
    /* An instruction within a call, in the file `module`, if its function is not known; 0: none. */
    uint64_t code;
    bool is_code_offset; /* it is where the file has it, not the address that the file gives it */
    hpf_str build_id;    /* of the file, in hexadecimal digits */
} hpf_frame;

/* Whose code a frame is. A band, a row or a sentence is named by the innermost frame of the
 * program's own code; the frames of standard libraries and allocators inside it are passed over.
 * Threads: rules may be used in several threads at once. */

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
