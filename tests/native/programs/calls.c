/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of the blocking system calls of Linux. `calls DIRECTORY [-t] [ROW...]` makes each of them
 * once, in a thread of its own, while the others wait, and prints a line for each: result, error,
 * and a sum of the data that arrived. Most calls take WAIT_MS. A call that ends before its time
 * limit, or 100 s after it, is `early` or `late`. -t also prints the milliseconds of each call.
 *
 * The program holds many blocks, so that an image of it takes a while.
 */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef IORING_ENTER_EXT_ARG /* headers of Linux before 5.11 */
#define IORING_ENTER_EXT_ARG (1U << 3)
struct io_uring_getevents_arg {
    uint64_t sigmask;
    uint32_t sigmask_sz, pad;
    uint64_t ts;
};
#endif
#ifndef SYS_epoll_pwait2 /* glibc 2.31 */
#define SYS_epoll_pwait2 441
#endif

enum {
    WAIT_MS = 800,
    AMOUNT = 400000, /* bytes that a call transfers, in N_PIECES */
    N_PIECES = 40,
    PACKET = 10000,
    LARGE = 2 << 20, /* bytes that the kernel copies without waiting */
    N_LARGE = 10,
    N_BLOCKS = 20000,
    BLOCK = 1600
};

typedef struct call {
    const struct row *row;
    pthread_t thread;
    int near, far; /* file descriptors of the call, and of its peer */
    char *buffer;
    size_t amount;
    long result;
    int error;
    uint64_t sum, more; /* of the data; of what else the call returned */
    double begin_s, end_s;
    atomic_bool is_ready, is_done;
    uint32_t words[2];
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pid_t child;
    int id;
    mqd_t queue;
    sem_t semaphore;
    struct sockaddr_storage address;
    socklen_t address_length;
} call;

/* A call. The peer runs in a thread of its own after set_up and makes the call end, unless that
 * ends by its own limit. */
typedef struct row {
    const char *name;
    void (*set_up)(call *);
    void (*make)(call *);
    void (*peer)(call *);
    int limit_ms;
} row;

static const char *directory;
static const struct timespec limit = {WAIT_MS / 1000, WAIT_MS % 1000 * 1000000};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The call lasts from here on: the thread may wait for the processor before it makes it. */
static struct timespec end_of_wait(call *c, clockid_t clock)
{
    struct timespec end;
    c->begin_s = now_s();
    clock_gettime(clock, &end);
    end.tv_nsec += limit.tv_nsec;
    end.tv_sec += limit.tv_sec + end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

static void begin(call *c)
{
    c->begin_s = c->begin_s > 0 ? c->begin_s : now_s();
    atomic_store(&c->is_ready, true);
    errno = 0;
}

static void end(call *c, long result)
{
    c->error = result < 0 ? errno : 0;
    c->end_s = now_s();
    c->result = result;
    atomic_store(&c->is_done, true);
}

#define CALL(c, expression) (begin(c), end((c), (long)(expression)))

static uint64_t add_bytes(uint64_t sum, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sum = (sum ^ (unsigned char)bytes[i]) * 1099511628211u;
    }
    return sum;
}

static void fill(call *c, size_t amount)
{
    c->amount = amount;
    c->buffer = made(malloc(amount));
    uint32_t state = 1;
    for (size_t i = 0; i < amount; i++) {
        c->buffer[i] = (char)next_number(&state);
    }
}

static void nap_ms(long ms)
{
    usleep((useconds_t)ms * 1000);
}

/* ---- set-up
 * -------------------------------------------------------------------------------------- */

static void set_pipe_to_far(call *c)
{
    int ends[2];
    must(pipe(ends) == 0, "a pipe");
    c->near = ends[1];
    c->far = ends[0];
    fill(c, AMOUNT);
}

static void set_pipe_from_far(call *c)
{
    set_pipe_to_far(c);
    int near = c->far;
    c->far = c->near;
    c->near = near;
}

