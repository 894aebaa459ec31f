/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses an input by the word on the command line.
 */
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpfile/recording.h"

#include "diag.h"
#include "input.h"

#include "connector.h"
#include "input_file.h"
#include "input_stream.h"
#include "hpfile/format.h"
#include "hpfile/source.h"
#include "path.h"

/* ---- finished profiles ---- */

typedef struct finished {
    watch_input input; /* first: a `watch_input *` is a `finished *` */
    input file;
    input allocated; /* what its stacks have allocated */
    bool has_read_allocated;
} finished;

/* Returns whether an opened file is a finished profile: one of another tool, or a compressed one.
 */
static bool is_finished(const input *file)
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

/* Reads a finished profile once; changes of the file are not followed. The result owns the file and
 * must live until the watch is destroyed, because the profile borrows from it. Closes the file and
 * returns NULL after a message. */
static watch_input *open_finished(input *file, const watch_input_options *options)
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

/* ---- all inputs ---- */

/* Returns the number of the process that is read of a recording, 0 if there is none. */
static uint32_t process_of(const hpf_source *source)
{
    const hpf_recording *recording = hpf_source_recording(source);
    const hpf_process *chosen = recording ? hpf_recording_chosen(recording) : NULL;
    return chosen ? chosen->number : 0;
}

/* Returns whether a file is the recording of a run that goes on, in which the process to be
 * followed may not have begun. Stores its number, or 0. */
static bool is_run(const char *path, const char *which, uint32_t *process)
{
    const hpf_source_options choice = {.size = sizeof choice, .process = which};
    hpf_source *source = NULL;
    hpf_str piece;
    bool is_it = false;
    if (hpf_source_open(&source, path, &choice, NULL) == HPF_OK &&
        hpf_source_next(source, &piece, NULL) != HPF_MORE && hpf_source_recording(source)) {
        const hpf_recording *recording = hpf_source_recording(source);
        is_it = !*hpf_source_compression(source) &&
                (hpf_recording_n_processes(recording) == 0 ||
                 hpf_recording_process(recording, 0)->end == HPF_PROCESS_RUNS);
        *process = process_of(source);
    }
    hpf_source_destroy(source);
    return is_it;
}

/* Returns whether a file is not there yet, or too short to tell its format. */
static bool is_yet_to_come(const char *path)
{
    enum { MAGIC_BYTES = 4 };
    struct stat file;
    return stat(path, &file) != 0 || file.st_size < MAGIC_BYTES;
}

/* Opens a file that grows, or is finished. */
static watch_input *open_file(const char *path, const watch_input_options *options)
{
    input file;
    watch_input_options growing = *options;
    bool is_all = options->which && strcmp(options->which, "all") == 0;
    if (is_yet_to_come(path) || (!is_all && is_run(path, options->which, &growing.process))) {
        return input_file_create(path, &growing);
    }
    if (!input_open_only(&file, path, NULL)) {
        return NULL;
    }
    if (options->has_log_profile && !input_accepts_profile(&file)) {
        input_close(&file);
        return NULL;
    }
    if (is_finished(&file)) {
        return open_finished(&file, options);
    }
    growing.process = process_of(file.source);
    input_close(&file);
    return input_file_create(path, &growing);
}

watch_input *watch_input_open(const char *word, const watch_input_options *options)
{
    struct stat what;
    if (strcmp(word, "-") == 0) {
        return input_stream_from_fd(STDIN_FILENO, "stdin", options);
    }
    if (connector_is_address(word)) {
        return input_stream_from_address(word, options);
    }
    if (stat(word, &what) != 0 || S_ISREG(what.st_mode)) {
        return open_file(word, options);
    }
    if (S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode)) {
        return input_stream_from_path(word, options);
    }
    if (S_ISSOCK(what.st_mode)) {
        diag_say("%s is a socket: to connect to it, use unix:%s", word, word);
    } else {
        diag_say("%s: not a regular file, FIFO or socket", word);
    }
    return NULL;
}
