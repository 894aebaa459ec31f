/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Modules and declarations are collected while the pages of modules are written, for the lists.
 */
#include "coverage/pages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "coverage/mix.h"
#include "coverage/tix.h"
#include "hpfile/sink.h"
#include "base/utf8.h"

/* ---- Marked lines ---------------------------------------------------------------------------- */

/* The text of a module as HTML, with a span of colour for each part that a box describes. Which
 * spans there are, and how they nest, is as in the pages of hpc; the classes have the same
 * names.
 *
 * One walk over the text, with a stack of the spans that are open. A mark that begins before the
 * place that the walk has reached, in the blanks at the start of a line, is left out, and one
 * that ends after the one around it ends with it: so does hpc. */

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

/* Writes the rows of a table, one for each line. `has_counts`: the line on which a declaration
 * begins says how often it was entered. Stores the number of boxes after the end of the text in
 * `*n_outside`. Errors: ARGUMENT, if `tix` has no counts for some boxes; MEMORY. */
static hpf_status hpc_markup_lines_write(const hpc_mix *mix, const hpc_tix_module *tix,
                                         hpf_str text, bool has_counts, size_t *n_outside,
                                         hpf_sink *sink, hpf_error *err)
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

/* A declaration, for the search. */
typedef struct declaration {
    hpf_str name;
    size_t module; /* as it was added */
    uint32_t line;
    uint64_t n_entries;
} declaration;

typedef struct module {
    hpf_str name;
    hpc_tally tallies[HPC_N_TALLIES];
} module;

struct hpc_pages {
    hpc_pages_options options;
    hpf_arena *arena; /* owner of texts */
    module *modules;
    size_t n_modules, modules_capacity;
    declaration *declarations;
    size_t n_declarations, declarations_capacity;
};

/* The lists, and what sorts them. */
static const struct list {
    const char *file, *title;
    int tally; /* -1: sorted by name */
} lists[HPC_N_LISTS] = {
    {"hpc_index", "module", -1},
    {"hpc_index_fun", "top-level definitions", HPC_TOP_LEVEL},
    {"hpc_index_alt", "alternatives", HPC_ALTERNATIVES},
    {"hpc_index_exp", "expressions", HPC_EXPRESSIONS},
};

/* The look and the colours of a page, in light and dark. */
static const char style[] =
    ":root { color-scheme: light dark; }\n"
    "body { font: 14px/1.4 system-ui, sans-serif; margin: 1.5em; }\n"
    "h1 { font-size: 1.3em; }\n"
    "table { border-collapse: collapse; font: 12px/1.45 ui-monospace, monospace; }\n"
    "td, th { padding: 0 .7em; text-align: right; font-weight: normal; white-space: pre; }\n"
    "th { color: GrayText; }\n"
    "td:last-child, th:last-child { text-align: left; width: 100%; }\n"
    ".n { color: GrayText; }\n"
    ":root { --never: #fff176; --true: #8ee08e; --false: #f4a19b; --covered: #ddd2ff; }\n"
    "@media (prefers-color-scheme: dark) { :root { --never: #5e5200; --true: #1d5c2b; "
    "--false: #7d2620; --covered: #443672; } }\n"
    ".istickedoff { background: Canvas; } .nottickedoff { background: var(--never); }\n"
    ".tickonlytrue { background: var(--true); } .tickonlyfalse { background: var(--false); }\n"
    ".decl { font-weight: bold; }\n"
    ".key { font: 12px/1.45 ui-monospace, monospace; }\n"
    ".key span { padding: .1em .5em; margin-right: 1em; }\n"
    ".funcount { color: GrayText; font-style: italic; margin-left: 2em; }\n"
    "tr:target { outline: 1px solid; }\n"
    "th a { color: inherit; } tr.total td, tr.total th { border-top: 1px solid; }\n"
    "td.bar { padding-right: 2em; }\n"
    ".bar span { display: inline-block; width: 100px; height: .8em; background: var(--false); }\n"
    ".bar i { display: block; height: 100%; background: var(--true); }\n"
    "input[type=search] { font: inherit; width: 24em; }\n";

/* Colours that show what was evaluated. */
static const char style_covered[] =
    ".istickedoff, .decl { background: var(--covered); }\n"
    ".nottickedoff { background: Canvas; color: GrayText; font-style: oblique; }\n";

hpc_pages *hpc_pages_create(const hpc_pages_options *options)
{
    hpc_pages *pages = calloc(1, sizeof *pages);
    hpf_arena *arena = hpf_arena_create();
    if (!pages || !arena) {
        free(pages);
        hpf_arena_destroy(arena);
        return NULL;
    }
    pages->options = *options;
    pages->arena = arena;
    return pages;
}

void hpc_pages_destroy(hpc_pages *pages)
{
    if (pages) {
        free(pages->modules);
        free(pages->declarations);
        hpf_arena_destroy(pages->arena);
        free(pages);
    }
}

/* ---- Pages of modules ---- */

