/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a format of profiles can do. Detection, `hpf_format_read`, the writer, and the options
 * --format and --input follow from the rows.
 */
#ifndef HPF_FORMAT_ROW_H
#define HPF_FORMAT_ROW_H

#include "base/arena.h"
#include "base/lex.h"
#include "hpfile/source.h"
#include "hpfile/writer.h"

/* How a format is written. `events` are called with the writer as their context. */
typedef struct hpf__writer_kind {
    size_t bytes; /* of the writer, which begins with an hpf_writer; all others are 0 at first */
    hpf_events events;
    bool (*init)(hpf_writer *writer); /* returns false without memory; NULL: nothing to do */
    hpf_status (*finish)(hpf_writer *writer, hpf_error *err);
    void (*release)(hpf_writer *writer); /* frees what is not in the arena; NULL: nothing */
} hpf__writer_kind;

struct hpf_format {
    const char *name;      /* of --format and --input */
    const char *extension; /* of file names, without the dot; NULL for one that is only read */
    const char *summary;   /* one phrase for --help */

    /* Reading. Returns whether an input that begins with `head`, at most HPF__HEAD_BYTES bytes, is
     * of this format; rows are asked in their order. NULL: never. */
    bool (*is_format)(hpf_str head);
    hpf_status (*read)(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err);
    const char *allocated; /* the amount (hpf_reader_options.value) of all bytes that a stack has
                              allocated; NULL: none */
    bool is_moment;        /* a file is one sample, and has no time in a profile */
    bool has_addresses;    /* labels of frames may be MODULE+0xADDRESS, after a call */
    bool is_streamed; /* detect/reader.h reads it, in pieces; `read` only an amount by its name */

    const hpf__writer_kind *writer; /* NULL: the format is only read, or of stacks */
    hpf_stack_format stacks;        /* of formats of stacks */
    bool is_lossy;                  /* what is written cannot be read back as the same names */
    bool holds_quantities;          /* quantities, and labels of marks */
    bool holds_marks_in_place;      /* marks and quantities come between the samples */
    bool holds_only_s_and_bytes;    /* no other units */
    bool is_for_spreadsheets;       /* `raw_names` of the options applies */
};

enum { HPF__HEAD_BYTES = 512 };

/* All formats, in the order of detection and of --help. To add one, write its file with a `const
 * hpf_format hpf_format_NAME`, and add its row. */
#define HPF__FORMATS(row)                                                                          \
    row(census) row(hp) row(csv) row(tidy) row(prof) row(dhat) row(heapprofile) row(json)          \
        row(eventlog) row(massif) row(pprof) row(heaptrack) row(heap_text) row(chrome)             \
            row(openmetrics) row(sqlite) row(folded) row(speedscope)

#define HPF__FORMAT_DECLARE(name) HPF_API extern const hpf_format hpf_format_##name;
HPF__FORMATS(HPF__FORMAT_DECLARE)

/* The head of a writer of each format. */
struct hpf_writer {
    const hpf_format *format;
    hpf_sink *sink;
    hpf_arena *arena;
    hpf_writer_options options; /* units_per_s is not 0 */
    double time;                /* of the last sample; 0 before the first */
};

/* Returns `head` without a byte order mark and blanks at its beginning. */
static inline hpf_str hpf__head_text(hpf_str head)
{
    const char *end = head.data + head.length;
    const char *text = head.data + (hpf_str_begins(head, "\xef\xbb\xbf") ? 3 : 0);
    text = hpf__skip_blanks(text, end);
    return (hpf_str){text, (size_t)(end - text)};
}

#endif
