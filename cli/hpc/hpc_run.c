/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The commands of hpc, their table, and the help.
 */
#include "hpc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "diag.h"
#include "options/suggest.h"
#include "coverage/haskell_text.h"
#include "base/array.h"
#include "coverage/overlay.h"
#include "coverage/report.h"
#include "hpc_files.h"
#include "output.h"
#include "coverage/pages.h"
#include "hpfile/sink.h"

/* ---- hpc sum, combine, map and overlay ------------------------------------------------------- */

/* Writes counts to the output of a command. Returns an exit status. */
static int write_tix(const hpc_tix *tix, const hpc_options *options, bool makes_folders)
{
    bool is_file = strcmp(options->output, "-") != 0;
    const char *name;
    hpf_sink *sink = is_file && makes_folders && !hpc_make_folders(options->output)
                         ? NULL
                         : output_open(options->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpc_tix_write(tix, sink);
    hpf_sink_text(sink, is_file ? "" : "\n");
    return output_close(sink, name);
}

/* Reads one more file, and combines it with `tix`. */
static bool join_file(hpc_tix *tix, const char *path, hpc_tix_join how, const hpc_options *options)
{
    hpc_tix other, joined;
    hpf_error err;
    if (!hpc_read_tix(&other, path, options)) {
        return false;
    }
    bool is_joined = hpc_tix_combine(&joined, tix, &other, how, options->is_union, &err) == HPF_OK;
    hpc_tix_finish(&other);
    if (is_joined) {
        hpc_tix_finish(tix);
        *tix = joined;
    } else {
        diag_error(path, &err);
    }
    return is_joined;
}

/* Reads all operands, and combines them. Returns an exit status. */
static int join_files(const hpc_options *options, hpc_tix_join how)
{
    hpc_tix tix;
    bool is_read = hpc_read_tix(&tix, options->operands.items[0], options);
    for (size_t i = 1; i < options->operands.n && is_read; i++) {
        is_read = join_file(&tix, options->operands.items[i], how, options);
    }
    int status = is_read ? write_tix(&tix, options, true) : EXIT_FAILED;
    hpc_tix_finish(&tix);
    return status;
}

static int hpc_run_sum(const hpc_command *self, hpc_options *options)
{
    return options->operands.n > 0 ? join_files(options, HPC_TIX_ADD)
                                   : hpc_misused(self, "no .tix file specified", "");
}

/* Finds the number of a function. Returns false after a message. */
static bool find_function(const char *name, const char *const names[3], int *found)
{
    *found = 0;
    while (name && *found < 3 && strcasecmp(name, names[*found]) != 0) {
        ++*found;
    }
    if (*found == 3) {
        diag_say("unknown function '%s': expected %s, %s or %s", name, names[0], names[1],
                 names[2]);
    }
    return *found < 3;
}

static int hpc_run_combine(const hpc_command *self, hpc_options *options)
{
    static const char *const names[] = {"ADD", "DIFF", "SUB"};
    int how;
    if (options->operands.n != 2) {
        return hpc_misused(self, "need exactly two .tix files to combine", "");
    }
    return find_function(options->function, names, &how) ? join_files(options, (hpc_tix_join)how)
                                                         : EXIT_FAILED;
}

static int hpc_run_map(const hpc_command *self, hpc_options *options)
{
    static const char *const names[] = {"ID", "INV", "ZERO"};
    int how, status = EXIT_FAILED;
    hpc_tix tix;
    if (options->operands.n != 1) {
        return hpc_misused(
            self, options->operands.n ? "to many .tix files specified" : "no .tix file specified",
            "");
    }
    if (!find_function(options->function, names, &how)) {
        return EXIT_FAILED;
    }
    if (hpc_read_tix(&tix, options->operands.items[0], options)) {
        hpc_tix_apply(&tix, (hpc_tix_map)how);
        status = write_tix(&tix, options, true);
    }
    hpc_tix_finish(&tix);
    return status;
}

static bool read_overlay(hpc_overlay *overlay, const char *path)
{
    hpc_file file;
    hpf_error err;
    bool is_read = false;
    if (hpc_file_read(&file, path, &err) != HPF_OK) {
        diag_error(path, &err);
    } else {
        is_read = hpc_overlay_read(overlay, hpc_file_text(&file), &err) == HPF_OK;
        if (!is_read) {
            diag_input(path, file.source, &err);
        }
    }
    hpc_file_close(&file);
    return is_read;
}

/* Appends the counts of a module to `tix`. */
static bool apply_overlay(hpc_tix *tix, const hpc_overlay *overlay, hpf_str module,
                          const hpc_command *self, const hpc_options *options)
{
    hpc_module m;
    hpf_error err;
    bool is_done = hpc_read_module(&m, self, module.data, NULL, options);
    if (is_done) {
        hpc_tix_module *made = hpc_tix_add(tix, module, m.mix.hash, m.mix.n_boxes);
        hpf_status status =
            made ? hpc_overlay_apply(overlay, module, &m.mix, &m.lines, made->counts, &err)
                 : hpf_error_set_memory(&err);
        if (status != HPF_OK) {
            diag_input(m.file.path, m.file.source, &err);
        }
        is_done = status == HPF_OK;
    }
    hpc_module_close(&m);
    return is_done;
}

static int compare_overlays(const void *a, const void *b)
{
    const hpc_overlay_module *x = a, *y = b;
    int order = hpf_str_compare(x->name, y->name);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int hpc_run_overlay(const hpc_command *self, hpc_options *options)
{
    hpc_overlay overlay = {.arena = NULL};
    hpc_tix tix = {.arena = NULL};
    bool is_done = true;
    if (options->operands.n == 0) {
        return hpc_misused(self, "no overlay file specified", "");
    }
    for (size_t i = 0; i < options->operands.n && is_done; i++) {
        is_done = read_overlay(&overlay, options->operands.items[i]);
    }
    if (is_done) {
        qsort(overlay.modules, overlay.n_modules, sizeof *overlay.modules, compare_overlays);
    }
    for (size_t i = 0; i < overlay.n_modules && is_done; i++) {
        const hpc_overlay_module *m = &overlay.modules[i];
        bool is_first = i == 0 || m[-1].is_global || !hpf_str_equal(m[-1].name, m->name);
        if (!m->is_global && is_first) {
            is_done = apply_overlay(&tix, &overlay, m->name, self, options);
        }
    }
    int status = is_done ? write_tix(&tix, options, false) : EXIT_FAILED;
    hpc_overlay_finish(&overlay);
    hpc_tix_finish(&tix);
    return status;
}

/* ---- hpc markup ------------------------------------------------------------------------------ */

/* hpc markup: the files of pages. */

typedef struct site {
    const hpc_command *self;
    const hpc_options *options;
    hpc_pages *pages;
    bool is_silent;
} site;

/* Opens the page `name``suffix`. Returns NULL after a message. The caller frees `*path`. */
static hpf_sink *open_page(const site *s, const char *name, const char *suffix, char **path)
{
    const char *shown;
    *path = hpc_join_path(s->options->page_dir, name, suffix);
    if (!*path) {
        diag_say("out of memory");
    } else if (!s->is_silent) {
        diag_print(stdout, "Writing: %s%s", name, suffix);
    }
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

/* Finishes a page; `sink` is NULL if it could not be opened. Returns false after a message. */
static bool close_page(hpf_sink *sink, char *path, const char *name, hpf_status status,
                       const hpf_error *err)
{
    bool is_done = status == HPF_OK && output_close(sink, path) == EXIT_DONE;
    if (sink && status != HPF_OK) {
        diag_error(name, err);
        hpf_sink_destroy(sink);
    }
    free(path);
    return is_done;
}

static bool markup_module(const site *s, const hpc_tix_module *tix)
{
    hpc_module m;
    char *path;
    hpf_error err;
    size_t n_outside = 0;
    if (!is_inside(tix->name)) {
        diag_say("the module '%s' has no name for a page", tix->name.data);
        return false;
    }
    bool is_done = hpc_read_module(&m, s->self, tix->name.data, tix, s->options);
    if (is_done && m.mix.n_boxes > tix->n_counts) {
        diag_say("module %s has %zu boxes, but only %zu counts in the .tix file", tix->name.data,
                 m.mix.n_boxes, tix->n_counts);
        is_done = false;
    }
    if (is_done) {
        hpf_sink *sink = open_page(s, tix->name.data, ".hs.html", &path);
        hpf_status status =
            sink ? hpc_pages_add(s->pages, &m.mix, tix, m.lines.text, &n_outside, sink, &err)
                 : HPF_ERR_IO;
        is_done = close_page(sink, path, tix->name.data, status, &err);
    }
    if (n_outside > 0) {
        diag_print(stderr, "%s: warning: %zu boxes are after its end: was it changed?", m.file.path,
                   n_outside);
    }
    hpc_module_close(&m);
    return is_done;
}

static bool write_list(const site *s, int list)
{
    char *path;
    hpf_error err;
    hpf_sink *sink = open_page(s, hpc_pages_list_name(list), ".html", &path);
    hpf_status status = sink ? hpc_pages_write_list(s->pages, list, sink, &err) : HPF_ERR_IO;
    return close_page(sink, path, hpc_pages_list_name(list), status, &err);
}

static int hpc_run_markup(const hpc_command *self, hpc_options *options)
{
    hpc_tix tix;
    const hpc_pages_options look = {options->highlight_covered, options->entry_counts};
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
    s.pages = hpc_pages_create(&look);
    bool is_done = s.pages != NULL;
    if (!is_done) {
        diag_say("out of memory");
    }
    for (size_t i = 0; i < tix.n_modules && is_done; i++) {
        is_done = markup_module(&s, &tix.modules[i]);
    }
    for (int i = 0; i < HPC_N_LISTS && is_done; i++) {
        is_done = write_list(&s, i);
    }
    hpc_pages_destroy(s.pages);
    hpc_tix_finish(&tix);
    return is_done ? EXIT_DONE : EXIT_FAILED;
}

/* ---- hpc report ------------------------------------------------------------------------------ */

/* hpc report, show and draft: texts about each module of a program. */

/* Writes about the modules of a program. Returns false after a message. */
typedef bool write_modules(const hpc_tix *tix, const hpc_command *self, const hpc_options *options,
                           hpf_sink *sink);

/* Reads a program, and writes to a file. `message` as in hpc_read_program. */
static int run(const hpc_command *self, hpc_options *options, const char *message, const char *path,
               write_modules *write)
{
    hpc_tix tix;
    const char *name;
    int status = hpc_read_program(&tix, self, options, message);
    hpf_sink *sink = status == EXIT_DONE ? output_open(path, &name) : NULL;
    if (status == EXIT_DONE) {
        bool is_done = sink && write(&tix, self, options, sink);
        status = is_done ? output_close(sink, name) : EXIT_FAILED;
        hpf_sink_destroy(is_done ? NULL : sink);
    }
    hpc_tix_finish(&tix);
    return status;
}

/* Writes the totals of the first `n` modules, or if `module` is not NULL of this one. */
static bool write_totals(const hpc_tix_module *modules, size_t n, const hpf_str *module,
                         const hpc_options *options, hpf_sink *sink)
{
    hpc_totals totals = {.arena = NULL};
    hpf_error err;
    bool is_counted = true;
    for (size_t i = 0; i < n && is_counted; i++) {
        hpc_mix mix;
        is_counted = hpc_read_mix(&mix, modules[i].name.data, &modules[i], options);
        if (is_counted && hpc_totals_add(&totals, &mix, &modules[i], !module, &err) != HPF_OK) {
            diag_say("%s", err.message);
            is_counted = false;
        }
        hpc_mix_finish(&mix);
    }
    if (is_counted && options->xml) {
        hpc_totals_write_xml(&totals, module, sink);
    } else if (is_counted) {
        hpc_totals_write_text(&totals, module, options->declarations, sink);
    }
    hpc_totals_finish(&totals);
    return is_counted;
}

static int compare_modules(const void *a, const void *b)
{
    return hpf_str_compare(((const hpc_tix_module *)a)->name, ((const hpc_tix_module *)b)->name);
}

static bool write_report(const hpc_tix *tix, const hpc_command *self, const hpc_options *options,
                         hpf_sink *sink)
{
    (void)self;
    bool is_done = true;
    HPF__ARRAY_SORT(tix->modules, tix->n_modules, compare_modules);
    if (options->xml) {
        const char *name = options->operands.items[0];
        hpf_sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage name=");
        hpc_haskell_show(sink, hpf_str_of(name));
        hpf_sink_text(sink, ">\n");
    }
    for (size_t i = 0; i < tix->n_modules && options->per_module && is_done; i++) {
        is_done = write_totals(&tix->modules[i], 1, &tix->modules[i].name, options, sink);
    }
    if (is_done && (options->xml || !options->per_module)) {
        is_done = write_totals(tix->modules, tix->n_modules, NULL, options, sink);
    }
    hpf_sink_text(sink, options->xml ? "</coverage>\n" : "");
    return is_done;
}

static int hpc_run_report(const hpc_command *self, hpc_options *options)
{
    return run(self, options, "unable to find tix file for:", NULL, write_report);
}

static bool show(const hpc_tix *tix, const hpc_command *self, const hpc_options *options,
                 hpf_sink *sink)
{
    (void)self;
    bool is_done = true;
    for (size_t i = 0; i < tix->n_modules && is_done; i++) {
        hpc_mix mix;
        is_done = hpc_read_mix(&mix, tix->modules[i].name.data, &tix->modules[i], options);
        if (is_done) {
            hpc_boxes_write(&tix->modules[i], &mix, sink);
        }
        hpc_mix_finish(&mix);
    }
    return is_done;
}

/* As in the original program, --output is accepted without effect. */
static int hpc_run_show(const hpc_command *self, hpc_options *options)
{
    return run(self, options, "could not read .tix file : ", NULL, show);
}

static bool draft_module(const hpc_tix_module *tix, const hpc_command *self,
                         const hpc_options *options, hpf_sink *sink)
{
    hpc_module m;
    hpf_error err;
    hpf_sink *draft = hpf_sink_to_memory();
    bool is_done = hpc_read_module(&m, self, tix->name.data, tix, options);
    if (is_done) {
        hpf_status status = draft ? hpc_draft_write(tix, &m.mix, &m.lines, draft, &err)
                                  : hpf_error_set_memory(&err);
        status = status == HPF_OK ? hpf_sink_flush(draft, &err) : status;
        if (status == HPF_OK) {
            hpf_sink_lines(sink, hpf_sink_bytes(draft));
        } else {
            diag_input(m.file.path, m.file.source, &err);
        }
        is_done = status == HPF_OK;
    }
    hpf_sink_destroy(draft);
    hpc_module_close(&m);
    return is_done;
}

static bool draft(const hpc_tix *tix, const hpc_command *self, const hpc_options *options,
                  hpf_sink *sink)
{
    bool is_done = true;
    for (size_t i = 0; i < tix->n_modules && is_done; i++) {
        is_done = draft_module(&tix->modules[i], self, options, sink);
    }
    hpf_sink_text(sink, strcmp(options->output, "-") == 0 ? "\n" : "");
    return is_done;
}

static int hpc_run_draft(const hpc_command *self, hpc_options *options)
{
    return run(self, options, "unable to find tix file for:", options->output, draft);
}

/* ---- The table of commands ---- */

static int run_help(const hpc_command *self, hpc_options *options);

static int run_version(const hpc_command *self, hpc_options *options)
{
    (void)self;
    (void)options;
    puts("hpc tools, version 0.68");
    return EXIT_DONE;
}

/* A command, and before the first of a group its title. */
typedef struct entry {
    const char *title;
    hpc_command command;
} entry;

static const entry entries[] = {
    {"Commands",
     {"help", "[<HPC_COMMAND>]", "Display help for hpc or a single command", "", run_help}},
    {"Reporting Coverage",
     {"report", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Output textual report about program coverage", "pleishrxv", hpc_run_report}},
    {NULL,
     {"markup", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Markup Haskell source with program coverage", "eishrncdv", hpc_run_markup}},
    {"Processing Coverage files",
     {"sum", "[OPTION] .. <TIX_FILE> [<TIX_FILE> [<TIX_FILE> ..]]",
      "Sum multiple .tix files in a single .tix file", "eiouv", hpc_run_sum}},
    {NULL,
     {"combine", "[OPTION] .. <TIX_FILE> <TIX_FILE>",
      "Combine two .tix files in a single .tix file", "eiofuv", hpc_run_combine}},
    {NULL,
     {"map", "[OPTION] .. <TIX_FILE> ", "Map a function over a single .tix file", "eiomuv",
      hpc_run_map}},
    {"Coverage Overlays",
     {"overlay", "[OPTION] .. <OVERLAY_FILE> [<OVERLAY_FILE> [...]]",
      "Generate a .tix file from an overlay file", "shrov", hpc_run_overlay}},
    {NULL,
     {"draft", "[OPTION] .. <TIX_FILE>", "Generate draft overlay that provides 100% coverage",
      "eishrov", hpc_run_draft}},
    {"Others",
     {"show", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Show .tix file in readable, verbose format", "eishrov", hpc_run_show}},
    {NULL, {"version", "", "Display version for hpc", "", run_version}},
};

static const hpc_command *find(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].command.name, name) == 0) {
            return &entries[i].command;
        }
    }
    return NULL;
}

static int print_commands(void)
{
    printf("Usage: %shpc COMMAND ...\n\n", hpc_is_census() ? "census " : "");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (entries[i].title) {
            printf("%s:\n", entries[i].title);
        }
        printf("  %-11s %s\n", entries[i].command.name, entries[i].command.summary);
    }
    puts("");
    return EXIT_DONE;
}

/* Prints that there is no such command. Returns EXIT_MISUSED. */
static int complain_unknown(const char *name)
{
    suggestion similar = {.given = name, .length = strlen(name)};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        suggest_compare(&similar, entries[i].command.name);
    }
    diag_print(stderr, "census hpc: unknown command '%s'%s", name, suggest_text(&similar, "").text);
    fputs("Try 'census hpc --help'.\n", stderr);
    return EXIT_MISUSED;
}

static int run_help(const hpc_command *self, hpc_options *options)
{
    (void)self;
    if (options->operands.n == 0) {
        return print_commands();
    }
    const hpc_command *command = find(options->operands.items[0]);
    if (!command && hpc_is_census()) {
        return complain_unknown(options->operands.items[0]);
    }
    if (!command) {
        diag_print(stdout, "no such hpc command : %s", options->operands.items[0]);
        return EXIT_FAILED;
    }
    hpc_print_usage(command);
    return EXIT_DONE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int hpc_run(int argc, char **argv)
{
    if (argc < 2 || (hpc_is_census() && is_help(argv[1]))) {
        return print_commands();
    }
    /* A first word that is no command is an operand of help. */
    const hpc_command *command = find(argv[1]);
    int first = command ? 2 : 1;
    command = command ? command : find("help");
    if (hpc_is_census() && first < argc && is_help(argv[first])) {
        hpc_print_usage(command);
        return EXIT_DONE;
    }
    hpc_options options;
    int status = hpc_options_parse(&options, command, argc - first, argv + first)
                     ? command->run(command, &options)
                 : hpc_is_census() ? EXIT_MISUSED
                                   : EXIT_FAILED;
    hpc_options_finish(&options);
    return status;
}
