/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who killed a process, from made files of cgroups: of version 2 and 1, with the limit in the
 * cgroup of the process or in one around it.
 */
#include <criterion/criterion.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/collector/memory_watch.h"
#include "scratch.h"

enum { EXITED = 0, UNKNOWN = -2, MEBIBYTE = 1 << 20 };
static const uint64_t second_ns = 1000000000;
static hpp__memory_watch watch;
static hpp__memory_look newest;
static char root[300], inner[900]; /* inner: the cgroup of this process */

/* Finds the path of this process in the files of cgroups, "" for the root. Without one, `out`
 * stays.
 */
static void find_path(char *out, size_t n_bytes, bool is_v1)
{
    char line[1024];
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, is_v1 ? ":memory:/" : "0::/");
        if (at) {
            snprintf(out, n_bytes, "%s", strchr(at + 1, '/'));
            out[strcspn(out, "\n")] = '\0';
            out[strcmp(out, "/") == 0 ? 0 : n_bytes - 1] = '\0';
        }
    }
    if (file) {
        fclose(file);
    }
}

/* Makes a folder and those around it. */
static void make_folder(const char *path)
{
    char part[1024];
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] == '/' || path[i] == '\0') {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            (void)mkdir(part, 0700);
        }
    }
}

static void begin_version(bool is_v1)
{
    char path[512] = "";
    scratch_begin();
    snprintf(root, sizeof root, "%s", scratch_path("cgroup"));
    find_path(path, sizeof path, is_v1);
    snprintf(inner, sizeof inner, "%s%s%s", root, is_v1 ? "/memory" : "", path);
    make_folder(inner);
    watch =
        (hpp__memory_watch){.process_id = (uint32_t)getpid(), .cgroups = root, .newest = &newest};
    newest = (hpp__memory_look){0};
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, (hpf_str){text, strlen(text)});
}

static void look(uint64_t at_s)
{
    hpp__memory_watch_look(&watch, at_s * second_ns, 0, 0);
}

static void begin(void)
{
    begin_version(false);
}

static void begin_version_1(void)
{
    begin_version(true);
}

static bool has_version_1(void)
{
    char path[512] = "?";
    find_path(path, sizeof path, true);
    return path[0] != '?';
}

static void put_version_1(const char *folder, const char *used, const char *most)
{
    put(folder, "memory.usage_in_bytes", used);
    put(folder, "memory.limit_in_bytes", most);
}

static int remove_one(const char *path, const struct stat *what, int kind, struct FTW *level)
{
    (void)what, (void)kind, (void)level;
    return remove(path);
}

static void end(void)
{
    (void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    scratch_end();
}

TestSuite(memory_watch, .init = begin, .fini = end);

static void put_events(const char *folder, int n_failures, int n_kills, int n_groups)
{
    char text[200];
    snprintf(text, sizeof text, "low 0\nhigh 0\nmax 70\noom %d\noom_kill %d\noom_group_kill %d\n",
             n_failures, n_kills, n_groups);
    put(folder, "memory.events", text);
}

static void put_limit(const char *folder, const char *used, const char *most)
{
    put(folder, "memory.current", used);
    put(folder, "memory.max", most);
}

Test(memory_watch, the_limit_of_its_cgroup)
{
    put_limit(inner, "96468992\n", "104857600\n");
    put(inner, "memory.stat", "anon 5\ninactive_file 20971520\nactive_file 1\n");
    put(inner, "memory.pressure", "some avg10=9.00 avg60=1\nfull avg10=42.17 avg60=1\n");
    put(inner, "memory.oom.group", "1\n");
    put_events(inner, 3, 5, 0);
    look(10);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].used_bytes, 72 * MEBIBYTE);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].most_bytes, 100 * MEBIBYTE);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_HIGH].most_bytes, 0);
    cr_expect(watch.memory.limits[HPF_MEMORY_MACHINE].most_bytes > 0);
    cr_expect_eq(watch.memory.stalled_percent, 42);
    cr_expect(watch.last.kills_groups);
    put_events(inner, 4, 7, 1);
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_CGROUP);
    cr_expect_eq(watch.memory.n_killed, 2);
    cr_expect(watch.memory.is_whole_cgroup);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].used_bytes, 100 * MEBIBYTE);
}

