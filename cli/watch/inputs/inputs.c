/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chooses an input by the word on the command line.
 */
#include "inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hpfile/recording.h"

#include "diag.h"
#include "input.h"

#include "connector.h"
#include "input_file.h"
#include "input_finished.h"
#include "input_stream.h"

/* Returns whether a file is a recording that can be followed. Stores the number of the process that
 * is the largest so far, if there is one. */
static bool is_recording(const char *path, uint32_t *process)
{
    hpf_source *source = NULL;
    hpf_str piece;
    const hpf_recording *recording = NULL;
    if (hpf_source_open(&source, path, NULL, NULL) == HPF_OK) {
        (void)!hpf_source_next(source, &piece, NULL);
        recording = *hpf_source_compression(source) ? NULL : hpf_source_recording(source);
    }
    const hpf_process *largest = recording ? hpf_recording_chosen(recording) : NULL;
    *process = largest ? largest->number : 0;
    hpf_source_destroy(source);
    return recording != NULL;
}

/* Opens a file that grows, or is finished. */
static watch_input *open_file(const char *path, const watch_input_options *options)
{
    input file;
    watch_input_options growing = *options;
    if (access(path, F_OK) != 0 || (!options->is_whole && is_recording(path, &growing.process))) {
        return input_file_create(path, &growing);
    }
    if (!input_open_only(&file, path, NULL)) {
        return NULL;
    }
    if (options->has_log_profile && !input_accepts_profile(&file)) {
        input_close(&file);
        return NULL;
    }
    if (input_is_finished(&file)) {
        return input_finished_create(&file, options);
    }
    input_close(&file);
    return input_file_create(path, options);
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
