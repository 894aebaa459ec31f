/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs libmicrohttpd without threads. Its epoll descriptor is in the event loop, and a timer limits
 * how long it waits. An idle stream is suspended; the library does not notice its end then, so the
 * loop watches for it.
 */
#include "http_server.h"

#include <fcntl.h>
#include <math.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http_metrics.h"
#include "http_ring.h"

enum {
    MOST_OTHERS = 128,            /* connections that are not viewers */
    MOST_LEAVING = 64,            /* closing connections */
    CONNECTION_BYTES = 32 * 1024, /* for the head of a request and for pending output */
    PIECE_BYTES = 16 * 1024,
    N_RUNS_AT_ONCE = 8, /* before other events of the loop are handled */
};

#define HTML_TYPE "text/html; charset=utf-8"

#define SOON_S 1e-6 /* in the next step of the loop */

/* Seconds of a profile of processor time. */
enum { MOST_SECONDS = 600 };

/* A connection. */
typedef struct peer {
    http_server *server;
    struct MHD_Connection *connection;
    int fd;
    double since_s;
    bool is_viewer;
    bool is_suspended;
    bool is_gone;
    http_stream stream;
    http_costs *measured;      /* a measurement goes on; NULL: none */
    double due_s;              /* when it ends */
    struct peer *next, **link; /* in the list of the server */
} peer;

struct http_server {
    http_server_options options;
    loop *loop;
    struct MHD_Daemon *daemon;
    struct MHD_Response *page;
    int poll_fd;
    int wait_timer, beat_timer, measuring_timer;
    peer *peers;
    size_t n_viewers;
    bool is_ending;
};

/* ---- responses ---- */

typedef struct header {
    const char *name, *value;
} header;

static const header common_headers[] = {
    {"Cache-Control", "no-store"},      {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"}, {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
};

/* Returns a response with constant bytes, or NULL without memory. */
static struct MHD_Response *constant_response(hpf_str body)
{
    return MHD_create_response_from_buffer(body.length, (void *)(uintptr_t)body.data,
                                           MHD_RESPMEM_PERSISTENT);
}

/* Adds the common headers, `content_type` unless it is NULL, and the Content-Security-Policy; NULL
 * forbids everything. */
static void add_headers(struct MHD_Response *response, const char *content_type, const char *policy)
{
    for (size_t i = 0; i < sizeof common_headers / sizeof common_headers[0]; i++) {
        MHD_add_response_header(response, common_headers[i].name, common_headers[i].value);
    }
    MHD_add_response_header(response, "Content-Security-Policy",
                            policy ? policy : "default-src 'none'; frame-ancestors 'none'");
    if (content_type) {
        MHD_add_response_header(response, "Content-Type", content_type);
    }
}

/* Sends and releases a response; NULL closes the connection. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response)
{
    if (!response) {
        return MHD_NO;
    }
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, hpf_str text)
{
    struct MHD_Response *response = constant_response(text);
    if (response) {
        add_headers(response, text.length > 0 ? "text/plain; charset=utf-8" : NULL, NULL);
    }
    if (response && status == MHD_HTTP_UNAUTHORIZED) {
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    }
    if (response && status == MHD_HTTP_METHOD_NOT_ALLOWED) {
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
    return send_response(connection, status, response);
}

static enum MHD_Result send_status(struct MHD_Connection *connection, unsigned status)
{
    return send_text(connection, status, HPF_STR(""));
}

/* ---- running ---- */

/* Runs the library, and sets the timer for its next timeout. */
static void run(http_server *server)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    bool has_wait = true;
    for (int i = 0; i < N_RUNS_AT_ONCE && has_wait && wait_ms == 0; i++) {
        MHD_run(server->daemon);
        has_wait = MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES;
    }
    loop_arm(server->wait_timer, has_wait ? (double)wait_ms / 1e3 + SOON_S : 0, 0);
}

static void on_ready(void *context, uint32_t epoll_events)
{
    (void)epoll_events;
    run(context);
}

