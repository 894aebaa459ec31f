/* SPDX-License-Identifier: BSD-2-Clause
 *
 * See environment.h.
 */
#include "environment.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/prctl.h>
#include <string.h>
#include <unistd.h>

#include "native/target/counting/process_state.h"
#include "native/loading/loading.h"
#include "native/window/window_writer.h"

#define LIBRARY_NAME "/libcensus-preload.so"
#define LIST_NAME    "LD_PRELOAD="

enum {
    MAX_ENTRIES = 8192,     /* with more, and */
    MAX_LIST_BYTES = 32768, /* with longer lists, programs are started without the variables */
    RUN_BYTES = 1024,
    MAX_DIGITS = 20,
    N_OWN = 2, /* variables */
};

/* The variables as entries, which remain when the program overwrites its initial stack. */
static char own_run[RUN_BYTES];                     /* without HPP_SMALL_SETTING */
static char own_list[sizeof(LIST_NAME) + PATH_MAX]; /* without what the program has in it */

/* ---- taking out ------------------------------------------------------------------------------ */

static bool has_name(const char *entry, const char *name_and_sign)
{
    return strncmp(entry, name_and_sign, strlen(name_and_sign)) == 0;
}

/* Finds this library in a list of libraries. Returns its path and stores the length, or NULL. */
static const char *find_library(const char *list, size_t *n_bytes)
{
    size_t n_name = strlen(LIBRARY_NAME);
    for (const char *path = list; *path != '\0'; path += path[0] == ':' || path[0] == ' ') {
        size_t n = 0;
        while (path[n] != '\0' && path[n] != ':' && path[n] != ' ') {
            n++;
        }
        if (n > n_name && memcmp(path + n - n_name, LIBRARY_NAME, n_name) == 0) {
            *n_bytes = n;
            return path;
        }
        path += n;
    }
    return NULL;
}

/* Returns the list, if an entry is LD_PRELOAD; else NULL. */
static const char *list_of(const char *entry)
{
    return has_name(entry, LIST_NAME) ? entry + strlen(LIST_NAME) : NULL;
}

/* Returns whether an entry is LD_PRELOAD with this library. */
static bool is_list(const char *entry)
{
    size_t n;
    const char *list = list_of(entry);
    return list != NULL && find_library(list, &n) != NULL;
}

bool hpp__environment_is_variable(const char *entry)
{
    return has_name(entry, HPP_WINDOW_VARIABLE "=") || is_list(entry);
}

/* Keeps a variable, if it fits. */
static void keep(const char *entry)
{
    size_t n = strlen(entry);
    const char *list = list_of(entry);
    const char *library = list != NULL ? find_library(list, &n) : NULL;
    if (library != NULL && n < PATH_MAX) {
        memcpy(own_list, LIST_NAME, strlen(LIST_NAME));
        memcpy(own_list + strlen(LIST_NAME), library, n);
        own_list[strlen(LIST_NAME) + n] = '\0';
    } else if (list == NULL && n < sizeof(own_run)) {
        const char *small = strstr(entry, HPP_SMALL_SETTING);
        n = small != NULL ? (size_t)(small - entry) : n;
        memcpy(own_run, entry, n);
        own_run[n] = '\0';
    }
}

/* Removes the variables from a list of entries. Returns how many. */
static size_t remove_from(char **entries)
{
    char **kept = entries;
    for (char **entry = entries; *entry != NULL; entry++) {
        if (hpp__environment_is_variable(*entry)) {
            keep(*entry);
        } else {
            *kept++ = *entry;
        }
    }
    size_t n_removed = 0;
    while (kept[n_removed] != NULL) {
        n_removed++;
    }
    *kept = NULL;
    return n_removed;
}

/* Reads the kernel's record of the memory of this process from /proc/self/stat (proc_pid_stat(5)).
 */