/* Makes the buffers of a socket small, so that a transfer has to wait. */
static void make_small(int socket)
{
    int size = 16384;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static void set_pair(call *c, int type)
{
    int ends[2];
    must(socketpair(AF_UNIX, type, 0, ends) == 0, "a pair of sockets");
    c->near = ends[0];
    c->far = ends[1];
    make_small(c->near);
    make_small(c->far);
    fill(c, AMOUNT);
}

static void set_stream(call *c)
{
    set_pair(c, SOCK_STREAM);
}

static void set_datagrams(call *c)
{
    set_pair(c, SOCK_DGRAM);
}

static void set_packets(call *c)
{
    set_pair(c, SOCK_SEQPACKET);
}

static int listening(call *c, int family, int backlog)
{
    int listener = socket(family, SOCK_STREAM, 0);
    make_small(listener);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int bound = family == AF_INET ? bind(listener, (struct sockaddr *)&in, sizeof in)
                                  : bind(listener, (struct sockaddr *)&un, sizeof un.sun_family);
    must(bound == 0 && listen(listener, backlog) == 0, "a socket that listens");
    c->address_length = sizeof c->address;
    getsockname(listener, (struct sockaddr *)&c->address, &c->address_length);
    return listener;
}

static int connected(call *c)
{
    int end = socket(c->address.ss_family, SOCK_STREAM, 0);
    make_small(end);
    must(connect(end, (struct sockaddr *)&c->address, c->address_length) == 0, "a connection");
    return end;
}

static void set_tcp(call *c)
{
    int listener = listening(c, AF_INET, 1);
    c->near = connected(c);
    c->far = accept(listener, NULL, NULL);
    must(c->far >= 0, "a connection");
    close(listener);
    fill(c, AMOUNT);
}

static void set_listening(call *c)
{
    c->near = listening(c, AF_INET, 5);
}

static void set_listening_unix(call *c)
{
    c->near = listening(c, AF_UNIX, 5);
}

/* Lets no further connection be made before one is accepted. */
static void set_full_backlog(call *c)
{
    c->far = listening(c, AF_UNIX, 0);
    connected(c);
    c->near = socket(AF_UNIX, SOCK_STREAM, 0);
}

static void set_limit(call *c, int option)
{
    struct timeval of_socket = {WAIT_MS / 1000, WAIT_MS % 1000 * 1000};
    must(setsockopt(c->near, SOL_SOCKET, option, &of_socket, sizeof of_socket) == 0,
         "a time limit");
}

static void set_stream_with_limit(call *c)
{
    set_stream(c);
    set_limit(c, SO_RCVTIMEO);
}

/* Has a part of the data there already. */
static void set_tcp_with_limit(call *c)
{
    set_tcp(c);
    set_limit(c, SO_RCVTIMEO);
    must(write(c->far, c->buffer, 1000) == 1000, "data are sent");
}

static void set_full_stream_with_limit(call *c)
{
    set_stream(c);
    while (send(c->near, c->buffer, 1000, MSG_DONTWAIT) > 0) {
        continue;
    }
    set_limit(c, SO_SNDTIMEO);
}

static void set_listening_with_limit(call *c)
{
    set_listening(c);
    set_limit(c, SO_RCVTIMEO);
}

static void set_full_backlog_with_limit(call *c)
{
    set_full_backlog(c);
    set_limit(c, SO_SNDTIMEO);
}

static void set_terminal(call *c)
{
    char name[100];
    struct termios mode;
    c->far = posix_openpt(O_RDWR | O_NOCTTY);
    must(c->far >= 0 && grantpt(c->far) == 0 && unlockpt(c->far) == 0, "a terminal");
    must(ptsname_r(c->far, name, sizeof name) == 0, "a terminal");
    c->near = open(name, O_RDWR | O_NOCTTY);
    must(c->near >= 0 && tcgetattr(c->near, &mode) == 0, "a terminal");
    mode.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(c->near, TCSANOW, &mode);
}

static void set_raw_terminal(call *c)
{
    struct termios mode;
    set_terminal(c);
    tcgetattr(c->near, &mode);
    cfmakeraw(&mode);
    tcsetattr(c->near, TCSANOW, &mode);
    fill(c, 100000);
}

static void set_line(call *c)
{
    set_terminal(c);
    fill(c, 100);
    c->buffer[0] = 'l';
    c->buffer[1] = '\n';
}

static int new_file(size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/file-XXXXXX", directory);
    int file = mkstemp(path);
    must(file >= 0 && ftruncate(file, (off_t)size) == 0, "a file");
    unlink(path);
    return file;
}

/* Opens a file again, so that the two have locks of their own. */
static int opened_again(int file)
{
    char path[100];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int other = open(path, O_RDWR);
    must(other >= 0, "a file is opened again");
    return other;
}

static void set_locked_file(call *c)
{
    c->near = new_file(1);
    c->far = opened_again(c->near);
    must(flock(c->far, LOCK_EX) == 0, "a lock");
}

static void set_locked_description(call *c)
{
    struct flock lock = {.l_type = F_WRLCK};
    c->near = new_file(1);
    c->far = opened_again(c->near);
    must(fcntl(c->far, F_OFD_SETLK, &lock) == 0, "a lock");
}

/* Starts a process that locks a file, waits, and exits with 7. */
static void set_child(call *c)
{
    int ready[2];
    char byte = 0;
    c->near = new_file(1);
    must(pipe(ready) == 0, "a pipe");
    c->child = fork();
    must(c->child >= 0, "a child");
    if (c->child == 0) {
        struct flock lock = {.l_type = F_WRLCK};
        fcntl(c->near, F_SETLK, &lock);
        must(write(ready[1], &byte, 1) == 1, "a byte");
        nap_ms(WAIT_MS);
        _exit(7);
    }
    must(read(ready[0], &byte, 1) == 1, "a byte");
    close(ready[0]);
    close(ready[1]);
}

static void set_eventfd(call *c)
{
    c->near = c->far = eventfd(0, 0);
    fill(c, 8);
}

static void set_full_eventfd(call *c)
{
    uint64_t most = UINT64_MAX - 1;
    c->near = c->far = eventfd(0, 0);
    must(write(c->near, &most, 8) == 8, "a number");
    fill(c, 8);
    memset(c->buffer, 0, 8);
    c->buffer[0] = 1;
}

static void set_timerfd(call *c)
{
    struct itimerspec once = {.it_value = limit};
    c->near = timerfd_create(CLOCK_MONOTONIC, 0);
    must(timerfd_settime(c->near, 0, &once, NULL) == 0, "a timer");
    fill(c, 8);
}

static void set_signalfd(call *c)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    c->near = signalfd(-1, &set, 0);
    fill(c, sizeof(struct signalfd_siginfo));
}

static void set_inotify(call *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/watched", directory);
    must(mkdir(path, 0700) == 0, "a directory");
    c->near = inotify_init1(0);
    must(inotify_add_watch(c->near, path, IN_CREATE) >= 0, "a directory to watch");
    fill(c, 1000);
}

static void set_fifo(call *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, c->row->name);
    must(mkfifo(path, 0600) == 0, "a FIFO");
}

static void set_message_queue(call *c)
{
    c->id = msgget(IPC_PRIVATE, 0600);
    must(c->id >= 0, "a queue of messages");
    fill(c, sizeof(long) + 1000);
    long type = 1;
    memcpy(c->buffer, &type, sizeof type);
}

static void set_full_message_queue(call *c)
{
    set_message_queue(c);
    while (msgsnd(c->id, c->buffer, 1000, IPC_NOWAIT) == 0) {
        continue;
    }
}

static void set_semaphore(call *c)
{
    c->id = semget(IPC_PRIVATE, 1, 0600);
    must(c->id >= 0, "a semaphore");
}

static void set_posix_queue(call *c)
{
    char name[100];
    struct mq_attr one = {.mq_maxmsg = 1, .mq_msgsize = 100};
    snprintf(name, sizeof name, "/census-%d-%s", (int)getpid(), c->row->name);
    c->queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &one);
    must(c->queue >= 0, "a POSIX queue");
    mq_unlink(name);
    fill(c, 100);
}

static void set_full_posix_queue(call *c)
{
    set_posix_queue(c);
    must(mq_send(c->queue, c->buffer, 10, 0) == 0, "a message");
}

/* ---- peers
 * --------------------------------------------------------------------------------------- */

/* Reads all that is sent, slowly. */
static void drain(call *c)
{
    char piece[PACKET];
    size_t most = c->amount / N_PIECES < sizeof piece ? c->amount / N_PIECES : sizeof piece;
    for (size_t got = 0; got < c->amount;) {
        nap_ms(WAIT_MS / N_PIECES);
        ssize_t n = read(c->far, piece, most);
        if (n <= 0) {
            break;
        }
        c->sum = add_bytes(c->sum, piece, (size_t)n);
        got += (size_t)n;
    }
}

/* Sends pieces of equal data, slowly. */
static void feed_pieces(call *c, int n_pieces, size_t size)
{
    uint32_t state = 1;
    char piece[PACKET];
    for (int i = 0; i < n_pieces; i++) {
        nap_ms(WAIT_MS / n_pieces);
        for (size_t at = 0; at < size; at++) {
            piece[at] = (char)next_number(&state);
        }
        for (size_t at = 0; at < size;) {
            ssize_t n = write(c->far, piece + at, size - at);
            if (n <= 0) {
                return;
            }
            at += (size_t)n;
        }
    }
}

static void feed(call *c)
{
    feed_pieces(c, N_PIECES, AMOUNT / N_PIECES);
}

static void feed_four(call *c)
{
    feed_pieces(c, 4, 1000);
}

static void send_byte(call *c)
{
    nap_ms(WAIT_MS);
    must(write(c->far, "x", 1) == 1, "a byte is sent");
}

