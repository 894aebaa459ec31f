/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each function finds the file that will be executed, makes an environment on the stack, and calls
 * the function of libc that takes an environment. If the environment is too large then, it calls it
 * again with the program's.
 *
 * system, popen and wordexp take no environment: while they run, `environ` has the variables.
 */
#include "exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

#include "environment.h"
#include "helper.h"
#include "native/target/counting/process_state.h"
#include "native/loading/loading.h"
#include "process.h"
#include "native/window/platform.h"

typedef int spawn_function(int *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[],
                           char *const envp[]);

/* The functions of libc, or of other libraries that replace them. */
static struct {
    int (*execve)(const char *path, char *const argv[], char *const envp[]);
    int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
    int (*fexecve)(int fd, char *const argv[], char *const envp[]);
    int (*execveat)(int fd, const char *path, char *const argv[], char *const envp[], int flags);
    spawn_function *posix_spawn, *posix_spawnp;
#if __GLIBC_PREREQ(2, 39)
    spawn_function *pidfd_spawn, *pidfd_spawnp;
#endif
    int (*system)(const char *command);
    FILE *(*popen)(const char *command, const char *type);
    int (*wordexp)(const char *words, wordexp_t *out, int flags);
} next;

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof(found));
}

/* Looked up at the start: a child of vfork, or of a program with threads, could not do it. */
__attribute__((constructor)) static void find_next(void)
{
    int error = errno;
    find(&next.execve, "execve");
    find(&next.execvpe, "execvpe");
    find(&next.fexecve, "fexecve");
    find(&next.execveat, "execveat");
    find(&next.posix_spawn, "posix_spawn");
    find(&next.posix_spawnp, "posix_spawnp");
#if __GLIBC_PREREQ(2, 39)
    find(&next.pidfd_spawn, "pidfd_spawn");
    find(&next.pidfd_spawnp, "pidfd_spawnp");
#endif
    find(&next.system, "system");
    find(&next.popen, "popen");
    find(&next.wordexp, "wordexp");
    errno = error;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* A call of one of these functions. */
typedef struct start {
    enum start_call {
        CALL_EXECVE,
        CALL_EXECVPE,
        CALL_FEXECVE,
        CALL_EXECVEAT,
        CALL_SPAWN,
        CALL_BARE_EXECVE,
        CALL_BARE_EXECVEAT
    } call;
    int directory;    /* AT_FDCWD, or a descriptor */
    const char *path; /* "": of the descriptor */
    char *const *argv;
    bool is_along_path; /* `path` may be a name to be searched for */
    int flags;
    spawn_function **spawn;
    int *pid;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
} start;

static int call_libc(const start *s, char *const envp[])
{
    switch (s->call) {
    case CALL_EXECVE:
        return next.execve(s->path, s->argv, envp);
    case CALL_EXECVPE:
        return next.execvpe(s->path, s->argv, envp);
    case CALL_FEXECVE:
        return next.fexecve(s->directory, s->argv, envp);
    case CALL_EXECVEAT:
        return next.execveat(s->directory, s->path, s->argv, envp, s->flags);
    case CALL_SPAWN:
        return (*s->spawn)(s->pid, s->path, s->actions, s->attributes, s->argv, envp);
    case CALL_BARE_EXECVE:
        return (int)hpp__syscall(SYS_execve, (long)s->path, (long)s->argv, (long)envp, 0, 0, 0);
    default:
        return (int)hpp__syscall(SYS_execveat, s->directory, (long)s->path, (long)s->argv,
                                 (long)envp, s->flags, 0);
    }
}

/* Ends the helper before the program is replaced: the new one would get SIGCHLD when it ends.
 * Returns whether it did. */
static bool end_helper(const start *s)
{
    bool can_fail_early = s->call != CALL_EXECVPE && s->path != NULL && s->path[0] != '\0';
    if (s->call == CALL_SPAWN ||
        (can_fail_early &&
         hpp__syscall(SYS_faccessat, s->directory, (long)s->path, X_OK, 0, 0, 0) != 0)) {
        return false;
    }
    return hpp__helper_end();
}

/* What is started inherits the limits that the program sees. */
static int call_next(const start *s, char *const envp[])
{
    int unknown = 0;
    start with_id = *s;
    if (next.execve == NULL) {
        find_next(); /* a constructor of another library calls */
    }
    with_id.pid = s->pid != NULL ? s->pid : &unknown;
    if (s->call != CALL_SPAWN) {
        (void)hpp__process_record_uses();
    }
    bool had_helper = end_helper(s);
    hpp_limits_shown limits = hpp__limits_show(s->call != CALL_SPAWN);
    int result = call_libc(&with_id, envp);
    int error = errno;
    if (had_helper) {
        hpp__process_start_helper();
    }
    hpp__limits_hide(&limits, s->call == CALL_SPAWN && result == 0 ? *with_id.pid : 0);
    errno = error;
    return result;
}

/* Calls with an environment of this size, which is on the stack. */
static HPP_NO_INLINE int call_with(const start *s, char *const envp[],
                                   const hpp_environment_size *size)
{
    char **entries = __builtin_alloca(size->n_entries * sizeof(char *));
    char *texts = __builtin_alloca(size->n_text_bytes);
    hpp__environment_make(entries, texts, size, envp);
    return call_next(s, entries);
}

static bool is_executable(const char *path)
{
    struct stat file;
    return hpp__syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&file, 0, 0, 0) == 0 &&
           S_ISREG(file.st_mode) &&
           hpp__syscall(SYS_faccessat, AT_FDCWD, (long)path, X_OK, 0, 0, 0) == 0;
}