static bool read_memory_map(struct prctl_mm_map *out)
{
    enum { TEXT_BYTES = 2048, N_FIELDS = 52 };
    char text[TEXT_BYTES];
    uint64_t fields[N_FIELDS] = {0};
    long file =
        hpp__syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/stat", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long n = file < 0 ? 0 : hpp__syscall(SYS_read, file, (long)text, TEXT_BYTES - 1, 0, 0, 0);
    if (file >= 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    }
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')'); /* the end of field 2, a name */
    unsigned field = 2;
    for (; at != NULL && *at != '\0' && field < N_FIELDS; at++) {
        if (*at == ' ') {
            field++;
        } else if (field < N_FIELDS && *at >= '0' && *at <= '9') {
            fields[field] = fields[field] * 10 + (uint64_t)(*at - '0');
        }
    }
    *out = (struct prctl_mm_map){
        .start_code = fields[26],
        .end_code = fields[27],
        .start_stack = fields[28],
        .start_data = fields[45],
        .end_data = fields[46],
        .start_brk = fields[47],
        .brk = (uint64_t)hpp__syscall(SYS_brk, 0, 0, 0, 0, 0, 0),
        .arg_start = fields[48],
        .arg_end = fields[49],
        .env_start = fields[50],
        .env_end = fields[51],
        .exe_fd = UINT32_MAX, /* as it is */
    };
    return fields[50] != 0 && fields[51] != 0;
}

/* Ends the strings of the environment at `end`, also in /proc/PID/environ. The first way is for
 * privileged programs, the second one for all where the kernel has it. */
static void cut_strings(char *end, size_t n_bytes)
{
    struct prctl_mm_map map;
    memset(end, 0, n_bytes);
    if (hpp__syscall(SYS_prctl, PR_SET_MM, PR_SET_MM_ENV_END, (long)end, 0, 0, 0) != 0 &&
        read_memory_map(&map) && (uint64_t)(uintptr_t)end > map.env_start) {
        map.env_end = (uint64_t)(uintptr_t)end;
        hpp__syscall(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, (long)&map, sizeof(map), 0, 0);
    }
}

/* On the initial stack, the auxiliary vector follows the NULL of the environment, and some programs
 * look for it there: two entries less are one entry of the vector that is to be ignored. */
void hpp__environment_take(void)
{
    char **initial = hpp__initial_environment();
    size_t n = 0;
    while (initial[n] != NULL) {
        n++;
    }
    bool are_last = n >= N_OWN && has_name(initial[n - 2], HPP_WINDOW_VARIABLE "=") &&
                    is_list(initial[n - 1]) &&
                    initial[n - 1] == initial[n - 2] + strlen(initial[n - 2]) + 1;
    char *strings = are_last ? initial[n - 2] : NULL;
    size_t n_bytes = are_last ? strlen(initial[n - 2]) + strlen(initial[n - 1]) + 2 : 0;
    size_t n_removed = remove_from(initial);
    for (char **end = initial + (n - n_removed); n_removed >= N_OWN; n_removed -= N_OWN) {
        uintptr_t ignored[] = {AT_IGNORE, 0};
        memcpy(end + n_removed - 1, ignored, sizeof(ignored));
    }
    if (environ != NULL && environ != initial) {
        remove_from(environ); /* a constructor of another library has changed it */
    }
    if (strings != NULL) {
        cut_strings(strings, n_bytes);
    }
}

/* ---- putting back ---------------------------------------------------------------------------- */

static void note(uint32_t event)
{
    if (hpp__window != NULL) {
        atomic_fetch_or(&hpp__window->head.events, event);
    }
}

/* Returns whether the program at `path` can load this library. */
static bool can_load(int directory, const char *path)
{
    char loader[HPP_LOADER_PATH_BYTES];
    hpp_loading result = hpp__loading_check(directory, path, loader);
    if (result == HPP_LOADING_SANITIZER) {
        note(HPP_EVENT_STARTED_SANITIZER);
    } else if (result == HPP_LOADING_LIBC || result == HPP_LOADING_OLD_LIBC) {
        note(HPP_EVENT_STARTED_OTHER);
    }
    return result == HPP_LOADABLE;
}

