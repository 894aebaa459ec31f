/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of formats, which the first bytes of an input select from.
 */
#include "hpfile/format.h"

#include <stdio.h>

#include "base/options.h"
#include "detect/reader.h"
#include "event/format_row.h"
#include "base/words.h"
#include "hp/hp_lex.h"
#include "hpfile/str.h"

/* ---- Files of other tools ---- */

enum { SHOWN_BYTES = 100 };

typedef struct foreign {
    const char *beginning;
    const char *name;
} foreign;

static const foreign beginnings[] = {
    {"# callgrind format", "a profile of Valgrind's callgrind"},
    {"version: 1\ncreator: ", "a profile of Valgrind's callgrind"},
    {"desc: I1 cache:", "a profile of Valgrind's cachegrind"},
    {"JAVA PROFILE 1.0", "a heap dump of Java (HPROF)"},
    {"memray", "a recording of memray"},
    {"PERFILE2", "a recording of Linux perf"},
    {"SQLite format 3", "a database of SQLite"},
    {"CMDLINE ", "a recording of Python's memory_profiler (mprof)"},
    {"Tix [", "the coverage of a Haskell program (.tix), for census hpc"},
    {"Mix \"", "the boxes of a Haskell module (.mix), for census hpc"},
    {"hpf.bins", "address bins (.bins), for census report, convert and diff"},
    {"%!PS", "a PostScript document"},
    {"%PDF-", "a PDF document"},
    {"<svg", "an SVG picture"},
    {"<?xml", "an XML document"},
    {"<!DOCTYPE html", "an HTML page"},
    {"\x89PNG", "a PNG picture"},
    {"\x7f"
     "ELF",
     "a program or library (ELF)"},
};

static const foreign members[] = {
    {"\"snapshot\"", "a heap snapshot (.heapsnapshot), for census report and plot"},
    {"\"traceEvents\"", "a trace of Chrome or Perfetto"},
    {"\"$schema\"", "a file of speedscope"},
    {"\"look\"", "a chart that census plot wrote, not a profile"},
    {"\"format\": \"heapcensus profile\"", "a profile that census has written as JSON for others"},
};

static const char *find(const foreign *rows, size_t n, hpf_str text)
{
    for (size_t i = 0; i < n; i++) {
        if (hpf_str_begins(text, rows[i].beginning)) {
            return rows[i].name;
        }
    }
    return NULL;
}

/* Folded stacks, FRAME;FRAME;... NUMBER. */
static bool is_folded(hpf_str line)
{
    size_t n = line.length;
    while (n > 0 && hpf__is_digit(line.data[n - 1])) {
        n--;
    }
    return n < line.length && n > 0 && line.data[n - 1] == ' ' && hpf__count_byte(line, ';') > 0 &&
           hpf__count_byte(line, '\t') == 0;
}

/* Returns the cell after the last comma; empty without a comma. */
static hpf_str last_cell(hpf_str line)
{
    size_t n = line.length;
    while (n > 0 && line.data[n - 1] != ',') {
        n--;
    }
    return n > 0 ? hpf_str_from(line, n) : (hpf_str){line.data, 0};
}

/* Two lines with the same number of commas, and none of `.hp`: the second does not end with a name,
 * a blank and a number. */
static bool is_table(hpf_str first, hpf_str second)
{
    hpf_str value = last_cell(second);
    return value.length > 0 && hpf__count_byte(first, ',') == hpf__count_byte(second, ',') &&
           hpf__count_byte(first, '\t') == 0 && hpf__count_byte(value, ' ') == 0;
}

/* Returns whether the first word is one of `.hp`, in whose texts there may be lines of any kind. */
static bool begins_with_keyword(hpf_str text)
{
    const char *word_end = hpf__word_end(text.data, text.data + text.length);
    return hpf__keyword_of(text.data, (size_t)(word_end - text.data)) != HPF__KEYWORD_NONE;
}

/* Returns what an input that begins with `head` is, with its article ("a heap profile of Valgrind's
 * massif"); NULL for a format of census and for anything unknown. Static. */
