/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes text to sinks, and opens and closes sinks.
 */
#include "hpfile/sink.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"

hpf_sink *output_open(const char *path, const char **name)
{
    hpf_error err;
    bool is_stdout = !path || strcmp(path, "-") == 0;
    *name = is_stdout ? "standard output" : path;
    hpf_sink *sink = is_stdout ? hpf_sink_to_fd(STDOUT_FILENO) : hpf_sink_to_path(path, &err);
    if (!sink && is_stdout) {
        (void)hpf_error_set_memory(&err);
    }
    if (!sink) {
        diag_error(*name, &err);
    }
    return sink;
}

void output_explain(const input *in, hpf_sink *sink, const char *name, const hpf_error *err)
{
    hpf_error written;
    if (hpf_sink_flush(sink, &written) != HPF_OK) {
        diag_error(name, &written);
    } else if (err->line > 0 || err->offset > 0 || err->status == HPF_ERR_IO) {
        diag_input(in->name, in->source, err);
    } else {
        diag_say("%s", err->message);
    }
}

int output_close(hpf_sink *sink, const char *name)
{
    hpf_error err;
    if (!sink) {
        return EXIT_FAILED;
    }
    bool is_done = hpf_sink_finish(sink, &err) == HPF_OK;
    if (!is_done) {
        diag_error(name, &err);
    }
    hpf_sink_destroy(sink);
    return is_done ? EXIT_DONE : EXIT_FAILED;
}
