/* SPDX-License-Identifier: BSD-2-Clause
 *
 * hpc report, show and draft: texts about each module of a program.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/haskell_text.h"
#include "base/array.h"
#include "coverage/overlay.h"
#include "coverage/report.h"
#include "diag.h"
#include "hpc_files.h"
#include "hpc.h"
#include "output.h"

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

int hpc_run_report(const hpc_command *self, hpc_options *options)
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
int hpc_run_show(const hpc_command *self, hpc_options *options)
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

int hpc_run_draft(const hpc_command *self, hpc_options *options)
{
    return run(self, options, "unable to find tix file for:", options->output, draft);
}
