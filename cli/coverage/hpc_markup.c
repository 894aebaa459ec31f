/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc markup: a page for each module, with its text in colours, and pages that list the modules.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc_run.h"
#include "hpfile/sink.h"
#include "markup_lines.h"
#include "output.h"
#include "source/source_html.h"

enum { TOP_LEVEL, ALTERNATIVES, EXPRESSIONS, N_TALLIES };

typedef struct tally {
    size_t n_ticked, n_boxes;
} tally;

/* A declaration, for the search. */
typedef struct declaration {
    hpf_str name;
    size_t module; /* as it was added */
    uint32_t line;
    uint64_t n_entries;
} declaration;

typedef struct module {
    hpf_str name;
    size_t number; /* in the order in which modules were added */
    tally tallies[N_TALLIES];
} module;

typedef struct site {
    const hpc_command *self;
    const hpc_options *options;
    hpf_arena *arena; /* owner of texts */
    bool is_silent;
    module *modules;
    size_t n_modules, modules_capacity;
    declaration *declarations;
    size_t n_declarations, declarations_capacity;
} site;

/* The colours of a page. */
static const char style[] =
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

/* ---- Numbers ---- */

/* Counts the boxes of a module and lists its declarations. Returns false after a message. */
static bool add_module(site *s, const hpf__mix *mix, const hpf__tix_module *tix)
{
    module m = {.name = hpf_arena_str(s->arena, tix->name), .number = s->n_modules};
    bool has_memory = m.name.data != NULL;
    for (size_t i = 0; i < mix->n_boxes && has_memory; i++) {
        const hpf__box *box = &mix->boxes[i];
        bool is_alternative = box->kind == HPF__BOX_ALTERNATIVE;
        bool counts[N_TALLIES] = {box->kind == HPF__BOX_TOP_LEVEL, is_alternative,
                                  is_alternative || box->kind == HPF__BOX_EXPRESSION};
        for (int k = 0; k < N_TALLIES; k++) {
            m.tallies[k].n_boxes += counts[k];
            m.tallies[k].n_ticked += counts[k] && tix->counts[i] > 0;
        }
        if ((box->kind == HPF__BOX_TOP_LEVEL || box->kind == HPF__BOX_LOCAL) && box->n_names > 0) {
            hpf_str name = box->names[box->n_names - 1];
            declaration d = {hpf_arena_str(s->arena, name), m.number, box->span.first_line,
                             tix->counts[i]};
            has_memory = d.name.data && HPF__ARRAY_PUSH(s->declarations, s->n_declarations,
                                                        s->declarations_capacity, d);
        }
    }
    has_memory = has_memory && HPF__ARRAY_PUSH(s->modules, s->n_modules, s->modules_capacity, m);
    if (!has_memory) {
        diag_say("out of memory");
    }
    return has_memory;
}

/* Returns the share in percent; -1 if there are no boxes. */
static int percent(tally t)
{
    return t.n_boxes > 0 ? (int)(t.n_ticked * 100 / t.n_boxes) : -1;
}

static void write_tally(hpf_sink *sink, tally t)
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

/* ---- Pages of modules ---- */

/* Opens the page `name`.html. Returns NULL after a message. The caller frees `*path`. */
static hpf_sink *open_page(const site *s, const char *name, char **path)
{
    char *file = malloc(strlen(name) + sizeof ".html");
    const char *shown;
    if (file) {
        strcpy(file, name);
        strcat(file, ".html");
    }
    *path = file ? hpc_join_path(s->options->page_dir, file) : NULL;
    if (!*path) {
        diag_say("out of memory");
    } else if (!s->is_silent) {
        diag_print(stdout, "Writing: %s", file);
    }
    free(file);
    return *path && hpc_make_folders(*path) ? output_open(*path, &shown) : NULL;
}

/* Returns whether the page of a module is inside the folder of pages. */
static bool is_inside(hpf_str name)
{
    char before = '/';
    for (size_t i = 0; i < name.length; i++) {
        bool is_up = before == '/' && hpf_str_begins(hpf_str_from(name, i), "..");
        if ((i == 0 && name.data[0] == '/') || is_up || name.data[i] == '\0') {
            return false;
        }
        before = name.data[i];
    }
    return name.length > 0;
}

