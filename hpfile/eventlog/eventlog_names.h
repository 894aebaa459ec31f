/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for the bands of an event log. A log defines cost centres and info tables once and then
 * speaks of numbers; here the definitions are kept, and stacks and labels get names.
 *
 * A stack is written as GHC writes it into a `.hp` file, but whole: labels from the innermost,
 * divided by slashes, a CAF as MODULE.CAF, the empty stack as MAIN. GHC puts the number of the
 * stack in front, which logs do not tell; where two stacks would read the same, the later ones have
 * a number in front, counted from 2: "(2)go/main".
 */
#ifndef HPF_LOG_NAMES_H
#define HPF_LOG_NAMES_H

#include "base/buffer.h"
#include "base/arena.h"
#include "hpfile/frame.h"
#include "base/intern.h"
#include "eventlog/eventlog_keys.h"

/* Where a name comes from. */
typedef struct hpf__eventlog_origin {
    bool is_stack;
    uint32_t key;     /* in stacks or in labels */
    uint32_t n_alike; /* how many names have this one's text behind a number */
} hpf__eventlog_origin;

typedef struct hpf__eventlog_names {
    hpf_arena *arena; /* definitions */
    hpf__intern centre_ids;
    hpf_frame *centres; /* by the number of its id in centre_ids */
    size_t centres_capacity;
    hpf__intern info_addresses;
    hpf_frame *infos;
    size_t infos_capacity;
    bool labels_are_infos; /* labels are addresses of info tables */

    hpf__eventlog_keys stacks, labels;
    hpf__intern texts; /* the names */
    hpf__eventlog_origin *origins;
    size_t origins_capacity;
    hpf__buffer scratch;
} hpf__eventlog_names;

void hpf__eventlog_names_finish(hpf__eventlog_names *names);

/* The payloads of HEAP_PROF_COST_CENTRE and IPE records. Of a repeated definition the last counts,
 * for names made after it. HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__eventlog_names_define_centre(hpf__eventlog_names *names, hpf_str payload);
hpf_status hpf__eventlog_names_define_info(hpf__eventlog_names *names, hpf_str payload);

/* The name of a stack (one byte with its depth, numbers of cost centres) or a label (perhaps with a
 * NUL behind it), which hpf__eventlog_keys_guess did not find in `stacks` or `labels`. `*is_new`
 * tells whether it was not known before. HPF_OK, HPF_ERR_MEMORY or HPF_ERR_LIMIT. */
hpf_status hpf__eventlog_names_of_stack(hpf__eventlog_names *names, hpf_str key, hpf_name *name,
                                        bool *is_new);
hpf_status hpf__eventlog_names_of_label(hpf__eventlog_names *names, hpf_str key, hpf_name *name,
                                        bool *is_new);

/* As hpf_reader_frames. */
size_t hpf__eventlog_names_frames(const hpf__eventlog_names *names, hpf_name name,
                                  hpf_frame *frames, size_t room);

/* The name of an info table: "sat_s154_info Main.main Test.hs:5:1-30". False: no memory. */
bool hpf__eventlog_names_put_info(hpf__buffer *buf, const hpf_frame *info);

#endif
