/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The rows of formats (hpfile/writer.h), and the writers of all formats that have one.
 */
#ifndef HPF_FORMAT_ROW_H
#define HPF_FORMAT_ROW_H

#include "base/arena.h"
#include "base/lex.h"
#include "hpfile/writer.h"

/* How a format is written. `events` are called with the writer as their context. */
struct hpf__writer_kind {
    size_t bytes; /* of the writer, which begins with an hpf_writer; all others are 0 at first */
    hpf_events events;
    bool (*init)(hpf_writer *writer); /* returns false without memory; NULL: nothing to do */
    hpf_status (*finish)(hpf_writer *writer, hpf_error *err);
    void (*release)(hpf_writer *writer); /* frees what is not in the arena; NULL: nothing */
};

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