static const char *foreign_name(hpf_str head)
{
    hpf_str text = hpf__head_text(head);
    if (hpf_str_begins(text, "{")) {
        hpf_str member = hpf__head_text(hpf_str_from(text, 1));
        return find(members, sizeof members / sizeof *members, member);
    }
    hpf_str rest = head;
    hpf_str first = hpf__take_until(&rest, '\n'), second = hpf__take_until(&rest, '\n');
    const char *name = find(beginnings, sizeof beginnings / sizeof *beginnings, head);
    return name || begins_with_keyword(first) ? name
           : is_folded(first) && (second.length == 0 || is_folded(second))
               ? "a file of folded stacks"
           : is_table(first, second)
               ? "a table (CSV) whose first column is not \"time\": see census convert --input"
               : NULL;
}

/* Returns whether a file that no format recognises can be a heap profile in `.hp` format: empty, or
 * its first word is a keyword. */
static bool may_be_hp(hpf_str head)
{
    head = hpf__head_text(head);
    return head.length == 0 || begins_with_keyword(head);
}

/* Writes the beginning of a file to `out`, for messages: one line, with bytes that are not
 * printable ASCII as `\xNN`. */
static void show_beginning(char out[SHOWN_BYTES], hpf_str head)
{
    enum { MOST_BYTES = 24 };
    head = hpf__head_text(head);
    const hpf_str line = hpf__take_until(&head, '\n');
    size_t n = 0, i = 0;
    for (; i < line.length && i < MOST_BYTES; i++) {
        unsigned char byte = (unsigned char)line.data[i];
        bool is_plain = byte >= ' ' && byte < 0x7f;
        n += (size_t)snprintf(out + n, SHOWN_BYTES - n, is_plain ? "%c" : "\\x%02x", byte);
    }
    snprintf(out + n, SHOWN_BYTES - n, "%s", i < line.length ? "..." : "");
}

/* ---- Formats ---- */

#define ENTRY(name) &hpf_format_##name,
static const hpf_format *const formats[] = {HPF__FORMATS(ENTRY) NULL};

const hpf_format *const *hpf_formats(void)
{
    return formats;
}

const hpf_format *hpf_format_find(const char *name)
{
    const hpf_format *const *f = formats;
    while (*f && strcmp((*f)->name, name) != 0) {
        f++;
    }
    return *f;
}

hpf_status hpf_format_detect(const hpf_format **out, hpf_source *source, hpf_error *err)
{
    char bytes[HPF_FORMAT_HEAD_BYTES];
    hpf_str head = {bytes, 0}, piece;
    hpf_status status = HPF_OK;
    *out = &hpf_format_hp;
    while (head.length < sizeof bytes &&
           (status = hpf_source_next(source, &piece, err)) == HPF_OK) {
        size_t room = sizeof bytes - head.length;
        size_t n = piece.length < room ? piece.length : room;
        memcpy(bytes + head.length, piece.data, n);
        head.length += n;
    }
    if (status != HPF_OK && status != HPF_END) {
        return status;
    }
    for (const hpf_format *const *f = formats; *f; f++) {
        if ((*f)->is_format && (*f)->is_format(head)) {
            *out = *f;
            return hpf_source_rewind(source, err);
        }
    }
    const char *tool = foreign_name(head);
    if (tool) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "not a profile that census reads, but %s",
                             tool);
    }
    if (!may_be_hp(head)) {
        char shown[SHOWN_BYTES];
        show_beginning(shown, head);
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "not a profile: it begins with \"%s\"",
                             shown);
    }
    return hpf_source_rewind(source, err);
}

hpf_status hpf_format_read(const hpf_format *format, hpf_source *source, const hpf_events *events,
                           void *context, const hpf_reader_options *options, hpf_error *err)
{
    hpf_reader_options own;
    hpf_status status = HPF__OPTIONS_COPY(&own, options, err);
    if (status != HPF_OK) {
        return status;
    }
    if (!hpf__reader_is_whole(format, &own)) {
        return hpf_read_source(source, events, context, &own, err);
    }
    if (!format->read) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED, "%s can only be written", format->name);
    }
    return format->read(source, events, context, &own, err);
}