/* Finds the program that execvp executes. Returns false if there is none. */
static bool find_along_path(const char *name, char path[PATH_MAX])
{
    size_t n_name = strnlen(name, PATH_MAX);
    const char *parts = NULL;
    for (char **entry = environ; entry != NULL && *entry != NULL && parts == NULL; entry++) {
        parts = strncmp(*entry, "PATH=", 5) == 0 ? *entry + 5 : NULL;
    }
    parts = parts != NULL ? parts : "/bin:/usr/bin";
    while (parts != NULL && n_name > 0) {
        const char *end = strchr(parts, ':');
        size_t n = end != NULL ? (size_t)(end - parts) : strlen(parts);
        if (n + n_name + 2 <= PATH_MAX) {
            memcpy(path, parts, n);
            path[n] = '/';
            memcpy(path + n + (n > 0), name, n_name + 1); /* an empty part is this directory */
            if (is_executable(path)) {
                return true;
            }
        }
        parts = end != NULL ? end + 1 : NULL;
    }
    return false;
}

/* Finds the file of a program, and the size of the environment for it. */
static HPP_NO_INLINE bool find_size(hpp_environment_size *out, const start *s, char *const envp[])
{
    char found[PATH_MAX];
    const char *path = s->path;
    if (path == NULL || !hpp__environment_is_passed()) {
        return false;
    }
    if (s->is_along_path && strchr(path, '/') == NULL) {
        path = find_along_path(path, found) ? found : NULL;
    }
    return path != NULL && hpp__environment_size(out, envp, s->directory, path);
}

/* Executes or spawns a program with the variables, or if it does not get them without. Returns what
 * libc does. */
static int start_program(const start *s, char *const envp[])
{
    int error = errno;
    hpp_environment_size size;
    bool is_wanted = find_size(&size, s, envp);
    errno = error;
    if (is_wanted) {
        int result = call_with(s, envp, &size);
        if ((s->call == CALL_SPAWN ? result : errno) != E2BIG) {
            return result;
        }
        errno = error;
    }
    return call_next(s, envp);
}

void hpp__exec_bare(const long arguments[])
{
    bool is_at = arguments[0] == SYS_execveat;
    const long *rest = is_at ? arguments + 2 : arguments + 1;
    const start s = {
        .call = is_at ? CALL_BARE_EXECVEAT : CALL_BARE_EXECVE,
        .directory = is_at ? (int)arguments[1] : AT_FDCWD,
        .path = (const char *)rest[0],
        .argv = (char *const *)rest[1],
        .flags = is_at ? (int)rest[3] : 0,
    };
    char *const *envp = (char *const *)rest[2];
    hpp_environment_size size;
    if (find_size(&size, &s, envp)) {
        call_with(&s, envp, &size);
    }
}

