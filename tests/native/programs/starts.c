/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Starts programs in each way that libc has, and shows what is in the environment.
 */
#include "case.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

OWN_FRAME static size_t keep_as_child(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        made(malloc(100));
    }
    return n * 100;
}

static int keeps(char **arguments)
{
    int n = arguments[0] ? atoi(arguments[0]) : 0;
    keep_as_child((size_t)n);
    return n;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* Prints the environment, and what other programs find around it: the strings follow each other,
 * and the auxiliary vector follows the entries. */
static int shows(char **arguments)
{
    (void)arguments;
    const char *next = NULL;
    char **entry = environ;
    for (; *entry; entry++) {
        say("%s %s\n", next && next != *entry ? "apart" : "next", *entry);
        next = *entry + strlen(*entry) + 1;
    }
    unsigned long *pair = (unsigned long *)(void *)(entry + 1);
    while (pair[0] != AT_NULL && pair[0] != AT_PAGESZ) {
        pair += 2;
    }
    say("pages of %lu, %lu\n", pair[1], getauxval(AT_PAGESZ));
    setenv("NEW", "1", 1);
    unsetenv("HOME");
    for (entry = environ; *entry; entry++) {
        say("%s\n", *entry);
    }
    return 0;
}

/* Prints whether a library with a name is loaded. */
static int loads(char **arguments)
{
    char line[4096];
    int is_loaded = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        is_loaded |= strstr(line, arguments[0]) != NULL;
    }
    say("%s %s\n", arguments[0], is_loaded ? "is loaded" : "is not loaded");
    return 0;
}

/* ---- ways to start a program ----------------------------------------------------------------- */

static char *const *words(char *path, const char *number)
{
    static char keeps_word[] = "keeps", text[16];
    static char *argv[4];
    snprintf(text, sizeof text, "%s", number);
    argv[0] = path;
    argv[1] = keeps_word;
    argv[2] = text;
    return argv;
}

static char path[4096], shell_command[4200], folder[4096];
static char *none[] = {NULL};

static void with_execve(const char *n)
{
    execve(path, words(path, n), environ);
}

static void with_execv(const char *n)
{
    execv(path, words(path, n));
}

static void with_execvp(const char *n)
{
    execvp("starts", words(path, n));
}

static void with_execvpe(const char *n)
{
    execvpe("starts", words(path, n), none);
}

static void with_execl(const char *n)
{
    execl(path, path, "keeps", n, (char *)NULL);
}

static void with_execlp(const char *n)
{
    execlp("starts", path, "keeps", n, (char *)NULL);
}

static void with_execle(const char *n)
{
    execle(path, path, "keeps", n, (char *)NULL, none);
}

static void with_fexecve(const char *n)
{
    fexecve(open(path, O_RDONLY | O_CLOEXEC), words(path, n), environ);
}

#if !__GLIBC_PREREQ(2, 34)
static int execveat(int fd, const char *name, char *const argv[], char *const envp[], int flags)
{
    return (int)syscall(SYS_execveat, fd, name, argv, envp, flags);
}
#endif

static void with_execveat(const char *n)
{
    execveat(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "starts", words(path, n), environ,
             0);
}

static void with_syscall(const char *n)
{
    syscall(SYS_execve, path, words(path, n), environ);
}

static void with_syscall_at(const char *n)
{
    syscall(SYS_execveat, open(path, O_RDONLY | O_CLOEXEC), "", words(path, n), environ,
            AT_EMPTY_PATH);
}

static void without_environment(const char *n)
{
    clearenv();
    execv(path, words(path, n));
}

static void finish(pid_t child)
{
    int status = 0;
    must(waitpid(child, &status, 0) == child, "a child");
    _exit(WEXITSTATUS(status));
}

static void with_posix_spawn(const char *n)
{
    pid_t child;
    must(posix_spawn(&child, path, NULL, NULL, words(path, n), none) == 0, "a child");
    finish(child);
}

static void with_posix_spawnp(const char *n)
{
    pid_t child;
    must(posix_spawnp(&child, "starts", NULL, NULL, words(path, n), environ) == 0, "a child");
    finish(child);
}

static void with_vfork(const char *n)
{
    char *const *argv = words(path, n);
    pid_t child = vfork();
    if (child == 0) {
        execvp("starts", argv);
        _exit(1);
    }
    finish(child);
}

static int execute(void *n)
{
    execl(path, path, "keeps", (const char *)n, (char *)NULL);
    return 1;
}

static void with_clone(const char *n)
{
    static char stack[65536] __attribute__((aligned(16)));
    char number[16];
    snprintf(number, sizeof number, "%s", n);
    finish(clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, number));
}

static const char *command_of(const char *n)
{
    snprintf(shell_command, sizeof shell_command, "'%s' keeps %s", path, n);
    return shell_command;
}

static void with_system(const char *n)
{
    _exit(WEXITSTATUS(system(command_of(n))));
}

static void with_popen(const char *n)
{
    _exit(WEXITSTATUS(pclose(popen(command_of(n), "r"))));
}

static void with_wordexp(const char *n)
{
    char text[4300];
    wordexp_t found;
    snprintf(text, sizeof text, "$(%s; echo $?)", command_of(n));
    must(wordexp(text, &found, 0) == 0 && found.we_wordc == 1, "a word");
    _exit(atoi(found.we_wordv[0]));
}

