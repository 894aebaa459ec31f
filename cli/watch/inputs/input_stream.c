/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads pipes, FIFOs and connections, which differ in how they end.
 */
#include "input_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"

#include "connector.h"
#include "profile_boundary.h"

enum { PIECE_BYTES = 64 * 1024, OPEN_EVERY_S = 1 };

typedef enum stream_kind {
    KIND_PIPE,    /* ends once */
    KIND_FIFO,    /* reopened for the next writer */
    KIND_ADDRESS, /* reconnected */
} stream_kind;

typedef struct stream {
    watch_input input; /* first: a `watch_input *` is a `stream *` */
    watch_input_options options;
    stream_kind kind;
    const char *name;
    watched *profile;
    profile_boundary boundary;
    bool is_next_another; /* the next bytes start another profile */
    int fd;               /* -1: none */
    bool is_ours;         /* we own the descriptor */
    int timer;            /* to read descriptors that epoll does not support, and to reopen */
    connector *connection;
    bool says_command;  /* the message is the result of a command */
    bool awaits_sample; /* and is cleared by the next sample */
    char piece[PIECE_BYTES];
} stream;

/* ---- commands ---- */

/* Connections that send an event log are assumed to be eventlog-socket. */
static bool send_to_program(void *context, socket_command command)
{
    stream *s = context;
    bool is_sent = socket_command_send(s->fd, command);
    const char *said = is_sent           ? socket_command_text(command)
                       : errno == EAGAIN ? "the program does not read commands"
                                         : strerror(errno);
    s->says_command = true;
    s->awaits_sample =
        is_sent && (command == SOCKET_START_HEAP_PROFILE || command == SOCKET_TAKE_CENSUS);
    watch_set_state(s->profile, s->profile->state, "%s", said);
    return is_sent;
}

static void forget_command(stream *s)
{
    if (s->says_command) {
        s->says_command = s->awaits_sample = false;
        watch_set_state(s->profile, s->profile->state, "%s", "");
    }
}

static void update_command_sender(stream *s)
{
    bool is_there = s->kind == KIND_ADDRESS && s->fd >= 0 && s->boundary.is_log;
    watch_set_command_sender(s->profile, is_there ? send_to_program : NULL, s);
}

/* ---- bytes ---- */

static void begin_another(stream *s)
{
    watch_restart_profile(s->profile);
    s->is_next_another = false;
}

static void feed(stream *s, const char *bytes, size_t n_bytes)
{
    if (s->is_next_another) {
        begin_another(s);
        s->boundary = (profile_boundary){.has_begun = false};
    }
    while (n_bytes > 0) {
        bool is_another;
        size_t n = profile_boundary_find(&s->boundary, bytes, n_bytes, &is_another);
        watch_feed(s->profile, bytes, n);
        if (is_another) {
            begin_another(s);
            watch_feed(s->profile, PROFILE_FIRST_WORD, sizeof PROFILE_FIRST_WORD - 1);
        }
        bytes += n;
        n_bytes -= n;
    }
    update_command_sender(s);
}

/* ---- ends ---- */

static void drop_fd(stream *s)
{
    loop_remove(s->options.l, s->fd);
    if (s->is_ours && s->fd >= 0) {
        close(s->fd);
    }
    s->fd = -1;
}

static void wait_for_fifo(stream *s);

static void end_pipe(stream *s)
{
    watch_end_profile(s->profile);
    s->input.is_exhausted = true;
    drop_fd(s);
    update_command_sender(s);
}

static void end_fifo(stream *s)
{
    s->is_next_another = profile_boundary_pause(&s->boundary);
    if (s->options.once && s->boundary.has_begun) {
        end_pipe(s);
        return;
    }
    if (s->profile->state == WATCHED_GROWING) {
        watch_set_state(s->profile, WATCHED_WAITING, "%swaiting for the next writer",
                        hpf_live_n_samples(s->profile->live) > 0 ? "" : "no sample received; ");
    }
    wait_for_fifo(s);
}

static void end_connection(stream *s)
{
    forget_command(s);
    if (s->options.once && s->boundary.has_begun) {
        end_pipe(s);
        return;
    }
    drop_fd(s);
    update_command_sender(s);
    if (s->boundary.has_begun) {
        watch_end_profile(s->profile);
        s->is_next_another = true;
    }
    connector_retry(s->connection);
}

static void end(stream *s)
{
    switch (s->kind) {
    case KIND_PIPE:
        end_pipe(s);
        break;
    case KIND_FIFO:
        end_fifo(s);
        break;
    case KIND_ADDRESS:
        end_connection(s);
        break;
    }
}

/* ---- reading ---- */

/* Reads once for each event, because the descriptor may block. */
static void take(void *context, uint32_t epoll_events)
{
    stream *s = context;
    (void)epoll_events;
    uint64_t n_before = hpf_live_n_samples(s->profile->live);
    ssize_t n = read(s->fd, s->piece, sizeof s->piece);
    if (n > 0) {
        feed(s, s->piece, (size_t)n);
        /* Clears the message when a sample has arrived. */
        if (s->awaits_sample && hpf_live_n_samples(s->profile->live) > n_before) {
            forget_command(s);
        }
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        end(s);
    }
}

