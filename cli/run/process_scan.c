/* SPDX-License-Identifier: BSD-2-Clause
 *
 * /proc lists processes in the order of their numbers, so that a look goes along the list of the
 * last one. Most processes are known already: they are compared at every eighth look only.
 */
#include "process_scan.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/descriptor.h"
#include "base/regular_expression.h"
#include "hpprof/command_name.h"

enum { LOOKS_PER_CHECK = 8, MOST_COMMAND = 4096, MOST_WORDS = 32, MOST_ANCESTORS = 64 };

struct process_scan {
    regex_t pattern;
    bool has_pattern;
    uint32_t own[MOST_ANCESTORS]; /* this process, and those that started it */
    size_t n_own;
    struct stat program; /* of this process */
    unsigned n_looks;
    scanned *list;
    size_t n, capacity;
};

/* ---- /proc ---- */

/* Reads the beginning of a file of a process. Returns the number of bytes; ends them with NUL. */
static size_t read_file(uint32_t process_id, const char *name, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", (unsigned)process_id, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, room - 1) : -1;
    hpf__close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Reads what tells a process from others that had or will have its number, and its parent. Returns
 * false if there is none. */
static bool read_identity(scanned *out, uint32_t *parent_id)
{
    enum { PARENT = 4, START = 22, STACK = 28 };
    char text[1024];
    read_file(out->process_id, "stat", text, sizeof text);
    char *at = strrchr(text, ')'); /* after the name, which is the second field */
    for (int field = 3; at && field <= STACK; field++) {
        at = strchr(at + 1, ' ');
        uint64_t number = at ? strtoull(at + 1, NULL, 10) : 0;
        *parent_id = field == PARENT ? (uint32_t)number : *parent_id;
        out->start_ticks = field == START ? number : out->start_ticks;
        out->stack_start = field == STACK ? number : out->stack_start;
    }
    return at != NULL;
}

/* Lists this process and its ancestors. */
static void list_own(process_scan *scan)
{
    scanned at = {.process_id = (uint32_t)getpid()};
    uint32_t parent_id = 0;
    while (at.process_id > 0 && scan->n_own < MOST_ANCESTORS) {
        scan->own[scan->n_own++] = at.process_id;
        at.process_id = read_identity(&at, &parent_id) ? parent_id : 0;
    }
}

static bool is_own(const process_scan *scan, uint32_t process_id)
{
    char path[64];
    struct stat program;
    for (size_t i = 0; i < scan->n_own; i++) {
        if (scan->own[i] == process_id) {
            return true;
        }
    }
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)process_id);
    return stat(path, &program) == 0 && program.st_dev == scan->program.st_dev &&
           program.st_ino == scan->program.st_ino;
}

void process_scan_name(char *out, size_t room, char *words, size_t n_bytes)
{
    const char *list[MOST_WORDS + 1] = {NULL};
    size_t n = 0;
    for (size_t at = 0; at < n_bytes && n < MOST_WORDS; at += strlen(words + at) + 1) {
        list[n++] = words + at;
    }
    hpp_command_name(out, room, list, false);
}

/* ---- choosing ---- */

static void choose(const process_scan *scan, scanned *p)
{
    char words[MOST_COMMAND], command[MOST_COMMAND], program[256];
    size_t n = read_file(p->process_id, "cmdline", words, sizeof words);
    while (n > 0 && words[n - 1] == '\0') {
        n--;
    }
    memcpy(command, words, n + 1);
    for (size_t i = 0; i < n; i++) {
        command[i] = command[i] == '\0' ? ' ' : command[i];
    }
    p->state = SCANNED_OTHER;
    if (n == 0 || regexec(&scan->pattern, command, 0, NULL, 0) != 0 ||
        is_own(scan, p->process_id)) {
        return;
    }
    process_scan_name(program, sizeof program, words, n);
    p->program = strdup(program);
    p->command = strdup(command);
    p->state = p->program && p->command ? SCANNED_MATCHING : SCANNED_NEW;
}

