/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON writer: commas by level, escapes by run.
 */
#include "hpfile/sink.h"
#include "base/json.h"

#include <assert.h>
#include <math.h>

#include "base/utf8.h"

static void break_line(hpf_json *json)
{
    if (!json->in_line) {
        hpf_sink_printf(json->sink, "\n%*s", 2 * json->depth, "");
    }
}

/* Writes the separator from the previous value, then the key. */
static void separate(hpf_json *json, const char *key, bool is_bracket)
{
    if (json->depth > 0) {
        bool in_array = json->levels[json->depth - 1].closing == ']';
        bool has_items = json->levels[json->depth - 1].has_items;
        hpf_sink_text(json->sink, has_items ? "," : "");
        if (!in_array || is_bracket) {
            break_line(json);
        } else if (has_items) {
            hpf_sink_text(json->sink, json->in_line ? "" : " ");
        }
        json->levels[json->depth - 1].has_items = true;
        json->levels[json->depth - 1].has_brackets |= is_bracket;
    }
    if (key) {
        hpf_sink_printf(json->sink, json->in_line ? "\"%s\":" : "\"%s\": ", key);
    }
}

static void open_level(hpf_json *json, const char *key, char opening, char closing)
{
    separate(json, key, true);
    hpf_sink_write(json->sink, &opening, 1);
    assert(json->depth < HPF_JSON_DEPTH);
    json->levels[json->depth].closing = closing;
    json->levels[json->depth].has_items = false;
    json->levels[json->depth].has_brackets = false;
    json->depth++;
}

/* Writes one byte that needs an escape. A byte that is not UTF-8 is replaced, or written as a
 * surrogate that encodes it. */
static void escape(hpf_sink *sink, unsigned char byte, bool lossless)
{
    unsigned code = lossless ? 0xdc00u + byte : 0xfffdu;

    switch (byte) {
    case '"':
    case '\\':
        hpf_sink_printf(sink, "\\%c", byte);
        break;
    case '\n':
        hpf_sink_text(sink, "\\n");
        break;
    case '\t':
        hpf_sink_text(sink, "\\t");
        break;
    default:
        hpf_sink_printf(sink, "\\u%04x", byte < 0x80 ? byte : code);
    }
}

/* How texts are written. */
typedef struct manner {
    bool lossless; /* bytes that are no UTF-8 can be had again */
    bool in_html;
} manner;

static bool is_plain(unsigned char byte, manner how)
{
    return byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\' &&
           !(byte == '<' && how.in_html);
}

static void quote(hpf_sink *sink, hpf_str text, manner how)
{
    size_t run = 0; /* start of the bytes that need no escape and are not written yet */
    size_t at = 0;
    hpf_sink_text(sink, "\"");
    while (at < text.length) {
        size_t length = hpf_utf8_next(hpf_str_from(text, at), NULL);
        if (length > 0 && is_plain((unsigned char)text.data[at], how)) {
            at += length;
            continue;
        }
        hpf_sink_write(sink, text.data + run, at - run);
        escape(sink, (unsigned char)text.data[at], how.lossless);
        run = ++at;
    }
    if (at > run) {
        hpf_sink_write(sink, text.data + run, at - run);
    }
    hpf_sink_text(sink, "\"");
}

void hpf_json_ready(hpf_json *json, const char *key, hpf_str value)
{
    separate(json, key, false);
    hpf_sink_str(json->sink, value);
}

void hpf_json_quoted(hpf_sink *sink, hpf_str bytes)
{
    quote(sink, bytes, (manner){.lossless = true});
}

hpf_str hpf_json_kept(hpf_arena *arena, hpf_str text, bool is_lossless)
{
    hpf_str kept = {NULL, 0};
    hpf_sink *sink = hpf_sink_to_memory();
    if (sink) {
        quote(sink, text, (manner){.lossless = is_lossless});
        if (hpf_sink_flush(sink, NULL) == HPF_OK) {
            kept = hpf_sink_bytes(sink);
            kept.data = hpf_arena_text(arena, kept);
        }
        hpf_sink_destroy(sink);
    }
    return kept;
}

hpf_json hpf_json_begin(hpf_sink *sink)
{
    hpf_json json = {.sink = sink};
    return json;
}

hpf_json hpf_json_begin_line(hpf_sink *sink)
{
    hpf_json json = {.sink = sink, .in_line = true};
    return json;
}

void hpf_json_object(hpf_json *json, const char *key)
{
    open_level(json, key, '{', '}');
}

void hpf_json_array(hpf_json *json, const char *key)
{
    open_level(json, key, '[', ']');
}

void hpf_json_close(hpf_json *json)
{
    assert(json->depth > 0);
    json->depth--;
    char closing = json->levels[json->depth].closing;
    bool has_lines = closing == '}' ? json->levels[json->depth].has_items
                                    : json->levels[json->depth].has_brackets;
    if (has_lines) {
        break_line(json);
    }
    hpf_sink_write(json->sink, &closing, 1);
}

void hpf_json_str(hpf_json *json, const char *key, hpf_str text)
{
    separate(json, key, false);
    quote(json->sink, text, (manner){.in_html = json->in_line});
}

void hpf_json_bytes(hpf_json *json, const char *key, hpf_str bytes)
{
    separate(json, key, false);
    quote(json->sink, bytes, (manner){.lossless = true, .in_html = json->in_line});
}

void hpf_json_text(hpf_json *json, const char *key, const char *text)
{
    separate(json, key, false);
    if (text) {
        hpf_str bytes = hpf_str_of(text);
        quote(json->sink, bytes, (manner){.in_html = json->in_line});
    } else {
        hpf_sink_text(json->sink, "null");
    }
}

void hpf_json_whole(hpf_json *json, const char *key, uint64_t value)
{
    separate(json, key, false);
    hpf_sink_whole(json->sink, value);
}

void hpf_json_number(hpf_json *json, const char *key, double value)
{
    separate(json, key, false);
    if (isfinite(value)) {
        hpf_sink_shortest(json->sink, value);
    } else {
        hpf_sink_text(json->sink, "null");
    }
}

void hpf_json_bool(hpf_json *json, const char *key, bool value)
{
    separate(json, key, false);
    hpf_sink_text(json->sink, value ? "true" : "false");
}

void hpf_json_end(hpf_json *json)
{
    while (json->depth > 0) {
        hpf_json_close(json);
    }
    hpf_sink_text(json->sink, json->in_line ? "" : "\n");
}
