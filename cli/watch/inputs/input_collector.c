/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An eventfd wakes the loop, which compares the number of writes of each file with the last one.
 */
#include "input_collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "diag.h"

#include "input_file.h"

/* A build may start thousands of processes. */
enum { MOST_PROFILES = 64 };

typedef struct written {
    char *name;         /* path of the file, and in a recording ":" and the process */
    watch_input *input; /* NULL: complete */
    uint32_t number;    /* of a process in a recording */
    uint64_t n_writes;
} written;

struct input_collector {
    loop *l;
    watch *w;
    const hpp_collector *collector; /* NULL: none yet */
    int event;
    written files[MOST_PROFILES];
    size_t n_files;
    const char *suffix;    /* of the files */
    const char *recording; /* their path instead; or NULL */
    uint32_t first_id;     /* the process whose profile has this name */
    bool has_more;         /* a message was printed about more profiles */
};

/* ---- files ---- */

static written *find(input_collector *in, const char *name)
{
    for (size_t i = in->n_files; i > 0; i--) {
        if (strcmp(in->files[i - 1].name, name) == 0) {
            return &in->files[i - 1];
        }
    }
    return NULL;
}

static written *add(input_collector *in, const char *name, uint32_t process)
{
    if (in->n_files == MOST_PROFILES) {
        if (!in->has_more) {
            diag_say("too many processes: only the first %d profiles are shown", MOST_PROFILES);
        }
        in->has_more = true;
        return NULL;
    }
    written *file = &in->files[in->n_files];
    file->name = strdup(name);
    const watch_input_options options = {
        .l = in->l, .w = in->w, .name = file->name, .process = process, .is_notified = true};
    const char *path = in->recording ? in->recording : file->name;
    file->number = process;
    file->input = file->name ? input_file_create(path, &options) : NULL;
    if (!file->input) {
        free(file->name);
        return NULL;
    }
    in->n_files++;
    return file;
}

static void end_file(written *file)
{
    if (file->input && input_file_end(file->input)) {
        watch_input_destroy(file->input);
        file->input = NULL;
    }
}

static void take_files(input_collector *in, const hpp_process_files *files)
{
    char name[4096 + 64];
    if (in->recording && files->number == 0) {
        return;
    }
    in->first_id = files->number == 1 ? files->process_id : in->first_id;
    if (in->recording && files->process_id != in->first_id) {
        snprintf(name, sizeof name, "%s:%u", in->recording, (unsigned)files->process_id);
    } else if (in->recording) {
        snprintf(name, sizeof name, "%s", in->recording);
    } else {
        snprintf(name, sizeof name, "%s%s", files->base, in->suffix);
    }
    /* A complete file of the same name may be a new one. */
    written *known = find(in, name);
    bool is_it = known && (known->input || known->n_writes == files->n_writes);
    written *file = is_it ? known : add(in, name, files->number);
    if (!file || file->n_writes == files->n_writes) {
        return;
    }
    file->n_writes = files->n_writes;
    if (file->input && file->number != files->number) { /* a biography was written again */
        file->number = files->number;
        input_file_choose(file->input, file->number);
    }
    if (files->is_complete) {
        end_file(file);
    } else if (file->input) {
        watch_input_look(file->input);
    }
}

static void take_all(input_collector *in)
{
    size_t n = in->collector ? hpp_collector_n_processes(in->collector) : 0;
    for (size_t i = 0; i < n; i++) {
        hpp_process_files files;
        if (hpp_collector_files(in->collector, i, &files) && files.n_writes > 0) {
            take_files(in, &files);
        }
    }
}

/* ---- the collector ---- */

static void take_news(void *context, uint32_t epoll_events)
{
    input_collector *in = context;
    uint64_t n_times;
    (void)epoll_events;
    if (read(in->event, &n_times, sizeof n_times) == (ssize_t)sizeof n_times) {
        take_all(in);
    }
}

void input_collector_written(void *context)
{
    const input_collector *in = context;
    const uint64_t once = 1;
    ssize_t n = write(in->event, &once, sizeof once);
    (void)n; /* an error means that the loop is already awake */
}

void input_collector_attach(input_collector *in, const hpp_collector *collector,
                            const char *recording)
{
    in->collector = collector;
    in->recording = recording;
}

void input_collector_end(input_collector *in)
{
    take_all(in);
    for (size_t i = 0; i < in->n_files; i++) {
        end_file(&in->files[i]);
    }
}

input_collector *input_collector_create(loop *l, watch *w, bool with_logs)
{
    input_collector *in = calloc(1, sizeof *in);
    if (!in) {
        return NULL;
    }
    in->l = l;
    in->w = w;
    in->suffix = with_logs ? ".eventlog" : ".hp";
    in->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (in->event < 0 || !loop_add(l, in->event, EPOLLIN, take_news, in)) {
        input_collector_destroy(in);
        return NULL;
    }
    return in;
}

void input_collector_close(input_collector *in)
{
    for (size_t i = 0; i < in->n_files; i++) {
        watch_input_destroy(in->files[i].input);
        free(in->files[i].name);
    }
    in->n_files = 0;
    in->collector = NULL;
    loop_remove(in->l, in->event);
}

void input_collector_destroy(input_collector *in)
{
    if (!in) {
        return;
    }
    input_collector_close(in);
    hpf__close(in->event);
    free(in);
}
