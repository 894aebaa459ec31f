/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing a profile in any format that can be written.
 *
 * The writer accepts events (event.h) and checks them: times and amounts are finite and not
 * negative, and the times of samples do not go back. What a format cannot hold is left out or
 * changed as docs/formats describes.
 */
#ifndef HPFILE_WRITER_H
#define HPFILE_WRITER_H

#include "hpfile/breakdown.h"
#include "hpfile/event.h"
#include "hpfile/frame.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

HPF_BEGIN_DECLS

/* How a format is written whose files are stacks. */
typedef enum hpf_stack_format {
    HPF_STACKS_NONE, /* it is not */
    HPF_STACKS_FOLDED,
    HPF_STACKS_SPEEDSCOPE,
    HPF_STACKS_PPROF,
} hpf_stack_format;

typedef struct hpf__writer_kind hpf__writer_kind; /* private to the library */

enum { HPF_FORMAT_HEAD_BYTES = 512 };

/* A format. Detection, `hpf_format_read`, the writer, and the options --format and --input follow
 * from its row. */
typedef struct hpf_format {
    const char *name;      /* of --format and --input */
    const char *extension; /* of file names, without the dot; NULL for one that is only read */
    const char *summary;   /* one phrase for --help */

    /* Reading. Returns whether an input that begins with `head`, at most HPF_FORMAT_HEAD_BYTES
     * bytes, is of this format; rows are asked in their order. NULL: never. */
    bool (*is_format)(hpf_str head);
    hpf_status (*read)(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err);
    const char *allocated; /* the amount (hpf_reader_options.value) of all bytes that a stack has
                              allocated; NULL: none */
    bool is_moment;        /* a file is one sample, and has no time in a profile */
    bool has_addresses;    /* labels of frames may be MODULE+0xADDRESS, after a call */
    bool is_streamed;      /* hpf_live reads it, in pieces; `read` only an amount by its name */

    const hpf__writer_kind *writer; /* NULL: the format is only read, or of stacks */
    hpf_stack_format stacks;        /* of formats of stacks */
    bool is_lossy;                  /* what is written cannot be read back as the same names */
    bool holds_quantities;          /* quantities, and labels of marks */
    bool holds_marks_in_place;      /* marks and quantities come between the samples */
    bool holds_only_s_and_bytes;    /* no other units */
    bool is_for_spreadsheets;       /* `raw_names` of the options applies */
} hpf_format;

typedef struct hpf_writer hpf_writer;

/* Each format uses the options that it has a use for. */
typedef struct hpf_writer_options {
    size_t size; /* of the struct (version.h) */
    /* hp, eventlog: write each sample in one call, so that followers of the file never see half a
     * sample. */
    bool flush_samples;
    /* csv, tidy: write names as they are. Without it, a name that a spreadsheet would take for a
     * formula gets an apostrophe in front, which the reader removes. */
    bool raw_names;
    /* eventlog: the break-down of the names; NONE: closure descriptions. */
    hpf_breakdown breakdown;
    uint64_t period_ns; /* eventlog: the requested time between samples */
    /* eventlog: write what changed since the sample before, which few other readers understand. */
    bool writes_changes;
    bool writes_totals; /* eventlog: stacks have totals (hpf_eventlog_writer_totals) */
    bool writes_calls;  /* eventlog: frames may have a `function_source` */
    /* eventlog: the mean number of bytes between sampled blocks (margin.h); 0: all blocks were
     * counted. */
    uint64_t rate_bytes;
    /* eventlog: the sampled blocks tell the shares of names only, and totals are exact; records of
     * that may follow (HEAP_PROF_WATCH). */
    bool has_watch;
    /* eventlog: the restrictions, each a list of names ("a,b"); empty: none. Copied. */
    hpf_str filters[HPF_N_RESTRICTIONS];
    /* eventlog: when the program ended, in sample units; records of a biographical profile get this
     * time, as its samples are known then. 0, or earlier than a sample: its own time. */
    double end_time;
    double units_per_s; /* eventlog: sample units in a second; 0 means 1 */
    /* eventlog: the identifier of the run-time system; empty: "heapcensus rts". If it begins with
     * "GHC-", readers put the words of the job in GHC's order. Copied. */
    hpf_str rts;
    /* sqlite: the folder of the database until it is complete; NULL: /tmp. Borrowed until destroy.
     */
    const char *temporary_dir;
    /* massif: the time of the largest sample, if there is one. */
    bool has_peak;
    double peak_time;
    /* eventlog, massif, sqlite: returns the frames of a name, as hpf_survey_frames; called once for
     * each name, with room for 255 frames. NULL, or no frames: the name is a label. */
    size_t (*frames)(void *context, hpf_name name, hpf_frame *frames, size_t room);
    void *frames_context;
    bool writes_resident;    /* eventlog: records of the resident set (resident.h) may follow */
    bool writes_waste;       /* eventlog: the same of waste (waste.h) */
    bool writes_generations; /* eventlog: the same of the generations of a Haskell heap */
} hpf_writer_options;

/* Creates a writer into `sink`, which is borrowed for its life. NULL `options` are all zero.
 * Errors: MEMORY; UNSUPPORTED if the format can only be read. */
HPF_API HPF_MUST_USE hpf_status hpf_writer_create(hpf_writer **out, const hpf_format *format,
                                                  hpf_sink *sink, const hpf_writer_options *options,
                                                  hpf_error *err);

/* The events that the writer accepts; the context is the writer. Errors: RANGE for a time or an
 * amount that is negative or not finite; ORDER for samples that go back in time, and for events
 * that the format needs earlier, as hpf_survey_emit sends them: a wide table needs all names, and
 * JSON all headers, marks and quantities, before the first sample. */
HPF_API extern const hpf_events hpf_writer_events;

/* Writes the end of the document. Does not finish the sink. */
HPF_API HPF_MUST_USE hpf_status hpf_writer_finish(hpf_writer *writer, hpf_error *err);

HPF_API void hpf_writer_destroy(hpf_writer *writer);

HPF_END_DECLS
#endif
