/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What it costs to show a profile to browsers while it grows: 24 hours of ten samples a second go
 * through the http view, and are looked at by 0, 1, 10 and 50 viewers when 1, 50 and 99 percent of
 * it have come. Viewers read, in another process, and do no more.
 *
 * Printed are, by CPU time of the server alone: one sample that is appended and sent at once; one
 * of many that are appended at speed, and sent ten times a second; and what the first viewer costs,
 * who is sent all that was before, with the size of that. Slowness never fails.
 */
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hprender/render.h"
#include "watch/web/view_http.h"

#define TOKEN "00112233445566778899aabbccddeeff"

enum {
    N_SAMPLES = 24 * 3600 * 10,
    N_NAMES = 30,
    N_UPDATES = 200,
    N_AT_SPEED = 20000,
    PIECE_BYTES = 64 << 10,
    MOST_VIEWERS = 50,
};

typedef struct bench {
    loop *l;
    watch *w;
    watched *profile;
    char folder[64], where[128];
    int n_samples;
    char text[PIECE_BYTES + 4096];
    size_t n_text;
} bench;

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void need(bool ok, const char *what)
{
    if (!ok) {
        perror(what);
        exit(1);
    }
}

/* ---- viewers ---- */

static int connect_viewer(const char *path)
{
    static const char request[] = "GET /" TOKEN "/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    need(snprintf(address.sun_path, sizeof address.sun_path, "%s", path) <
             (int)sizeof address.sun_path,
         "a path that is short enough");
    need(connect(fd, (struct sockaddr *)&address, sizeof address) == 0, "connect");
    need(write(fd, request, sizeof request - 1) == (ssize_t)(sizeof request - 1), "write");
    return fd;
}

/* Reads for ever; tells how much there was to read when everybody has seen a state. */
static void view_for_ever(const char *path, int n_viewers, int tell_fd)
{
    static char bytes[1 << 20];
    struct pollfd fds[MOST_VIEWERS];
    uint64_t n_bytes = 0;
    int n_ready = 0;
    for (int i = 0; i < n_viewers; i++) {
        fds[i] = (struct pollfd){.fd = connect_viewer(path), .events = POLLIN};
    }
    for (;;) {
        need(poll(fds, (nfds_t)n_viewers, -1) > 0, "poll");
        for (int i = 0; i < n_viewers; i++) {
            ssize_t n = fds[i].revents ? read(fds[i].fd, bytes, sizeof bytes - 1) : 0;
            n_bytes += n > 0 ? (uint64_t)n : 0;
            bytes[n > 0 ? n : 0] = '\0';
            n_ready += strstr(bytes, "\"age_s\"") != NULL;
        }
        if (n_ready >= n_viewers && tell_fd >= 0) {
            n_bytes /= (uint64_t)n_viewers;
            need(write(tell_fd, &n_bytes, sizeof n_bytes) > 0, "write");
            close(tell_fd);
            tell_fd = -1;
        }
    }
}

/* Starts viewers; returns when they see the profile, and what each of them was sent. */
static pid_t start_viewers(bench *b, int n_viewers, uint64_t *n_bytes)
{
    int feed[2];
    need(pipe2(feed, O_NONBLOCK | O_CLOEXEC) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        view_for_ever(b->where + strlen("unix:"), n_viewers, feed[1]);
    }
    need(pid > 0, "fork");
    close(feed[1]);
    while (read(feed[0], n_bytes, sizeof *n_bytes) != (ssize_t)sizeof *n_bytes) {
        loop_step(b->l, 1);
    }
    close(feed[0]);
    return pid;
}

static void stop_viewers(bench *b, pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 20; i++) {
        loop_step(b->l, 5);
    }
}

/* ---- the profile ---- */

static void put_sample(bench *b)
{
    int i = b->n_samples++;
    char *to = b->text + b->n_text;
    char *end = b->text + sizeof b->text;
    to += snprintf(to, (size_t)(end - to), "BEGIN_SAMPLE %.1f\n", i / 10.0);
    for (int k = 0; k < N_NAMES; k++) {
        double share = 1.2 + sin(i / (300.0 * (k + 1)) + k);
        to += snprintf(to, (size_t)(end - to), "Main.function%d\t%.0f\n", k, 1e6 * share / (k + 1));
    }
    to += snprintf(to, (size_t)(end - to), "END_SAMPLE %.1f\n", i / 10.0);
    b->n_text = (size_t)(to - b->text);
}

