/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Small reads of /proc.
 */
#include "proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "hpfile/str.h"

enum { MAX_ANCESTORS = 4096, MAX_FILE_BYTES = 1 << 18 };

/* Returns the number of bytes read. */
static size_t read_beginning(const char *path, char *out, size_t n_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t n = read(fd, out, n_bytes - 1);
    close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

bool hpp__proc_read_text(const char *path, char *out, size_t n_bytes)
{
    return read_beginning(path, out, n_bytes) > 0;
}

hpp_thread_state *hpp__proc_read_threads(uint32_t process_id, const hpp_window_head *head,
                                         size_t *n_out)
{
    uint64_t parts[HPP_MAX_THREAD_PARTS], address = atomic_load(&head->thread_parts);
    size_t n = atomic_load(&head->n_slots);
    n = n < HPP_MAX_SLOTS ? n : HPP_MAX_SLOTS;
    hpp_thread_state *states = calloc(n + 1, sizeof *states);
    bool is_read = states && hpp__proc_read_memory(process_id, parts, address, sizeof parts);
    for (size_t i = 0; is_read && i < n; i += HPP_THREADS_PER_PART) {
        size_t n_here = n - i < HPP_THREADS_PER_PART ? n - i : HPP_THREADS_PER_PART;
        uint64_t part = parts[i / HPP_THREADS_PER_PART];
        is_read = part == 0 ||
                  hpp__proc_read_memory(process_id, states + i, part, n_here * sizeof *states);
    }
    *n_out = is_read ? n : 0;
    return states;
}

double hpp__proc_resident_bytes(uint32_t process_id)
{
    char path[64], text[128];
    unsigned long long n_pages, n_resident;
    snprintf(path, sizeof path, "/proc/%u/statm", (unsigned)process_id);
    if (!hpp__proc_read_text(path, text, sizeof text) ||
        sscanf(text, "%llu %llu", &n_pages, &n_resident) != 2 || n_pages == 0) {
        return -1;
    }
    return (double)n_resident * (double)sysconf(_SC_PAGESIZE);
}

bool hpp__proc_cpu_ns(uint32_t process_id, uint64_t *out_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid((pid_t)process_id, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return false;
    }
    *out_ns = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
    return true;
}

bool hpp__proc_thread_name(uint32_t process_id, uint32_t thread_id,
                           char out[HPP__THREAD_NAME_BYTES])
{
    char path[64], text[HPP__THREAD_NAME_BYTES + 1];
    snprintf(path, sizeof path, "/proc/%u/task/%u/comm", (unsigned)process_id, (unsigned)thread_id);
    if (!hpp__proc_read_text(path, text, sizeof text)) {
        return false;
    }
    text[strcspn(text, "\n")] = '\0';
    memcpy(out, text, HPP__THREAD_NAME_BYTES);
    out[HPP__THREAD_NAME_BYTES - 1] = '\0';
    return true;
}

bool hpp__proc_command(uint32_t process_id, char *out, size_t n_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/cmdline", (unsigned)process_id);
    size_t n = read_beginning(path, out, n_bytes);
    for (size_t i = 0; i < n; i++) {
        out[i] = out[i] == '\0' ? ' ' : out[i];
    }
    while (n > 0 && out[n - 1] == ' ') {
        out[--n] = '\0';
    }
    return n > 0;
}

bool hpp__proc_program(uint32_t process_id, hpp__program_id *out)
{
    char path[64];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)process_id);
    if (stat(path, &file) != 0) {
        return false;
    }
    *out = (hpp__program_id){(uint64_t)file.st_dev, (uint64_t)file.st_ino};
    return true;
}

/* Returns what follows the name in the `stat` file at `path`; NULL if there is none. The name in
 * parentheses may contain any character. */
static const char *after_name(const char *path, char *text, size_t n_bytes)
{
    const char *end = hpp__proc_read_text(path, text, n_bytes) ? strrchr(text, ')') : NULL;
    return end && end[1] == ' ' ? end + 2 : NULL;
}

