/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs fork and exec, and restores signals and limits in between.
 */
#include "launch.h"

#include <census_install_dirs.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diag.h"
#include "cmd.h"
#include "path.h"

/* ---- Finding ---- */

static bool is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

/* Searches PATH; an empty part is the current directory. */
static bool find_along_path(const char *name, char path[PATH_MAX])
{
    const char *parts = getenv("PATH");
    parts = parts ? parts : "/usr/local/bin:/usr/bin:/bin";
    while (parts) {
        size_t length = strcspn(parts, ":");
        int n =
            snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, parts, length > 0 ? "/" : "./", name);
        if (n < PATH_MAX && is_program(path)) {
            return true;
        }
        parts = parts[length] ? parts + length + 1 : NULL;
    }
    return false;
}

/* Says that a file is not a program that can be run by this name, and what to type instead. */
static void say_not_a_program(const char *name)
{
    static const struct {
        const char *suffix, *interpreter;
    } scripts[] = {
        {".py", "python3"}, {".sh", "sh"}, {".pl", "perl"}, {".rb", "ruby"}, {".js", "node"}};
    const char *suffix = strrchr(name, '.');
    for (size_t i = 0; suffix && i < sizeof scripts / sizeof *scripts; i++) {
        if (strcmp(suffix, scripts[i].suffix) == 0) {
            char *word = path_shell_word(name);
            diag_say("%s is a script, not a program: type census run %s %s", name,
                     scripts[i].interpreter, word ? word : name);
            free(word);
            return;
        }
    }
    if (!strchr(name, '/') && is_program(name)) {
        char *word = path_shell_word(name);
        diag_say("%s is not on the PATH: type census run ./%s", name, word ? word : name);
        free(word);
    } else {
        diag_say("%s: not an executable file", name);
    }
}

int launch_find(const char *name, char path[PATH_MAX])
{
    bool is_path = strchr(name, '/') != NULL;
    if (is_path) {
        snprintf(path, PATH_MAX, "%s", name);
    }
    if (is_path ? access(path, F_OK) != 0 : !find_along_path(name, path)) {
        if (!is_path && access(name, F_OK) == 0) {
            say_not_a_program(name);
            return EXIT_NOT_FOUND;
        }
        diag_say("%s: %s", name, is_path ? strerror(errno) : "program not found");
        return EXIT_NOT_FOUND;
    }
    if (!is_program(path)) {
        say_not_a_program(name);
        return EXIT_NOT_EXECUTABLE;
    }
    return EXIT_DONE;
}

/* Finds this program; without /proc, by the path by which it was executed. */
static bool find_self(char path[PATH_MAX])
{
    const char *executed = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    return realpath("/proc/self/exe", path) || (executed && realpath(executed, path));
}

/* Finds a file that is installed with this program, or that was built with it. */
static bool find_own(const char *name, char path[PATH_MAX])
{
    char own[PATH_MAX];
    if (!find_self(own)) {
        diag_say("cannot find %s: census does not know where it is installed", name);
        return false;
    }
    *strrchr(own, '/') = '\0';
    static const char *const places[] = {"../profiler", "../" CENSUS_LIBDIR "/census"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char candidate[2 * PATH_MAX];
        snprintf(candidate, sizeof candidate, "%s/%s/%s", own, places[i], name);
        if (realpath(candidate, path)) {
            return true;
        }
    }
    diag_say("cannot find %s: expected it in %s/../%s/census", name, own, CENSUS_LIBDIR);
    return false;
}

bool launch_library(char path[PATH_MAX])
{
    return find_own("libcensus-preload.so", path);
}

bool launch_cc_library(char path[PATH_MAX])
{
    return find_own("libcensus-cc.a", path);
}

/* ---- Starting ---- */

static struct rlimit file_limit;

void launch_raise_file_limit(void)
{
    if (getrlimit(RLIMIT_NOFILE, &file_limit) == 0) {
        struct rlimit raised = {file_limit.rlim_max, file_limit.rlim_max};
        setrlimit(RLIMIT_NOFILE, &raised);
    }
}

/* The two variables as entries of an environment, and the whole environment, which ends with them.
 */
typedef struct environment {
    hpp_variables variables;
    char run[sizeof "CENSUS_RUN=" + HPP_VARIABLE_BYTES];
    char preload[sizeof "LD_PRELOAD=" + sizeof((hpp_variables *)0)->preload];
    char **entries;
} environment;

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Copies the environment, with the two entries last, which are filled in later. Returns false
 * without memory. */