static void feed(bench *b)
{
    watch_feed(b->profile, b->text, b->n_text);
    b->n_text = 0;
}

static void feed_until(bench *b, int n_samples)
{
    while (b->n_samples < n_samples) {
        put_sample(b);
        if (b->n_text > PIECE_BYTES || b->n_samples == n_samples) {
            feed(b);
        }
    }
}

/* ---- what it costs ---- */

/* Lets the server do what has to be done at once. */
static void settle(bench *b)
{
    double until_s = clock_now_s() + 2e-3;
    while (clock_now_s() < until_s) {
        loop_step(b->l, 1);
    }
}

static double update_us(bench *b)
{
    double all_us = 0;
    settle(b);
    for (int i = 0; i < N_UPDATES; i++) {
        put_sample(b);
        double begin_us = cpu_us();
        feed(b);
        settle(b);
        all_us += cpu_us() - begin_us;
    }
    return all_us / N_UPDATES;
}

static double at_speed_us(bench *b)
{
    double all_us = 0;
    int last = b->n_samples + N_AT_SPEED;
    while (b->n_samples < last) {
        put_sample(b);
        if (b->n_text > PIECE_BYTES) {
            double begin_us = cpu_us();
            feed(b);
            loop_step(b->l, 0);
            all_us += cpu_us() - begin_us;
        }
    }
    feed(b);
    return all_us / N_AT_SPEED;
}

static void begin(bench *b, double batch_s)
{
    static const hpf_live_options all = {.size = sizeof all, .max_drawn = 0};
    static const hpr_options page = {.size = sizeof page};
    char token[96];
    strcpy(b->folder, "/tmp/census-bench-XXXXXX");
    need(mkdtemp(b->folder) != NULL, "mkdtemp");
    snprintf(b->where, sizeof b->where, "unix:%s/socket", b->folder);
    snprintf(token, sizeof token, "%s/token", b->folder);
    int fd = open(token, O_CREAT | O_WRONLY, 0600);
    need(write(fd, TOKEN, sizeof TOKEN - 1) == (ssize_t)sizeof TOKEN - 1, "token");
    close(fd);
    b->l = loop_create();
    b->w = watch_create(&all);
    const view_http_options options = {
        .where = b->where, .token_file = token, .page = &page, .batch_s = batch_s};
    view *v = view_http_create(b->l, &options);
    need(v && watch_add_view(b->w, v), "view");
    unlink(token);
    b->profile = watch_add_profile(b->w, "bench", 0);
    b->n_text =
        (size_t)snprintf(b->text, sizeof b->text,
                         "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n");
}

static void end(bench *b)
{
    watch_destroy(b->w);
    loop_destroy(b->l);
    rmdir(b->folder);
}

static void measure(bench *b, int percent, double (*cost)(bench *))
{
    static const int viewers[] = {1, 10, 50};
    feed_until(b, (int)((int64_t)N_SAMPLES * percent / 100));
    printf("%3d %%  %8.1f", percent, cost(b));
    double first_us = 0;
    uint64_t first_bytes = 0;
    for (size_t i = 0; i < sizeof viewers / sizeof viewers[0]; i++) {
        uint64_t n_bytes = 0;
        double begin_us = cpu_us();
        pid_t pid = start_viewers(b, viewers[i], &n_bytes);
        first_us = i == 0 ? cpu_us() - begin_us : first_us;
        first_bytes = i == 0 ? n_bytes : first_bytes;
        printf("  %8.1f", cost(b));
        stop_viewers(b, pid);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("  %10.1f  %10.0f  %8ld\n", first_us / 1e3, (double)first_bytes / 1024,
           use.ru_maxrss / 1024);
    fflush(stdout);
}

static void run(const char *what, double batch_s, double (*cost)(bench *))
{
    static bench b;
    printf("%s: us of CPU for each sample of %d names\n"
           "  has come  0 viewers  1  10  50;  first viewer: ms, KiB;  peak RSS MiB\n",
           what, N_NAMES);
    b = (bench){.n_samples = 0};
    begin(&b, batch_s);
    measure(&b, 1, cost);
    measure(&b, 50, cost);
    measure(&b, 99, cost);
    end(&b);
}

int main(void)
{
    run("one by one", 1e-9, update_us);
    run("at speed", 0, at_speed_us);
    return 0;
}
