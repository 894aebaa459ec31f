/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints errors with the line of the input and a caret.
 *
 * A line may be a megabyte long and contain any bytes. Only a window around the column is read.
 */
#include "hpfile/source.h"
#include "diag.h"

#include <stdlib.h>
#include <wchar.h>

#include "base/utf8.h"

enum {
    BEFORE_BYTES = 50, /* most bytes shown before the column */
    AFTER_BYTES = 29,  /* most bytes shown from the column on */
    MESSAGE_BYTES = 16384
};

/* Prints a message between two texts. Without a UTF-8 locale, characters that are not ASCII become
 * question marks. Longer messages are cut. */
static void print(FILE *to, const char *before, const char *after, const char *format,
                  va_list arguments) HPF_PRINTF(4, 0);

static void print(FILE *to, const char *before, const char *after, const char *format,
                  va_list arguments)
{
    char raw[MESSAGE_BYTES] = "";
    char text[3 * sizeof raw + 1];
    vsnprintf(raw, sizeof raw, format, arguments);
    hpf_utf8_printable(text, hpf_str_of(raw), "");
    if (MB_CUR_MAX == 1) {
        char *end = text;
        for (const unsigned char *at = (unsigned char *)text; *at; at++) {
            if (*at < 0x80 || *at >= 0xc0) { /* the first byte of a character */
                *end++ = *at < 0x80 ? (char)*at : '?';
            }
        }
        *end = '\0';
    }
    fprintf(to, "%s%s%s", before, text, after);
}

void diag_vprint(FILE *to, const char *format, va_list arguments)
{
    print(to, "", "\n", format, arguments);
}

void diag_print(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diag_vprint(to, format, arguments);
    va_end(arguments);
}

void diag_progress(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(stderr, "\r", "\033[K", format, arguments);
    fflush(stderr);
    va_end(arguments);
}

/* Text as it is printed, and its width. */
typedef struct shown {
    char text[3 * (BEFORE_BYTES + AFTER_BYTES) + 1];
    int columns;
} shown;

/* Converts bytes for printing. `is_cut`: more bytes follow, so an incomplete character at the end
 * is left out. */
static void show(shown *out, const char *bytes, size_t n_bytes, bool is_cut)
{
    char spaced[BEFORE_BYTES + AFTER_BYTES];
    n_bytes = is_cut ? hpf_utf8_cut((hpf_str){bytes, n_bytes}, n_bytes - 1) : n_bytes;
    for (size_t i = 0; i < n_bytes; i++) {
        spaced[i] = bytes[i] == '\t' ? ' ' : bytes[i];
    }
    hpf_str rest = {out->text, hpf_utf8_printable(out->text, (hpf_str){spaced, n_bytes}, "")};
    out->columns = 0;
    while (rest.length > 0) {
        uint32_t character = 0;
        size_t n = hpf_utf8_next(rest, &character);
        int columns = wcwidth((wchar_t)character);
        out->columns += columns < 0 ? 1 : columns;
        rest = (hpf_str){rest.data + n, rest.length - n};
    }
}

/* Reads up to `n_bytes` bytes of the input at `offset`. Returns their number, which is smaller near
 * the end. */
static size_t read_some(hpf_source *source, uint64_t offset, char *into, size_t n_bytes)
{
    while (n_bytes > 0 && hpf_source_read_at(source, offset, into, n_bytes, NULL) != HPF_OK) {
        n_bytes--;
    }
    return n_bytes;
}

/* Returns the index of the first byte that does not continue a UTF-8 sequence. */
static size_t character_start(const char *bytes, size_t n_bytes)
{
    size_t at = 0;
    while (at < n_bytes && at < 3 && ((unsigned char)bytes[at] & 0xC0) == 0x80) {
        at++;
    }
    return at;
}

static void print_excerpt(hpf_source *source, const hpf_error *err)
{
    char before[BEFORE_BYTES];
    char after[AFTER_BYTES];
    shown left, right;
    size_t n_before = err->column - 1 < BEFORE_BYTES ? err->column - 1 : BEFORE_BYTES;
    bool is_cut = n_before < err->column - 1;
    if (err->offset < n_before) {
        return;
    }
    if (read_some(source, err->offset - n_before, before, n_before) < n_before) {
        return;
    }
    size_t skip = is_cut ? character_start(before, n_before) : 0;
    size_t n_after = read_some(source, err->offset, after, sizeof after);
    size_t line_end = 0;
    while (line_end < n_after && after[line_end] != '\n' && after[line_end] != '\r') {
        line_end++;
    }
    bool goes_on = line_end == n_after && n_after == sizeof after;
    show(&left, before + skip, n_before - skip, false);
    show(&right, after, line_end, goes_on);
    if (*left.text == '\0' && *right.text == '\0') {
        return;
    }
    diag_print(stderr, "    %s%s%s%s", is_cut ? "..." : "", left.text, right.text,
               goes_on ? "..." : "");
    diag_print(stderr, "    %*s^", left.columns + (is_cut ? 3 : 0), "");
}

void diag_input(const char *name, hpf_source *source, const hpf_error *err)
{
    if (err->line == 0) {
        diag_error(name, err);
        return;
    }
    diag_print(stderr, "%s:%u:%u: %s", name, (unsigned)err->line, (unsigned)err->column,
               err->message);
    if (source && err->column > 0) {
        print_excerpt(source, err);
    }
}

void diag_warning(const char *name, const hpf_error *warning)
{
    diag_print(stderr, "%s: warning: %s", name, warning->message);
}

void diag_error(const char *name, const hpf_error *err)
{
    diag_print(stderr, "census: %s: %s", name, err->message);
}

void diag_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(stderr, "census: ", "\n", format, arguments);
    va_end(arguments);
}
