/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Anything as what a client sends: to a server as it is, in arbitrary pieces, over a real
 * connection. Whatever it is, nothing is shown to who does not know the token, no viewer stays who
 * has gone, and others are served as before.
 *
 * In the input `$T` stands for the token, which nobody would guess.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz.h"
#include "rng.h"
#include "watch/web/http_server.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define PAGE  "<the page>"
#define EVENT "data: an event\n\n"

enum { MOST_BYTES = 64 * 1024, MOST_PIECE = 80, N_QUIET_STEPS = 5, N_STEPS = 1000 };

typedef struct world {
    loop *l;
    http_guard guard;
    http_listener listener;
    http_ring ring;
    http_server *server;
    char where[64];
} world;

static void on_joined(void *context, bool is_resumed, uint64_t number)
{
    world *w = context;
    fuzz_require(http_server_n_viewers(w->server) <= 2, "viewers who are not there");
    if (!w->ring.base && !(is_resumed && http_ring_continues(&w->ring, number))) {
        fuzz_require(http_ring_rebase(&w->ring, HPF_STR(EVENT)), "no base");
    }
}

static world the_world;

static unsigned on_commanded(void *context, const char *command)
{
    (void)context;
    return command[0] == 'a' ? 204 : 400;
}

/* Files whose names begin with "a" have text, and so do questions. */
static bool on_answered(void *context, http_place where, const char *what, hpf_sink *sink)
{
    (void)context;
    (void)where;
    hpf_sink_write(sink, "[]", 2);
    return what[0] == 'a';
}

static const char *on_refused(void *context, uint32_t process_id)
{
    (void)context;
    return process_id % 2 == 0 ? "refused\n" : NULL;
}

static http_costs *on_measured(void *context, http_place where, uint32_t process_id,
                               unsigned *seconds)
{
    (void)context;
    (void)where;
    (void)process_id;
    (void)seconds;
    return NULL;
}

static bool on_scraped(void *context, http_place where, http_costs *measured, hpf_sink *sink)
{
    (void)context;
    (void)where;
    (void)measured;
    (void)sink;
    return false;
}

static void end_world(void)
{
    http_server_destroy(the_world.server, 0);
    http_listener_close(&the_world.listener);
    http_ring_finish(&the_world.ring);
    loop_destroy(the_world.l);
}

static world *begin_world(void)
{
    world *w = &the_world;
    if (w->server) {
        return w;
    }
    snprintf(w->where, sizeof w->where, "unix:/tmp/census-fuzz-%ld", (long)getpid());
    memcpy(w->guard.token, TOKEN, sizeof TOKEN);
    w->l = loop_create();
    const http_server_options options = {
        .guard = &w->guard,
        .listener = &w->listener,
        .page = HPF_STR(PAGE),
        .page_policy = "default-src 'none'",
        .ring = &w->ring,
        .instance = "me",
        .joined = on_joined,
        .commanded = on_commanded,
        .answered = on_answered,
        .refused = on_refused,
        .measured = on_measured,
        .scraped = on_scraped,
        .context = w,
        .most_viewers = 1,
        .heartbeat_s = 1000,
        .patience_s = 1000,
    };
    fuzz_require(w->l && http_listen(&w->listener, w->where, NULL) == HPF_OK &&
                     http_server_create(&w->server, w->l, &options, NULL) == HPF_OK,
                 "cannot serve");
    atexit(end_world);
    return w;
}

/* ---- a client ---- */

typedef struct client {
    int fd;
    bool has_ended;
    size_t n_heard;
    char heard[1 << 20];
} client;

static void start(client *c, const world *w)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, w->listener.path, sizeof w->listener.path);
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    c->has_ended = false;
    c->n_heard = 0;
    fuzz_require(connect(c->fd, (struct sockaddr *)&address, sizeof address) == 0, "not let in");
}

static void hear(client *c)
{
    ssize_t n = 1;
    while (n > 0 && c->n_heard < sizeof c->heard - 1) {
        n = recv(c->fd, c->heard + c->n_heard, sizeof c->heard - 1 - c->n_heard, MSG_DONTWAIT);
        c->n_heard += n > 0 ? (size_t)n : 0;
    }
    c->has_ended |= n == 0;
    c->heard[c->n_heard] = '\0';
}

/* Sends what the server takes: it reads nothing more from a viewer of events. */
static void say(client *c, const world *w, const char *bytes, size_t n_bytes)
{
    int n_refused = 0;
    while (n_bytes > 0 && !c->has_ended && n_refused < N_QUIET_STEPS) {
        ssize_t n = send(c->fd, bytes, n_bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        size_t n_sent = n > 0 ? (size_t)n : 0;
        loop_step(w->l, 0);
        hear(c);
        bytes += n_sent;
        n_bytes -= n_sent;
        n_refused = n_sent > 0 ? 0 : n_refused + 1;
    }
}

/* Says that there is nothing more to come, and takes what still comes. The library may take no
 * notice, then it is the other end of the connection that it sees. */
static void finish(client *c, const world *w)
{
    shutdown(c->fd, SHUT_WR);
    size_t n_heard = c->n_heard;
    for (int i = 0; i < N_QUIET_STEPS && !c->has_ended; i++) {
        loop_step(w->l, 0);
        hear(c);
        i = c->n_heard > n_heard ? 0 : i;
        n_heard = c->n_heard;
    }
    close(c->fd);
    for (int i = 0; i < N_STEPS && http_server_n_viewers(w->server) > 0; i++) {
        loop_step(w->l, 1);
    }
    fuzz_require(http_server_n_viewers(w->server) == 0, "a viewer without end");
    loop_step(w->l, 0);
}

/* ---- inputs ---- */

static size_t expand(char *to, const uint8_t *data, size_t size)
{
    static const char mark[] = "$T";
    size_t n = 0;
    for (size_t i = 0; i < size && n + sizeof TOKEN < MOST_BYTES; i++) {
        if (i + 1 < size && memcmp(data + i, mark, 2) == 0) {
            memcpy(to + n, TOKEN, sizeof TOKEN - 1);
            n += sizeof TOKEN - 1;
            i++;
        } else {
            to[n++] = (char)data[i];
        }
    }
    return n;
}

static void check_others(const world *w)
{
    static const char request[] = "GET /" TOKEN "/ HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static client other;
    start(&other, w);
    say(&other, w, request, sizeof request - 1);
    finish(&other, w);
    fuzz_require(strstr(other.heard, "HTTP/1.1 200") && strstr(other.heard, PAGE),
                 "others are not served");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[MOST_BYTES];
    static client c;
    static unsigned n_inputs;
    world *w = begin_world();
    rng chance = {fuzz_seed(data, size)};
    size_t n = expand(text, data, size);
    bool has_token = memmem(text, n, TOKEN, sizeof TOKEN - 1) != NULL;
    start(&c, w);
    for (size_t at = 0; at < n;) {
        size_t piece = 1 + (size_t)rng_below(&chance, MOST_PIECE);
        piece = piece < n - at ? piece : n - at;
        say(&c, w, text + at, piece);
        at += piece;
    }
    finish(&c, w);
    bool is_shown = strstr(c.heard, PAGE) || strstr(c.heard, "an event");
    fuzz_require(!is_shown || has_token, "shown to strangers");
    /* To a request of HTTP 0.9, libmicrohttpd 0.9.72 sends the body alone. */
    fuzz_require(c.n_heard == 0 || has_token || strncmp(c.heard, "HTTP/1.", 7) == 0,
                 "no answer of HTTP");
    if (n_inputs++ % 16 == 0) {
        check_others(w);
    }
    return 0;
}
