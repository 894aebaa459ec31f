/* SPDX-License-Identifier: BSD-2-Clause
 *
 * measure SECONDS COMMAND...: runs a command without its output, for at most so much CPU time, and
 * prints what it cost: wall seconds, CPU seconds, peak resident KiB, exit status (-1: stopped). A
 * program of its own, because a process begins with the peak memory of the one that made it: an
 * interpreter's would hide that of small commands.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void become(char **command, rlim_t most_s)
{
    struct rlimit limit = {most_s, most_s};
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2 &&
        setrlimit(RLIMIT_CPU, &limit) == 0) {
        execvp(command[0], command);
    }
    _exit(127);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    double begin = now_s();
    pid_t child = argc > 2 ? fork() : -1;
    if (child == 0) {
        become(argv + 2, strtoul(argv[1], NULL, 10));
    }
    if (child < 0 || waitpid(child, &status, 0) != child ||
        getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        fprintf(stderr, "usage: measure SECONDS COMMAND...\n");
        return 2;
    }
    printf("%.6f %.6f %ld %d\n", now_s() - begin, seconds(usage.ru_utime) + seconds(usage.ru_stime),
           usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
