/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A server and its clients in one loop, with short times: heartbeats, timeouts, end of connections.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "watch/web/http_server.h"

#define TOKEN "00112233445566778899aabbccddeeff"
#define PAGE  "<!doctype html>page"

enum { PATIENCE_S = 60, MOST_VIEWERS = 3 };

typedef struct fixture {
    loop *l;
    http_guard guard;
    http_listener listener;
    http_ring ring;
    http_server *server;
    int n_joined;
} fixture;

static void push(fixture *f, const char *text)
{
    cr_assert(http_ring_push(&f->ring, (hpf_str){text, strlen(text)}));
    http_server_wake(f->server);
}

static void on_joined(void *context, bool is_resumed, uint64_t number)
{
    fixture *f = context;
    f->n_joined++;
    if (!f->ring.base && !(is_resumed && http_ring_continues(&f->ring, number))) {
        cr_assert(http_ring_rebase(&f->ring, HPF_STR("base.\n\n")));
    }
}

static void begin(fixture *f, double heartbeat_s, double patience_s)
{
    *f = (fixture){.l = loop_create(), .guard = {.token = TOKEN}};
    cr_assert(f->l);
    cr_assert_eq(http_listen(&f->listener, NULL, NULL), HPF_OK);
    http_server_options options = {
        .guard = &f->guard,
        .listener = &f->listener,
        .page = HPF_STR(PAGE),
        .page_policy = "default-src 'none'; connect-src 'self'",
        .ring = &f->ring,
        .instance = "me",
        .joined = on_joined,
        .context = f,
        .most_viewers = MOST_VIEWERS,
        .heartbeat_s = heartbeat_s,
        .patience_s = patience_s,
    };
    hpf_error err = {0};
    cr_assert_eq(http_server_create(&f->server, f->l, &options, &err), HPF_OK, "%s", err.message);
}

static void finish(fixture *f)
{
    http_server_destroy(f->server, 1);
    http_listener_close(&f->listener);
    http_ring_finish(&f->ring);
    loop_destroy(f->l);
}

/* ---- clients ---- */

typedef struct client {
    int fd;
    bool has_ended; /* the server has closed it */
    size_t length;
    char got[1 << 16];
} client;

static void start(const fixture *f, client *c)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)f->listener.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *c = (client){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    cr_assert_eq(connect(c->fd, (struct sockaddr *)&address, sizeof address), 0);
}

