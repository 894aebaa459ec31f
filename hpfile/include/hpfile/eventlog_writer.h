/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events to an event log that GHC's tools read (docs/formats/eventlog.md): samples of labels, of
 * cost-centre stacks or of info tables, markers, the heap's size. Read back, it is the same
 * profile, but for what logs cannot say: times are whole nanoseconds, amounts whole numbers below
 * 2^64, the date whole minutes as GHC writes it, lines those of logs ("resident" becomes "heap"
 * where there is none; others are left out). Texts are UTF-8, and as long as a record has room for;
 * names that become the same by that get a number in front.
 *
 * Each sample leaves in one write: who follows the log never sees half of one.
 */
#ifndef HPFILE_EVENTLOG_WRITER_H
#define HPFILE_EVENTLOG_WRITER_H

#include "hpfile/eventlog.h"
#include "hpfile/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpf_eventlog_writer hpf_eventlog_writer;

typedef struct hpf_eventlog_writer_options {
    /* What the names are; NONE: closure descriptions. */
    hpf_breakdown breakdown;
    uint64_t period_ns; /* between samples, as it was asked for */
    double units_per_s; /* sample units in a second; 0 means 1 */
    /* Who wrote it; empty: "heapcensus rts". Where it begins with "GHC-", readers put the words of
     * the job in GHC's order. Copied. */
    hpf_str rts;
    bool flush_samples;
    /* The stack that a name stands for, as hpf_reader_frames: asked once, when the name is defined,
     * with room for 255 frames. NULL, or no frames: the name is a label. */
    size_t (*frames)(void *context, hpf_name name, hpf_frame *frames, size_t room);
    void *frames_context;
} hpf_eventlog_writer_options;

/* A writer into `sink`, which is borrowed for the writer's life. NULL `options` means all zero.
 * NULL when there is no memory. */
HPF_API hpf_eventlog_writer *hpf_eventlog_writer_create(hpf_sink *sink,
                                                        const hpf_eventlog_writer_options *options);

/* The events that the writer accepts; the context is the writer. */
HPF_API extern const hpf_events hpf_eventlog_writer_events;

/* Writes what is left, and the end marker. Does not finish the sink. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_finish(hpf_eventlog_writer *writer,
                                                           hpf_error *err);

HPF_API void hpf_eventlog_writer_destroy(hpf_eventlog_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