uint32_t hpp__proc_parent(uint32_t process_id)
{
    char path[64], text[512];
    unsigned parent = 0;
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)process_id);
    const char *rest = after_name(path, text, sizeof text);
    return rest && sscanf(rest, "%*c %u", &parent) == 1 ? parent : 0;
}

/* The first version of struct pidfd_info (linux/pidfd.h), which the kernel keeps to. */
typedef struct pidfd_status {
    uint64_t mask, cgroup_id;
    uint32_t ids[11];
    int32_t exit_code;
} pidfd_status;

/* Returns the status of a process that was waited for. */
static int status_of_reaped(int pidfd)
{
    const uint64_t has_exit = 8;
    pidfd_status status = {.mask = has_exit};
    bool is_known = pidfd >= 0 && ioctl(pidfd, _IOWR(0xff, 11, pidfd_status), &status) == 0 &&
                    (status.mask & has_exit) != 0;
    return is_known ? status.exit_code : -2;
}

int hpp__proc_wait_status(uint32_t process_id, int pidfd)
{
    enum { N_BEFORE = 49 }; /* fields from the state to the status */
    char path[64], text[1500];
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)process_id);
    const char *at = after_name(path, text, sizeof text);
    at = at && *at == 'Z' ? at : NULL;
    for (int i = 0; at && i < N_BEFORE; i++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? atoi(at) : status_of_reaped(pidfd);
}

char hpp__proc_thread_state(uint32_t process_id, uint32_t thread_id)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", (unsigned)process_id, (unsigned)thread_id);
    const char *rest = after_name(path, text, sizeof text);
    return rest ? rest[0] : 'X';
}

typedef struct status_text {
    char text[4096];
} status_text;

/* Reads the status of a thread. It is empty if there is none. */
static void read_status(status_text *out, uint32_t process_id, uint32_t thread_id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task/%u/status", (unsigned)process_id,
             (unsigned)thread_id);
    if (!hpp__proc_read_text(path, out->text, sizeof out->text)) {
        out->text[0] = '\0';
    }
}

