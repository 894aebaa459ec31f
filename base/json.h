/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of JSON (RFC 8259): the caller adds values in order, the writer adds commas, line breaks
 * and escapes. Each member of an object has a line of its own; scalars of an array share a line.
 *
 * Text: each byte that is not valid UTF-8 is written as U+FFFD, so the output is always valid.
 * hpf_json_bytes writes byte NN as the lone surrogate \udcNN instead, like Python's
 * "surrogateescape", so that the bytes can be restored. Numbers: the shortest decimal that reads
 * back the same; null if not finite.
 *
 * Errors: the sink's, which is sticky. Threads: one writer, one thread at a time.
 */
#ifndef HPF_JSON_H
#define HPF_JSON_H

#include "base/arena.h"
#include "hpfile/sink.h"

/* Deepest nesting of objects and arrays; deeper nesting is a bug of the caller. */
#define HPF_JSON_DEPTH 16

/* A writer; needs no destroy. */
typedef struct hpf_json {
    hpf_sink *sink;
    bool in_line; /* see hpf_json_begin_line */
    int depth;
    struct {
        char closing;      /* '}' or ']' */
        bool has_items;    /* the next one needs a comma */
        bool has_brackets; /* an array of objects or arrays: one line each */
    } levels[HPF_JSON_DEPTH];
} hpf_json;

/* Begins a document in `sink`, which is borrowed. */
hpf_json hpf_json_begin(hpf_sink *sink);

/* Begins a document to be embedded in another one, without line breaks. '<' in texts is escaped, so
 * that no text can end a script element of HTML. */
hpf_json hpf_json_begin_line(hpf_sink *sink);

/* Add one value. `key` is the member's name in an object, plain ASCII; NULL in an array and for the
 * value of the document. */
void hpf_json_object(hpf_json *json, const char *key); /* until hpf_json_close */
void hpf_json_array(hpf_json *json, const char *key);  /* until hpf_json_close */
void hpf_json_close(hpf_json *json);
void hpf_json_str(hpf_json *json, const char *key, hpf_str text);
void hpf_json_bytes(hpf_json *json, const char *key, hpf_str bytes);   /* nothing is lost */
void hpf_json_text(hpf_json *json, const char *key, const char *text); /* NULL: null */
void hpf_json_whole(hpf_json *json, const char *key, uint64_t value);
void hpf_json_number(hpf_json *json, const char *key, double value);
void hpf_json_bool(hpf_json *json, const char *key, bool value);

/* Adds a value that is JSON in one line already. */
void hpf_json_ready(hpf_json *json, const char *key, hpf_str value);

/* Writes the string that hpf_json_bytes writes, with its quotes, and nothing else. */
void hpf_json_quoted(hpf_sink *sink, hpf_str bytes);

/* Returns the string that hpf_json_str writes, or hpf_json_bytes if nothing may be lost, in an
 * arena; no data without memory. */
hpf_str hpf_json_kept(hpf_arena *arena, hpf_str text, bool is_lossless);

/* Closes all open objects and arrays, and ends the last line. Does not finish the sink. */
void hpf_json_end(hpf_json *json);

#endif
