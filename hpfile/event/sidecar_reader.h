/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The reader of sidecar files (sidecar.h) as one that is fed, for a file that is still growing.
 */
#ifndef HPF_SIDECAR_READER_H
#define HPF_SIDECAR_READER_H

#include "base/buffer.h"
#include "hpfile/event.h"

/* Begins as {.events = ..., .context = ...}; both are borrowed. */
typedef struct hpf__sidecar_reader {
    const hpf_events *events;
    void *context;
    hpf__buffer pending; /* the beginning of a row */
    hpf_str row;         /* without its line feed */
    uint64_t offset;     /* where it begins */
    uint32_t line;
    hpf_error error; /* sticky */
} hpf__sidecar_reader;

/* Emits the rows that these bytes complete. Errors are sticky: from hpf_sidecar_read except of its
 * source. */
hpf_status hpf__sidecar_reader_feed(hpf__sidecar_reader *rows, hpf_str bytes, hpf_error *err);
void hpf__sidecar_reader_finish(hpf__sidecar_reader *rows);

#endif
