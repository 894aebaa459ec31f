/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a word of the command line to a survey.
 */
#include "input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "progress.h"

/* What the callbacks of a survey share. */
typedef struct attendance {
    const char *name;
    progress line;
} attendance;

static void warn(void *context, const hpf_error *warning)
{
    attendance *a = context;
    progress_wipe(&a->line);
    diag_warning(a->name, warning);
}

static void show(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    attendance *a = context;
    progress_show(&a->line, a->name, done_bytes, total_bytes);
}

/* `limits` says which samples; what is said while reading is added here. */
static bool open_limited(input *out, const char *path, hpf_survey_options limits)
{
    const hpf_source_options keeping = {.keep = true, .temporary_dir = getenv("TMPDIR")};
    bool is_stdin = strcmp(path, "-") == 0;
    input in = {.name = is_stdin ? "stdin" : path};
    hpf_error err;
    attendance attending = {in.name, progress_begin()};
    limits.warning = warn;
    limits.warning_context = &attending;
    limits.progress = show;
    limits.progress_context = &attending;
    hpf_status status = is_stdin ? hpf_source_from_fd(&in.source, STDIN_FILENO, &keeping, &err)
                                 : hpf_source_open(&in.source, path, &keeping, &err);
    if (status == HPF_OK) {
        status = hpf_survey_create(&in.survey, in.source, &limits, &err);
    }
    progress_wipe(&attending.line);
    if (status != HPF_OK) {
        diag_input(in.name, in.source, &err);
        input_close(&in);
        return false;
    }
    *out = in;
    return true;
}

bool input_open(input *out, const char *path)
{
    return open_limited(out, path, (hpf_survey_options){.max_picks = 0});
}

bool input_open_fine(input *out, const char *path, size_t max_picks)
{
    return open_limited(out, path, (hpf_survey_options){.max_picks = max_picks});
}

bool input_open_window(input *out, const char *path, double from_time, double to_time)
{
    return open_limited(
        out, path,
        (hpf_survey_options){.has_window = true, .from_time = from_time, .to_time = to_time});
}

void input_close(input *in)
{
    hpf_survey_destroy(in->survey);
    hpf_source_destroy(in->source);
}