static void free_texts(scanned *p)
{
    free(p->program);
    free(p->command);
    free(p->refused);
    p->program = p->command = p->refused = NULL;
}

/* Compares a process with the last look. Returns false if it has ended. */
static bool check(const process_scan *scan, scanned *p)
{
    scanned now = {.process_id = p->process_id};
    uint32_t parent_id = 0;
    bool is_due = p->state == SCANNED_NEW || (p->process_id + scan->n_looks) % LOOKS_PER_CHECK == 0;
    if (is_due && !read_identity(&now, &parent_id)) {
        return false;
    }
    if (is_due && (p->start_ticks != now.start_ticks || p->stack_start != now.stack_start)) {
        free_texts(p);
        *p = now;
    } else if (p->state == SCANNED_NEW) {
        choose(scan, p);
    } else if (p->state == SCANNED_WAITING) {
        p->state = SCANNED_MATCHING;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const scanned *x = a, *y = b;
    return (x->process_id > y->process_id) - (x->process_id < y->process_id);
}

void process_scan_look(process_scan *scan)
{
    size_t n_before = scan->n, at = 0, n = 0;
    DIR *folder = opendir("/proc");
    scan->n_looks++;
    if (!folder) {
        return;
    }
    for (const struct dirent *e; (e = readdir(folder));) {
        scanned new = {.process_id = (uint32_t)strtoul(e->d_name, NULL, 10)};
        uint32_t parent_id = 0;
        if (!isdigit((unsigned char)e->d_name[0])) {
            continue;
        }
        while (at < n_before && scan->list[at].process_id < new.process_id) {
            scan->list[at++].is_there = false;
        }
        if (at < n_before && scan->list[at].process_id == new.process_id) {
            scan->list[at].is_there = check(scan, &scan->list[at]);
            at++;
        } else if (read_identity(&new, &parent_id)) {
            new.is_there = true;
            (void)HPF__ARRAY_PUSH(scan->list, scan->n, scan->capacity, new);
        }
    }
    closedir(folder);
    for (; at < n_before; at++) {
        scan->list[at].is_there = false;
    }
    for (size_t i = 0; i < scan->n; i++) {
        if (scan->list[i].is_there) {
            scan->list[n++] = scan->list[i];
        } else {
            free_texts(&scan->list[i]);
        }
    }
    scan->n = n;
    HPF__ARRAY_SORT(scan->list, scan->n, by_number);
}

scanned *process_scan_list(process_scan *scan, size_t *n)
{
    *n = scan->n;
    return scan->list;
}

double process_scan_age_s(const scanned *p)
{
    struct timespec now;
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec - (double)p->start_ticks / (double)ticks_per_s;
}

bool process_scan_is_stopped(const scanned *p)
{
    char text[1024];
    read_file(p->process_id, "stat", text, sizeof text);
    const char *at = strrchr(text, ')'); /* the state is the third field */
    return at && strncmp(at, ") T", 3) == 0;
}

bool process_scan_has_ended(const scanned *p)
{
    char text[2];
    return read_file(p->process_id, "cmdline", text, sizeof text) == 0;
}

/* ---- begin and end ---- */

hpf_status process_scan_create(process_scan **out, const char *pattern, hpf_error *err)
{
    *out = NULL;
    process_scan *scan = calloc(1, sizeof *scan);
    if (!scan) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf__regular_expression(&scan->pattern, pattern, err);
    scan->has_pattern = status == HPF_OK;
    if (status != HPF_OK) {
        process_scan_destroy(scan);
        return status;
    }
    list_own(scan);
    (void)stat("/proc/self/exe", &scan->program);
    *out = scan;
    return HPF_OK;
}

void process_scan_destroy(process_scan *scan)
{
    if (!scan) {
        return;
    }
    if (scan->has_pattern) {
        regfree(&scan->pattern);
    }
    for (size_t i = 0; i < scan->n; i++) {
        free_texts(&scan->list[i]);
    }
    free(scan->list);
    free(scan);
}
