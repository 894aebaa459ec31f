/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc markup: the files of pages.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/pages.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc.h"
#include "output.h"

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

int hpc_run_markup(const hpc_command *self, hpc_options *options)
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
