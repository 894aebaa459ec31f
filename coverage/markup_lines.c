/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One walk over the text, with a stack of the spans that are open. A mark that begins before the
 * place that the walk has reached, in the blanks at the start of a line, is left out, and one that
 * ends after the one around it ends with it: so does hpc.
 */
#include "coverage/markup_lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"
#include "hpfile/sink.h"

enum {
    TAB_WIDTH = 8,      /* of tabs on the page */
    MOST_COLUMNS = 4000 /* up to which blanks are added for a span that is longer than its line */
};

typedef struct place {
    uint32_t line, column;
} place;

typedef enum mark_kind {
    NEVER,
    TICKED,
    ONLY_TRUE,
    ONLY_FALSE,
    DECLARATION,
} mark_kind;

typedef struct mark {
    place start, end;
    mark_kind kind;
    uint64_t n_entries; /* of a declaration */
    size_t order;       /* among marks of the same span */
} mark;

/* A span that is open. It may end before its mark does. */
typedef struct open_span {
    place end;
    const mark *mark;
} open_span;

typedef struct markup {
    hpf_sink *sink;
    hpf_str text;
    size_t at, written; /* offsets: of the walk, and of the text that was not written yet */
    place here;
    uint32_t tab_stop;
    bool has_counts;
    mark *marks;
    size_t n_marks, marks_capacity, next;
    open_span *open; /* the innermost is the last */
    size_t n_open, open_capacity;
    uint64_t *entries; /* of declarations that begin on this line */
    size_t n_entries, entries_capacity;
} markup;

static int compare_places(place a, place b)
{
    int order = (a.line > b.line) - (a.line < b.line);
    return order ? order : (a.column > b.column) - (a.column < b.column);
}