/* Resumes a suspended connection, which takes effect when the library runs again. */
static void resume(peer *p)
{
    if (p->is_suspended) {
        p->is_suspended = false;
        MHD_resume_connection(p->connection);
        loop_arm(p->server->wait_timer, SOON_S, 0);
    }
}

void http_server_wake(http_server *server)
{
    for (peer *p = server->peers; p; p = p->next) {
        if (!p->measured) {
            resume(p);
        }
    }
}

/* Shuts down a connection; the library then closes it. */
static void drop(peer *p)
{
    p->is_gone = true;
    shutdown(p->fd, SHUT_RDWR);
}

/* Ends the measurements that are due, and sets the timer for the next one. */
static void on_measured(void *context, uint32_t epoll_events)
{
    http_server *server = context;
    double now_s = clock_now_s(), next_s = HUGE_VAL;
    (void)epoll_events;
    for (peer *p = server->peers; p; p = p->next) {
        if (p->measured && (p->due_s <= now_s || server->is_ending)) {
            resume(p);
        } else if (p->measured && p->due_s < next_s) {
            next_s = p->due_s;
        }
    }
    loop_arm(server->measuring_timer, next_s < HUGE_VAL ? next_s - now_s + SOON_S : 0, 0);
}

/* Sends heartbeats to viewers, and closes other connections that are too old. */
static void on_beat(void *context, uint32_t epoll_events)
{
    http_server *server = context;
    double too_old_s = clock_now_s() - 2 * server->options.patience_s;
    (void)epoll_events;
    for (peer *p = server->peers; p; p = p->next) {
        if (p->is_viewer) {
            http_stream_beat(&p->stream);
            resume(p);
        } else if (p->since_s < too_old_s && !p->measured) {
            drop(p);
        }
    }
}

/* ---- connections ---- */

static peer *add_peer(http_server *server, struct MHD_Connection *connection)
{
    peer *p = calloc(1, sizeof *p);
    if (p) {
        p->server = server;
        p->connection = connection;
        p->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        p->since_s = clock_now_s();
        p->next = server->peers;
        p->link = &server->peers;
        if (p->next) {
            p->next->link = &p->next;
        }
        server->peers = p;
    }
    return p;
}

static void remove_peer(peer *p)
{
    if (p->next) {
        p->next->link = p->link;
    }
    *p->link = p->next;
    http_costs_destroy(p->measured);
    free(p);
}

/* Closes the oldest connection that is not a viewer if there are too many, so that idle clients
 * cannot block others. */
static void make_room(const http_server *server)
{
    peer *oldest = NULL;
    size_t n_others = 0;
    for (peer *p = server->peers; p; p = p->next) {
        if (!p->is_viewer && !p->is_gone && !p->measured) {
            n_others++;
            oldest = p;
        }
    }
    if (n_others > MOST_OTHERS) {
        drop(oldest);
    }
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = add_peer(context, connection);
        make_room(context);
    } else if (*socket_context) {
        remove_peer(*socket_context);
        *socket_context = NULL;
    }
}

/* ---- streams ---- */

static void on_hangup(void *context, uint32_t epoll_events)
{
    peer *p = context;
    (void)epoll_events;
    p->is_gone = true;
    resume(p);
}

static ssize_t read_stream(void *context, uint64_t position, char *to, size_t room)
{
    peer *p = context;
    (void)position;
    if (p->is_gone) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t n = http_stream_read(&p->stream, to, room);
    if (n == 0 && p->server->is_ending) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (n == 0) {
        p->is_suspended = true;
        MHD_suspend_connection(p->connection);
    }
    return (ssize_t)n;
}

static void end_stream(void *context)
{
    peer *p = context;
    loop_remove(p->server->loop, p->fd);
    http_stream_end(&p->stream);
    p->is_viewer = false;
    p->server->n_viewers--;
}