/* Regular files at standard input are always ready, and epoll rejects them. */
static void take_without_waiting(void *context, uint32_t epoll_events)
{
    stream *s = context;
    take(s, epoll_events);
    if (s->fd >= 0) {
        loop_arm(s->timer, 1e-9, 0);
    }
}

static bool wait_for_fd(stream *s, int fd)
{
    s->fd = fd;
    if (loop_add(s->options.l, fd, EPOLLIN, take, s)) {
        return true;
    }
    if (errno != EPERM) {
        return false;
    }
    s->timer = loop_add_timer(s->options.l, take_without_waiting, s);
    loop_arm(s->timer, 1e-9, 0);
    return s->timer >= 0;
}

/* ---- FIFOs ---- */

/* Opens without waiting for a writer. The descriptor becomes ready when a writer has opened the
 * FIFO. */
static int open_path(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Opens the FIFO again before closing it, so that a writer always finds a reader. */
static void wait_for_fifo(stream *s)
{
    int fd = open_path(s->name);
    drop_fd(s);
    if (fd < 0) {
        watch_set_state(s->profile, WATCHED_WAITING, "%s", strerror(errno));
        loop_arm(s->timer, OPEN_EVERY_S, 0);
    } else if (!wait_for_fd(s, fd)) {
        watch_set_state(s->profile, WATCHED_FAILED, "%s", strerror(errno));
    }
}

static void open_again(void *context, uint32_t epoll_events)
{
    (void)epoll_events;
    wait_for_fifo(context);
}

/* Returns whether the descriptor is a FIFO with a name, unlike `/dev/fd/63` of a shell. */
static bool is_fifo(int fd)
{
    char path[64], target[8];
    struct stat what;
    if (fstat(fd, &what) != 0 || !S_ISFIFO(what.st_mode)) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, target, sizeof target);
    return n > 0 && target[0] == '/';
}

/* ---- connections ---- */

static void connected(void *context, int fd)
{
    stream *s = context;
    if (!wait_for_fd(s, fd)) {
        close(fd);
        s->fd = -1;
        connector_retry(s->connection);
    } else if (s->profile->state == WATCHED_WAITING) {
        watch_set_state(s->profile, WATCHED_WAITING, "connected; nothing received yet");
    }
}

static void refused(void *context, const char *why)
{
    stream *s = context;
    if (s->profile->state == WATCHED_WAITING) {
        watch_set_state(s->profile, WATCHED_WAITING, "%s; retrying", why);
    }
}

static const connector_listener connector_events = {connected, refused};

/* ---- beginning and end ---- */

static void destroy(watch_input *in)
{
    stream *s = (stream *)in;
    drop_fd(s);
    loop_remove(s->options.l, s->timer);
    connector_destroy(s->connection);
    free(s);
}

static stream *create(stream_kind kind, const char *name, const watch_input_options *options)
{
    stream *s = calloc(1, sizeof *s);
    watched *profile = s ? watch_add_profile(options->w, name, 0) : NULL;
    if (!profile) {
        diag_say("out of memory");
        free(s);
        return NULL;
    }
    s->input.destroy = destroy;
    s->options = *options;
    s->kind = kind;
    s->name = name;
    s->profile = profile;
    s->fd = s->timer = -1;
    return s;
}

static watch_input *give_up(stream *s, const char *why)
{
    diag_say("%s: %s", s->name, why);
    destroy(&s->input);
    return NULL;
}

watch_input *input_stream_from_fd(int fd, const char *name, const watch_input_options *options)
{
    stream *s = create(KIND_PIPE, name, options);
    if (!s) {
        return NULL;
    }
    return wait_for_fd(s, fd) ? &s->input : give_up(s, strerror(errno));
}

watch_input *input_stream_from_path(const char *path, const watch_input_options *options)
{
    int fd = open_path(path);
    if (fd < 0) {
        diag_say("%s: %s", path, strerror(errno));
        return NULL;
    }
    stream *s = create(KIND_PIPE, path, options);
    if (!s) {
        close(fd);
        return NULL;
    }
    s->is_ours = true;
    if (is_fifo(fd)) {
        s->kind = KIND_FIFO;
        s->timer = loop_add_timer(options->l, open_again, s);
    }
    if (!wait_for_fd(s, fd)) {
        return give_up(s, strerror(errno));
    }
    watch_set_state(s->profile, WATCHED_WAITING, "waiting for a writer");
    return &s->input;
}

watch_input *input_stream_from_address(const char *address, const watch_input_options *options)
{
    char complaint[200];
    stream *s = create(KIND_ADDRESS, address, options);
    if (!s) {
        return NULL;
    }
    s->is_ours = true;
    s->connection =
        connector_create(options->l, address, &connector_events, s, complaint, sizeof complaint);
    return s->connection ? &s->input : give_up(s, complaint);
}