/* By start, the longer one first. */
static int compare_marks(const void *a, const void *b)
{
    const mark *x = a, *y = b;
    int order = compare_places(x->start, y->start);
    order = order ? order : compare_places(y->end, x->end);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* ---- Marks ---- */

static bool add_mark(markup *m, hpc_span s, mark_kind kind, uint64_t n_entries)
{
    mark made = {
        {s.first_line, s.first_column}, {s.last_line, s.last_column}, kind, n_entries, m->n_marks};
    return HPF__ARRAY_PUSH(m->marks, m->n_marks, m->marks_capacity, made);
}

/* Makes the marks of all boxes. */
static hpf_status make_marks(markup *m, const hpc_mix *mix, const hpc_tix_module *tix,
                             hpf_error *err)
{
    bool has_memory = true;
    for (size_t i = 0; i < mix->n_boxes && has_memory; i++) {
        const hpc_box *box = &mix->boxes[i];
        bool is_condition = hpc_box_is_condition(box);
        if (i + (is_condition && box->is_true) >= tix->n_counts) {
            return hpf_error_set(err, HPF_ERR_ARGUMENT,
                                 "the .mix file has %zu boxes, but the .tix file %zu counts",
                                 mix->n_boxes, tix->n_counts);
        }
        uint64_t n = tix->counts[i];
        if (is_condition && box->is_true && (n > 0) != (tix->counts[i + 1] > 0)) {
            has_memory = add_mark(m, box->span, n > 0 ? ONLY_TRUE : ONLY_FALSE, 0);
        } else if (!is_condition) {
            has_memory =
                (box->kind != HPC_BOX_TOP_LEVEL || add_mark(m, box->span, DECLARATION, n)) &&
                add_mark(m, box->span, n > 0 ? TICKED : NEVER, 0);
        }
    }
    HPF__ARRAY_SORT(m->marks, m->n_marks, compare_marks);
    return has_memory ? HPF_OK : hpf_error_set_memory(err);
}

/* ---- Spans ---- */

/* Writes "never entered", "entered once" or "entered 1,234 times". */
static void write_entries(hpf_sink *sink, uint64_t n)
{
    if (n < 2) {
        hpf_sink_text(sink, n ? "entered once" : "never entered");
        return;
    }
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    hpf_sink_text(sink, "entered ");
    for (int i = 0; i < length; i++) {
        bool ends_group = n > 9999 && i > 0 && (length - i) % 3 == 0;
        hpf_sink_printf(sink, "%s%c", ends_group ? "," : "", digits[i]);
    }
    hpf_sink_text(sink, " times");
}

/* Writes the text up to the place of the walk. */
static void write_text(markup *m)
{
    hpf_sink_markup(m->sink, (hpf_str){m->text.data + m->written, m->at - m->written});
    m->written = m->at;
}

static void write_start(markup *m, const mark *begun)
{
    static const char *const starts[] = {
        "<span class=\"nottickedoff\">",
        "<span class=\"istickedoff\">",
        "<span class=\"tickonlytrue\" title=\"always true\">",
        "<span class=\"tickonlyfalse\" title=\"always false\">",
        "<span class=\"decl\" title=\"",
    };
    write_text(m);
    hpf_sink_text(m->sink, starts[begun->kind]);
    if (begun->kind == DECLARATION) {
        write_entries(m->sink, begun->n_entries);
        hpf_sink_text(m->sink, "\">");
    }
}

static void write_ends(markup *m, size_t n)
{
    write_text(m);
    for (; n > 0; n--) {
        hpf_sink_text(m->sink, "</span>");
    }
}

/* Returns whether a mark is to be shown inside another one. */
static bool nests(const mark *inner, const mark *outer)
{
    bool is_same = inner->kind == outer->kind && inner->n_entries == outer->n_entries;
    bool is_condition = outer->kind == ONLY_TRUE || outer->kind == ONLY_FALSE;
    return !is_same && !(inner->kind == TICKED && is_condition);
}

/* Ends and begins the spans that end before, or begin at the place of the walk. Returns false
 * without memory. */
static bool change_spans(markup *m)
{
    for (;;) {
        open_span *top = m->n_open > 0 ? &m->open[m->n_open - 1] : NULL;
        const mark *next = m->next < m->n_marks ? &m->marks[m->next] : NULL;
        if (top && compare_places(m->here, top->end) > 0) {
            write_ends(m, 1);
            m->n_open--;
            continue;
        }
        int order = next ? compare_places(m->here, next->start) : -1;
        if (order < 0) {
            return true;
        }
        m->next++;
        if (order > 0 || (top && !nests(next, top->mark))) {
            continue;
        }
        bool ends_first = !top || compare_places(next->end, top->end) <= 0;
        open_span made = {ends_first ? next->end : top->end, next};
        if (!HPF__ARRAY_PUSH(m->open, m->n_open, m->open_capacity, made)) {
            return false;
        }
        write_start(m, next);
        if (next->kind == DECLARATION && m->has_counts &&
            !HPF__ARRAY_PUSH(m->entries, m->n_entries, m->entries_capacity, next->n_entries)) {
            return false;
        }
    }
}

/* ---- Lines ---- */

static void begin_line(const markup *m)
{
    hpf_sink_printf(m->sink, "<tr id=\"l%lu\"><td class=\"n\">%lu<td>", (unsigned long)m->here.line,
                    (unsigned long)m->here.line);
}

static void end_line(markup *m)
{
    for (size_t i = 0; i < m->n_entries; i++) {
        hpf_sink_text(m->sink, "<span class=\"funcount\">");
        write_entries(m->sink, m->entries[i]);
        hpf_sink_text(m->sink, "</span>");
    }
    m->n_entries = 0;
    hpf_sink_text(m->sink, "\n");
}

/* Returns the column of the next tab stop. */
static uint32_t tab_stop_after(uint32_t column, uint32_t distance)
{
    return (column - 1) / distance * distance + distance + 1;
}

/* Passes a tab, which becomes blanks. */
static void pass_tab(markup *m)
{
    write_text(m);
    uint32_t n_blanks = tab_stop_after(m->here.column, TAB_WIDTH) - m->here.column;
    hpf_sink_printf(m->sink, "%*s", (int)n_blanks, "");
    m->here.column = tab_stop_after(m->here.column, m->tab_stop);
    m->written = ++m->at;
}

/* Passes a line feed. Spans that are open continue after the blanks of the next line. */
static void pass_line_feed(markup *m)
{
    bool has_open = m->n_open > 0;
    write_ends(m, m->n_open);
    end_line(m);
    m->written = ++m->at;
    m->here = (place){m->here.line + 1, 1};
    if (m->at == m->text.length) {
        m->n_open = 0;
        return;
    }
    begin_line(m);
    uint32_t shown = 1;
    for (char c;
         has_open && m->at < m->text.length && ((c = m->text.data[m->at]) == ' ' || c == '\t');
         m->at++) {
        uint32_t before = shown;
        shown = c == ' ' ? shown + 1 : tab_stop_after(shown, TAB_WIDTH);
        m->here.column =
            c == ' ' ? m->here.column + 1 : tab_stop_after(m->here.column, m->tab_stop);
        hpf_sink_printf(m->sink, "%*s", (int)(shown - before), "");
    }
    m->written = m->at;
    for (size_t i = 0; i < m->n_open; i++) {
        write_start(m, m->open[i].mark);
    }
}

/* Writes all lines. Returns false without memory. */
static bool walk(markup *m)
{
    while (m->at < m->text.length) {
        if (!change_spans(m)) {
            return false;
        }
        const open_span *top = m->n_open > 0 ? &m->open[m->n_open - 1] : NULL;
        char c = m->text.data[m->at];
        if (c == '\n' && top && m->here.line == top->end.line && m->here.column < top->end.column &&
            m->here.column < MOST_COLUMNS) {
            write_text(m);
            hpf_sink_text(m->sink, " "); /* the span is longer than the line */
            m->here.column++;
        } else if (c == '\n') {
            pass_line_feed(m);
        } else if (c == '\t') {
            pass_tab(m);
        } else {
            m->at += hpf_utf8_next(hpf_str_from(m->text, m->at), NULL);
            m->here.column++;
        }
    }
    if (m->here.column > 1) {
        write_ends(m, m->n_open);
        end_line(m);
    }
    return true;
}

hpf_status hpc_markup_lines_write(const hpc_mix *mix, const hpc_tix_module *tix, hpf_str text,
                                  bool has_counts, size_t *n_outside, hpf_sink *sink,
                                  hpf_error *err)
{
    markup m = {.sink = sink,
                .text = text,
                .here = {1, 1},
                .tab_stop = mix->tab_stop > 0 ? mix->tab_stop : 1,
                .has_counts = has_counts};
    hpf_status status = make_marks(&m, mix, tix, err);
    if (status == HPF_OK && text.length > 0) {
        begin_line(&m);
        status = walk(&m) ? HPF_OK : hpf_error_set_memory(err);
    }
    *n_outside = 0;
    for (; m.next < m.n_marks; m.next++) {
        *n_outside += compare_places(m.marks[m.next].start, m.here) > 0;
    }
    free(m.marks);
    free(m.open);
    free(m.entries);
    return status;
}