static void write_module_head(const site *s, hpf_sink *sink, hpf_str name)
{
    static const char *const names[] = {"top-level definitions", "alternatives", "expressions"};
    const module *m = &s->modules[s->n_modules - 1];
    source_html_begin(sink, name, style);
    if (s->options->highlight_covered) {
        hpf_sink_text(sink, "<style>\n");
        hpf_sink_text(sink, style_covered);
        hpf_sink_text(sink, "</style>\n");
    }
    hpf_sink_text(sink, "<p><a href=\"");
    for (size_t i = 0; i < name.length; i++) {
        hpf_sink_text(sink, name.data[i] == '/' ? "../" : "");
    }
    hpf_sink_text(sink, "hpc_index.html\">all modules</a>");
    for (int k = 0; k < N_TALLIES; k++) {
        hpf_sink_printf(sink, ", %zu of %zu %s", m->tallies[k].n_ticked, m->tallies[k].n_boxes,
                        names[k]);
    }
    hpf_sink_text(sink, "\n<p class=\"key\"><span class=\"decl\">declaration</span>"
                        "<span class=\"istickedoff\">executed</span>"
                        "<span class=\"nottickedoff\">never executed</span>"
                        "<span class=\"tickonlytrue\">always true</span>"
                        "<span class=\"tickonlyfalse\">always false</span>\n"
                        "<table>\n");
}

/* Writes the page of a module. Returns false after a message. */
static bool write_module(site *s, const hpf__mix *mix, const hpf__tix_module *tix,
                         const hpc_text *text)
{
    char *path;
    char *name = malloc(tix->name.length + sizeof ".hs");
    hpf_error err;
    size_t n_outside = 0;
    if (!name) {
        diag_say("out of memory");
        return false;
    }
    strcpy(name, tix->name.data);
    strcat(name, ".hs");
    hpf_sink *sink = open_page(s, name, &path);
    bool is_done = sink && add_module(s, mix, tix);
    if (is_done) {
        write_module_head(s, sink, tix->name);
        hpf_status status = markup_lines_write(mix, tix, text->lines.text, s->options->entry_counts,
                                               &n_outside, sink, &err);
        hpf_sink_text(sink, "</table>\n");
        if (status != HPF_OK) {
            diag_error(tix->name.data, &err);
            is_done = false;
        }
    }
    if (n_outside > 0) {
        diag_print(stderr, "%s: warning: %zu boxes are after its end: was it changed?",
                   text->file.path, n_outside);
    }
    if (is_done) {
        is_done = output_close(sink, path) == EXIT_DONE;
    } else {
        hpf_sink_destroy(sink);
    }
    free(name);
    free(path);
    return is_done;
}

static bool markup_module(site *s, const hpf__tix_module *tix)
{
    hpf__mix mix;
    hpc_text text;
    if (!is_inside(tix->name)) {
        diag_say("the module '%s' has no name for a page", tix->name.data);
        return false;
    }
    if (!hpc_read_mix(&mix, tix->name.data, tix, s->options)) {
        return false;
    }
    bool is_done = hpc_read_text(&text, s->self, &mix, s->options);
    if (is_done && mix.n_boxes > tix->n_counts) {
        diag_say("module %s has %zu boxes, but only %zu counts in the .tix file", tix->name.data,
                 mix.n_boxes, tix->n_counts);
        is_done = false;
    }
    is_done = is_done && write_module(s, &mix, tix, &text);
    hpc_text_close(&text);
    hpf__mix_finish(&mix);
    return is_done;
}

/* ---- Lists of modules ---- */

/* The lists, and what sorts them. */
static const struct list {
    const char *file, *title;
    int tally; /* -1: sorted by name */
} lists[] = {
    {"hpc_index", "module", -1},
    {"hpc_index_fun", "top-level definitions", TOP_LEVEL},
    {"hpc_index_alt", "alternatives", ALTERNATIVES},
    {"hpc_index_exp", "expressions", EXPRESSIONS},
};
enum { N_LISTS = sizeof lists / sizeof *lists };