static void say(const client *c, const char *text)
{
    cr_assert_eq(write(c->fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void ask(const fixture *f, client *c, const char *path, const char *more)
{
    char request[400];
    start(f, c);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", path, more);
    say(c, request);
}

/* Receives all available bytes. */
static void hear(client *c)
{
    ssize_t n = recv(c->fd, c->got + c->length, sizeof c->got - 1 - c->length, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN)) {
        c->has_ended = true;
    } else if (n > 0) {
        c->length += (size_t)n;
        c->got[c->length] = '\0';
    }
}

static size_t count(const client *c, const char *text)
{
    size_t n = 0;
    for (const char *at = c->got; (at = strstr(at, text)) != NULL; at++) {
        n++;
    }
    return n;
}

/* Runs the server until the client has received `text` n times. */
static bool hears_times(const fixture *f, client *c, const char *text, size_t n)
{
    double until_s = clock_now_s() + PATIENCE_S;
    hear(c);
    while (count(c, text) < n && !c->has_ended && clock_now_s() < until_s) {
        loop_step(f->l, 10);
        hear(c);
    }
    return count(c, text) >= n;
}

static bool hears(const fixture *f, client *c, const char *text)
{
    return hears_times(f, c, text, 1);
}

/* Runs the server until it has at most n viewers. */
static bool has_at_most(const fixture *f, size_t n)
{
    double until_s = clock_now_s() + PATIENCE_S;
    while (http_server_n_viewers(f->server) > n && clock_now_s() < until_s) {
        loop_step(f->l, 10);
    }
    return http_server_n_viewers(f->server) <= n;
}

/* ---- tests ---- */

Test(http_server, serves_the_page)
{
    fixture f;
    client c;
    begin(&f, 15, 30);
    ask(&f, &c, "/" TOKEN "/", "");
    cr_expect(hears(&f, &c, PAGE));
    cr_expect(strstr(c.got, "HTTP/1.1 200"));
    cr_expect(strstr(c.got, "Content-Security-Policy: default-src 'none'; connect-src 'self'"));
    ask(&f, &c, "/", "");
    cr_expect(hears(&f, &c, "HTTP/1.1 404"));
    cr_expect_eq(f.n_joined, 0);
    finish(&f);
}

Test(http_server, sends_messages_to_viewers)
{
    fixture f;
    client one;
    client other;
    begin(&f, 15, 30);
    ask(&f, &one, "/" TOKEN "/events", "");
    cr_expect(hears(&f, &one, "base.\n\n"), "%s", one.got);
    cr_expect(strstr(one.got, "text/event-stream"));
    push(&f, "one.\n\n");
    ask(&f, &other, "/" TOKEN "/events", "Last-Event-ID: me-0\r\n");
    cr_expect(hears(&f, &other, "one.\n\n"));
    cr_expect(hears(&f, &one, "one.\n\n"));
    push(&f, "two.\n\n");
    cr_expect(hears(&f, &one, "two.\n\n") && hears(&f, &other, "two.\n\n"));
    cr_expect_eq(count(&one, "base.") + count(&other, "base."), 2);
    cr_expect_eq(http_server_n_viewers(f.server), 2);
    cr_expect_eq(f.n_joined, 2);
    finish(&f);
}

Test(http_server, resumes_a_viewer)
{
    fixture f;
    client c;
    char id[64];
    begin(&f, 15, 30);
    ask(&f, &c, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &c, "base.\n\n"));
    push(&f, "one.\n\n");
    snprintf(id, sizeof id, "Last-Event-ID: me-%d\r\n", (int)f.ring.last_number);
    push(&f, "two.\n\n");
    ask(&f, &c, "/" TOKEN "/events", id);
    cr_expect(hears(&f, &c, "two.\n\n"));
    cr_expect_eq(count(&c, "one."), 0);
    ask(&f, &c, "/" TOKEN "/events", "Last-Event-ID: you-1\r\n");
    cr_expect(hears(&f, &c, "two.\n\n"));
    cr_expect(strstr(c.got, "base."));
    finish(&f);
}

Test(http_server, sends_heartbeats)
{
    fixture f;
    client c;
    begin(&f, 0.02, 30);
    ask(&f, &c, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &c, "base.\n\n"));
    cr_expect(hears_times(&f, &c, ":\n\n", 3));
    finish(&f);
}

Test(http_server, notices_closed_idle_viewer)
{
    fixture f;
    client c;
    begin(&f, 15, 30);
    ask(&f, &c, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &c, "base.\n\n"));
    close(c.fd);
    cr_expect(has_at_most(&f, 0));
    finish(&f);
}

Test(http_server, limits_viewers_but_serves_the_page)
{
    fixture f;
    client c[MOST_VIEWERS + 1];
    begin(&f, 15, 30);
    for (int i = 0; i < MOST_VIEWERS; i++) {
        ask(&f, &c[i], "/" TOKEN "/events", "");
        cr_assert(hears(&f, &c[i], "base.\n\n"));
    }
    ask(&f, &c[MOST_VIEWERS], "/" TOKEN "/events", "");
    cr_expect(hears(&f, &c[MOST_VIEWERS], "HTTP/1.1 503"));
    ask(&f, &c[MOST_VIEWERS], "/" TOKEN "/", "");
    cr_expect(hears(&f, &c[MOST_VIEWERS], PAGE));
    close(c[0].fd);
    cr_expect(has_at_most(&f, MOST_VIEWERS - 1));
    ask(&f, &c[0], "/" TOKEN "/events", "");
    cr_expect(hears(&f, &c[0], "base.\n\n"));
    finish(&f);
}