static struct MHD_Response *begin_stream(peer *p, const char *last_event_id)
{
    http_server *server = p->server;
    const http_server_options *options = &server->options;
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                                      read_stream, p, end_stream);
    if (!response) {
        return NULL;
    }
    uint64_t number = 0;
    bool is_resumed = http_stream_parse_id(last_event_id, options->instance, &number);
    server->n_viewers++;
    p->is_viewer = true;
    options->joined(options->context, is_resumed, number);
    http_stream_begin(&p->stream, options->ring, is_resumed, number);
    loop_add(server->loop, p->fd, EPOLLRDHUP | EPOLLET, on_hangup, p);
    return response;
}

/* ---- requests ---- */

static enum MHD_Result send_events(peer *p, bool is_head, const char *last_event_id)
{
    http_server *server = p->server;
    if (server->n_viewers >= server->options.most_viewers || server->is_ending) {
        return send_status(p->connection, MHD_HTTP_SERVICE_UNAVAILABLE);
    }
    struct MHD_Response *response =
        is_head ? constant_response(HPF_STR("")) : begin_stream(p, last_event_id);
    if (response) {
        add_headers(response, "text/event-stream", NULL);
        MHD_add_response_header(response, "Connection", "close");
    }
    return send_response(p->connection, MHD_HTTP_OK, response);
}

/* Sends what was written to a sink, which it destroys; `is_complete` is false if it lacks
 * something. `policy` is as for add_headers.
 */
static enum MHD_Result send_sink(peer *p, hpf_sink *sink, bool is_complete, unsigned failure,
                                 const char *content_type, const char *policy)
{
    struct MHD_Response *response = NULL;
    hpf_error err;
    if (is_complete && hpf_sink_finish(sink, &err) == HPF_OK) {
        hpf_str text = hpf_sink_bytes(sink);
        response = MHD_create_response_from_buffer(text.length, (void *)(uintptr_t)text.data,
                                                   MHD_RESPMEM_MUST_COPY);
    }
    hpf_sink_destroy(sink);
    if (!response) {
        return send_status(p->connection, failure);
    }
    add_headers(response, content_type, policy);
    return send_response(p->connection, MHD_HTTP_OK, response);
}

static enum MHD_Result send_data(peer *p, http_place where)
{
    const http_server_options *options = &p->server->options;
    hpf_sink *sink = hpf_sink_to_memory();
    bool is_complete = sink && options->scraped(options->context, where, p->measured, sink);
    return send_sink(p, sink, is_complete, MHD_HTTP_SERVICE_UNAVAILABLE,
                     where == HTTP_METRICS ? HTTP_METRICS_TYPE
                     : where == HTTP_PAGE  ? HTML_TYPE
                                           : "application/octet-stream",
                     where == HTTP_PAGE ? options->page_policy : NULL);
}

static enum MHD_Result send_answer(peer *p, http_place where, const char *what)
{
    const http_server_options *options = &p->server->options;
    hpf_sink *sink = hpf_sink_to_memory();
    bool is_complete = sink && options->answered(options->context, where, what, sink);
    return send_sink(p, sink, is_complete, MHD_HTTP_NOT_FOUND, "application/json", NULL);
}

/* Answers a request for costs, and ends its measurement. */
static enum MHD_Result finish_costs(peer *p, http_place where)
{
    enum MHD_Result result = p->server->is_ending
                                 ? send_status(p->connection, MHD_HTTP_SERVICE_UNAVAILABLE)
                                 : send_data(p, where);
    http_costs_destroy(p->measured);
    p->measured = NULL;
    p->since_s = clock_now_s();
    return result;
}

/* Reads an argument of a request, a number from 1 to `most`; 0 without the argument. Returns false
 * if it is not one. */
static bool read_number(const peer *p, const char *name, unsigned long most, unsigned long *out)
{
    const char *text = MHD_lookup_connection_value(p->connection, MHD_GET_ARGUMENT_KIND, name);
    size_t n_digits = text ? strspn(text, "0123456789") : 0;
    *out = text ? strtoul(text, NULL, 10) : 0;
    return !text || (n_digits > 0 && !text[n_digits] && *out >= 1 && *out <= most);
}

/* Processor time is sent when the seconds have passed that the request asks for: the library calls
 * the handler of requests again when the connection is resumed. */