static void send_line(call *c)
{
    nap_ms(WAIT_MS);
    must(write(c->far, "a line\n", 7) == 7, "a line is sent");
}

static void send_number(call *c)
{
    uint64_t number = 42;
    nap_ms(WAIT_MS);
    must(write(c->far, &number, 8) == 8, "a number is sent");
}

static void take_number(call *c)
{
    uint64_t number;
    nap_ms(WAIT_MS);
    must(read(c->far, &number, 8) == 8, "a number is read");
    c->sum = number;
}

static void connect_later(call *c)
{
    nap_ms(WAIT_MS);
    close(connected(c));
}

static void accept_later(call *c)
{
    nap_ms(WAIT_MS);
    close(accept(c->far, NULL, NULL));
}

static void send_signal(call *c)
{
    nap_ms(WAIT_MS);
    pthread_kill(c->thread, SIGUSR1);
}

/* Sends a signal until the call has seen it. */
static void send_signals(call *c)
{
    for (nap_ms(WAIT_MS); !atomic_load(&c->is_done); nap_ms(50)) {
        pthread_kill(c->thread, SIGUSR1);
    }
}

static void wake(call *c)
{
    for (nap_ms(WAIT_MS); !atomic_load(&c->is_done); nap_ms(50)) {
        syscall(SYS_futex, &c->words[0], FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

static void requeue(call *c)
{
    for (nap_ms(WAIT_MS); !atomic_load(&c->is_done); nap_ms(50)) {
        syscall(SYS_futex, &c->words[0], FUTEX_CMP_REQUEUE_PI, 1, 0, &c->words[1], 0);
    }
}

static void signal_condition(call *c)
{
    for (nap_ms(WAIT_MS); !atomic_load(&c->is_done); nap_ms(50)) {
        pthread_mutex_lock(&c->mutex);
        c->words[0] = 1;
        pthread_cond_signal(&c->condition);
        pthread_mutex_unlock(&c->mutex);
    }
}

static void hold_mutex(call *c)
{
    pthread_mutex_lock(&c->mutex);
    atomic_store(&c->is_ready, true);
    nap_ms(WAIT_MS);
    pthread_mutex_unlock(&c->mutex);
}

static void post(call *c)
{
    nap_ms(WAIT_MS);
    sem_post(&c->semaphore);
}

static void unlock(call *c)
{
    struct flock lock = {.l_type = F_UNLCK};
    nap_ms(WAIT_MS);
    flock(c->far, LOCK_UN);
    fcntl(c->far, F_OFD_SETLK, &lock);
}

static void create_file(call *c)
{
    (void)c;
    char path[4096];
    snprintf(path, sizeof path, "%s/watched/new", directory);
    nap_ms(WAIT_MS);
    close(open(path, O_CREAT | O_RDWR, 0600));
}

static void open_fifo(call *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, c->row->name);
    nap_ms(WAIT_MS);
    close(open(path, strstr(c->row->name, "write") ? O_RDONLY : O_WRONLY));
}

static void send_message(call *c)
{
    char message[sizeof(long) + 5] = {1, [sizeof(long)] = 'h', 'e', 'l', 'l', 'o'};
    nap_ms(WAIT_MS);
    msgsnd(c->id, message, 5, 0);
}

static void take_messages(call *c)
{
    char message[sizeof(long) + 1000];
    nap_ms(WAIT_MS);
    for (int i = 0; i < 3; i++) {
        msgrcv(c->id, message, 1000, 0, IPC_NOWAIT);
    }
}

static void raise_semaphore(call *c)
{
    struct sembuf up = {.sem_op = 1};
    nap_ms(WAIT_MS);
    semop(c->id, &up, 1);
}

static void send_to_posix_queue(call *c)
{
    nap_ms(WAIT_MS);
    mq_send(c->queue, "hello", 5, 0);
}

static void take_from_posix_queue(call *c)
{
    char message[100];
    nap_ms(WAIT_MS);
    mq_receive(c->queue, message, sizeof message, NULL);
}

/* ---- transfers
 * ----------------------------------------------------------------------------------- */

static void end_with_data(call *c, long result)
{
    end(c, result);
    if (result > 0) {
        c->sum = add_bytes(c->sum, c->buffer, (size_t)result);
    }
}

#define RECEIVE(c, expression) (begin(c), end_with_data((c), (long)(expression)))

#define PARTS(c)                                                                                   \
    {                                                                                              \
        {(c)->buffer, (c)->amount / 3},                                                            \
        {                                                                                          \
            (c)->buffer + (c)->amount / 3, (c)->amount - (c)->amount / 3                           \
        }                                                                                          \
    }

static void make_write(call *c)
{
    CALL(c, write(c->near, c->buffer, c->amount));
}

static void make_writev(call *c)
{
    struct iovec parts[2] = PARTS(c);
    CALL(c, writev(c->near, parts, 2));
}

static void make_pwritev2(call *c)
{
    struct iovec parts[2] = PARTS(c);
    CALL(c, pwritev2(c->near, parts, 2, -1, 0));
}

static void make_send(call *c)
{
    CALL(c, send(c->near, c->buffer, c->amount, 0));
}

static void make_sendto(call *c)
{
    CALL(c, sendto(c->near, c->buffer, c->amount, 0, NULL, 0));
}

static void make_sendmsg(call *c)
{
    struct iovec parts[2] = PARTS(c);
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    CALL(c, sendmsg(c->near, &message, 0));
}

static void make_sendmmsg(call *c)
{
    struct iovec parts[2] = PARTS(c);
    struct mmsghdr messages[2] = {{{.msg_iov = &parts[0], .msg_iovlen = 1}, 0},
                                  {{.msg_iov = &parts[1], .msg_iovlen = 1}, 0}};
    CALL(c, sendmmsg(c->near, messages, 2, 0));
    c->more = messages[0].msg_len * 7 + messages[1].msg_len;
}

/* Sends packets one by one. The result is the number that was sent whole. */
static long send_packets(call *c)
{
    long n_sent = 0;
    for (size_t at = 0; at < c->amount; at += PACKET) {
        ssize_t n = send(c->near, c->buffer + at, PACKET, 0);
        if (n < 0) {
            return n;
        }
        n_sent += n == PACKET;
    }
    return n_sent;
}

static void make_packets(call *c)
{
    CALL(c, send_packets(c));
}

static void make_sendfile(call *c)
{
    int file = new_file(0);
    must(write(file, c->buffer, c->amount) == (ssize_t)c->amount, "a file is written");
    off_t from = 0;
    CALL(c, sendfile(c->near, file, &from, c->amount));
    c->more = (uint64_t)from;
    close(file);
}

static long splice_all(call *c, int file)
{
    long sum = 0;
    while (sum < (long)c->amount) {
        ssize_t n = splice(file, NULL, c->near, NULL, c->amount - (size_t)sum, 0);
        if (n <= 0) {
            return n;
        }
        sum += n;
    }
    return sum;
}

static void make_splice_to_pipe(call *c)
{
    int file = new_file(0);
    must(write(file, c->buffer, c->amount) == (ssize_t)c->amount, "a file is written");
    lseek(file, 0, SEEK_SET);
    CALL(c, splice_all(c, file));
    close(file);
}

static long splice_from_pipe(call *c, int file)
{
    long sum = 0;
    while (sum < (long)c->amount) {
        ssize_t n = splice(c->near, NULL, file, NULL, c->amount - (size_t)sum, 0);
        if (n <= 0) {
            return n;
        }
        sum += n;
    }
    return sum;
}

static void make_splice_from_pipe(call *c)
{
    int file = new_file(0);
    CALL(c, splice_from_pipe(c, file));
    must(pread(file, c->buffer, c->amount, 0) >= 0, "a file is read");
    c->sum = add_bytes(c->sum, c->buffer, c->amount);
    close(file);
}

static long vmsplice_all(call *c)
{
    size_t sum = 0;
    while (sum < c->amount) {
        struct iovec rest = {c->buffer + sum, c->amount - sum};
        ssize_t n = vmsplice(c->near, &rest, 1, 0);
        if (n <= 0) {
            return n;
        }
        sum += (size_t)n;
    }
    return (long)sum;
}

static void make_vmsplice(call *c)
{
    CALL(c, vmsplice_all(c));
}

static void make_tee(call *c)
{
    int copy[2];
    must(pipe(copy) == 0, "a pipe");
    CALL(c, tee(c->near, copy[1], 1000, 0));
    close(copy[0]);
    close(copy[1]);
}

static void make_read(call *c)
{
    RECEIVE(c, read(c->near, c->buffer, c->amount));
}

static void make_readv(call *c)
{
    struct iovec parts[2] = PARTS(c);
    RECEIVE(c, readv(c->near, parts, 2));
}

static void make_preadv2(call *c)
{
    struct iovec parts[2] = PARTS(c);
    RECEIVE(c, preadv2(c->near, parts, 2, -1, 0));
}

static void make_read_number(call *c)
{
    CALL(c, read(c->near, c->buffer, c->amount));
    c->sum = (unsigned char)c->buffer[0];
}

static void make_recv_all(call *c)
{
    RECEIVE(c, recv(c->near, c->buffer, c->amount, MSG_WAITALL));
}

static void make_recv(call *c)
{
    RECEIVE(c, recv(c->near, c->buffer, c->amount, 0));
}

static void make_peek(call *c)
{
    RECEIVE(c, recv(c->near, c->buffer, c->amount, MSG_PEEK));
}

static void make_recvfrom(call *c)
{
    RECEIVE(c, recvfrom(c->near, c->buffer, c->amount, MSG_WAITALL, NULL, NULL));
}

static void make_recvmsg(call *c)
{
    struct iovec parts[2] = PARTS(c);
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    RECEIVE(c, recvmsg(c->near, &message, MSG_WAITALL));
}

static void receive_four(call *c, struct timespec *most)
{
    struct mmsghdr messages[4] = {0};
    struct iovec parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = (struct iovec){c->buffer + 1000 * i, 1000};
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    CALL(c, recvmmsg(c->near, messages, 4, 0, most));
    c->sum = add_bytes(c->sum, c->buffer, 4000);
}

static void make_recvmmsg(call *c)
{
    receive_four(c, NULL);
}

static void make_recvmmsg_with_limit(call *c)
{
    struct timespec most = {60, 0};
    receive_four(c, &most);
}

/* Closes a new file descriptor. Returns 0, or -1 as the call that made it. */
static int opened(int descriptor)
{
    return descriptor < 0 ? -1 : close(descriptor);
}

static void make_accept(call *c)
{
    CALL(c, opened(accept(c->near, NULL, NULL)));
}

static void make_accept4(call *c)
{
    CALL(c, opened(accept4(c->near, NULL, NULL, SOCK_CLOEXEC)));
}

static void make_connect(call *c)
{
    CALL(c, connect(c->near, (struct sockaddr *)&c->address, c->address_length));
}

/* ---- transfers that do not wait, but take a while
 * -------------------------------------------------- */

#define SHORTEST(result, expression)                                                               \
    for (int i = 0; i < N_LARGE; i++) {                                                            \
        long n = (long)(expression);                                                               \
        (result) = n < (result) ? n : (result);                                                    \
    }

static void set_large(call *c)
{
    c->buffer =
        mmap(NULL, 2 * (size_t)LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(c->buffer != MAP_FAILED, "memory");
    c->near = new_file(LARGE);
}

static void read_device(call *c, const char *path)
{
    int device = open(path, O_RDONLY);
    long least = LARGE;
    begin(c);
    SHORTEST(least, read(device, c->buffer, LARGE))
    end(c, least);
    close(device);
}

static void make_read_zero(call *c)
{
    read_device(c, "/dev/zero");
}

static void make_read_urandom(call *c)
{
    read_device(c, "/dev/urandom");
}

static void make_getrandom(call *c)
{
    long least = LARGE;
    begin(c);
    SHORTEST(least, getrandom(c->buffer, LARGE, 0))
    end(c, least);
}

static void make_read_file(call *c)
{
    long least = LARGE;
    begin(c);
    SHORTEST(least, pread(c->near, c->buffer, LARGE, 0))
    end(c, least);
}

static void make_write_file(call *c)
{
    long least = LARGE;
    begin(c);
    SHORTEST(least, pwrite(c->near, c->buffer, LARGE, 0))
    end(c, least);
}

static long copied(call *c, int to)
{
    off_t from_offset = 0, to_offset = 0;
    return copy_file_range(c->near, &from_offset, to, &to_offset, LARGE, 0);
}

static void make_copy_file_range(call *c)
{
    int to = new_file(0);
    long least = LARGE;
    begin(c);
    SHORTEST(least, copied(c, to))
    end(c, least);
    close(to);
}

static long sent_to_file(call *c, int to)
{
    off_t from = 0;
    lseek(to, 0, SEEK_SET);
    return sendfile(to, c->near, &from, LARGE);
}

static void make_sendfile_to_file(call *c)
{
    int to = new_file(0);
    long least = LARGE;
    begin(c);
    SHORTEST(least, sent_to_file(c, to))
    end(c, least);
    close(to);
}

static void make_process_vm_readv(call *c)
{
    struct iovec from = {c->buffer + LARGE, LARGE}, to = {c->buffer, LARGE};
    long least = LARGE;
    begin(c);
    SHORTEST(least, process_vm_readv(getpid(), &to, 1, &from, 1, 0))
    end(c, least);
}

static long synced(call *c)
{
    must(pwrite(c->near, "x", 1, 0) == 1, "a byte");
    return fsync(c->near);
}

static void make_fsync(call *c)
{
    long least = 0;
    begin(c);
    SHORTEST(least, synced(c))
    end(c, least);
}

/* ---- waits
 * --------------------------------------------------------------------------------------- */

static void make_futex(call *c)
{
    CALL(c, syscall(SYS_futex, &c->words[0], FUTEX_WAIT, 0, NULL, NULL, 0));
}

static void make_futex_with_limit(call *c)
{
    CALL(c, syscall(SYS_futex, &c->words[0], FUTEX_WAIT, 0, &limit, NULL, 0));
}

static void make_futex_bitset(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_MONOTONIC);
    CALL(c, syscall(SYS_futex, &c->words[0], FUTEX_WAIT_BITSET, 0, &until, NULL,
                    FUTEX_BITSET_MATCH_ANY));
}

static void make_futex_requeue_pi(call *c)
{
    CALL(c, syscall(SYS_futex, &c->words[0], FUTEX_WAIT_REQUEUE_PI, 0, NULL, &c->words[1], 0));
}

static void make_futex_requeue_pi_with_limit(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_MONOTONIC);
    CALL(c, syscall(SYS_futex, &c->words[0], FUTEX_WAIT_REQUEUE_PI, 0, &until, &c->words[1], 0));
}

#ifdef SYS_futex_waitv
static void make_futex_waitv(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_MONOTONIC);
    struct futex_waitv words[2] = {{.uaddr = (uintptr_t)&c->words[0], .flags = FUTEX_32},
                                   {.uaddr = (uintptr_t)&c->words[1], .flags = FUTEX_32}};
    CALL(c, syscall(SYS_futex_waitv, words, 2, 0, &until, CLOCK_MONOTONIC));
}
#endif