/* ---- functions with an environment, or with `environ` ---------------------------------------- */

static int execute(const char *path, char *const argv[], char *const envp[])
{
    const start s = {.call = CALL_EXECVE, .directory = AT_FDCWD, .path = path, .argv = argv};
    return start_program(&s, envp);
}

static int execute_along_path(const char *file, char *const argv[], char *const envp[])
{
    const start s = {.call = CALL_EXECVPE,
                     .directory = AT_FDCWD,
                     .path = file,
                     .argv = argv,
                     .is_along_path = true};
    return start_program(&s, envp);
}

HPP_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    return execute(path, argv, envp);
}

HPP_EXPORT int execv(const char *path, char *const argv[])
{
    return execute(path, argv, environ);
}

HPP_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    return execute_along_path(file, argv, envp);
}

HPP_EXPORT int execvp(const char *file, char *const argv[])
{
    return execute_along_path(file, argv, environ);
}

HPP_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    const start s = {.call = CALL_FEXECVE, .directory = fd, .path = "", .argv = argv};
    return start_program(&s, envp);
}

#if __GLIBC_PREREQ(2, 34)
HPP_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    const start s = {
        .call = CALL_EXECVEAT, .directory = fd, .path = path, .argv = argv, .flags = flags};
    return start_program(&s, envp);
}
#endif

#define SPAWN(name, is_along)                                                                      \
    HPP_EXPORT int name(int *pid, const char *path, const posix_spawn_file_actions_t *actions,     \
                        const posix_spawnattr_t *attributes, char *const argv[],                   \
                        char *const envp[])                                                        \
    {                                                                                              \
        const start s = {CALL_SPAWN, AT_FDCWD,   path, argv,    is_along,                          \
                         0,          &next.name, pid,  actions, attributes};                       \
        return start_program(&s, envp);                                                            \
    }
SPAWN(posix_spawn, false)
SPAWN(posix_spawnp, true)
#if __GLIBC_PREREQ(2, 39)
SPAWN(pidfd_spawn, false)
SPAWN(pidfd_spawnp, true)
#endif

/* ---- functions with a list of arguments ------------------------------------------------------ */

/* Copies the words to `argv`, on the stack. `call` may go on reading. */
#define WITH_WORDS(first, call)                                                                    \
    va_list words;                                                                                 \
    size_t n = (first) != NULL;                                                                    \
    va_start(words, first);                                                                        \
    while (n > 0 && va_arg(words, char *) != NULL) {                                               \
        n++;                                                                                       \
    }                                                                                              \
    va_end(words);                                                                                 \
    char **argv = __builtin_alloca((n + 1) * sizeof(char *));                                      \
    memcpy(argv, &(first), sizeof(first));                                                         \
    va_start(words, first);                                                                        \
    for (size_t i = 1; i <= n; i++) {                                                              \
        argv[i] = va_arg(words, char *);                                                           \
    }                                                                                              \
    int result = call;                                                                             \
    va_end(words);                                                                                 \
    return result

HPP_EXPORT int execl(const char *path, const char *first, ...)
{
    WITH_WORDS(first, execute(path, argv, environ));
}

HPP_EXPORT int execlp(const char *file, const char *first, ...)
{
    WITH_WORDS(first, execute_along_path(file, argv, environ));
}

HPP_EXPORT int execle(const char *path, const char *first, ...)
{
    WITH_WORDS(first, execute(path, argv, va_arg(words, char **)));
}

/* ---- functions with a shell ------------------------------------------------------------------ */

/* The environment with the variables, while functions run that take it from `environ`. Its memory
 * is never unmapped, since other threads may be reading it. */
static struct {
    _Atomic uint32_t owner; /* thread that is changing the rest, or 0 */
    uint32_t n_users;
    char **before, **entries;
    size_t n_bytes; /* of the memory */
} shown;

/* Returns false if this thread has it already: a signal handler calls. A child may have lost the
 * owner in a fork. */