/* Writes the start of a page up to its heading. */
static void begin_page(hpf_sink *sink, hpf_str title)
{
    hpf_sink_text(sink, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</title>\n<style>\n");
    hpf_sink_text(sink, style);
    hpf_sink_text(sink, "</style>\n<h1>");
    hpf_sink_markup(sink, title);
    hpf_sink_text(sink, "</h1>\n");
}

/* Counts the boxes of a module and lists its declarations. Returns false without memory. */
static bool add_module(hpc_pages *s, const hpc_mix *mix, const hpc_tix_module *tix)
{
    module m = {.name = hpf_arena_str(s->arena, tix->name)};
    bool has_memory = m.name.data != NULL;
    for (size_t i = 0; i < mix->n_boxes && has_memory; i++) {
        const hpc_box *box = &mix->boxes[i];
        if (!hpc_box_is_condition(box)) {
            hpc_tally_box(m.tallies, box, tix->counts[i] > 0);
        }
        if ((box->kind == HPC_BOX_TOP_LEVEL || box->kind == HPC_BOX_LOCAL) && box->n_names > 0) {
            hpf_str name = box->names[box->n_names - 1];
            declaration d = {hpf_arena_str(s->arena, name), s->n_modules, box->span.first_line,
                             tix->counts[i]};
            has_memory = d.name.data && HPF__ARRAY_PUSH(s->declarations, s->n_declarations,
                                                        s->declarations_capacity, d);
        }
    }
    return has_memory && HPF__ARRAY_PUSH(s->modules, s->n_modules, s->modules_capacity, m);
}

static void write_module_head(const hpc_pages *s, hpf_sink *sink, hpf_str name)
{
    const module *m = &s->modules[s->n_modules - 1];
    begin_page(sink, name);
    if (s->options.highlight_covered) {
        hpf_sink_text(sink, "<style>\n");
        hpf_sink_text(sink, style_covered);
        hpf_sink_text(sink, "</style>\n");
    }
    hpf_sink_text(sink, "<p><a href=\"");
    for (size_t i = 0; i < name.length; i++) {
        hpf_sink_text(sink, name.data[i] == '/' ? "../" : "");
    }
    hpf_sink_text(sink, "hpc_index.html\">all modules</a>");
    for (const struct list *l = lists + 1; l < lists + HPC_N_LISTS; l++) {
        const hpc_tally *t = &m->tallies[l->tally];
        hpf_sink_printf(sink, ", %zu of %zu %s", t->n_ticked, t->n_boxes, l->title);
    }
    hpf_sink_text(sink, "\n<p class=\"key\"><span class=\"decl\">declaration</span>"
                        "<span class=\"istickedoff\">executed</span>"
                        "<span class=\"nottickedoff\">never executed</span>"
                        "<span class=\"tickonlytrue\">always true</span>"
                        "<span class=\"tickonlyfalse\">always false</span>\n"
                        "<table>\n");
}

hpf_status hpc_pages_add(hpc_pages *pages, const hpc_mix *mix, const hpc_tix_module *tix,
                         hpf_str text, size_t *n_outside, hpf_sink *sink, hpf_error *err)
{
    *n_outside = 0;
    if (!add_module(pages, mix, tix)) {
        return hpf_error_set_memory(err);
    }
    write_module_head(pages, sink, tix->name);
    hpf_status status =
        hpc_markup_lines_write(mix, tix, text, pages->options.has_counts, n_outside, sink, err);
    hpf_sink_text(sink, "</table>\n");
    return status;
}

/* ---- Lists of modules ---- */

/* A module of a list, and what sorts it. */
typedef struct row {
    const module *module;
    hpf_str name; /* empty in a list by share */
    int share;    /* 0 in the list by name */
} row;

/* By share, the largest first, or by name, then in the order in which modules were added. */
static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = (x->share < y->share) - (x->share > y->share);
    order = order ? order : hpf_str_compare(x->name, y->name);
    return order ? order : (x->module > y->module) - (x->module < y->module);
}

/* Returns the share in percent; -1 if there are no boxes. */
static int percent(hpc_tally t)
{
    return t.n_boxes > 0 ? (int)(t.n_ticked * 100 / t.n_boxes) : -1;
}

static void write_tally(hpf_sink *sink, hpc_tally t)
{
    int share = percent(t);
    if (share < 0) {
        hpf_sink_text(sink, "<td>-<td>0/0<td class=\"bar\">");
    } else {
        hpf_sink_printf(sink,
                        "<td>%d%%<td>%zu/%zu<td class=\"bar\"><span><i style=\"width: %d%%\"></i>"
                        "</span>",
                        share, t.n_ticked, t.n_boxes, share);
    }
}

static void write_link(hpf_sink *sink, hpf_str name, uint32_t line)
{
    hpf_sink_text(sink, "<td><a href=\"");
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        hpf_sink_printf(sink, isalnum(c) || strchr("/._-~", c) ? "%c" : "%%%02X", c);
    }
    hpf_sink_printf(sink, line > 0 ? ".hs.html#l%lu\">" : ".hs.html\">", (unsigned long)line);
}

