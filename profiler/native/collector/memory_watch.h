/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How close a process is to the limits of its memory, and whether the kernel killed it for them:
 * from its cgroup (version 2, or 1) and those around it, its own limits, and the machine. Files
 * that are missing are limits that are not known.
 *
 * Memory of a cgroup is without the file pages that the kernel would take back first (inactive
 * file), as for kubelet's working set.
 */
#ifndef HPP_NATIVE_COLLECTOR_MEMORY_WATCH_H
#define HPP_NATIVE_COLLECTOR_MEMORY_WATCH_H

#include <stdbool.h>

#include "hpfile/recording.h"

enum { HPP__MOST_CGROUPS = 16 };

/* Counters at a moment: of the cgroups, from that of the process outwards, and of the machine. */
typedef struct hpp__kill_counts {
    uint64_t time_ns;
    struct {
        uint64_t n_kills, n_group_kills, n_failures; /* failures: to get more memory */
        bool is_known;
    } cgroups[HPP__MOST_CGROUPS];
    uint64_t n_machine_kills;
    bool is_machine_known;
} hpp__kill_counts;

/* What a look at a cgroup and the machine has seen. All zero: none yet. */
typedef struct hpp__memory_look {
    char path[512]; /* of the cgroup, from where cgroups are mounted; "" is the root */
    bool has_path, is_v1;
    bool kills_groups; /* memory.oom.group is set */
    hpp__kill_counts counts;
    uint64_t most_bytes[HPP__MOST_CGROUPS];
    hpf_memory memory; /* without the limits of a process itself */
} hpp__memory_look;

/* Begins as {.process_id, .cgroups, .newest}. */
typedef struct hpp__memory_watch {
    uint32_t process_id;
    const char *cgroups;      /* where they are mounted, "/sys/fs/cgroup"; borrowed */
    hpp__memory_look *newest; /* of all processes of the collector; borrowed */
    hpp__memory_look last;
    hpp__kill_counts before; /* two seconds ago, or before a kill */
    double resident_bytes;   /* of the process, at the last look */
    hpf_memory memory;
} hpp__memory_watch;

/* Looks, if the last look was a second ago, a limit is near, or the process has grown by an eighth
 * of the room that it had. `taken_address` is where the process keeps what the profiler has
 * taken of RLIMIT_AS and RLIMIT_DATA (uint64_t); 0: it does not say. */
void hpp__memory_watch_look(hpp__memory_watch *watch, uint64_t now_ns, double resident_bytes,
                            uint64_t taken_address);

/* Finds who killed the process, which has ended with `wait_status`; -2: it is not known how. */
void hpp__memory_watch_end(hpp__memory_watch *watch, int wait_status);

#endif
