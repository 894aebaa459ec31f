/* SPDX-License-Identifier: BSD-2-Clause
 *
 * No row accepts the beginning of a profile that census reads. A format that gets a reader loses
 * its row.
 */
#include "detect/foreign.h"

#include <stdio.h>

#include "base/words.h"
#include "event/format_row.h"
#include "hp/hp_lex.h"

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
     "a program or library (ELF), not a profile of it"},
};

static const foreign members[] = {
    {"\"snapshot\"", "a heap snapshot (.heapsnapshot), for census report and plot"},
    {"\"traceEvents\"", "a trace of Chrome or Perfetto"},
    {"\"$schema\"", "a file of speedscope"},
    {"\"look\"", "a chart that census plot wrote, not a profile"},
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

const char *hpf__foreign_name(hpf_str head)
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
           : is_table(first, second) && !hpf_format_csv.is_format(head)
               ? "a table (CSV) whose first column is not \"time\": see census convert --input"
               : NULL;
}

bool hpf__may_be_hp(hpf_str head)
{
    head = hpf__head_text(head);
    return head.length == 0 || begins_with_keyword(head);
}

void hpf__show_beginning(char out[HPF__SHOWN_BYTES], hpf_str head)
{
    enum { MOST_BYTES = 24 };
    head = hpf__head_text(head);
    const hpf_str line = hpf__take_until(&head, '\n');
    size_t n = 0, i = 0;
    for (; i < line.length && i < MOST_BYTES; i++) {
        unsigned char byte = (unsigned char)line.data[i];
        bool is_plain = byte >= ' ' && byte < 0x7f;
        n += (size_t)snprintf(out + n, HPF__SHOWN_BYTES - n, is_plain ? "%c" : "\\x%02x", byte);
    }
    snprintf(out + n, HPF__SHOWN_BYTES - n, "%s", i < line.length ? "..." : "");
}
