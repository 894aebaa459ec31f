/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of the file, or that an import makes of it, is fed to the watch at once, with its
 * sidecar.
 */
#include "input_finished.h"

#include <stdlib.h>
#include <unistd.h>

#include "event/format_row.h"
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
    return !file->format->is_streamed || *hpf_source_compression(file->given);
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

static hpf_status feed(watch *w, watched *profile, hpf_source *source, bool is_sidecar,
                       hpf_error *err)
{
    hpf_str text;
    hpf_status status;
    while ((status = hpf_source_next(source, &text, err)) == HPF_OK) {
        if (is_sidecar) {
            watch_feed_sidecar(w, profile, text.data, text.length);
        } else {
            watch_feed(w, profile, text.data, text.length);
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

/* Feeds the file next to a compressed `.hp` file, if there is one. */
static hpf_status feed_lines(const finished *f, watch *w, watched *profile, hpf_error *err)
{
    bool may_have = f->file.format == &hpf_format_hp;
    char *path = may_have ? companion_path(f->file.name, ".lines") : NULL;
    hpf_source *source = NULL;
    hpf_status status = HPF_OK;
    if (path && access(path, F_OK) == 0) {
        status = hpf_source_open(&source, path, NULL, err);
        status = status == HPF_OK ? feed(w, profile, source, true, err) : status;
    }
    hpf_source_destroy(source);
    free(path);
    return status;
}

static hpf_status feed_all(finished *f, watch *w, hpf_error *err)
{
    watch_set_frames(w, f->file.frames);
    watched *profile = watch_add_profile(w, f->file.name);
    if (!profile) {
        return hpf_error_set_memory(err);
    }
    watch_set_allocated(profile, read_allocated, f);
    hpf_status status = feed(w, profile, f->file.source, false, err);
    if (status == HPF_OK && f->file.rest) {
        status = hpf_sink_flush(f->file.rest, err);
        hpf_str text = hpf_sink_bytes(f->file.rest);
        watch_feed_sidecar(w, profile, text.data, text.length);
    } else if (status == HPF_OK) {
        status = feed_lines(f, w, profile, err);
    }
    watch_end_profile(w, profile);
    return status;
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
    f->allocated = (input){.spool = -1};
    hpf_status status = f->file.format->is_streamed ? HPF_OK : input_import(&f->file, &err);
    status = status == HPF_OK ? feed_all(f, options->w, &err) : status;
    if (status != HPF_OK) {
        diag_input(f->file.name, f->file.given, &err);
        destroy(&f->input);
        return NULL;
    }
    return &f->input;
}