/* Filters the rows of all tables by the words in the field. */
static const char script[] =
    "<script>\n"
    "const field = document.querySelector('input[type=search]');\n"
    "const never = document.querySelector('input[type=checkbox]');\n"
    "function filter() {\n"
    "  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);\n"
    "  let n = 0;\n"
    "  for (const row of document.querySelectorAll('tbody tr')) {\n"
    "    const text = row.textContent.toLowerCase();\n"
    "    row.hidden = !words.every(word => text.includes(word)) || (never.checked && "
    "'entered' in row.dataset);\n"
    "    n += !row.hidden;\n"
    "  }\n"
    "  document.querySelector('output').textContent = words.length || never.checked ? "
    "`${n} found` : '';\n"
    "}\n"
    "field.addEventListener('input', filter);\n"
    "never.addEventListener('change', filter);\n"
    "document.getElementById('search').hidden = false;\n"
    "filter();\n"
    "</script>\n";

/* By module, in the order in which they were added, then line. */
static int compare_declarations(const void *a, const void *b)
{
    const declaration *x = a, *y = b;
    int order = (x->module > y->module) - (x->module < y->module);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void write_declarations(hpc_pages *s, hpf_sink *sink)
{
    HPF__ARRAY_SORT(s->declarations, s->n_declarations, compare_declarations);
    hpf_sink_text(sink, "<h2>Declarations</h2>\n<table>\n<thead><tr><th>line<th>entered<th>module"
                        "<th>declaration\n<tbody>\n");
    for (size_t i = 0; i < s->n_declarations; i++) {
        const declaration *d = &s->declarations[i];
        hpf_str name = s->modules[d->module].name;
        hpf_sink_printf(sink, "<tr%s><td>%lu<td>%llu<td>", d->n_entries ? " data-entered" : "",
                        (unsigned long)d->line, (unsigned long long)d->n_entries);
        hpf_sink_markup(sink, name);
        write_link(sink, name, d->line);
        hpf_sink_markup(sink, d->name);
        hpf_sink_text(sink, "</a>\n");
    }
    hpf_sink_text(sink, "</table>\n");
}

static void write_tallies(hpf_sink *sink, const module *m)
{
    for (int i = 1; i < HPC_N_LISTS; i++) {
        write_tally(sink, m->tallies[lists[i].tally]);
    }
}

static void write_table(const hpc_pages *s, const struct list *list, const row *rows,
                        hpf_sink *sink)
{
    module total = {.name = {NULL, 0}};
    begin_page(sink, HPF_STR("Coverage"));
    hpf_sink_text(sink, list->tally < 0 ? "<p id=\"search\" hidden><label>Search "
                                          "<input type=\"search\" autofocus></label> "
                                          "<label><input type=\"checkbox\"> only declarations "
                                          "never entered</label> <output></output>\n"
                                        : "");
    hpf_sink_text(sink, "<table>\n<thead><tr>");
    for (int k = 1; k <= HPC_N_LISTS; k++) { /* modules are the last column */
        const struct list *l = &lists[k % HPC_N_LISTS];
        hpf_sink_printf(sink, "<th%s><a href=\"%s.html\">%s</a>%s",
                        l->tally < 0 ? "" : " colspan=\"3\"", l->file, l->title,
                        l == list ? " \u2193" : "");
    }
    hpf_sink_text(sink, "\n<tbody>\n");
    for (size_t i = 0; i < s->n_modules; i++) {
        const module *m = rows[i].module;
        hpf_sink_text(sink, "<tr data-entered>");
        write_tallies(sink, m);
        for (int k = 0; k < HPC_N_TALLIES; k++) {
            total.tallies[k].n_ticked += m->tallies[k].n_ticked;
            total.tallies[k].n_boxes += m->tallies[k].n_boxes;
        }
        write_link(sink, m->name, 0);
        hpf_sink_markup(sink, m->name);
        hpf_sink_text(sink, "</a>\n");
    }
    hpf_sink_text(sink, "<tfoot><tr class=\"total\">");
    write_tallies(sink, &total);
    hpf_sink_text(sink, "<td>total\n</table>\n");
}

const char *hpc_pages_list_name(int list)
{
    return lists[list].file;
}

hpf_status hpc_pages_write_list(hpc_pages *pages, int list, hpf_sink *sink, hpf_error *err)
{
    const int tally = lists[list].tally;
    row *rows = malloc((pages->n_modules + 1) * sizeof *rows);
    if (!rows) {
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < pages->n_modules; i++) {
        const module *m = &pages->modules[i];
        rows[i] = tally < 0 ? (row){m, m->name, 0} : (row){m, {"", 0}, percent(m->tallies[tally])};
    }
    HPF__ARRAY_SORT(rows, pages->n_modules, compare_rows);
    write_table(pages, &lists[list], rows, sink);
    if (tally < 0) {
        write_declarations(pages, sink);
        hpf_sink_text(sink, script);
    }
    free(rows);
    return HPF_OK;
}
