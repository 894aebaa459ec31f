/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The sentence about the end of a process.
 */
#include <criterion/criterion.h>
#include <signal.h>

#include "death.h"

#define MEBIBYTE (UINT64_C(1) << 20)

static hpf_process killed_by(hpf_killer killer, uint64_t used_mib, uint64_t most_mib)
{
    hpf_process p = {.end = HPF_PROCESS_KILLED,
                     .code = SIGKILL,
                     .left_bytes = 498 * MEBIBYTE,
                     .memory = {.killer = killer,
                                .n_killed = killer == HPF_KILLER_MAYBE,
                                .holder = HPF_STR("PageCache::render@server.cpp:31"),
                                .holder_bytes = 354 * MEBIBYTE}};
    p.memory.limits[HPF_MEMORY_MAX].used_bytes = used_mib * MEBIBYTE;
    p.memory.limits[HPF_MEMORY_MAX].most_bytes = most_mib * MEBIBYTE;
    return p;
}

static void check(const hpf_process *p, const char *expected)
{
    death_text found = death_explain(p, 0);
    cr_expect_str_eq(found.text, expected);
}

Test(death, of_a_sample)
{
    hpf_process p = killed_by(HPF_KILLER_CGROUP, 512, 512);
    death_text found = death_explain(&p, 20 * MEBIBYTE);
    cr_expect_str_eq(found.text,
                     "killed by the kernel: its cgroup reached memory.max (512 MiB); at "
                     "the end 498 MiB ± 20 MiB live, 71 % of it of "
                     "PageCache::render@server.cpp:31");
}

#define HELD "; at the end 498 MiB live, 71 % of it of PageCache::render@server.cpp:31"

Test(death, by_the_kernel)
{
    hpf_process p = killed_by(HPF_KILLER_CGROUP, 512, 512);
    check(&p, "killed by the kernel: its cgroup reached memory.max (512 MiB)" HELD);
    p.memory.is_whole_cgroup = true;
    p.memory.stalled_percent = 34;
    check(&p, "killed by the kernel: its cgroup reached memory.max (512 MiB), and all processes of "
              "the cgroup were killed (memory.oom.group); for 34 % of ten seconds, all waited for "
              "memory" HELD);
    p = killed_by(HPF_KILLER_MACHINE, 300, 512);
    check(&p, "killed by the kernel: the machine ran out of memory, no limit of its cgroup was "
              "reached; the nearest limit, shortly before: 59 % of memory.max (512 MiB)" HELD);
    p = killed_by(HPF_KILLER_MAYBE, 0, 0);
    check(&p, "killed by SIGKILL when the kernel killed 1 process for memory; it is not known "
              "whether this was one of them" HELD);
    p.end = HPF_PROCESS_ENDED;
    p.code = 0;
    check(&p, "ended when the kernel killed 1 process for memory; it is not known whether this was "
              "one of them" HELD);
}

Test(death, by_others)
{
    hpf_process p = killed_by(HPF_KILLER_OTHER, 174, 512);
    check(&p, "killed by SIGKILL, not by the kernel for memory; the nearest limit, shortly before: "
              "34 % of memory.max (512 MiB)" HELD);
    p = killed_by(HPF_KILLER_OTHER, 500, 512);
    check(&p, "killed by SIGKILL, but not by the kernel for memory: maybe by a daemon such as "
              "systemd-oomd, as it was near a limit: 98 % of memory.max (512 MiB)" HELD);
    p = killed_by(HPF_KILLER_UNKNOWN, 0, 0);
    p.memory.holder_bytes = p.left_bytes = 0;
    check(&p, "killed by SIGKILL; no counter tells whether it was for memory");
}

/* Other ends are explained if a limit was near. */
Test(death, near_a_limit)
{
    hpf_process p = killed_by(HPF_KILLER_UNKNOWN, 0, 0);
    p.memory.limits[HPF_MEMORY_ADDRESSES].used_bytes = 97;
    p.memory.limits[HPF_MEMORY_ADDRESSES].most_bytes = 100;
    p.code = SIGABRT;
    check(&p, "killed by signal 6 (Aborted); the nearest limit, shortly before: 97 % of RLIMIT_AS "
              "(100 B)" HELD);
    p.end = HPF_PROCESS_EXITED;
    p.code = 3;
    check(&p, "exited with 3; the nearest limit, shortly before: 97 % of RLIMIT_AS (100 B)" HELD);
    p.code = 0;
    check(&p, "");
    p.end = HPF_PROCESS_RUNS;
    check(&p,
          "no end was recorded: it runs, or was killed together with census; the nearest limit, "
          "shortly before: 97 % of RLIMIT_AS (100 B)" HELD);
    p.end = HPF_PROCESS_EXITED;
    p.code = 3;
    p.memory.limits[HPF_MEMORY_ADDRESSES].used_bytes = 80;
    check(&p, "");
}
