/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes one blocking system call, named by the argument, and prints what it returned:
 *   CALL: RESULT ERRNO
 * A child ends the wait when a byte comes from standard input. Those with a limit end by
 * themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1000000, LIMIT_MS = 5000 };

static char bytes[MANY];
static int ends[2];    /* of a pipe */
static int sockets[2]; /* a pair */
static int place, semaphore;
static uint32_t *word; /* shared */
static const char *call;

static int is(const char *name)
{
    return strcmp(call, name) == 0;
}

static struct sockaddr_un address_of(pid_t id, socklen_t *n)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    *n =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                    (size_t)snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "blocked-%d", (int)id));
    return a;
}

/* Moves as many bytes as the other end needs, in pieces. */
static void move(int is_read, int file)
{
    for (size_t n = 0; n < MANY;) {
        size_t piece = MANY - n < 50000 ? MANY - n : 50000;
        ssize_t got = is_read ? read(file, bytes, piece) : write(file, bytes, piece);
        n += got > 0 ? (size_t)got : MANY;
    }
}

static void end_wait(void)
{
    socklen_t n;
    struct sockaddr_un a = address_of(getppid(), &n);
    struct sembuf post = {0, 1, 0};
    char byte;
    if (read(STDIN_FILENO, &byte, 1) != 1) {
        _exit(3);
    }
    if (is("write")) {
        move(1, ends[0]);
    } else if (is("send")) {
        move(1, sockets[1]);
    } else if (is("recv_all")) {
        move(0, sockets[1]);
    } else if (is("accept")) {
        int file = socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(connect(file, (struct sockaddr *)&a, n) != 0);
    } else if (is("sigwaitinfo")) {
        kill(getppid(), SIGUSR1);
    } else if (is("semop")) {
        semop(semaphore, &post, 1);
    } else if (is("flock")) {
        flock(place, LOCK_UN);
    } else if (is("futex")) {
        *word = 1;
        syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    } else if (write(is("recv_limit") || is("readv_limit") ? sockets[1] : ends[1], "x", 1) != 1) {
        _exit(3);
    }
    _exit(7);
}

static long wait_for(pid_t child)
{
    const struct timespec limit = {LIMIT_MS / 1000, LIMIT_MS % 1000 * 1000000};
    struct timeval long_limit = {100, 0};
    struct timespec end;
    struct epoll_event event = {.events = EPOLLIN};
    struct pollfd file = {.fd = ends[0], .events = POLLIN};
    struct sembuf take = {0, -1, 0};
    struct iovec parts[2] = {{bytes, 1}, {bytes + 1, 1}};
    struct io_event done;
    aio_context_t queue = 0;
    sigset_t signals;
    fd_set files;
    int status = 0, polled = epoll_create1(0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    FD_ZERO(&files);
    FD_SET(ends[0], &files);
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &long_limit, sizeof long_limit);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += LIMIT_MS / 1000;
    epoll_ctl(polled, EPOLL_CTL_ADD, ends[0], &event);
    return is("nanosleep")         ? nanosleep(&limit, NULL)
           : is("clock_nanosleep") ? clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL)
           : is("read")            ? read(ends[0], bytes, 10)
           : is("readv")           ? readv(ends[0], parts, 2)
           : is("readv_limit")     ? readv(sockets[0], parts, 2)
           : is("recv_limit")      ? recv(sockets[0], bytes, 10, 0)
           : is("write")           ? write(ends[1], bytes, MANY)
           : is("send")            ? send(sockets[0], bytes, MANY, 0)
           : is("recv_all")        ? recv(sockets[0], bytes, MANY, MSG_WAITALL)
           : is("poll")            ? poll(&file, 1, -1)
           : is("poll_limit")      ? poll(NULL, 0, LIMIT_MS)
           : is("select")          ? select(ends[0] + 1, &files, NULL, NULL, &long_limit)
           : is("epoll")           ? epoll_wait(polled, &event, 1, -1)
           : is("futex")           ? syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0)
           : is("futex_limit")     ? syscall(SYS_futex, word, FUTEX_WAIT, 0, &limit, NULL, 0)
           : is("sigwaitinfo")     ? sigwaitinfo(&signals, NULL)
           : is("sigtimedwait")    ? sigtimedwait(&signals, NULL, &limit)
           : is("accept")          ? accept(place, NULL, NULL) > 0
           : is("wait4")           ? waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7
           : is("semop")           ? semop(semaphore, &take, 1)
           : is("flock")           ? flock(open("blocked.lock", O_RDWR), LOCK_EX)
           : is("io_getevents") && syscall(SYS_io_setup, 1, &queue) == 0
               ? syscall(SYS_io_getevents, queue, 1, 1, &done, &limit)
               : -2;
}

int main(int argc, char **argv)
{
    call = argc > 1 ? argv[1] : "";
    socklen_t n;
    struct sockaddr_un a = address_of(getpid(), &n);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    semaphore = semget(IPC_PRIVATE, 1, 0600);
    if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
        return 3;
    }
    if (is("accept")) {
        place = socket(AF_UNIX, SOCK_STREAM, 0);
        if (bind(place, (struct sockaddr *)&a, n) != 0 || listen(place, 1) != 0) {
            return 3;
        }
    } else if (is("flock")) {
        place = open("blocked.lock", O_RDWR | O_CREAT, 0600);
        flock(place, LOCK_EX);
    }
    pid_t child = fork();
    if (child == 0) {
        end_wait();
    }
    printf("begin\n");
    fflush(stdout);
    errno = 0;
    long result = wait_for(child);
    printf("%s: %ld %d\n", call, result, errno);
    semctl(semaphore, 0, IPC_RMID);
    return 5;
}