static bool lock_shown(void)
{
    uint32_t own_id = (uint32_t)hpp__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), owner = 0;
    uint32_t process_id = (uint32_t)hpp__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    while (!atomic_compare_exchange_strong(&shown.owner, &owner, own_id)) {
        if (owner == own_id) {
            return false;
        }
        if (hpp__syscall(SYS_tgkill, process_id, owner, 0, 0, 0, 0) != -ESRCH) {
            hpp__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
            owner = 0;
        }
    }
    return true;
}

static void unlock_shown(void)
{
    atomic_store(&shown.owner, 0);
}

/* Puts the program's own environment in place again, with what other threads have changed since. */
static void put_back(void)
{
    bool is_same = environ == shown.entries;
    char **from = environ, **to = is_same ? shown.before : environ;
    for (; from != NULL && to != NULL && *from != NULL; from++) {
        if (!hpp__environment_is_variable(*from)) {
            if (*to != *from) {
                *to = *from;
            }
            to++;
        }
    }
    if (from != NULL && to != NULL && *to != NULL) {
        *to = NULL;
    }
    environ = is_same ? shown.before : environ;
}

/* The other threads, which call the functions, are not in the child. */
static void leave_in_child(void)
{
    if (shown.n_users > 0) {
        shown.n_users = 0;
        put_back();
    }
    unlock_shown();
}

static bool reserve(const hpp_environment_size *size)
{
    static bool has_handler;
    size_t n_bytes = size->n_entries * sizeof(char *) + size->n_text_bytes;
    if (!has_handler) {
        has_handler = pthread_atfork(NULL, NULL, leave_in_child) == 0;
    }
    if (n_bytes > shown.n_bytes) {
        char **memory = hpp__map(n_bytes);
        shown.entries = memory != NULL ? memory : shown.entries;
        shown.n_bytes = memory != NULL ? n_bytes : shown.n_bytes;
    }
    return n_bytes <= shown.n_bytes;
}

/* Returns whether there are variables in `environ` now. */
static bool show_variables(void)
{
    hpp_environment_size size;
    if (!hpp__environment_is_passed() || !lock_shown()) {
        return false;
    }
    bool is_shown = shown.n_users > 0;
    if (!is_shown && hpp__environment_size(&size, environ, AT_FDCWD, HPP_SHELL) && reserve(&size)) {
        shown.before = environ;
        hpp__environment_make(shown.entries, (char *)(shown.entries + size.n_entries), &size,
                              environ);
        environ = shown.entries;
        is_shown = true;
    }
    shown.n_users += is_shown;
    unlock_shown();
    return is_shown;
}

static void hide_variables(void *is_shown)
{
    if (*(bool *)is_shown && lock_shown()) {
        if (shown.n_users > 0 && --shown.n_users == 0) {
            put_back();
        }
        unlock_shown();
    }
}

static void hide_limits(void *limits)
{
    int error = errno;
    hpp__limits_hide(limits, 0);
    errno = error;
}

/* Calls a function that may be cancelled. */
#define WITH_VARIABLES(result_type, call)                                                          \
    result_type result;                                                                            \
    if (next.execve == NULL) {                                                                     \
        find_next();                                                                               \
    }                                                                                              \
    bool is_shown = show_variables();                                                              \
    hpp_limits_shown limits = hpp__limits_show(false);                                             \
    pthread_cleanup_push(hide_limits, &limits);                                                    \
    pthread_cleanup_push(hide_variables, &is_shown);                                               \
    result = call;                                                                                 \
    pthread_cleanup_pop(1);                                                                        \
    pthread_cleanup_pop(1);                                                                        \
    return result

HPP_EXPORT int system(const char *command)
{
    WITH_VARIABLES(int, next.system(command));
}

HPP_EXPORT FILE *popen(const char *command, const char *type)
{
    WITH_VARIABLES(FILE *, next.popen(command, type));
}

HPP_EXPORT int wordexp(const char *words, wordexp_t *out, int flags)
{
    WITH_VARIABLES(int, next.wordexp(words, out, flags));
}