/* Returns a number of a status; `name` follows a line end and ends with a colon. */
static unsigned long long number_in(const status_text *status, const char *name, int base)
{
    const char *line = strstr(status->text, name);
    return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

static unsigned long long status_of(uint32_t process_id, uint32_t thread_id, const char *name)
{
    status_text status;
    read_status(&status, process_id, thread_id);
    return number_in(&status, name, 10);
}

uint32_t hpp__proc_tracer(uint32_t process_id)
{
    return (uint32_t)status_of(process_id, process_id, "\nTracerPid:");
}

uint64_t hpp__proc_switches(uint32_t process_id, uint32_t thread_id)
{
    return status_of(process_id, thread_id, "\nvoluntary_ctxt_switches:");
}

uint32_t hpp__proc_id_inside(uint32_t process_id, uint32_t thread_id)
{
    status_text status;
    read_status(&status, process_id, thread_id);
    const char *ids = strstr(status.text, "\nNSpid:");
    const char *last = ids ? ids + strcspn(ids + 1, "\n") : NULL;
    while (last && last > ids && last[0] != '\t') {
        last--;
    }
    return last ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

/* Returns whether a path leads to the same file in the folders of a process and of this one. */
static bool is_same_file(uint32_t process_id, const char *name)
{
    char path[64], own[64];
    struct stat its, ours;
    snprintf(path, sizeof path, "/proc/%u/%s", (unsigned)process_id, name);
    snprintf(own, sizeof own, "/proc/self/%s", name);
    return stat(path, &its) != 0 || stat(own, &ours) != 0 ||
           (its.st_dev == ours.st_dev && its.st_ino == ours.st_ino);
}

const char *hpp__proc_root_of_maps(uint32_t process_id, char out[HPP__PROC_ROOT_BYTES])
{
    snprintf(out, HPP__PROC_ROOT_BYTES, "/proc/%u/root", (unsigned)process_id);
    return is_same_file(process_id, "ns/mnt") ? NULL : out;
}

const char *hpp__proc_root(uint32_t process_id, char out[HPP__PROC_ROOT_BYTES])
{
    const char *root = hpp__proc_root_of_maps(process_id, out);
    return root || is_same_file(process_id, "root") ? root : out;
}

uint32_t hpp__proc_seccomp(uint32_t process_id)
{
    return (uint32_t)status_of(process_id, process_id, "\nSeccomp:");
}

uint64_t hpp__proc_filters(uint32_t process_id, uint32_t thread_id)
{
    return status_of(process_id, thread_id, "\nSeccomp_filters:");
}

bool hpp__proc_has_signals(uint32_t process_id, uint32_t thread_id)
{
    status_text status;
    read_status(&status, process_id, thread_id);
    unsigned long long waiting =
        number_in(&status, "\nSigPnd:", 16) | number_in(&status, "\nShdPnd:", 16);
    return (waiting & ~number_in(&status, "\nSigBlk:", 16)) != 0;
}

double hpp__proc_page_table_bytes(uint32_t process_id)
{
    return (double)status_of(process_id, process_id, "\nVmPTE:") * 1024;
}

uint32_t hpp__proc_ptrace_scope(const char *path)
{
    char text[16];
    return hpp__proc_read_text(path, text, sizeof text) ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

bool hpp__proc_is_own_file(const char *path)
{
    static const char memory_file[] = "/memfd:";
    hpf_str whole = hpf_str_of(path);
    const char *slash = strrchr(path, '/');
    const char *name = hpf_str_begins(whole, memory_file) ? path + strlen(memory_file)
                       : slash                            ? slash + 1
                                                          : path;
    return hpf_str_begins(hpf_str_of(name), "libcensus-preload.") ||
           hpf_str_begins(whole, "/memfd:census-");
}

bool hpp__proc_is_shared_memory(const char *path)
{
    hpf_str whole = hpf_str_of(path);
    return hpf_str_begins(whole, "/dev/zero") || hpf_str_begins(whole, "/dev/shm/") ||
           hpf_str_begins(whole, "/memfd:") || hpf_str_begins(whole, "/SYSV");
}

bool hpp__proc_read_memory(uint32_t process_id, void *out, uint64_t address, size_t n_bytes)
{
    size_t n = 0;
    while (n < n_bytes) {
        struct iovec to = {(char *)out + n, n_bytes - n};
        struct iovec from = {(void *)(uintptr_t)(address + n), n_bytes - n};
        ssize_t got = process_vm_readv((pid_t)process_id, &to, 1, &from, 1, 0);
        if (got <= 0) {
            return false;
        }
        n += (size_t)got;
    }
    return true;
}

hpp__proc_memory hpp__proc_memory_open(uint32_t process_id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/mem", (unsigned)process_id);
    return (hpp__proc_memory){process_id, open(path, O_RDONLY | O_CLOEXEC)};
}

void hpp__proc_memory_close(hpp__proc_memory *memory)
{
    hpf__close(memory->file);
    memory->file = -1;
}

bool hpp__proc_memory_read(const hpp__proc_memory *memory, void *out, uint64_t address,
                           size_t n_bytes)
{
    size_t n = 0;
    ssize_t got = memory->file >= 0 ? 1 : 0;
    while (n < n_bytes && got > 0) {
        got = pread(memory->file, (char *)out + n, n_bytes - n, (off_t)(address + n));
        n += got > 0 ? (size_t)got : 0;
    }
    return n == n_bytes || hpp__proc_read_memory(memory->process_id, out, address, n_bytes);
}

bool hpp__proc_descends(uint32_t process_id, uint32_t ancestor_id)
{
    for (int i = 0; i < MAX_ANCESTORS && process_id != 0; i++) {
        if (process_id == ancestor_id) {
            return true;
        }
        process_id = hpp__proc_parent(process_id);
    }
    return false;
}

/* Returns when a process was started, or 0. */
static unsigned long long start_of(const char *process_id)
{
    char path[64], text[1024];
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", process_id);
    const char *after_name =
        hpp__proc_read_text(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    bool is_known = after_name && sscanf(after_name,
                                         ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                         "%*s %*s %*s %*s %*s %*s %llu",
                                         &start) == 1;
    return is_known ? start : 0;
}

/* Returns whether the first bytes of a file of a process contain the text. */
static bool has_in_file(const char *process_id, const char *name, const char *text, char *room,
                        size_t n_room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/%s", process_id, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 1;
    while (fd >= 0 && got > 0 && n < n_room) {
        got = read(fd, room + n, n_room - n);
        n += got > 0 ? (size_t)got : 0;
    }
    hpf__close(fd);
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= n; i++) {
        if (room[i] == text[0] && memcmp(room + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

bool hpp__proc_any_with(const char *text)
{
    DIR *all = opendir("/proc");
    char *room = malloc(MAX_FILE_BYTES);
    unsigned long long own_start = start_of("self");
    const struct dirent *entry = NULL;
    bool is_found = false;
    while (all && room && !is_found && (entry = readdir(all))) {
        const char *id = entry->d_name;
        bool is_other = id[0] >= '1' && id[0] <= '9' && strtol(id, NULL, 10) != getpid();
        is_found = is_other && start_of(id) >= own_start &&
                   (has_in_file(id, "environ", text, room, MAX_FILE_BYTES) ||
                    has_in_file(id, "maps", text, room, MAX_FILE_BYTES));
    }
    free(room);
    if (all) {
        closedir(all);
    }
    return is_found;
}

int hpp__proc_open_pagemap(uint32_t process_id)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/pagemap", (unsigned)process_id);
    return open(path, O_RDONLY | O_CLOEXEC);
}

enum { PAGEMAP_ENTRIES = 512 };

/* Flags of an entry: the page is in memory, or swapped out. */
static const uint64_t is_present = UINT64_C(1) << 63, is_swapped = UINT64_C(1) << 62;

/* Reads which of the pages from `page` have one of the flags. Returns how many were read, at most
 * PAGEMAP_ENTRIES. */
static size_t read_pagemap(int pagemap, uint64_t page, uint64_t n_pages, uint64_t flags, bool *out)
{
    uint64_t entries[PAGEMAP_ENTRIES];
    size_t n = n_pages < PAGEMAP_ENTRIES ? (size_t)n_pages : PAGEMAP_ENTRIES;
    ssize_t got = pread(pagemap, entries, n * sizeof *entries, (off_t)(page * sizeof *entries));
    n = got > 0 ? (size_t)got / sizeof *entries : 0;
    for (size_t i = 0; i < n; i++) {
        out[i] = (entries[i] & flags) != 0;
    }
    return n;
}

uint64_t hpp__proc_touched_bytes(int pagemap, uint64_t begin, uint64_t n_bytes)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t page = begin / page_bytes;
    uint64_t end = page + n_bytes / page_bytes;
    uint64_t n_touched = 0;
    bool are_there[PAGEMAP_ENTRIES];
    size_t n;
    while (page < end &&
           (n = read_pagemap(pagemap, page, end - page, is_present | is_swapped, are_there)) > 0) {
        for (size_t i = 0; i < n; i++) {
            n_touched += are_there[i];
        }
        page += n;
    }
    return n_touched * page_bytes;
}

/* Stores which pages have one of the flags; all if it is unknown. */
static void find_pages(int pagemap, uint64_t begin, size_t n_pages, uint64_t flags, bool *out)
{
    uint64_t page = begin / (uint64_t)sysconf(_SC_PAGESIZE);
    size_t n_read = 0;
    size_t n;
    while (n_read < n_pages &&
           (n = read_pagemap(pagemap, page + n_read, n_pages - n_read, flags, out + n_read)) > 0) {
        n_read += n;
    }
    memset(out + n_read, true, n_pages - n_read);
}

void hpp__proc_touched_pages(int pagemap, uint64_t begin, size_t n_pages, bool *out)
{
    find_pages(pagemap, begin, n_pages, is_present | is_swapped, out);
}

void hpp__proc_resident_pages(int pagemap, uint64_t begin, size_t n_pages, bool *out)
{
    find_pages(pagemap, begin, n_pages, is_present, out);
}
