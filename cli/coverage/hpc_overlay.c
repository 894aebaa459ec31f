/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc overlay and draft: coverage as text that people write, and a first version of it.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/overlay.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc_run.h"
#include "hpfile/sink.h"
#include "output.h"

/* ---- overlay ---- */

static bool read_overlay(hpf__overlay *overlay, const char *path)
{
    hpc_file file;
    hpf_error err;
    bool is_read = false;
    if (hpc_file_read(&file, path, &err) != HPF_OK) {
        diag_error(path, &err);
    } else {
        hpf_str text = {file.bytes.length > 0 ? file.bytes.bytes : "", file.bytes.length};
        is_read = hpf__overlay_read(overlay, text, &err) == HPF_OK;
        if (!is_read) {
            diag_input(path, file.source, &err);
        }
    }
    hpc_file_close(&file);
    return is_read;
}

/* Appends the counts of a module to `tix`. */
static bool apply_overlay(hpf__tix *tix, const hpf__overlay *overlay, hpf_str module,
                          const hpc_command *self, const hpc_options *options)
{
    hpf__mix mix;
    hpc_text text;
    hpf_error err;
    if (!hpc_read_mix(&mix, module.data, NULL, options)) {
        return false;
    }
    bool is_done = hpc_read_text(&text, self, &mix, options);
    if (is_done) {
        hpf__tix_module *made = hpf__tix_add(tix, module, mix.hash, mix.n_boxes);
        hpf_status status =
            made ? hpf__overlay_apply(overlay, module, &mix, &text.lines, made->counts, &err)
                 : hpf_error_set_memory(&err);
        if (status != HPF_OK) {
            diag_input(text.file.path, text.file.source, &err);
        }
        is_done = status == HPF_OK;
    }
    hpc_text_close(&text);
    hpf__mix_finish(&mix);
    return is_done;
}

static int compare_modules(const void *a, const void *b)
{
    const hpf__overlay_module *x = a, *y = b;
    int order = hpf_str_compare(x->name, y->name);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Writes counts or a draft. Returns an exit status. */
static int write_result(const hpf__tix *tix, const hpc_options *options)
{
    const char *name;
    hpf_sink *sink = output_open(options->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    hpf__tix_write(tix, sink);
    hpf_sink_text(sink, strcmp(options->output, "-") == 0 ? "\n" : "");
    return output_close(sink, name);
}

int hpc_run_overlay(const hpc_command *self, hpc_options *options)
{
    hpf__overlay overlay = {.arena = NULL};
    hpf__tix tix = {.arena = NULL};
    bool is_done = true;
    if (options->operands.n == 0) {
        return hpc_misused(self, "no overlay file specified", "");
    }
    for (size_t i = 0; i < options->operands.n && is_done; i++) {
        is_done = read_overlay(&overlay, options->operands.items[i]);
    }
    if (is_done) {
        qsort(overlay.modules, overlay.n_modules, sizeof *overlay.modules, compare_modules);
    }
    for (size_t i = 0; i < overlay.n_modules && is_done; i++) {
        const hpf__overlay_module *m = &overlay.modules[i];
        bool is_first = i == 0 || m[-1].is_global || !hpf_str_equal(m[-1].name, m->name);
        if (!m->is_global && is_first) {
            is_done = apply_overlay(&tix, &overlay, m->name, self, options);
        }
    }
    int status = is_done ? write_result(&tix, options) : EXIT_FAILED;
    hpf__overlay_finish(&overlay);
    hpf__tix_finish(&tix);
    return status;
}

/* ---- draft ---- */

static bool draft_module(const hpf__tix_module *tix, hpf_sink *sink, const hpc_command *self,
                         const hpc_options *options)
{
    hpf__mix mix;
    hpc_text text;
    hpf_error err;
    if (!hpc_read_mix(&mix, tix->name.data, tix, options)) {
        return false;
    }
    hpf_sink *draft = hpf_sink_to_memory();
    bool is_done = hpc_read_text(&text, self, &mix, options);
    if (is_done) {
        hpf_status status = draft ? hpf__draft_write(tix, &mix, &text.lines, draft, &err)
                                  : hpf_error_set_memory(&err);
        status = status == HPF_OK ? hpf_sink_flush(draft, &err) : status;
        if (status == HPF_OK) {
            hpf_sink_lines(sink, hpf_sink_bytes(draft));
        } else {
            diag_input(text.file.path, text.file.source, &err);
        }
        is_done = status == HPF_OK;
    }
    hpf_sink_destroy(draft);
    hpc_text_close(&text);
    hpf__mix_finish(&mix);
    return is_done;
}

int hpc_run_draft(const hpc_command *self, hpc_options *options)
{
    hpf__tix tix;
    const char *name;
    int status = hpc_read_program(&tix, self, options, "unable to find tix file for:");
    hpf_sink *sink = status == EXIT_DONE ? output_open(options->output, &name) : NULL;
    bool is_done = sink != NULL;
    for (size_t i = 0; i < tix.n_modules && is_done; i++) {
        is_done = draft_module(&tix.modules[i], sink, self, options);
    }
    if (status == EXIT_DONE && is_done) {
        hpf_sink_text(sink, strcmp(options->output, "-") == 0 ? "\n" : "");
        status = output_close(sink, name);
    } else if (status == EXIT_DONE) {
        hpf_sink_destroy(sink);
        status = EXIT_FAILED;
    }
    hpf__tix_finish(&tix);
    return status;
}