static void make_cond_wait(call *c)
{
    pthread_mutex_lock(&c->mutex);
    begin(c);
    int error = 0;
    while (c->words[0] == 0 && error == 0) {
        error = pthread_cond_wait(&c->condition, &c->mutex);
    }
    end(c, error);
    pthread_mutex_unlock(&c->mutex);
}

static void make_cond_timedwait(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_REALTIME);
    pthread_mutex_lock(&c->mutex);
    CALL(c, pthread_cond_timedwait(&c->condition, &c->mutex, &until));
    pthread_mutex_unlock(&c->mutex);
}

static void set_inheriting_mutex(call *c)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&c->mutex, &attributes);
}

static void make_mutex_lock(call *c)
{
    while (!atomic_load(&c->is_ready)) {
        nap_ms(1);
    }
    CALL(c, pthread_mutex_lock(&c->mutex));
    pthread_mutex_unlock(&c->mutex);
}

static void make_sem_wait(call *c)
{
    CALL(c, sem_wait(&c->semaphore));
}

static void make_sem_timedwait(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_REALTIME);
    CALL(c, sem_timedwait(&c->semaphore, &until));
}

static void make_poll(call *c)
{
    struct pollfd wanted = {.fd = c->near, .events = POLLIN};
    CALL(c, poll(&wanted, 1, c->row->limit_ms ? WAIT_MS : -1));
    c->sum = (uint64_t)wanted.revents;
}

