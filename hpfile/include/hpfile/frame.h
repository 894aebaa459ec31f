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

HPF_END_DECLS
#endif