/* Short processes are many: one look is for all of a cgroup that begin at nearly the same time. */
Test(memory_watch, processes_share_a_look)
{
    const uint64_t begin_ns = 10 * second_ns, pause_ns = 100000000;
    hpp__memory_watch others[2] = {watch, watch};
    put_limit(inner, "30000000\n", "100000000\n");
    hpp__memory_watch_look(&watch, begin_ns, 0, 0);
    put_limit(inner, "40000000\n", "100000000\n");
    hpp__memory_watch_look(&others[0], begin_ns + pause_ns - 1, 0, 0);
    hpp__memory_watch_look(&others[1], begin_ns + pause_ns, 0, 0);
    cr_expect_eq(others[0].memory.limits[HPF_MEMORY_MAX].used_bytes, 30000000);
    cr_expect_eq(others[1].memory.limits[HPF_MEMORY_MAX].used_bytes, 40000000);
}

/* Of an outer cgroup; in version 2, its counters include those inside. */
Test(memory_watch, the_limit_of_a_cgroup_around)
{
    if (strcmp(root, inner) == 0) {
        return; /* this process is in the root of cgroups */
    }
    put_limit(root, "50000000\n", "60000000\n");
    put_limit(inner, "40000000\n", "max\n");
    put(root, "memory.high", "55000000\n");
    put_events(root, 3, 5, 0);
    put_events(inner, 0, 0, 0);
    look(10);
    put_events(root, 4, 6, 0);
    put_events(inner, 0, 1, 0);
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_CGROUP);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].most_bytes, 60000000);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_HIGH].most_bytes, 55000000);
}

Test(memory_watch, the_machine)
{
    put_limit(inner, "100\n", "max\n");
    put_events(inner, 3, 5, 0);
    look(10);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].most_bytes, 0);
    put_events(inner, 3, 6, 0);
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_MACHINE);
}

Test(memory_watch, another_process)
{
    put_limit(inner, "100\n", "200\n");
    put_events(inner, 3, 5, 0);
    look(10);
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_OTHER);
}

/* Exits, other signals, and ends that nobody saw; and a cgroup that has gone, or never was. */
Test(memory_watch, what_is_not_known_is_not_claimed)
{
    put_limit(inner, "100\n", "200\n");
    put_events(inner, 3, 5, 0);
    look(10);
    hpp__memory_watch_end(&watch, UNKNOWN);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_UNKNOWN);
    put_events(inner, 4, 6, 0);
    hpp__memory_watch_end(&watch, SIGSEGV);
    hpp__memory_watch_end(&watch, EXITED);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_UNKNOWN);
    hpp__memory_watch_end(&watch, UNKNOWN);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_MAYBE);
    cr_expect_eq(watch.memory.n_killed, 1);

    hpp__memory_watch never = {
        .process_id = (uint32_t)getpid(), .cgroups = "/nowhere", .newest = &newest};
    hpp__memory_watch_end(&never, SIGKILL);
    cr_expect_eq(never.memory.killer, HPF_KILLER_UNKNOWN, "there was no look");
    hpp__memory_watch_look(&never, second_ns, 0, 0);
    hpp__memory_watch_end(&never, SIGKILL);
    cr_expect(never.memory.killer == HPF_KILLER_OTHER || never.memory.killer == HPF_KILLER_MAYBE);
}

/* The kernel counts first, and the process ends later: looks between do not hide the kill. A kill
 * that is long ago is none of this process. */