static void make_ppoll(call *c)
{
    struct pollfd wanted = {.fd = c->near, .events = POLLIN};
    CALL(c, ppoll(&wanted, 1, c->row->limit_ms ? &limit : NULL, NULL));
    c->sum = (uint64_t)wanted.revents;
}

static void make_select(call *c)
{
    fd_set wanted;
    struct timeval most = {0, WAIT_MS * 1000};
    FD_ZERO(&wanted);
    FD_SET(c->near, &wanted);
    CALL(c, select(c->near + 1, &wanted, NULL, NULL, c->row->limit_ms ? &most : NULL));
}

static void make_pselect(call *c)
{
    fd_set wanted;
    FD_ZERO(&wanted);
    FD_SET(c->near, &wanted);
    CALL(c, pselect(c->near + 1, &wanted, NULL, NULL, c->row->limit_ms ? &limit : NULL, NULL));
}

static int epoll_of(call *c)
{
    struct epoll_event wanted = {.events = EPOLLIN};
    int set = epoll_create1(0);
    must(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, c->near, &wanted) == 0, "a set of descriptors");
    return set;
}

static void make_epoll_wait(call *c)
{
    struct epoll_event event;
    int set = epoll_of(c);
    CALL(c, epoll_wait(set, &event, 1, c->row->limit_ms ? WAIT_MS : -1));
    close(set);
}

static void make_epoll_pwait(call *c)
{
    struct epoll_event event;
    sigset_t none;
    sigfillset(&none);
    int set = epoll_of(c);
    CALL(c, epoll_pwait(set, &event, 1, c->row->limit_ms ? WAIT_MS : -1, &none));
    close(set);
}

static void make_epoll_pwait2(call *c)
{
    struct epoll_event event;
    int set = epoll_of(c);
    CALL(c, syscall(SYS_epoll_pwait2, set, &event, 1, c->row->limit_ms ? &limit : NULL, NULL, 0));
    close(set);
}

static void make_nanosleep(call *c)
{
    CALL(c, nanosleep(&limit, NULL));
}

static void make_clock_nanosleep(call *c)
{
    CALL(c, clock_nanosleep(CLOCK_BOOTTIME, 0, &limit, NULL));
}

static void make_clock_nanosleep_until(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_MONOTONIC);
    CALL(c, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
}

/* ---- signals and processes
 * ------------------------------------------------------------------------- */

static sigset_t only(int signal_number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    return set;
}

static void make_pause(call *c)
{
    sigset_t set = only(SIGUSR1);
    begin(c);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    end(c, pause());
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void make_sigsuspend(call *c)
{
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    CALL(c, sigsuspend(&set));
}

static void make_sigwaitinfo(call *c)
{
    sigset_t set = only(SIGUSR1);
    CALL(c, sigwaitinfo(&set, NULL));
}

static void make_sigtimedwait(call *c)
{
    sigset_t set = only(SIGUSR2);
    CALL(c, sigtimedwait(&set, NULL, &limit));
}

static atomic_int n_alarms;

static void handle(int signal_number)
{
    n_alarms += signal_number == SIGALRM;
}

/* Waits for two alarms, which come only to this thread. */
static void make_alarms(call *c)
{
    struct itimerval once = {.it_value = {0, WAIT_MS * 1000}};
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGALRM);
    begin(c);
    setitimer(ITIMER_REAL, &once, NULL);
    sigsuspend(&set);
    alarm(1);
    sigsuspend(&set);
    end(c, n_alarms);
}

static void make_wait4(call *c)
{
    int status = 0;
    begin(c);
    pid_t found = wait4(c->child, &status, 0, NULL);
    end(c, found == c->child ? WEXITSTATUS(status) : -1);
}

static void make_waitid(call *c)
{
    siginfo_t info = {0};
    begin(c);
    int result = waitid(P_PID, (id_t)c->child, &info, WEXITED | WNOWAIT);
    end(c, result == 0 && info.si_pid == c->child ? info.si_status : -1);
    waitpid(c->child, NULL, 0);
}

