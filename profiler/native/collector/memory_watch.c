/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernel counts a kill before it sends the signal, and a large process may take a while to end:
 * so the counters at the end are compared with those of two seconds before, or of up to ten if the
 * kernel has killed something since.
 */
#include "memory_watch.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/collector/image/proc.h"

static const uint64_t look_every_ns = 1000000000;
static const uint64_t least_pause_ns = 10000000, first_look_ns = 100000000;
static const uint64_t compare_ns = 2000000000;
static const uint64_t most_compare_ns = 10000000000; /* after a kill */
static const uint64_t unlimited_bytes = UINT64_C(1) << 60;
static const double near = 0.8, half = 0.5;

typedef struct small_file {
    char text[8192];
} small_file;

HPF_PRINTF(2, 3) static bool read_file(small_file *file, const char *format, ...)
{
    char path[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return n > 0 && n < (int)sizeof path &&
           hpp__proc_read_text(path, file->text, sizeof file->text);
}

/* Returns the number after a key that begins a line, or 0. */
static uint64_t number_of(const small_file *file, const char *key)
{
    size_t n = strlen(key);
    const char *line = file->text;
    while (line && strncmp(line, key, n) != 0) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return line ? strtoull(line + n, NULL, 10) : 0;
}

static void set_limit(hpf_memory *m, hpf_memory_limit limit, uint64_t used, uint64_t most)
{
    m->limits[limit].used_bytes = used;
    m->limits[limit].most_bytes = most;
}

/* ---- cgroups ---- */

/* Finds the cgroup of the process. A new one has other counters. */
static void find_cgroup(hpp__memory_watch *w)
{
    hpp__memory_look *l = &w->last;
    small_file file;
    struct stat folder;
    char memory[1024], path[sizeof l->path] = "";
    snprintf(memory, sizeof memory, "%s/memory", w->cgroups);
    bool has_v1 = stat(memory, &folder) == 0;
    bool is_read = read_file(&file, "/proc/%u/cgroup", (unsigned)w->process_id);
    bool is_found = false;
    char *rest = NULL;
    l->is_v1 = false;
    for (char *line = is_read ? strtok_r(file.text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *at = strstr(line, ":/");
        bool is_v1 = has_v1 && strstr(line, ":memory:/");
        if (at && (is_v1 || (!l->is_v1 && strncmp(line, "0::", 3) == 0))) {
            snprintf(path, sizeof path, "%s", at + 1);
            l->is_v1 = is_v1;
            is_found = true;
        }
    }
    if (strcmp(path, "/") == 0) {
        path[0] = '\0';
    }
    if (is_found && (!l->has_path || strcmp(path, l->path) != 0)) {
        memcpy(l->path, path, sizeof path);
        w->before = l->counts = (hpp__kill_counts){0};
    }
    l->has_path |= is_found;
}

/* Cuts the last name from a path. Returns false if there was none: it is the root. */
static bool go_out(char *path)
{
    char *last = strrchr(path, '/');
    if (last) {
        *last = '\0';
    }
    return last != NULL;
}

/* Looks at one cgroup. Its path begins with a slash, or is empty. */
static void count_cgroup(const char *root, bool is_v1, const char *path, size_t i,
                         hpp__kill_counts *counts)
{
    small_file file;
    if (is_v1 ? read_file(&file, "%s/memory%s/memory.oom_control", root, path)
              : read_file(&file, "%s%s/memory.events", root, path)) {
        counts->cgroups[i].is_known = true;
        counts->cgroups[i].n_kills = number_of(&file, "oom_kill ");
        counts->cgroups[i].n_group_kills = number_of(&file, "oom_group_kill ");
        counts->cgroups[i].n_failures = number_of(&file, "oom ");
    }
    static const char *const counters[] = {"memory.failcnt", "memory.memsw.failcnt"};
    for (size_t k = 0; is_v1 && k < 2; k++) {
        if (read_file(&file, "%s/memory%s/%s", root, path, counters[k])) {
            counts->cgroups[i].n_failures += number_of(&file, "");
        }
    }
}

static void count_kills(const hpp__memory_watch *w, uint64_t now_ns, hpp__kill_counts *counts)
{
    small_file file;
    char path[sizeof w->last.path];
    memcpy(path, w->last.path, sizeof path);
    *counts = (hpp__kill_counts){.time_ns = now_ns};
    for (size_t i = 0; w->last.has_path && i < HPP__MOST_CGROUPS; i++) {
        count_cgroup(w->cgroups, w->last.is_v1, path, i, counts);
        if (!go_out(path)) {
            break;
        }
    }
    counts->is_machine_known = read_file(&file, "/proc/vmstat");
    counts->n_machine_kills = number_of(&file, "oom_kill ");
}

/* Compares the limit in a file with the memory that is used, and keeps it if it is nearer. */
static uint64_t compare(hpp__memory_look *l, const char *folder, const char *name, uint64_t used,
                        hpf_memory_limit limit)
{
    small_file file;
    hpf_memory m = {.holder = HPF_STR("")};
    if (!read_file(&file, "%s/%s", folder, name) || file.text[0] < '0' || file.text[0] > '9' ||
        number_of(&file, "") >= unlimited_bytes || number_of(&file, "") == 0) {
        return 0;
    }
    uint64_t most = number_of(&file, "");
    if ((double)used > half * (double)most && read_file(&file, "%s/memory.stat", folder)) {
        uint64_t idle = number_of(&file, l->is_v1 ? "total_inactive_file " : "inactive_file ");
        used -= idle < used ? idle : used;
    }
    set_limit(&m, limit, used, most);
    if (hpf_memory_part(&m, limit) >= hpf_memory_part(&l->memory, limit)) {
        l->memory.limits[limit] = m.limits[limit];
    }
    return most;
}

static void compare_cgroups(hpp__memory_look *l, const char *cgroups)
{
    small_file file;
    char path[sizeof l->path], folder[1024];
    memcpy(path, l->path, sizeof path);
    l->kills_groups = false;
    for (size_t i = 0; l->has_path && i < HPP__MOST_CGROUPS; i++) {
        snprintf(folder, sizeof folder, "%.400s%s%s", cgroups, l->is_v1 ? "/memory" : "", path);
        const char *used_name = l->is_v1 ? "memory.usage_in_bytes" : "memory.current";
        l->most_bytes[i] = 0;
        if (read_file(&file, "%s/%s", folder, used_name)) {
            uint64_t used = number_of(&file, "");
            const char *max = l->is_v1 ? "memory.limit_in_bytes" : "memory.max";
            l->most_bytes[i] = compare(l, folder, max, used, HPF_MEMORY_MAX);
            (void)compare(l, folder, "memory.high", used, HPF_MEMORY_HIGH);
            l->kills_groups |=
                read_file(&file, "%s/memory.oom.group", folder) && number_of(&file, "") == 1;
        }
        if (!go_out(path)) {
            break;
        }
    }
}

/* ---- other limits ---- */

static void compare_own(hpp__memory_watch *w, uint64_t taken_address)
{
    static const struct {
        enum __rlimit_resource resource;
        hpf_memory_limit limit;
    } all[] = {{RLIMIT_AS, HPF_MEMORY_ADDRESSES}, {RLIMIT_DATA, HPF_MEMORY_DATA}};
    small_file file;
    unsigned long long pages[2];
    uint64_t taken[2];
    for (size_t i = 0; i < 2; i++) {
        struct rlimit limit;
        if (prlimit((pid_t)w->process_id, all[i].resource, NULL, &limit) != 0 ||
            limit.rlim_cur == RLIM_INFINITY || taken_address == 0 ||
            !hpp__proc_read_memory(w->process_id, taken, taken_address, sizeof taken) ||
            !read_file(&file, "/proc/%u/statm", (unsigned)w->process_id) ||
            sscanf(file.text, "%llu %*u %*u %*u %*u %llu", &pages[0], &pages[1]) != 2) {
            continue;
        }
        uint64_t used = pages[i] * (uint64_t)sysconf(_SC_PAGESIZE);
        if (used > taken[i] && limit.rlim_cur > taken[i]) {
            set_limit(&w->memory, all[i].limit, used - taken[i], limit.rlim_cur - taken[i]);
        }
    }
}

static void compare_machine(hpf_memory *m)
{
    enum { NEVER = 2 }; /* may more be promised than there is */
    small_file file, mode;
    if (!read_file(&file, "/proc/meminfo")) {
        return;
    }
    uint64_t total = number_of(&file, "MemTotal:") * 1024;
    uint64_t available = number_of(&file, "MemAvailable:") * 1024;
    if (available > 0 && available <= total) {
        set_limit(m, HPF_MEMORY_MACHINE, total - available, total);
    }
    if (read_file(&mode, "/proc/sys/vm/overcommit_memory") && number_of(&mode, "") == NEVER) {
        set_limit(m, HPF_MEMORY_COMMIT, number_of(&file, "Committed_AS:") * 1024,
                  number_of(&file, "CommitLimit:") * 1024);
    }
}

/* Returns the share of the last ten seconds in which all tasks waited for memory, in percent. */
static uint32_t read_stalls(const hpp__memory_watch *w)
{
    small_file file;
    const char *full = NULL;
    if (!w->last.is_v1 ? read_file(&file, "%s%s/memory.pressure", w->cgroups, w->last.path)
                       : read_file(&file, "/proc/pressure/memory")) {
        full = strstr(file.text, "full avg10=");
    }
    return full ? (uint32_t)strtoul(full + strlen("full avg10="), NULL, 10) : 0;
}

/* ---- looking ---- */

static bool is_due(const hpp__memory_watch *w, uint64_t now_ns, double resident_bytes)
{
    uint64_t since_ns = now_ns - w->last.counts.time_ns;
    uint64_t room = UINT64_MAX;
    for (size_t i = 0; i < HPF_N_MEMORY_LIMITS; i++) {
        uint64_t used = w->memory.limits[i].used_bytes, most = w->memory.limits[i].most_bytes;
        uint64_t left = used < most ? most - used : 0;
        room = most > 0 && left < room ? left : room;
    }
    bool has_grown = resident_bytes - w->resident_bytes > (double)room / 8;
    bool is_near = hpf_memory_part(&w->memory, hpf_memory_nearest(&w->memory)) >= near;
    return since_ns >= look_every_ns || (since_ns >= least_pause_ns && (has_grown || is_near));
}

/* Returns whether the kernel has killed nothing between two counts. */
static bool is_quiet(const hpp__kill_counts *a, const hpp__kill_counts *b)
{
    bool is_quiet = a->n_machine_kills == b->n_machine_kills;
    for (size_t i = 0; i < HPP__MOST_CGROUPS; i++) {
        is_quiet &= a->cgroups[i].n_kills == b->cgroups[i].n_kills;
    }
    return is_quiet;
}

/* Looks at the cgroup and the machine, unless another process of the same cgroup has just done so:
 * many short ones take more time for that than for all else. The first look of a process may be an
 * older one. */
static void look_around(hpp__memory_watch *w, uint64_t now_ns)
{
    hpp__memory_look *l = &w->last, *newest = w->newest;
    uint64_t fresh_ns = l->counts.time_ns == 0 ? first_look_ns : least_pause_ns;
    bool is_same = newest->has_path == l->has_path && strcmp(newest->path, l->path) == 0;
    if (is_same && now_ns - newest->counts.time_ns < fresh_ns) {
        *l = *newest;
        return;
    }
    count_kills(w, now_ns, &l->counts);
    l->memory = (hpf_memory){.holder = HPF_STR("")};
    compare_cgroups(l, w->cgroups);
    compare_machine(&l->memory);
    *newest = *l;
}

void hpp__memory_watch_look(hpp__memory_watch *w, uint64_t now_ns, double resident_bytes,
                            uint64_t taken_address)
{
    if (!is_due(w, now_ns, resident_bytes)) {
        return;
    }
    find_cgroup(w);
    uint64_t age_ns = now_ns - w->before.time_ns;
    if (age_ns >= compare_ns &&
        (age_ns >= most_compare_ns || is_quiet(&w->before, &w->last.counts))) {
        w->before = w->last.counts;
    }
    look_around(w, now_ns);
    w->before = w->before.time_ns == 0 ? w->last.counts : w->before;
    w->resident_bytes = resident_bytes;
    w->memory = w->last.memory;
    compare_own(w, taken_address);
    if (hpf_memory_part(&w->memory, hpf_memory_nearest(&w->memory)) >= half) {
        w->memory.stalled_percent = read_stalls(w);
    }
}

/* Returns how often the kernel has killed between two counts, in the cgroup of the process, whose
 * level is stored; -1 if its counters are not known. */
static int64_t kills_between(const hpp__kill_counts *a, const hpp__kill_counts *b, size_t *level)
{
    size_t i = 0;
    while (i < HPP__MOST_CGROUPS && !a->cgroups[i].is_known) {
        i++;
    }
    *level = i;
    return i < HPP__MOST_CGROUPS && b->cgroups[i].is_known
               ? (int64_t)(b->cgroups[i].n_kills - a->cgroups[i].n_kills)
               : -1;
}

/* Finds the cgroup whose limit was reached, and says so. Returns false if it was none. */
static bool find_full(hpp__memory_watch *w, const hpp__kill_counts *end, size_t level)
{
    const hpp__kill_counts *a = &w->before;
    for (size_t i = level; i < HPP__MOST_CGROUPS; i++) {
        if (end->cgroups[i].n_failures > a->cgroups[i].n_failures && w->last.most_bytes[i] > 0) {
            set_limit(&w->memory, HPF_MEMORY_MAX, w->last.most_bytes[i], w->last.most_bytes[i]);
            w->memory.is_whole_cgroup = end->cgroups[i].n_group_kills > a->cgroups[i].n_group_kills;
            return true;
        }
    }
    return false;
}

void hpp__memory_watch_end(hpp__memory_watch *w, int wait_status)
{
    enum { UNKNOWN = -2 };
    hpp__kill_counts end;
    size_t level;
    bool is_known = wait_status != UNKNOWN;
    if (w->before.time_ns == 0 ||
        (is_known && !(WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL))) {
        return;
    }
    count_kills(w, w->last.counts.time_ns, &end);
    int64_t n_kills = kills_between(&w->before, &end, &level);
    bool has_machine = w->before.is_machine_known && end.is_machine_known;
    uint64_t n_machine = has_machine ? end.n_machine_kills - w->before.n_machine_kills : 0;
    w->memory.n_killed = n_kills > 0 ? (uint64_t)n_kills : n_machine;
    if (n_kills > 0 && is_known) {
        w->memory.killer = find_full(w, &end, level) ? HPF_KILLER_CGROUP : HPF_KILLER_MACHINE;
    } else if (n_kills > 0 || (n_kills < 0 && n_machine > 0)) {
        w->memory.killer = HPF_KILLER_MAYBE;
    } else if (is_known && (n_kills == 0 || has_machine)) {
        w->memory.killer = HPF_KILLER_OTHER;
        w->memory.n_killed = 0;
    }
}
