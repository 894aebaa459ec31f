/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A Haskell program that sends its event log to clients, as with the package eventlog-socket:
 * LOG_SOCKET is a path, or a port of 127.0.0.1; without it, the log is the usual file. The program
 * starts when a client has connected. Clients send commands; each is reported to standard error
 * when it is done. A file LOG_COPY gets the same bytes.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "Rts.h"

extern StgClosure ZCMain_main_closure;

/* GHC 9.0 has these, but no header for them yet. */
extern void startHeapProfTimer(void);
extern void stopHeapProfTimer(void);
extern bool performHeapProfile;
void take_sample(void);

static int connection = -1;
static FILE *copy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- commands ---- */

static bool take(void *to, size_t n)
{
    return recv(connection, to, n, MSG_WAITALL) == (ssize_t)n;
}

/* Up to GHC 9.0 the scheduler starts the timer whenever it runs a thread, so that stopping it alone
 * has no effect; but it does not start one that has no interval. */
static void switch_samples(bool is_on)
{
    static uint32_t interval_ticks;
    if (!is_on) {
        interval_ticks = RtsFlags.ProfFlags.heapProfileIntervalTicks;
        RtsFlags.ProfFlags.heapProfileIntervalTicks = 0;
        stopHeapProfTimer();
    } else if (interval_ticks > 0) {
        RtsFlags.ProfFlags.heapProfileIntervalTicks = interval_ticks;
        startHeapProfTimer();
    }
}

/* Asks for a sample at the next collection, unless samples are switched off. */
void take_sample(void)
{
    if (RtsFlags.ProfFlags.heapProfileIntervalTicks > 0) {
        performHeapProfile = true;
    }
}

static void obey(int command)
{
    switch (command) {
    case 3:
    case 4:
        switch_samples(command == 3);
        break;
    case 5:
        performHeapProfile = true;
        break;
    }
    fprintf(stderr, "done %d\n", command);
}

static void *listen_to_commands(void *unused)
{
    static const char head[] = "\xf0\x9e\x97\x8c\x00\x0f"
                               "eventlog-socket";
    unsigned char message[sizeof head];
    while (take(message, sizeof message)) {
        if (memcmp(message, head, sizeof head - 1) == 0) {
            obey(message[sizeof head - 1]);
        }
    }
    return unused;
}

/* ---- the log ---- */

static int listen_at(const char *where)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in port = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)atoi(where)),
                               .sin_addr = {htonl(INADDR_LOOPBACK)}};
    bool is_path = where[0] == '/';
    strncpy(local.sun_path, where, sizeof local.sun_path - 1);
    int fd = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    int reuse = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    int bound = is_path ? bind(fd, (struct sockaddr *)&local, sizeof local)
                        : bind(fd, (struct sockaddr *)&port, sizeof port);
    if (bound != 0 || listen(fd, 1) != 0) {
        perror(where);
        exit(1);
    }
    return fd;
}

static void begin_log(void)
{
    pthread_t listener;
    int fd = listen_at(getenv("LOG_SOCKET"));
    connection = accept(fd, NULL, NULL);
    close(fd);
    copy = getenv("LOG_COPY") ? fopen(getenv("LOG_COPY"), "wb") : NULL;
    pthread_create(&listener, NULL, listen_to_commands, NULL);
}

static bool write_log(void *log, size_t n_bytes)
{
    const char *bytes = log;
    bool is_sent = true;
    pthread_mutex_lock(&lock);
    if (copy) {
        fwrite(bytes, 1, n_bytes, copy);
    }
    while (n_bytes > 0 && is_sent) {
        ssize_t n = send(connection, bytes, n_bytes, MSG_NOSIGNAL);
        is_sent = n > 0;
        bytes += is_sent ? n : 0;
        n_bytes -= is_sent ? (size_t)n : 0;
    }
    pthread_mutex_unlock(&lock);
    return is_sent;
}

static void end_log(void)
{
    if (copy) {
        fclose(copy);
    }
    shutdown(connection, SHUT_RDWR);
}

static const EventLogWriter writer = {begin_log, write_log, NULL, end_log};

int main(int argc, char **argv)
{
    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsAll;
    if (getenv("LOG_SOCKET")) {
        config.eventlog_writer = &writer;
    }
    return hs_main(argc, argv, &ZCMain_main_closure, config);
}