static void make_vfork(call *c)
{
    int status = 0;
    begin(c);
    pid_t child = vfork();
    if (child == 0) {
        syscall(SYS_nanosleep, &limit, NULL);
        _exit(5);
    }
    end(c, child < 0 ? -1 : 0);
    waitpid(child, &status, 0);
    c->sum = (uint64_t)status;
}

static void make_flock(call *c)
{
    CALL(c, flock(c->near, LOCK_EX));
}

static void make_setlkw(call *c)
{
    struct flock lock = {.l_type = F_WRLCK};
    CALL(c, fcntl(c->near, F_SETLKW, &lock));
    waitpid(c->child, NULL, 0);
}

static void make_ofd_setlkw(call *c)
{
    struct flock lock = {.l_type = F_WRLCK};
    CALL(c, fcntl(c->near, F_OFD_SETLKW, &lock));
}

/* ---- queues and semaphores of System V and POSIX
 * ------------------------------------------------------- */

static void make_msgsnd(call *c)
{
    CALL(c, msgsnd(c->id, c->buffer, 1000, 0));
    msgctl(c->id, IPC_RMID, NULL);
}

static void make_msgrcv(call *c)
{
    CALL(c, msgrcv(c->id, c->buffer, 1000, 0, 0));
    c->sum = add_bytes(c->sum, c->buffer + sizeof(long), 5);
    msgctl(c->id, IPC_RMID, NULL);
}

static void make_semop(call *c)
{
    struct sembuf down = {.sem_op = -1};
    CALL(c, semop(c->id, &down, 1));
    semctl(c->id, 0, IPC_RMID);
}

static void make_semtimedop(call *c)
{
    struct sembuf down = {.sem_op = -1};
    CALL(c, semtimedop(c->id, &down, 1, &limit));
    semctl(c->id, 0, IPC_RMID);
}

static void make_mq_send(call *c)
{
    CALL(c, mq_send(c->queue, c->buffer, 10, 0));
}

static void make_mq_timedsend(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_REALTIME);
    CALL(c, mq_timedsend(c->queue, c->buffer, 10, 0, &until));
}

static void make_mq_receive(call *c)
{
    RECEIVE(c, mq_receive(c->queue, c->buffer, 100, NULL));
}

static void make_mq_timedreceive(call *c)
{
    struct timespec until = end_of_wait(c, CLOCK_REALTIME);
    CALL(c, mq_timedreceive(c->queue, c->buffer, 100, NULL, &until));
}

static void make_open_fifo(call *c)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, c->row->name);
    CALL(c, opened(open(path, strstr(c->row->name, "write") ? O_WRONLY : O_RDONLY)));
}

/* Reads a key of the thread's own. The kernel may not permit keys. */
static void make_keyctl(call *c)
{
    long key = syscall(SYS_add_key, "user", "calls", "secret", 6, -1);
    fill(c, 100);
    RECEIVE(c, key < 0 ? key : syscall(SYS_keyctl, 11, key, c->buffer, 100));
}

/* ---- asynchronous input and output
 * ---------------------------------------------------------------------- */

static void make_io_getevents(call *c)
{
    aio_context_t context = 0;
    struct io_event event = {0};
    begin(c);
    if (syscall(SYS_io_setup, 1, &context) != 0) {
        end(c, -1);
        return;
    }
    struct iocb wanted = {
        .aio_fildes = (uint32_t)c->near, .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN};
    struct iocb *list[1] = {&wanted};
    must(syscall(SYS_io_submit, context, 1, list) == 1, "a request");
    end(c, syscall(SYS_io_getevents, context, 1, 1, &event, c->row->limit_ms ? &limit : NULL));
    c->sum = (uint64_t)event.res;
    syscall(SYS_io_destroy, context);
}

static void make_io_submit(call *c)
{
    aio_context_t context = 0;
    struct io_event event = {0};
    begin(c);
    if (syscall(SYS_io_setup, 1, &context) != 0) {
        end(c, -1);
        return;
    }
    struct iocb wanted = {.aio_fildes = (uint32_t)c->near,
                          .aio_lio_opcode = IOCB_CMD_PREAD,
                          .aio_buf = (uintptr_t)c->buffer,
                          .aio_nbytes = c->amount};
    struct iocb *list[1] = {&wanted};
    long submitted = syscall(SYS_io_submit, context, 1, list);
    end(c, submitted);
    must(syscall(SYS_io_getevents, context, 1, 1, &event, NULL) == 1, "a result");
    c->sum = add_bytes(c->sum, c->buffer, event.res > 0 ? (size_t)event.res : 0);
    syscall(SYS_io_destroy, context);
}

typedef struct ring {
    int fd;
    char *queues;
    struct io_uring_sqe *entries;
    struct io_uring_params params;
} ring;

static bool ring_open(ring *r)
{
    *r = (ring){.fd = -1};
    r->fd = (int)syscall(SYS_io_uring_setup, 4, &r->params);
    if (r->fd < 0) {
        return false;
    }
    size_t size = r->params.cq_off.cqes + r->params.cq_entries * sizeof(struct io_uring_cqe) + 4096;
    r->queues = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_SQ_RING);
    r->entries = mmap(NULL, 4 * sizeof *r->entries, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
                      IORING_OFF_SQES);
    return r->queues != MAP_FAILED && r->entries != MAP_FAILED;
}

static void ring_add(ring *r, struct io_uring_sqe entry)
{
    r->entries[0] = entry;
    ((unsigned *)(r->queues + r->params.sq_off.array))[0] = 0;
    __atomic_store_n((unsigned *)(r->queues + r->params.sq_off.tail), 1, __ATOMIC_RELEASE);
}

static long ring_enter(ring *r, unsigned n, unsigned flags, void *argument, size_t size)
{
    return syscall(SYS_io_uring_enter, r->fd, n, 1, flags | IORING_ENTER_GETEVENTS, argument, size);
}

static int32_t ring_result(ring *r)
{
    return ((struct io_uring_cqe *)(r->queues + r->params.cq_off.cqes))->res;
}

/* Submits a read, and waits for its end in the same call. */
static void make_io_uring(call *c)
{
    ring r;
    begin(c);
    if (!ring_open(&r)) {
        end(c, -1);
        return;
    }
    ring_add(&r, (struct io_uring_sqe){.opcode = IORING_OP_READ,
                                       .fd = c->near,
                                       .addr = (uintptr_t)c->buffer,
                                       .len = 100,
                                       .off = UINT64_MAX});
    CALL(c, ring_enter(&r, 1, 0, NULL, 0));
    c->sum = (uint64_t)ring_result(&r);
    close(r.fd);
}