/* The kernel buffers some megabytes for a client that does not read. */
Test(http_server, drops_viewer_that_does_not_read)
{
    fixture f;
    client lazy;
    client eager;
    static char big[1 << 20];
    begin(&f, 0.1, 3); /* longer than a loaded machine may keep this process from reading */
    memset(big, 'x', sizeof big - 1);
    ask(&f, &lazy, "/" TOKEN "/events", "");
    ask(&f, &eager, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &lazy, "base.\n\n") && hears(&f, &eager, "base.\n\n"));
    for (int i = 0; i < 16; i++) {
        push(&f, big);
    }
    double begin_s = clock_now_s();
    while (http_server_n_viewers(f.server) > 1 && clock_now_s() < begin_s + PATIENCE_S) {
        loop_step(f.l, 10);
        eager.length = 0;
        hear(&eager);
    }
    cr_expect_eq(http_server_n_viewers(f.server), 1);
    push(&f, "still here\n\n");
    eager.got[0] = '\0';
    while (!eager.has_ended && !strstr(eager.got, "still here")) {
        eager.length = 0;
        loop_step(f.l, 10);
        hear(&eager);
    }
    cr_expect(!eager.has_ended);
    close(lazy.fd);
    finish(&f);
}

Test(http_server, drops_incomplete_requests)
{
    fixture f;
    client c;
    begin(&f, 0.05, 0.2);
    start(&f, &c);
    say(&c, "GET / HTTP/1.1\r\n");
    double begin_s = clock_now_s();
    while (!c.has_ended && clock_now_s() < begin_s + PATIENCE_S) {
        (void)!send(c.fd, "A: b\r\n", 6, MSG_NOSIGNAL);
        usleep(20000);
        loop_step(f.l, 10);
        hear(&c);
    }
    cr_expect(c.has_ended);
    cr_expect_eq(c.length, 0, "%s", c.got);
    finish(&f);
}

/* Silent connections do not keep others out. */
Test(http_server, drops_oldest_connection_for_a_new_one)
{
    enum { MANY = 400 };
    static int silent[MANY];
    fixture f;
    client c;
    begin(&f, 15, 30);
    for (int i = 0; i < MANY; i++) {
        start(&f, &c);
        silent[i] = c.fd;
        loop_step(f.l, 0);
    }
    ask(&f, &c, "/" TOKEN "/", "");
    cr_expect(hears(&f, &c, PAGE));
    for (int i = 0; i < MANY; i++) {
        close(silent[i]);
    }
    finish(&f);
}

Test(http_server, accepts_split_and_pipelined_requests)
{
    fixture f;
    client c;
    static const char request[] = "GET /" TOKEN "/ HTTP/1.1\r\nHost: [::1]:80\r\n\r\n";
    begin(&f, 15, 30);
    start(&f, &c);
    for (size_t i = 0; i < sizeof request - 1; i++) {
        cr_assert_eq(write(c.fd, request + i, 1), 1);
        loop_step(f.l, 1);
    }
    cr_expect(hears(&f, &c, PAGE));
    start(&f, &c);
    char row[3 * sizeof request];
    snprintf(row, sizeof row, "%s%s%s", request, request, request);
    say(&c, row);
    cr_expect(hears_times(&f, &c, PAGE, 3));
    finish(&f);
}

Test(http_server, sends_last_messages_before_it_stops)
{
    fixture f;
    client c;
    begin(&f, 15, 30);
    ask(&f, &c, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &c, "base.\n\n"));
    cr_assert(http_ring_push(&f.ring, HPF_STR("the end.\n\n")));
    http_server_destroy(f.server, 5);
    f.server = NULL;
    while (!c.has_ended) {
        hear(&c);
    }
    cr_expect(strstr(c.got, "the end.\n\n"));
    cr_expect(strstr(c.got, "\r\n0\r\n\r\n"), "the stream is not ended in order");
    finish(&f);
}

Test(http_server, stops_without_waiting_for_slow_viewer)
{
    fixture f;
    client c;
    static char big[1 << 20];
    begin(&f, 15, 30);
    memset(big, 'x', sizeof big - 1);
    ask(&f, &c, "/" TOKEN "/events", "");
    cr_assert(hears(&f, &c, "base.\n\n"));
    for (int i = 0; i < 16; i++) {
        push(&f, big);
    }
    double begin_s = clock_now_s();
    http_server_destroy(f.server, 0.2);
    f.server = NULL;
    cr_expect_lt(clock_now_s() - begin_s, 25); /* less than the patience with a viewer */
    finish(&f);
}