static int compare_names(const void *a, const void *b)
{
    const module *x = a, *y = b;
    int order = hpf_str_compare(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* By a share, the largest first, then in the order in which modules were added. */
static int compare_shares(const module *x, const module *y, int which)
{
    int a = percent(x->tallies[which]), b = percent(y->tallies[which]);
    int order = (a < b) - (a > b);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_top_level(const void *a, const void *b)
{
    return compare_shares(a, b, TOP_LEVEL);
}

static int compare_alternatives(const void *a, const void *b)
{
    return compare_shares(a, b, ALTERNATIVES);
}

static int compare_expressions(const void *a, const void *b)
{
    return compare_shares(a, b, EXPRESSIONS);
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

static void write_declarations(const site *s, const module *by_number, hpf_sink *sink)
{
    hpf_sink_text(sink, "<h2>Declarations</h2>\n<table>\n<thead><tr><th>line<th>entered<th>module"
                        "<th>declaration\n<tbody>\n");
    for (size_t i = 0; i < s->n_declarations; i++) {
        const declaration *d = &s->declarations[i];
        hpf_str name = by_number[d->module].name;
        hpf_sink_printf(sink, "<tr%s><td>%lu<td>%llu<td>", d->n_entries ? " data-entered" : "",
                        (unsigned long)d->line, (unsigned long long)d->n_entries);
        hpf_sink_markup(sink, name);
        write_link(sink, name, d->line);
        hpf_sink_markup(sink, d->name);
        hpf_sink_text(sink, "</a>\n");
    }
    hpf_sink_text(sink, "</table>\n");
}

static void write_list(const site *s, const struct list *list, hpf_sink *sink)
{
    module total = {.number = 0};
    source_html_begin(sink, HPF_STR("Coverage"), style);
    hpf_sink_text(sink, list->tally < 0 ? "<p id=\"search\" hidden><label>Search "
                                          "<input type=\"search\" autofocus></label> "
                                          "<label><input type=\"checkbox\"> only declarations "
                                          "never entered</label> <output></output>\n"
                                        : "");
    hpf_sink_text(sink, "<table>\n<thead><tr>");
    for (int k = 1; k <= N_LISTS; k++) { /* modules are the last column */
        const struct list *l = &lists[k % N_LISTS];
        hpf_sink_printf(sink, "<th%s><a href=\"%s.html\">%s</a>%s",
                        l->tally < 0 ? "" : " colspan=\"3\"", l->file, l->title,
                        l == list ? " \u2193" : "");
    }
    hpf_sink_text(sink, "\n<tbody>\n");
    for (size_t i = 0; i < s->n_modules; i++) {
        const module *m = &s->modules[i];
        hpf_sink_text(sink, "<tr data-entered>");
        for (int k = 0; k < N_TALLIES; k++) {
            write_tally(sink, m->tallies[k]);
            total.tallies[k].n_ticked += m->tallies[k].n_ticked;
            total.tallies[k].n_boxes += m->tallies[k].n_boxes;
        }
        write_link(sink, m->name, 0);
        hpf_sink_markup(sink, m->name);
        hpf_sink_text(sink, "</a>\n");
    }
    hpf_sink_text(sink, "<tfoot><tr class=\"total\">");
    for (int k = 0; k < N_TALLIES; k++) {
        write_tally(sink, total.tallies[k]);
    }
    hpf_sink_text(sink, "<td>total\n</table>\n");
}

/* Writes all lists. Returns false after a message. */
static bool write_lists(site *s)
{
    int (*const orders[])(const void *, const void *) = {compare_names, compare_top_level,
                                                         compare_alternatives, compare_expressions};
    module *by_number = malloc((s->n_modules + 1) * sizeof *by_number);
    if (s->n_declarations > 0) {
        qsort(s->declarations, s->n_declarations, sizeof *s->declarations, compare_declarations);
    }
    bool is_done = by_number != NULL;
    if (!is_done) {
        diag_say("out of memory");
    } else if (s->n_modules > 0) {
        memcpy(by_number, s->modules, s->n_modules * sizeof *by_number);
    }
    for (int i = 0; i < N_LISTS && is_done; i++) {
        char *path;
        hpf_sink *sink = open_page(s, lists[i].file, &path);
        is_done = sink != NULL;
        if (is_done) {
            if (s->n_modules > 0) {
                qsort(s->modules, s->n_modules, sizeof *s->modules, orders[i]);
            }
            write_list(s, &lists[i], sink);
            if (i == 0) {
                write_declarations(s, by_number, sink);
                hpf_sink_text(sink, script);
            }
            is_done = output_close(sink, path) == EXIT_DONE;
        }
        free(path);
    }
    free(by_number);
    return is_done;
}

int hpc_run_markup(const hpc_command *self, hpc_options *options)
{
    hpf__tix tix;
    const char *verbosity = options->verbosity ? options->verbosity : "1";
    site s = {.self = self, .options = options, .is_silent = strcmp(verbosity, "0") == 0};
    if (strlen(verbosity) != 1 || !strchr("012", *verbosity)) {
        diag_say("unknown verbosity '%s': expected 0, 1 or 2", verbosity);
        return EXIT_FAILED;
    }
    int status = hpc_read_program(&tix, self, options, "unable to find tix file for: ");
    if (status != EXIT_DONE) {
        return status;
    }
    s.arena = hpf_arena_create();
    bool is_done = s.arena != NULL;
    if (!is_done) {
        diag_say("out of memory");
    }
    for (size_t i = 0; i < tix.n_modules && is_done; i++) {
        is_done = markup_module(&s, &tix.modules[i]);
    }
    is_done = is_done && write_lists(&s);
    free(s.modules);
    free(s.declarations);
    hpf_arena_destroy(s.arena);
    hpf__tix_finish(&tix);
    return is_done ? EXIT_DONE : EXIT_FAILED;
}
