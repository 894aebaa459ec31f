/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints errors with the line of the input and a caret.
 *
 * A line may be a megabyte long and contain any bytes. Only a window around the column is read.
 * Each byte that the terminal cannot show is printed as "?", so that the caret stays below its
 * column.
 */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum {
    BEFORE_BYTES = 50, /* most bytes shown before the column */
    AFTER_BYTES = 28   /* most bytes shown from the column on */
};

/* Text as it is printed, and its width. */
typedef struct shown {
    char text[4 * (BEFORE_BYTES + AFTER_BYTES) + 1];
    int columns;
} shown;

/* Converts bytes for printing. `is_cut`: more bytes follow, so an incomplete character at the end
 * is left out. */
static void show(shown *out, const char *bytes, size_t n_bytes, bool is_cut)
{
    mbstate_t state;
    size_t used = 0;
    out->columns = 0;
    memset(&state, 0, sizeof state);
    for (size_t i = 0; i < n_bytes;) {
        wchar_t wide = 0;
        size_t length = mbrtowc(&wide, bytes + i, n_bytes - i, &state);
        if (length == (size_t)-2 && is_cut) {
            break;
        }
        int columns = length - 1 < n_bytes - i ? wcwidth(wide) : -1;
        if (columns < 0) {
            out->text[used++] = bytes[i] == '\t' ? ' ' : '?';
            out->columns++;
            i++;
            memset(&state, 0, sizeof state);
            continue;
        }
        memcpy(out->text + used, bytes + i, length);
        used += length;
        out->columns += columns;
        i += length;
    }
    out->text[used] = '\0';
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
    fprintf(stderr, "    %s%s%s%s\n", is_cut ? "..." : "", left.text, right.text,
            goes_on ? "..." : "");
    fprintf(stderr, "    %*s^\n", left.columns + (is_cut ? 3 : 0), "");
}

void diag_input(const char *name, hpf_source *source, const hpf_error *err)
{
    if (err->line == 0) {
        diag_error(name, err);
        return;
    }
    fprintf(stderr, "%s:%u:%u: %s\n", name, (unsigned)err->line, (unsigned)err->column,
            err->message);
    if (source && err->column > 0) {
        print_excerpt(source, err);
    }
}

void diag_warning(const char *name, const hpf_error *warning)
{
    fprintf(stderr, "%s: warning: %s\n", name, warning->message);
}

void diag_error(const char *name, const hpf_error *err)
{
    fprintf(stderr, "census: %s: %s\n", name, err->message);
}

void diag_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("census: ", stderr);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
    va_end(arguments);
}
