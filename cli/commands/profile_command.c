/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the input, writes the output, and prints errors.
 */
#include "profile_command.h"

#include "diag.h"
#include "output.h"

/* Returns the writer for an input without a survey, or NULL. */
static profile_command_write *writer_of_raw(const profile_command *f, const input *in)
{
    return in->format == &hpf_format_eventlog ? f->write_log
           : in->format == &hpf_format_prof   ? f->write_prof
                                              : NULL;
}

/* Opens the input, and surveys it if the writer needs that. */
static bool open_input(const profile_command *f, input *in, char *const *paths, size_t n)
{
    if (!input_open_only(in, paths[0], f->from)) {
        return false;
    }
    input_add_files(in, paths + 1, n - 1);
    return writer_of_raw(f, in) || input_survey(in, &f->limits);
}

static int write_text(const profile_command *f, const input *in)
{
    const char *name;
    hpf_error err, written;
    hpf_sink *sink = output_open(f->output, &name);
    if (!sink) {
        return EXIT_FAILED;
    }
    profile_command_write *write = in->survey ? f->write : writer_of_raw(f, in);
    if (write(in, f->values, sink, &err) == HPF_OK) {
        return output_close(sink, name);
    }
    if (hpf_sink_flush(sink, &written) != HPF_OK) {
        diag_error(name, &written);
    } else {
        diag_input(in->name, in->source, &err);
    }
    hpf_sink_destroy(sink);
    return EXIT_FAILED;
}

int profile_command_run(const cmd *self, const profile_command *f, int argc, char **argv)
{
    input in;
    char *const *paths = argv + 1;
    size_t n = (size_t)argc - 1;
    if (n != 1 && !input_is_series(paths, n)) {
        return cmd_misused(self, argc < 2 ? "no profile given (use - for standard input)"
                                          : "only one profile can be given");
    }
    if (!open_input(f, &in, paths, n)) {
        return EXIT_FAILED;
    }
    bool is_ready = !f->prepare || !in.survey || f->prepare(&in, f->values);
    int status = is_ready ? write_text(f, &in) : EXIT_FAILED;
    input_close(&in);
    return status;
}