Test(memory_watch, the_counters_of_two_seconds_before)
{
    put_limit(inner, "100\n", "200\n");
    put_events(inner, 3, 5, 0);
    for (uint64_t at_s = 10; at_s < 15; at_s++) {
        look(at_s);
    }
    put_events(inner, 4, 6, 0);
    for (uint64_t at_s = 15; at_s < 20; at_s++) {
        look(at_s);
    }
    hpp__memory_watch dying = watch;
    hpp__memory_watch_end(&dying, SIGKILL);
    cr_expect_eq(dying.memory.killer, HPF_KILLER_CGROUP);
    for (uint64_t at_s = 20; at_s < 40; at_s++) {
        look(at_s);
    }
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_OTHER);
}

/* Looks are rare while there is room, unless the process grows. */
Test(memory_watch, looks_are_due)
{
    put_limit(inner, "10000000\n", "90000000\n");
    look(10);
    hpp__memory_watch_look(&watch, 10 * second_ns + 100000000, 9e6, 0);
    cr_expect_eq(watch.last.counts.time_ns, 10 * second_ns);
    hpp__memory_watch_look(&watch, 10 * second_ns + 200000000, 11e6, 0);
    cr_expect_eq(watch.last.counts.time_ns, 10 * second_ns + 200000000);
    put_limit(inner, "80000000\n", "90000000\n");
    look(12);
    hpp__memory_watch_look(&watch, 12 * second_ns + 10000000, 0, 0);
    cr_expect_eq(watch.last.counts.time_ns, 12 * second_ns + 10000000);
    hpp__memory_watch_look(&watch, 12 * second_ns + 15000000, 0, 0);
    cr_expect_eq(watch.last.counts.time_ns, 12 * second_ns + 10000000);
}

/* The profiler's part of a limit is not the program's. */
Test(memory_watch, its_own_limits)
{
    const uint64_t taken[2] = {4096, 0};
    struct rlimit before, limit;
    cr_assert_eq(getrlimit(RLIMIT_AS, &before), 0);
    limit = (struct rlimit){(rlim_t)1 << 46, before.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    hpp__memory_watch_look(&watch, second_ns, 0, (uintptr_t)taken);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_ADDRESSES].most_bytes,
                 (UINT64_C(1) << 46) - taken[0]);
    hpp__memory_watch_look(&watch, 2 * second_ns, 0, 0);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_ADDRESSES].most_bytes, 0, "not known");
}

Test(memory_watch, version_1, .init = begin_version_1)
{
    if (!has_version_1()) {
        return; /* this machine has no memory controller of version 1 */
    }
    put_version_1(inner, "90\n", "100\n");
    put(inner, "memory.stat", "inactive_file 70\ntotal_inactive_file 20\n");
    put(inner, "memory.failcnt", "8\n");
    put(inner, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
    look(10);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].used_bytes, 70);
    put(inner, "memory.failcnt", "9\n");
    put(inner, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_CGROUP);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].most_bytes, 100);
}

/* In version 1, a kill counts in the cgroup of the process, and a failure in that of the limit. */
Test(memory_watch, version_1_around, .init = begin_version_1)
{
    char outer[400];
    snprintf(outer, sizeof outer, "%s/memory", root);
    if (!has_version_1() || strcmp(outer, inner) == 0) {
        return; /* there is no cgroup of version 1 around this one */
    }
    put_version_1(inner, "90\n", "9223372036854771712\n");
    put_version_1(outer, "400\n", "600\n");
    put(inner, "memory.oom_control", "oom_kill 0\n");
    put(outer, "memory.oom_control", "oom_kill 0\n");
    put(outer, "memory.failcnt", "8\n");
    look(10);
    put(inner, "memory.oom_control", "oom_kill 1\n");
    put(outer, "memory.failcnt", "9\n");
    hpp__memory_watch_end(&watch, SIGKILL);
    cr_expect_eq(watch.memory.killer, HPF_KILLER_CGROUP);
    cr_expect_eq(watch.memory.limits[HPF_MEMORY_MAX].most_bytes, 600);
}