static enum MHD_Result send_costs(peer *p, http_place where)
{
    http_server *server = p->server;
    if (p->measured) {
        return finish_costs(p, where);
    }
    unsigned long process_id, given;
    if (!read_number(p, "pid", UINT32_MAX, &process_id)) {
        return send_text(p->connection, MHD_HTTP_BAD_REQUEST,
                         HPF_STR("pid expects the number of a process\n"));
    }
    if (!read_number(p, "seconds", MOST_SECONDS, &given) && where == HTTP_PROFILE) {
        return send_status(p->connection, MHD_HTTP_BAD_REQUEST);
    }
    const http_server_options *options = &server->options;
    const char *refusal =
        process_id > 0 ? options->refused(options->context, (uint32_t)process_id) : NULL;
    if (refusal) {
        return send_text(p->connection, MHD_HTTP_NOT_FOUND, hpf_str_of(refusal));
    }
    unsigned seconds = (unsigned)given;
    p->measured = options->measured(options->context, where, (uint32_t)process_id, &seconds);
    if (!p->measured && where != HTTP_HEAP) {
        return send_text(p->connection, MHD_HTTP_NOT_FOUND,
                         where == HTTP_ALLOCS
                             ? HPF_STR("this profile does not say what was allocated\n")
                             : HPF_STR("this profile has no ticks of processor time: record it "
                                       "with -p, in GHC with +RTS -p -l\n"));
    }
    if (seconds == 0) {
        return finish_costs(p, where);
    }
    p->due_s = clock_now_s() + (double)seconds;
    p->is_suspended = true;
    MHD_suspend_connection(p->connection);
    on_measured(server, 0);
    return MHD_YES;
}

typedef struct head {
    http_request request;
    const char *last_event_id;
} head;

static enum MHD_Result take_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    head *h = context;
    (void)kind;
    h->request.n_headers++;
    if (strcasecmp(name, "Host") == 0) {
        h->request.n_hosts++;
        h->request.host = value;
    } else if (strcasecmp(name, "Origin") == 0) {
        h->request.n_origins++;
        h->request.origin = value;
    } else if (strcasecmp(name, "Authorization") == 0) {
        h->request.authorization = value;
    } else if (strcasecmp(name, "Last-Event-ID") == 0) {
        h->last_event_id = value;
    } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
        h->request.has_body = true;
    } else if (strcasecmp(name, "Content-Length") == 0) {
        h->request.has_body |= !value || strspn(value, "0") != strlen(value);
    }
    return MHD_YES;
}

/* Called at the head of a request, and again at its end. Rejected requests are answered at once,
 * which closes the connection. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *body, size_t *n_body_bytes, void **request_context)
{
    http_server *server = context;
    peer *p =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    head h = {.request = {.method = method, .path = path}};
    http_place where;
    (void)version;
    (void)body;
    (void)n_body_bytes;
    if (!p) {
        return MHD_NO;
    }
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &h);
    unsigned status = http_guard_judge(server->options.guard, &h.request, &where);
    if (status != MHD_HTTP_OK) {
        return send_status(connection, status);
    }
    if (!*request_context) {
        *request_context = p;
        return MHD_YES;
    }
    bool is_of_page = where == HTTP_EVENTS || where == HTTP_SOURCE || where == HTTP_QUESTION ||
                      where == HTTP_CONTROL;
    if (!server->options.ring && is_of_page) {
        return send_status(connection, MHD_HTTP_NOT_FOUND);
    }
    switch (where) {
    case HTTP_PAGE:
        return server->options.page.length > 0
                   ? MHD_queue_response(connection, MHD_HTTP_OK, server->page)
                   : send_data(p, where);
    case HTTP_METRICS:
        return send_data(p, where);
    case HTTP_HEAP:
    case HTTP_ALLOCS:
    case HTTP_PROFILE:
        return send_costs(p, where);
    case HTTP_SOURCE:
    case HTTP_QUESTION:
        return send_answer(p, where, http_guard_rest(path));
    case HTTP_CONTROL:
        return send_status(
            connection, server->options.commanded(server->options.context, http_guard_rest(path)));
    default:
        return send_events(p, strcmp(method, "HEAD") == 0, h.last_event_id);
    }
}

/* Paths are not decoded. */
static size_t leave_escapes(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context;
    (void)connection;
    return strlen(text);
}

