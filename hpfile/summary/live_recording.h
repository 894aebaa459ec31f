/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The log of one process of a recording that grows.
 */
#ifndef HPF_LIVE_RECORDING_H
#define HPF_LIVE_RECORDING_H

#include "io/recording.h"

/* Begins as {.process = ...}. */
typedef struct hpf__live_recording {
    const char *process; /* as in hpf_live_options */
    char head[sizeof HPF__RECORDING_MAGIC];
    size_t n_head;
    bool is_other;            /* the input is not a recording */
    hpf_recording *recording; /* NULL: not known yet, or not one */
    hpf__chunks chunks;
    hpf_error error; /* sticky */
} hpf__live_recording;

/* Takes bytes from the front of `*in`, and stores the next ones of the profile. Returns HPF_MORE
 * when all bytes are taken. Errors: those of recordings; MEMORY; UNSUPPORTED. */
HPF_MUST_USE hpf_status hpf__live_recording_next(hpf__live_recording *live, hpf_str *in,
                                                 hpf_str *out, hpf_error *err);

/* Checks at the end of the input that the log of a process was there. Errors: as for choices. */
hpf_status hpf__live_recording_end(hpf__live_recording *live, hpf_error *err);

void hpf__live_recording_finish(hpf__live_recording *live);

#endif