/* Waits for a timer that was submitted before. */
static void make_io_uring_wait(call *c)
{
    ring r;
    struct __kernel_timespec most = {0, WAIT_MS * 1000000};
    begin(c);
    if (!ring_open(&r)) {
        end(c, -1);
        return;
    }
    ring_add(
        &r, (struct io_uring_sqe){.opcode = IORING_OP_TIMEOUT, .addr = (uintptr_t)&most, .len = 1});
    must(syscall(SYS_io_uring_enter, r.fd, 1, 0, 0, NULL, 0) == 1, "a request");
    end(c, ring_enter(&r, 0, 0, NULL, 0));
    c->sum = (uint64_t)-ring_result(&r);
    close(r.fd);
}

static void make_io_uring_limit(call *c)
{
    ring r;
    struct __kernel_timespec most = {0, WAIT_MS * 1000000};
    struct io_uring_getevents_arg argument = {.ts = (uintptr_t)&most};
    begin(c);
    if (!ring_open(&r)) {
        end(c, -1);
        return;
    }
    end(c, ring_enter(&r, 0, IORING_ENTER_EXT_ARG, &argument, sizeof argument));
    close(r.fd);
}

/* ---- the table
 * ------------------------------------------------------------------------------------------ */

static const row rows[] = {
    {"write-pipe", set_pipe_to_far, make_write, drain, 0},
    {"write-stream", set_stream, make_write, drain, 0},
    {"write-tcp", set_tcp, make_write, drain, 0},
    {"write-tty", set_raw_terminal, make_write, drain, 0},
    {"write-eventfd", set_full_eventfd, make_write, take_number, 0},
    {"write-file", set_large, make_write_file, NULL, 0},
    {"writev-pipe", set_pipe_to_far, make_writev, drain, 0},
    {"writev-tcp", set_tcp, make_writev, drain, 0},
    {"pwritev2-pipe", set_pipe_to_far, make_pwritev2, drain, 0},
    {"send-stream", set_stream, make_send, drain, 0},
    {"send-tcp", set_tcp, make_send, drain, 0},
    {"send-datagrams", set_datagrams, make_packets, drain, 0},
    {"send-packets", set_packets, make_packets, drain, 0},
    {"send-limit", set_full_stream_with_limit, make_send, NULL, WAIT_MS},
    {"sendto-stream", set_stream, make_sendto, drain, 0},
    {"sendmsg-stream", set_stream, make_sendmsg, drain, 0},
    {"sendmsg-tcp", set_tcp, make_sendmsg, drain, 0},
    {"sendmmsg-stream", set_stream, make_sendmmsg, drain, 0},
    {"sendfile-stream", set_stream, make_sendfile, drain, 0},
    {"sendfile-file", set_large, make_sendfile_to_file, NULL, 0},
    {"splice-to-pipe", set_pipe_to_far, make_splice_to_pipe, drain, 0},
    {"splice-from-pipe", set_pipe_from_far, make_splice_from_pipe, feed, 0},
    {"vmsplice", set_pipe_to_far, make_vmsplice, drain, 0},
    {"tee", set_pipe_from_far, make_tee, send_byte, 0},
    {"copy_file_range", set_large, make_copy_file_range, NULL, 0},
    {"read-pipe", set_pipe_from_far, make_read, send_byte, 0},
    {"read-stream", set_stream, make_read, send_byte, 0},
    {"read-tcp", set_tcp, make_read, send_byte, 0},
    {"read-tty", set_line, make_read, send_line, 0},
    {"read-eventfd", set_eventfd, make_read, send_number, 0},
    {"read-timerfd", set_timerfd, make_read, NULL, 0},
    {"read-signalfd", set_signalfd, make_read_number, send_signal, 0},
    {"read-inotify", set_inotify, make_read, create_file, 0},
    {"read-zero", set_large, make_read_zero, NULL, 0},
    {"read-urandom", set_large, make_read_urandom, NULL, 0},
    {"read-file", set_large, make_read_file, NULL, 0},
    {"readv-pipe", set_pipe_from_far, make_readv, send_byte, 0},
    {"preadv2-pipe", set_pipe_from_far, make_preadv2, send_byte, 0},
    {"recv-stream", set_stream, make_recv, send_byte, 0},
    {"recv-packet", set_packets, make_recv, send_byte, 0},
    {"recv-datagram", set_datagrams, make_recv, send_byte, 0},
    {"recv-peek", set_stream, make_peek, send_byte, 0},
    {"recv-all-stream", set_stream, make_recv_all, feed, 0},
    {"recv-all-tcp", set_tcp, make_recv_all, feed, 0},
    {"recv-limit", set_stream_with_limit, make_recv, NULL, WAIT_MS},
    {"recv-all-limit", set_tcp_with_limit, make_recv_all, NULL, WAIT_MS},
    {"recvfrom-all", set_stream, make_recvfrom, feed, 0},
    {"recvmsg-all-stream", set_stream, make_recvmsg, feed, 0},
    {"recvmsg-all-tcp", set_tcp, make_recvmsg, feed, 0},
    {"recvmmsg", set_datagrams, make_recvmmsg, feed_four, 0},
    {"recvmmsg-limit", set_datagrams, make_recvmmsg_with_limit, feed_four, 0},
    {"accept", set_listening, make_accept, connect_later, 0},
    {"accept-unix", set_listening_unix, make_accept, connect_later, 0},
    {"accept4", set_listening, make_accept4, connect_later, 0},
    {"accept-limit", set_listening_with_limit, make_accept, NULL, WAIT_MS},
    {"connect", set_full_backlog, make_connect, accept_later, 0},
    {"connect-limit", set_full_backlog_with_limit, make_connect, NULL, WAIT_MS},
    {"getrandom", set_large, make_getrandom, NULL, 0},
    {"process_vm_readv", set_large, make_process_vm_readv, NULL, 0},
    {"fsync", set_large, make_fsync, NULL, 0},
    {"keyctl", NULL, make_keyctl, NULL, 0},
    {"io_getevents", set_pipe_from_far, make_io_getevents, send_byte, 0},
    {"io_getevents-limit", set_pipe_from_far, make_io_getevents, NULL, WAIT_MS},
    {"io_submit", set_pipe_from_far, make_io_submit, send_byte, 0},
    {"io_uring_enter", set_pipe_from_far, make_io_uring, send_byte, 0},
    {"io_uring_enter-wait", NULL, make_io_uring_wait, NULL, WAIT_MS},
    {"io_uring_enter-limit", NULL, make_io_uring_limit, NULL, WAIT_MS},
    {"futex", NULL, make_futex, wake, 0},
    {"futex-limit", NULL, make_futex_with_limit, NULL, WAIT_MS},
    {"futex-bitset", NULL, make_futex_bitset, NULL, WAIT_MS},
    {"futex-requeue-pi", NULL, make_futex_requeue_pi, requeue, 0},
    {"futex-requeue-pi-limit", NULL, make_futex_requeue_pi_with_limit, NULL, WAIT_MS},
#ifdef SYS_futex_waitv
    {"futex_waitv", NULL, make_futex_waitv, NULL, WAIT_MS},
#endif
    {"pthread_mutex_lock", set_inheriting_mutex, make_mutex_lock, hold_mutex, 0},
    {"pthread_cond_wait", NULL, make_cond_wait, signal_condition, 0},
    {"pthread_cond_timedwait", NULL, make_cond_timedwait, NULL, WAIT_MS},
    {"sem_wait", NULL, make_sem_wait, post, 0},
    {"sem_timedwait", NULL, make_sem_timedwait, NULL, WAIT_MS},
    {"poll", set_pipe_from_far, make_poll, send_byte, 0},
    {"poll-limit", set_pipe_from_far, make_poll, NULL, WAIT_MS},
    {"ppoll", set_pipe_from_far, make_ppoll, send_byte, 0},
    {"ppoll-limit", set_pipe_from_far, make_ppoll, NULL, WAIT_MS},
    {"select", set_pipe_from_far, make_select, send_byte, 0},
    {"select-limit", set_pipe_from_far, make_select, NULL, WAIT_MS},
    {"pselect", set_pipe_from_far, make_pselect, send_byte, 0},
    {"pselect-limit", set_pipe_from_far, make_pselect, NULL, WAIT_MS},
    {"epoll_wait", set_pipe_from_far, make_epoll_wait, send_byte, 0},
    {"epoll_wait-limit", set_pipe_from_far, make_epoll_wait, NULL, WAIT_MS},
    {"epoll_pwait", set_pipe_from_far, make_epoll_pwait, send_byte, 0},
    {"epoll_pwait-limit", set_pipe_from_far, make_epoll_pwait, NULL, WAIT_MS},
    {"epoll_pwait2", set_pipe_from_far, make_epoll_pwait2, send_byte, 0},
    {"epoll_pwait2-limit", set_pipe_from_far, make_epoll_pwait2, NULL, WAIT_MS},
    {"nanosleep", NULL, make_nanosleep, NULL, WAIT_MS},
    {"clock_nanosleep", NULL, make_clock_nanosleep, NULL, WAIT_MS},
    {"clock_nanosleep-until", NULL, make_clock_nanosleep_until, NULL, WAIT_MS},
    {"pause", NULL, make_pause, send_signals, 0},
    {"sigsuspend", NULL, make_sigsuspend, send_signals, 0},
    {"sigwaitinfo", NULL, make_sigwaitinfo, send_signal, 0},
    {"sigtimedwait-limit", NULL, make_sigtimedwait, NULL, WAIT_MS},
    {"setitimer-alarm", NULL, make_alarms, NULL, WAIT_MS + 1000},
    {"wait4", set_child, make_wait4, NULL, 0},
    {"waitid", set_child, make_waitid, NULL, 0},
    {"vfork", NULL, make_vfork, NULL, WAIT_MS},
    {"flock", set_locked_file, make_flock, unlock, 0},
    {"fcntl-setlkw", set_child, make_setlkw, NULL, 0},
    {"fcntl-ofd-setlkw", set_locked_description, make_ofd_setlkw, unlock, 0},
    {"msgsnd", set_full_message_queue, make_msgsnd, take_messages, 0},
    {"msgrcv", set_message_queue, make_msgrcv, send_message, 0},
    {"semop", set_semaphore, make_semop, raise_semaphore, 0},
    {"semtimedop-limit", set_semaphore, make_semtimedop, NULL, WAIT_MS},
    {"mq_send", set_full_posix_queue, make_mq_send, take_from_posix_queue, 0},
    {"mq_send-limit", set_full_posix_queue, make_mq_timedsend, NULL, WAIT_MS},
    {"mq_receive", set_posix_queue, make_mq_receive, send_to_posix_queue, 0},
    {"mq_receive-limit", set_posix_queue, make_mq_timedreceive, NULL, WAIT_MS},
    {"open-fifo-read", set_fifo, make_open_fifo, open_fifo, 0},
    {"open-fifo-write", set_fifo, make_open_fifo, open_fifo, 0},
};