static void with_a_script(const char *n)
{
    char script[] = "/tmp/census-script-XXXXXX";
    int file = mkstemp(script);
    must(file >= 0 && dprintf(file, "%s; exit $?\n", command_of(n)) > 0, "a script without #!");
    must(fchmod(file, 0700) == 0 && close(file) == 0, "it can be run");
    pid_t child = fork();
    if (child == 0) {
        execv(script, words(script, n));
        must(errno == ENOEXEC, "it is no program");
        execvp(script, words(script, n));
        _exit(1);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child, "the child ends");
    unlink(script);
    _exit(WEXITSTATUS(status));
}

static void (*const ways[])(const char *n) = {
    with_execve, with_execv,  with_execvp,     with_execvpe,        with_execl,
    with_execlp, with_execle, with_fexecve,    with_execveat,       with_syscall,
    with_vfork,  with_clone,  with_syscall_at, without_environment, with_posix_spawn,
    with_system, with_popen,  with_wordexp,    with_posix_spawnp,   with_a_script,
};

/* Starts a child in each way; the first one keeps a block, the next one two. */
static int starts_all(char **arguments)
{
    (void)arguments;
    snprintf(path, sizeof path, "%s", own_path());
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    setenv("PATH", folder, 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char number[16];
        int status = 0;
        snprintf(number, sizeof number, "%zu", i + 1);
        pid_t child = fork();
        if (child == 0) {
            ways[i](number);
            _exit(99);
        }
        must(waitpid(child, &status, 0) == child, "a child");
        say("%d\n", WEXITSTATUS(status));
    }
    return 0;
}

/* Executes what cannot be executed. */
static int fails(char **arguments)
{
    (void)arguments;
    char *argv[] = {path, NULL};
    pid_t child = 0;
    for (const char *const *file = (const char *const[]){"/dev/null", "/", "/nothing", "", NULL};
         *file; file++) {
        say("%s %d", *file, execv(*file, argv));
        say(" %d", errno);
        say(" %d", execvp(*file, argv));
        say(" %d %d\n", errno, posix_spawnp(&child, *file, NULL, NULL, argv, environ));
    }
    return 0;
}

/* ---- shells and threads ---------------------------------------------------------------------- */

static pthread_barrier_t both;

/* Runs shells while the main thread changes the environment. */
static void *runs_shells(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&both);
        must(system("exit 3") == 3 << 8, "a status");
        FILE *pipe = popen("echo \"$CHANGED\"", "r");
        must(pipe && pclose(pipe) >= 0, "a pipe");
        pthread_barrier_wait(&both);
    }
    return NULL;
}

static int has_own_entries(void)
{
    int n = 0;
    for (char **entry = environ; *entry; entry++) {
        n += strncmp(*entry, "CENSUS_RUN=", 11) == 0 || strncmp(*entry, "LD_PRELOAD=", 11) == 0;
    }
    return n;
}

static int changes_while_shells_run(char **arguments)
{
    (void)arguments;
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    must(pthread_create(&thread, NULL, runs_shells, NULL) == 0, "a thread");
    for (int i = 0; i < 3; i++) {
        char value[16];
        pthread_barrier_wait(&both);
        for (int k = 0; k < 200; k++) {
            snprintf(value, sizeof value, "%d", k);
            must(getenv("PATH") != NULL, "the path is there");
        }
        pthread_barrier_wait(&both);
        setenv("CHANGED", value, 1);
        must(has_own_entries() == 0, "nothing remains");
    }
    pthread_join(thread, NULL);
    say("%s\n", getenv("CHANGED"));
    return 0;
}

static void *waits_for_a_shell(void *unused)
{
    return system("exec sleep 100") == -1 ? NULL : unused;
}

/* A thread is cancelled in system. */
static int cancels_a_shell(char **arguments)
{
    (void)arguments;
    pthread_t thread;
    void *result = NULL;
    must(pthread_create(&thread, NULL, waits_for_a_shell, NULL) == 0, "a thread");
    usleep(100000);
    pid_t child = fork();
    if (child == 0) {
        _exit(has_own_entries());
    }
    int status = 1;
    must(waitpid(child, &status, 0) == child, "a child");
    pthread_cancel(thread);
    pthread_join(thread, &result);
    say("%d %d %d\n", result == PTHREAD_CANCELED, status, has_own_entries());
    return system(NULL) != 0 ? 0 : 1;
}

/* ---- another root directory ------------------------------------------------------------------ */

static void write_map(const char *file, const char *text)
{
    int fd = open(file, O_WRONLY);
    must(fd >= 0 && write(fd, text, strlen(text)) > 0, "a map");
    close(fd);
}

/* Executes a program in another root directory, where the library is not; 77: that is not allowed.
 */
static int leaves_root(char **arguments)
{
    char text[64];
    unsigned user = getuid(), group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return 77;
    }
    write_map("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "0 %u 1", user);
    write_map("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "0 %u 1", group);
    write_map("/proc/self/gid_map", text);
    must(chroot(arguments[0]) == 0 && chdir("/") == 0, "another root");
    execl("/starts", "/starts", "keeps", "21", (char *)NULL);
    return 1;
}

static const native_case cases[] = {
    {"keeps", keeps},
    {"shows", shows},
    {"loads", loads},
    {"starts_all", starts_all},
    {"fails", fails},
    {"changes_while_shells_run", changes_while_shells_run},
    {"cancels_a_shell", cancels_a_shell},
    {"leaves_root", leaves_root},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
