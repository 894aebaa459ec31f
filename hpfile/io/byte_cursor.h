/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A cursor over the bytes or lines of a source, with the place of each, for readers that pull their
 * input.
 */
#ifndef HPF_BYTE_CURSOR_H
#define HPF_BYTE_CURSOR_H

#include "base/buffer.h"
#include "hpfile/event.h"
#include "hpfile/source.h"

/* What hpf__cursor_peek gives when there is no byte. */
#define HPF__CURSOR_END (-1)

typedef struct hpf__location {
    uint64_t offset;
    uint32_t line, column; /* from 1 */
} hpf__location;

/* Begins as {.source = ..., .line = 1}, or by hpf__cursor_of; err and max_bytes may be 0. */
typedef struct hpf__cursor {
    hpf_source *source;
    hpf_error *err;
    size_t max_bytes;      /* of a name, text or line; 0: the default, 16 MiB */
    hpf_status status;     /* HPF_OK, HPF_END, or why the source failed, `err` being filled */
    hpf_str piece;         /* what the source gave last */
    size_t at;             /* the next byte in it */
    uint64_t piece_offset; /* of its first byte in the input */
    uint64_t line_offset;  /* of the line's first byte */
    uint32_t line;
} hpf__cursor;

/* Returns a cursor at the beginning of the source of a reader; `options` may be NULL. */
static inline hpf__cursor hpf__cursor_of(hpf_source *source, const hpf_reader_options *options,
                                         hpf_error *err)
{
    return (hpf__cursor){.source = source,
                         .err = err,
                         .max_bytes = options ? options->max_name_bytes : 0,
                         .line = 1};
}

/* Gets the next piece; false at the end and after a failure. */
bool hpf__cursor_refill(hpf__cursor *scan);

/* Returns the next byte, 0 to 255, which stays the next one. */
static inline int hpf__cursor_peek(hpf__cursor *scan)
{
    if (scan->at == scan->piece.length && !hpf__cursor_refill(scan)) {
        return HPF__CURSOR_END;
    }
    return (unsigned char)scan->piece.data[scan->at];
}

/* Passes the byte that was peeked at. */
static inline void hpf__cursor_pass(hpf__cursor *scan)
{
    if (scan->piece.data[scan->at++] == '\n') {
        scan->line++;
        scan->line_offset = scan->piece_offset + scan->at;
    }
}

/* Returns where the next byte is. */
hpf__location hpf__cursor_spot(const hpf__cursor *scan);

/* Returns the longest name, text or line. */
static inline size_t hpf__cursor_max(const hpf__cursor *scan)
{
    return scan->max_bytes ? scan->max_bytes : HPF_MAX_NAME_BYTES;
}

/* Lines one by one. Begins as {.scan = ...}. */
typedef struct hpf__lines {
    hpf__cursor scan;
    hpf__buffer bytes;
    hpf_str text;        /* of the line */
    hpf__location place; /* of its beginning */
} hpf__lines;

/* Reads the next line, without what ends it: HPF_OK, or HPF_END after the last one. Errors: LIMIT,
 * of too long a line; MEMORY; from the source. */
hpf_status hpf__lines_next(hpf__lines *lines);

/* Sets the error "expected WHAT, found ..." at the line. */
hpf_status hpf__lines_expected(const hpf__lines *lines, const char *what);

/* Sets the error of a name, text or line at `place` that is too long, and returns its status. */
hpf_status hpf__cursor_fail_long(const hpf__cursor *scan, hpf__location place);

/* Sets an error at a place. */
hpf_status hpf__location_error(hpf__location place, hpf_error *err, hpf_status status,
                               const char *format, ...) HPF_PRINTF(4, 5);

/* Room for a piece of the input inside a message. */
#define HPF__QUOTED_BYTES 48

/* Quotes text of the input for a message: truncated, on one line, in ASCII. Returns `out`. */
const char *hpf__quoted(char out[HPF__QUOTED_BYTES], hpf_str text);

/* Parses a number that is not negative: digits[.digits][e[sign]digits], nothing around it. The name
 * of `*out` stays as it is. HPF_OK, or an error at `place`. */
hpf_status hpf__amount_parse(hpf_cost *out, hpf_str text, hpf__location place, hpf_error *err);

#endif