/* ---- the server ---- */

static struct MHD_Daemon *start(http_server *server, int listening_fd)
{
    unsigned most = (unsigned)server->options.most_viewers + MOST_OTHERS + MOST_LEAVING;
    unsigned patience_s = (unsigned)(server->options.patience_s + 0.999);
    return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request,
                            server, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listening_fd,   /* */
                            MHD_OPTION_CONNECTION_LIMIT, most,                            /* */
                            MHD_OPTION_CONNECTION_TIMEOUT, patience_s,                    /* */
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, /* */
                            MHD_OPTION_STRICT_FOR_CLIENT, 1,                              /* */
                            MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL,            /* */
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,          /* */
#if MHD_VERSION >= 0x00097300
                            MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, /* */
#endif
                            MHD_OPTION_END);
}

static bool start_page(http_server *server)
{
    server->page = constant_response(server->options.page);
    if (server->page) {
        add_headers(server->page, HTML_TYPE, server->options.page_policy);
    }
    return server->page != NULL;
}

/* Adds the sockets of the library to the loop. */
static bool enter_loop(http_server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    server->poll_fd = info->epoll_fd;
    server->wait_timer = loop_add_timer(server->loop, on_ready, server);
    server->beat_timer = loop_add_timer(server->loop, on_beat, server);
    server->measuring_timer = loop_add_timer(server->loop, on_measured, server);
    if (server->wait_timer < 0 || server->beat_timer < 0 || server->measuring_timer < 0 ||
        !loop_add(server->loop, server->poll_fd, EPOLLIN, on_ready, server)) {
        return false;
    }
    loop_arm(server->beat_timer, 0, server->options.heartbeat_s);
    return true;
}

/* The library closes its listening socket at the end, so it gets a duplicate. */
static bool begin(http_server *server)
{
    int fd = fcntl(server->options.listener->fd, F_DUPFD_CLOEXEC, 0);
    server->daemon = fd < 0 ? NULL : start(server, fd);
    if (!server->daemon && fd >= 0) {
        close(fd);
    }
    return server->daemon && start_page(server) && enter_loop(server);
}

hpf_status http_server_create(http_server **out, loop *l, const http_server_options *options,
                              hpf_error *err)
{
    *out = NULL;
    http_server *server = calloc(1, sizeof *server);
    if (!server) {
        return hpf_error_set_memory(err);
    }
    *server = (http_server){.options = *options,
                            .loop = l,
                            .wait_timer = -1,
                            .beat_timer = -1,
                            .measuring_timer = -1,
                            .poll_fd = -1};
    if (!begin(server)) {
        http_server_destroy(server, 0);
        return hpf_error_set(err, HPF_ERR_IO, "cannot start the HTTP server");
    }
    *out = server;
    return HPF_OK;
}

size_t http_server_n_viewers(const http_server *server)
{
    return server->n_viewers;
}

/* Waits until streams have sent all messages. */
static void drain(http_server *server, double linger_s)
{
    double until_s = clock_now_s() + linger_s;
    struct pollfd ready = {.fd = server->poll_fd, .events = POLLIN};
    server->is_ending = true;
    http_server_wake(server);
    on_measured(server, 0);
    run(server);
    while (server->n_viewers > 0 && clock_now_s() < until_s) {
        poll(&ready, 1, 10);
        run(server);
    }
}

void http_server_destroy(http_server *server, double linger_s)
{
    if (!server) {
        return;
    }
    if (server->daemon) {
        close(MHD_quiesce_daemon(server->daemon));
        drain(server, linger_s);
        loop_remove(server->loop, server->poll_fd);
        MHD_stop_daemon(server->daemon);
    }
    if (server->page) {
        MHD_destroy_response(server->page);
    }
    loop_remove(server->loop, server->wait_timer);
    loop_remove(server->loop, server->beat_timer);
    loop_remove(server->loop, server->measuring_timer);
    free(server);
}