enum { N_ROWS = sizeof rows / sizeof *rows };

static call calls[N_ROWS];
static pthread_barrier_t all_are_set_up;
static atomic_int n_left;

static void *run_peer(void *context)
{
    call *c = context;
    c->row->peer(c);
    return NULL;
}

static void *run_call(void *context)
{
    call *c = context;
    pthread_t peer;
    if (c->row->set_up) {
        c->row->set_up(c);
    }
    pthread_barrier_wait(&all_are_set_up);
    if (c->row->peer) {
        must(pthread_create(&peer, NULL, run_peer, c) == 0, "a thread");
    }
    c->row->make(c);
    if (c->row->peer) {
        if (c->near != c->far) {
            close(c->near);
        }
        pthread_join(peer, NULL);
    }
    atomic_fetch_sub(&n_left, 1);
    return NULL;
}

static bool is_wanted(const row *r, char **names)
{
    bool is_named = !*names;
    for (; *names; names++) {
        is_named = is_named || strcmp(*names, r->name) == 0;
    }
    return is_named;
}

static void print_call(const call *c, bool with_time)
{
    long ms = (long)((c->end_s - c->begin_s) * 1000);
    if (!atomic_load(&c->is_done)) {
        say("%s does not end\n", c->row->name);
        return;
    }
    say("%s %ld %s %016llx%s%s", c->row->name, c->result,
        c->error ? strerrorname_np(c->error) : "-", (unsigned long long)(c->sum + c->more),
        ms < c->row->limit_ms - 5 ? " early" : "", ms > c->row->limit_ms + 100000 ? " late" : "");
    if (with_time) {
        say(" %ld ms", ms);
    }
    say("\n");
}

int main(int argc, char **argv)
{
    must(argc >= 2, "a directory");
    directory = argv[1];
    bool with_time = argc > 2 && strcmp(argv[2], "-t") == 0;
    char **names = argv + (with_time ? 3 : 2);
    sigset_t set;
    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, handle);
    signal(SIGALRM, handle);
    keep(N_BLOCKS, BLOCK);

    unsigned n_wanted = 0;
    for (int i = 0; i < N_ROWS; i++) {
        n_wanted += is_wanted(&rows[i], names);
    }
    pthread_barrier_init(&all_are_set_up, NULL, n_wanted);
    n_left = (int)n_wanted;
    for (int i = 0; i < N_ROWS; i++) {
        calls[i] = (call){.row = &rows[i], .near = -1, .far = -1};
        pthread_mutex_init(&calls[i].mutex, NULL);
        pthread_cond_init(&calls[i].condition, NULL);
        sem_init(&calls[i].semaphore, 0, 0);
        if (is_wanted(&rows[i], names)) {
            must(pthread_create(&calls[i].thread, NULL, run_call, &calls[i]) == 0, "a thread");
        }
    }
    for (double end_s = now_s() + 60; n_left > 0 && now_s() < end_s;) {
        nap_ms(20);
    }
    for (int i = 0; i < N_ROWS; i++) {
        if (is_wanted(&rows[i], names)) {
            print_call(&calls[i], with_time);
        }
    }
    return n_left > 0;
}