static bool copy_environment(environment *out)
{
    size_t n = 0, n_kept = 0;
    while (environ[n]) {
        n++;
    }
    out->entries = calloc(n + 3, sizeof *out->entries);
    if (!out->entries) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_variable(environ[i], "CENSUS_RUN")) {
            out->entries[n_kept++] = environ[i];
        }
    }
    out->entries[n_kept++] = out->run;
    out->entries[n_kept] = out->preload;
    return true;
}

static hpf_status fill_in(environment *e, const hpp_collector *collector, pid_t pid,
                          const char *library, hpf_error *err)
{
    hpf_status status =
        hpp_collector_variables(collector, &e->variables, pid, library, getenv("LD_PRELOAD"), err);
    if (status == HPF_OK) {
        snprintf(e->run, sizeof e->run, "CENSUS_RUN=%s", e->variables.run);
        snprintf(e->preload, sizeof e->preload, "LD_PRELOAD=%s", e->variables.preload);
    }
    return status;
}

/* Executes a program, or a script without a first line #!, as a shell would. Returns if it fails.
 */
static void execute(const char *path, char **argv, char **entries)
{
    static char shell[] = "/bin/sh";
    size_t n = 0;
    execve(path, argv, entries);
    while (argv[n]) {
        n++;
    }
    if (errno == ENOEXEC) {
        char **script = __builtin_alloca((n + 2) * sizeof *script);
        memcpy(script + 1, argv, (n + 1) * sizeof *argv);
        memcpy(script + 1, &path, sizeof path);
        script[0] = shell;
        execve(shell, script, entries);
    }
}

int launch_without_profile(const char *path, char **argv)
{
    cmd_restore_sigpipe();
    execute(path, argv, environ);
    diag_say("cannot run %s: %s", path, strerror(errno));
    return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* Runs in the child; never returns. If exec fails, writes errno to `report`. Does not allocate,
 * because there may be other threads. */
static void become(environment *e, const hpp_collector *collector, const launch_plan *plan,
                   int report)
{
    hpf_error err;
    cmd_restore_sigpipe();
    if (file_limit.rlim_max > 0) {
        setrlimit(RLIMIT_NOFILE, &file_limit);
    }
    (void)fill_in(e, collector, getpid(), plan->library, &err); /* worked before the fork */
    sigprocmask(SIG_SETMASK, &plan->signal_mask, NULL);
    execute(plan->path, plan->argv, e->entries);
    int wrong = errno;
    (void)!write(report, &wrong, sizeof wrong);
    _exit(EXIT_NOT_EXECUTABLE);
}

/* Waits until exec succeeds or fails. Returns 0 or an errno. */
static int wait_for_exec(int report)
{
    int wrong = 0;
    ssize_t n;
    do {
        n = read(report, &wrong, sizeof wrong);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof wrong ? wrong : 0;
}

static int start(launched *out, environment *e, hpp_collector *collector, const launch_plan *plan)
{
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0) {
        diag_say("cannot create a pipe: %s", strerror(errno));
        return EXIT_FAILED;
    }
    out->pid = fork();
    if (out->pid == 0) {
        become(e, collector, plan, ends[1]);
    }
    int wrong = out->pid < 0 ? errno : 0;
    close(ends[1]);
    wrong = wrong ? wrong : wait_for_exec(ends[0]);
    close(ends[0]);
    if (wrong) {
        diag_say("cannot run %s: %s", plan->path, strerror(wrong));
        return wrong == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
    }
    hpp_collector_follow(collector, out->pid);
    *out = launch_follow(out->pid);
    return EXIT_DONE;
}

launched launch_follow(pid_t pid)
{
    return (launched){pid, (int)syscall(SYS_pidfd_open, pid, 0)};
}

int launch_start(launched *out, hpp_collector *collector, const launch_plan *plan)
{
    static environment e;
    hpf_error err;
    *out = (launched){-1, -1};
    if (fill_in(&e, collector, 0, plan->library, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return EXIT_FAILED;
    }
    if (!copy_environment(&e)) {
        diag_say("out of memory");
        return EXIT_FAILED;
    }
    int status = start(out, &e, collector, plan);
    free(e.entries);
    return status;
}

/* ---- Ending ---- */

int launch_reap(const launched *program)
{
    int status = 0;
    while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Raises a signal. Disables the core file, which would show census itself. */
static void die_of(int number)
{
    struct rlimit none = {0, 0};
    sigset_t only;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
}

int launch_exit_as(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        fflush(NULL);
        die_of(WTERMSIG(wait_status));
        return 128 + WTERMSIG(wait_status);
    }
    return WEXITSTATUS(wait_status);
}
