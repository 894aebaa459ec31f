/* SPDX-License-Identifier: BSD-2-Clause
 *
 * measure [-o FILE] SECONDS COMMAND...: runs a command without its output, for at most so much CPU
 * time, and prints what it cost, or writes it to FILE: wall seconds, CPU seconds, peak resident
 * KiB, exit status (-1: stopped). A program of its own, because a process begins with the peak
 * memory of the one that made it: an interpreter's would hide the memory of small commands.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Where the figures go: to the file of -o, or to standard output. Steps over the option. */
static FILE *open_output(int *argc, char ***argv)
{
    if (*argc < 3 || strcmp((*argv)[1], "-o") != 0) {
        return stdout;
    }
    FILE *output = fopen((*argv)[2], "we");
    *argc -= 2;
    *argv += 2;
    return output;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    FILE *output = open_output(&argc, &argv);
    double begin = now_s();
    pid_t child = argc > 2 && output ? fork() : -1;
    if (child == 0) {
        become(argv + 2, strtoul(argv[1], NULL, 10));
    }
    if (child < 0 || waitpid(child, &status, 0) != child ||
        getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        fprintf(stderr, "usage: measure [-o FILE] SECONDS COMMAND...\n");
        return 2;
    }
    fprintf(output, "%.6f %.6f %ld %d\n", now_s() - begin,
            seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss,
            WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return fclose(output) == 0 ? 0 : 2;
}
