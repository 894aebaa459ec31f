/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs that limit their own memory: `limits CASE RESOURCE MIB`, where RESOURCE is "as" or
 * "data".
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

extern char **environ;

enum { MIB = 1 << 20, MOST = 1000 };

static int resource_of(char **arguments)
{
    return strcmp(arguments[0], "as") == 0 ? RLIMIT_AS : RLIMIT_DATA;
}

static rlim_t bytes_of(char **arguments)
{
    return (rlim_t)atol(arguments[1]) * MIB;
}

static void say_limit(const char *who, struct rlimit limit)
{
    say("%s %ld %ld\n", who, (long)limit.rlim_cur, (long)limit.rlim_max);
}

/* Prints what it sees by each function. */
static void say_all(int resource)
{
    struct rlimit limit;
    must(getrlimit(resource, &limit) == 0, "there is a limit");
    say_limit("getrlimit", limit);
    must(prlimit(getpid(), resource, NULL, &limit) == 0, "there is a limit");
    say_limit("prlimit", limit);
}

/* Allocates until there is no more. Prints the number of MiB as an error, since that may differ. */
static int exhausts(char **arguments)
{
    static void *blocks[MOST];
    int n = 0;
    for (int i = 0; i < 3000; i++) {
        keep(1, 1000);
    }
    if (arguments[0] != NULL) {
        struct rlimit limit = {bytes_of(arguments), bytes_of(arguments)};
        must(setrlimit(resource_of(arguments), &limit) == 0, "a limit can be set");
        say_all(resource_of(arguments));
    }
    while (n < MOST && (blocks[n] = malloc(MIB)) != NULL) {
        n++;
    }
    fprintf(stderr, "%d MiB\n", n);
    must(n == MOST || errno == ENOMEM, "there is no more memory");
    while (n > 0) {
        free(blocks[--n]);
    }
    return 0;
}

/* The limits that other programs inherit, however they are started. */
static int starts(char **arguments)
{
    static char command[] = "ulimit -S -v; ulimit -H -v; ulimit -S -d; ulimit -H -d";
    static char shell[] = "sh", option[] = "-c";
    char *words[] = {shell, option, command, NULL};
    int resource = resource_of(arguments);
    struct rlimit limit = {bytes_of(arguments), RLIM_INFINITY};
    must(setrlimit(resource, &limit) == 0, "a limit can be set");
    say_all(resource);
    must(system(command) == 0, "a shell can be run");
    pid_t child;
    limit.rlim_max = 2 * limit.rlim_cur;
    must(setrlimit(resource, &limit) == 0, "a limit can be set");
    say_all(resource);
    must(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0, "a shell can be spawned");
    must(waitpid(child, NULL, 0) == child, "it ends");
    child = fork();
    if (child == 0) {
        say_all(resource);
        execv("/bin/sh", words);
        _exit(1);
    }
    must(waitpid(child, NULL, 0) == child, "it ends");
    child = vfork();
    if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
    }
    must(waitpid(child, NULL, 0) == child, "it ends");
    limit.rlim_cur = limit.rlim_max + 1;
    say("too high: %s\n",
        setrlimit(resource, &limit) != 0 && errno == EINVAL ? "EINVAL" : "no error");
    say_all(resource);
    return 0;
}

int main(int argc, char **argv)
{
    static const native_case cases[] = {{"exhausts", exhausts}, {"starts", starts}, {NULL, NULL}};
    (void)argc;
    return run_case(cases, argv);
}
