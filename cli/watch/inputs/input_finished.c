/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The file is read at once, with its sidecar.
 */
#include "input_finished.h"

#include <stdlib.h>
#include <unistd.h>

#include "hpfile/format.h"
#include "hpfile/source.h"

#include "diag.h"
#include "path.h"

typedef struct finished {
    watch_input input; /* first: a `watch_input *` is a `finished *` */
    input file;
    input allocated; /* what its stacks have allocated */
    bool has_read_allocated;
} finished;

bool input_is_finished(const input *file)
{
    return !file->format->is_streamed || *hpf_source_compression(file->source);
}

static void destroy(watch_input *in)
{
    finished *f = (finished *)in;
    input_close(&f->allocated);
    input_close(&f->file);
    free(f);
}

static hpf_survey *read_allocated(void *context)
{
    finished *f = context;
    const hpf_survey_options nothing = {0};
    hpf_error err;
    if (!f->has_read_allocated) {
        f->has_read_allocated = true;
        if (input_survey_allocated(&f->allocated, &f->file, &nothing, &err) != HPF_OK) {
            diag_say("%s: cannot read what was allocated: %s", f->file.name, err.message);
        }
    }
    return f->allocated.survey;
}

/* Feeds the file next to a compressed `.hp` file, if there is one. */
static hpf_status feed_lines(const finished *f, watched *profile, hpf_error *err)
{
    bool may_have = f->file.format == &hpf_format_hp;
    char *path = may_have ? companion_path(f->file.name, ".lines") : NULL;
    hpf_source *source = NULL;
    hpf_str text;
    hpf_status status = HPF_OK;
    if (path && access(path, F_OK) == 0) {
        status = hpf_source_open(&source, path, NULL, err);
        while (status == HPF_OK && (status = hpf_source_next(source, &text, err)) == HPF_OK) {
            watch_feed_sidecar(profile, text.data, text.length);
        }
    }
    hpf_source_destroy(source);
    free(path);
    return status == HPF_END ? HPF_OK : status;
}

watch_input *input_finished_create(input *file, const watch_input_options *options)
{
    finished *f = calloc(1, sizeof *f);
    hpf_error err;
    if (!f) {
        diag_say("out of memory");
        input_close(file);
        return NULL;
    }
    f->input = (watch_input){.is_exhausted = true, .destroy = destroy};
    f->file = *file;
    watched *profile = watch_add_profile(options->w, f->file.name, 0);
    if (!profile || !watch_set_file(profile, f->file.name)) {
        diag_say("out of memory");
        destroy(&f->input);
        return NULL;
    }
    watch_set_allocated(profile, read_allocated, f);
    hpf_status status = watch_read(profile, f->file.source, f->file.format, &err);
    status = status == HPF_OK ? feed_lines(f, profile, &err) : status;
    if (status != HPF_OK) {
        diag_input(f->file.name, f->file.source, &err);
        destroy(&f->input);
        return NULL;
    }
    watch_end_profile(profile);
    return &f->input;
}
