/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a name of an event log stands for: cost centres of a stack, or an info table.
 */
#ifndef HPFILE_FRAME_H
#define HPFILE_FRAME_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One cost centre of a stack, or one info table. What is not known is empty. */
typedef struct hpf_frame {
    hpf_str label, module;
    hpf_str source; /* file, line and columns, as GHC writes them */
    bool is_caf;
    hpf_str table, closure_type, type; /* of info tables only; logs tell closure types by number */
} hpf_frame;

/* What GHC calls the type of closure that has this number in decimal, such as THUNK for 15, among
 * those that info tables have; what is no such number stays as it is. */
HPF_API hpf_str hpf_closure_type_name(hpf_str number);

#ifdef __cplusplus
}
#endif
#endif
