/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text and the sidecar that an import makes are fed to the watch at once.
 */
#include "input_imported.h"

#include <stdlib.h>

#include "diag.h"
#include "input.h"

typedef struct imported {
    watch_input input; /* first: a `watch_input *` is an `imported *` */
    input from;
} imported;

static void destroy(watch_input *in)
{
    input_close(&((imported *)in)->from);
    free(in);
}

watch_input *input_imported_create(const char *path, const watch_input_options *options)
{
    watch *w = options->w;
    hpf_str text;
    hpf_error err;
    imported *in = calloc(1, sizeof *in);
    if (!in) {
        diag_say("out of memory");
        return NULL;
    }
    if (!input_open_imported(&in->from, path)) {
        free(in);
        return NULL;
    }
    in->input = (watch_input){.is_exhausted = true, .destroy = destroy};
    watch_set_frames(w, in->from.frames);
    watched *profile = watch_add_profile(w, path);
    hpf_status status = profile ? hpf_sink_flush(in->from.rest, &err) : hpf_error_set_memory(&err);
    while (status == HPF_OK && (status = hpf_source_next(in->from.source, &text, &err)) == HPF_OK) {
        watch_feed(w, profile, text.data, text.length);
    }
    if (status != HPF_END) {
        diag_say("%s: %s", path, err.message);
        destroy(&in->input);
        return NULL;
    }
    text = hpf_sink_bytes(in->from.rest);
    watch_feed_sidecar(w, profile, text.data, text.length);
    watch_end_profile(w, profile);
    return &in->input;
}
