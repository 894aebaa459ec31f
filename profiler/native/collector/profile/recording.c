/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens the file of a recording, and describes processes in it.
 */
#include "recording.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "hpprof/command_name.h"

hpf_status hpp__recording_open(hpp__recording *r, const char *path, hpf_error *err)
{
    int fd = hpf_sink_open_growing(path);
    if (fd < 0) {
        return hpf_error_set_os(err, errno, "cannot write %s", path);
    }
    hpf_status status = hpf_recording_writer_create(&r->writer, fd, err);
    if (status != HPF_OK) {
        close(fd);
    }
    r->fd = fd;
    r->path = path;
    return status;
}

void hpp__recording_close(hpp__recording *r)
{
    if (r->writer) {
        hpf_recording_writer_destroy(r->writer);
        close(r->fd);
    }
    free(r->process_ids);
    *r = (hpp__recording){.writer = NULL};
}

/* Returns the number of the newest process with an id; 0 if there is none. */
static uint32_t find(const hpp__recording *r, uint32_t process_id)
{
    size_t n = r->n_processes;
    while (n > 0 && r->process_ids[n - 1] != process_id) {
        n--;
    }
    return (uint32_t)n;
}

hpf_status hpp__recording_begin(hpp__recording *r, uint32_t process_id, uint32_t parent_id,
                                double start_s, const hpf_str *words, size_t n_words,
                                hpf_str command, uint32_t *number, hpf_error *err)
{
    char host[HOST_NAME_MAX + 1] = "", name[200];
    const char **texts = calloc(n_words + 1, sizeof *texts);
    if (!texts || !HPF__ARRAY_RESERVE(r->process_ids, r->capacity, r->n_processes + 1)) {
        free(texts);
        return hpf_error_set_memory(err);
    }
    for (size_t i = 0; i < n_words; i++) {
        texts[i] = words[i].data;
    }
    hpp_command_name(name, sizeof name, texts, true);
    free(texts);
    (void)gethostname(host, sizeof host - 1);
    const hpf_process row = {
        .parent = find(r, parent_id),
        .pid = process_id,
        .start_s = start_s,
        .date_s = (uint64_t)time(NULL),
        .name = hpf_str_of(name),
        .command = command,
        .host = hpf_str_of(host),
    };
    hpf_status status = hpf_recording_writer_begin(r->writer, &row, number, err);
    if (status == HPF_OK) {
        r->process_ids[r->n_processes++] = process_id; /* numbers are 1, 2, 3 ... */
    }
    return status;
}

bool hpp__recording_has_name(const hpp__recording *r)
{
    struct stat file;
    return fstat(r->fd, &file) != 0 || file.st_nlink > 0;
}
