/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON to a sink (RFC 8259): the caller says what comes next, the writer puts commas, line breaks
 * and escapes. Members of an object stand on lines of their own; scalars of an array share a line.
 *
 * Text: names of a profile are bytes. What is no valid UTF-8 is written as U+FFFD, one for each
 * byte, so the output is always valid; hpf_json_bytes writes byte NN as the lone surrogate \udcNN
 * instead, as Python's "surrogateescape" does, from which the bytes can be had again. Numbers:
 * shortest decimal that reads back the same; what is not finite is null.
 *
 * Errors: the sink's, which is sticky. Threads: one writer, one thread at a time.
 */
#ifndef HPFILE_JSON_H
#define HPFILE_JSON_H

#include "hpfile/sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Deepest nesting of objects and arrays; going deeper is a bug of the caller. */
#define HPF_JSON_DEPTH 16

/* A writer. Plain data: no destroy. */
typedef struct hpf_json {
    hpf_sink *sink;
    bool in_line; /* see hpf_json_begin_line */
    int depth;
    struct {
        char closing;      /* '}' or ']' */
        bool has_items;    /* a comma is needed before the next */
        bool has_brackets; /* an array that holds objects or arrays: one line each */
    } levels[HPF_JSON_DEPTH];
} hpf_json;

/* Begins a document in `sink`, which is borrowed. */
HPF_API hpf_json hpf_json_begin(hpf_sink *sink);

/* The same for a document that stands within another one: it has no line breaks, and '<' in texts
 * is escaped, so that nothing in it can end a script element of HTML. hpf_json_end adds no line
 * break either. */
HPF_API hpf_json hpf_json_begin_line(hpf_sink *sink);

/* Each adds one value. `key`: the member's name inside an object, plain ASCII; NULL inside an array
 * and for the document's one value. */
HPF_API void hpf_json_object(hpf_json *json, const char *key); /* until hpf_json_close */
HPF_API void hpf_json_array(hpf_json *json, const char *key);  /* until hpf_json_close */
HPF_API void hpf_json_close(hpf_json *json);
HPF_API void hpf_json_str(hpf_json *json, const char *key, hpf_str text);
HPF_API void hpf_json_bytes(hpf_json *json, const char *key, hpf_str bytes);   /* nothing is lost */
HPF_API void hpf_json_text(hpf_json *json, const char *key, const char *text); /* NULL: null */
HPF_API void hpf_json_whole(hpf_json *json, const char *key, uint64_t value);
HPF_API void hpf_json_number(hpf_json *json, const char *key, double value);
HPF_API void hpf_json_bool(hpf_json *json, const char *key, bool value);

/* Only the string that hpf_json_bytes writes, quotes included, for who does the layout alone. */
HPF_API void hpf_json_quoted(hpf_sink *sink, hpf_str bytes);

/* Closes what is open and ends the last line. The sink is not finished. */
HPF_API void hpf_json_end(hpf_json *json);

#ifdef __cplusplus
}
#endif
#endif