/* Returns whether this process can open the library, which another root directory may lack. */
static bool has_library(void)
{
    long file = hpp__syscall(SYS_openat, AT_FDCWD, (long)(own_list + strlen(LIST_NAME)),
                             O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (file >= 0) {
        hpp__syscall(SYS_close, file, 0, 0, 0, 0, 0);
    }
    return file >= 0;
}

bool hpp__environment_is_passed(void)
{
    return own_run[0] != '\0' && own_list[0] != '\0' && hpp__settings.has_children &&
           atomic_load(&hpp__isolation) == HPP_NOT_ISOLATED;
}

bool hpp__environment_size(hpp_environment_size *out, char *const entries[], int directory,
                           const char *path)
{
    size_t n = 0, n_kept = 0;
    *out = (hpp_environment_size){.has_variables = true};
    for (; entries != NULL && entries[n] != NULL; n++) {
        if (has_name(entries[n], HPP_WINDOW_VARIABLE "=") && !has_name(entries[n], own_run)) {
            return false; /* of another `census run` */
        }
        const char *list = list_of(entries[n]);
        out->own_list = list != NULL ? list : out->own_list;
        out->has_variables &= !has_name(entries[n], "LD_TRACE_LOADED_OBJECTS="); /* ldd */
        n_kept += !hpp__environment_is_variable(entries[n]);
    }
    size_t n_list_bytes = strlen(own_list) + 1;
    if (out->own_list != NULL) {
        n_list_bytes += 1 + strlen(out->own_list);
        if (hpp__loading_names_sanitizer(out->own_list)) {
            note(HPP_EVENT_STARTED_SANITIZER);
            out->has_variables = false;
        }
    }
    out->has_variables = out->has_variables && n_kept <= MAX_ENTRIES &&
                         n_list_bytes <= MAX_LIST_BYTES && can_load(directory, path) &&
                         has_library();
    out->n_entries = n_kept + (out->has_variables ? N_OWN : 0) + 1;
    size_t n_run_bytes = strlen(own_run) + strlen(HPP_SMALL_SETTING) + MAX_DIGITS + 1;
    out->n_text_bytes = out->has_variables ? n_list_bytes + n_run_bytes : 1;
    return out->has_variables || n_kept < n;
}

/* Writes the variable for a program that is started, with the total below which it is small. The
 * mappings of a program of GHC are larger, if mappings are counted. */
static void put_run(char *out)
{
    bool is_known = hpp__window != NULL && hpp__settings.has_maps;
    uint64_t small = is_known ? atomic_load(&hpp__window->head.started_small_bytes) : 0;
    char digits[MAX_DIGITS + 1] = {0};
    char *first = digits + MAX_DIGITS;
    do {
        *--first = (char)('0' + small % 10);
        small /= 10;
    } while (small != 0);
    size_t n_run = strlen(own_run), n_name = strlen(HPP_SMALL_SETTING);
    memcpy(out, own_run, n_run);
    memcpy(out + n_run, HPP_SMALL_SETTING, n_name);
    memcpy(out + n_run + n_name, first, (size_t)(digits + sizeof(digits) - first));
}

void hpp__environment_make(char *out[], char *texts, const hpp_environment_size *size,
                           char *const entries[])
{
    size_t n_entries = 0, n_list = strlen(own_list);
    for (char *const *entry = entries; entry != NULL && *entry != NULL; entry++) {
        if (!hpp__environment_is_variable(*entry)) {
            out[n_entries++] = *entry;
        }
    }
    if (size->has_variables) {
        const char *rest = size->own_list;
        char *list = texts;
        size_t n;
        memcpy(list, own_list, n_list + 1);
        if (rest != NULL && find_library(rest, &n) != NULL) {
            memcpy(list + strlen(LIST_NAME), rest, strlen(rest) + 1);
        } else if (rest != NULL) {
            list[n_list] = ':';
            memcpy(list + n_list + 1, rest, strlen(rest) + 1);
        }
        out[n_entries] = list + strlen(list) + 1;
        put_run(out[n_entries++]);
        out[n_entries++] = list;
    }
    out[n_entries] = NULL;
}
