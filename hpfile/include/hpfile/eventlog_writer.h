/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of event logs that GHC's tools read (docs/formats/eventlog.md): samples of labels, of
 * cost-centre stacks or of info tables, markers, the size of the heap. Limits of the format: times
 * are whole nanoseconds, amounts are whole numbers below 2^64, the date is in minutes, and only
 * quantities of event logs are written ("resident" as "heap" if there is no "heap"). Texts are
 * UTF-8, cut to the length of a record; names that become equal get a number in front.
 *
 * Each sample is written in one call, so that followers of the log never see half a sample.
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
    /* The break-down of the names; NONE: closure descriptions. */
    hpf_breakdown breakdown;
    uint64_t period_ns; /* the requested time between samples */
    double units_per_s; /* sample units in a second; 0 means 1 */
    /* The identifier of the run-time system; empty: "heapcensus rts". If it begins with "GHC-",
     * readers put the words of the job in GHC's order. Copied. */
    hpf_str rts;
    bool flush_samples;
    /* Returns the frames of a name, as hpf_survey_frames; called once for each name, with room for
     * 255 frames. NULL, or no frames: the name is a label. */
    size_t (*frames)(void *context, hpf_name name, hpf_frame *frames, size_t room);
    void *frames_context;
} hpf_eventlog_writer_options;

/* Creates a writer into `sink`, which is borrowed for its life. NULL `options` are all zero.
 * Returns NULL when there is no memory. */
HPF_API hpf_eventlog_writer *hpf_eventlog_writer_create(hpf_sink *sink,
                                                        const hpf_eventlog_writer_options *options);

/* The events that the writer accepts; the context is the writer. */
HPF_API extern const hpf_events hpf_eventlog_writer_events;

/* Writes the remaining records and the end marker. Does not finish the sink. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_writer_finish(hpf_eventlog_writer *writer,
                                                           hpf_error *err);

HPF_API void hpf_eventlog_writer_destroy(hpf_eventlog_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
