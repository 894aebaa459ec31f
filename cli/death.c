/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A sentence has who killed the process, how close it was to its limits, and what it held. It
 * claims no more than the counters of the kernel say.
 */
#include "death.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "unit_format.h"

static const double near = 0.9;
enum { LEAST_STALLED = 10 }; /* percent */

const char *death_limit_name(hpf_memory_limit limit)
{
    static const char *const names[HPF_N_MEMORY_LIMITS] = {
        [HPF_MEMORY_MAX] = "memory.max",      [HPF_MEMORY_HIGH] = "memory.high",
        [HPF_MEMORY_ADDRESSES] = "RLIMIT_AS", [HPF_MEMORY_DATA] = "RLIMIT_DATA",
        [HPF_MEMORY_MACHINE] = "MemTotal",    [HPF_MEMORY_COMMIT] = "CommitLimit",
    };
    return limit < HPF_N_MEMORY_LIMITS ? names[limit] : NULL;
}

static bool is_sigkill(const hpf_process *p)
{
    return p->end == HPF_PROCESS_KILLED && p->code == SIGKILL;
}

const char *death_killer_name(const hpf_process *p)
{
    static const char *const names[] = {[HPF_KILLER_UNKNOWN] = NULL,
                                        [HPF_KILLER_OTHER] = "not for memory",
                                        [HPF_KILLER_CGROUP] = "memory.max",
                                        [HPF_KILLER_MACHINE] = "out of memory",
                                        [HPF_KILLER_MAYBE] = "out of memory?"};
    return names[p->memory.killer];
}

HPF_PRINTF(2, 3) static void add(death_text *to, const char *format, ...)
{
    size_t n = strlen(to->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->text + n, sizeof to->text - n, format, arguments);
    va_end(arguments);
}

static formatted amount(uint64_t n_bytes)
{
    return format_amount((double)n_bytes, HPF_STR("bytes"), false);
}

/* Adds "97 % of memory.max (512 MiB)". */
static void add_limit(death_text *to, const hpf_memory *m, hpf_memory_limit limit)
{
    add(to, "%.0f %% of %s (%s)", 100 * hpf_memory_part(m, limit), death_limit_name(limit),
        amount(m->limits[limit].most_bytes).text);
}

static void add_killer(death_text *to, const hpf_process *p)
{
    const hpf_memory *m = &p->memory;
    hpf_memory_limit nearest = hpf_memory_nearest(m);
    switch (m->killer) {
    case HPF_KILLER_CGROUP:
        add(to, "killed by the kernel: its cgroup reached memory.max (%s)",
            amount(m->limits[HPF_MEMORY_MAX].most_bytes).text);
        break;
    case HPF_KILLER_MACHINE:
        add(to, "killed by the kernel: the machine ran out of memory, no limit of its cgroup was "
                "reached");
        break;
    case HPF_KILLER_MAYBE:
        add(to,
            "%s when the kernel killed %llu process%s for memory; it is not known whether "
            "this was one of them",
            is_sigkill(p) ? "killed by SIGKILL" : "ended", (unsigned long long)m->n_killed,
            m->n_killed == 1 ? "" : "es");
        break;
    case HPF_KILLER_OTHER:
        if (hpf_memory_part(m, nearest) >= near) {
            add(to,
                "killed by SIGKILL, but not by the kernel for memory: maybe by a daemon such as "
                "systemd-oomd, as it was near a limit: ");
            add_limit(to, m, nearest);
        } else {
            add(to, "killed by SIGKILL, not by the kernel for memory");
        }
        break;
    default:
        add(to, "killed by SIGKILL; no counter tells whether it was for memory");
    }
    if (m->is_whole_cgroup) {
        add(to, ", and all processes of the cgroup were killed (memory.oom.group)");
    }
}

/* Adds the nearest limit, if the sentence does not have it yet. */
static void add_nearest(death_text *to, const hpf_process *p)
{
    const hpf_memory *m = &p->memory;
    hpf_memory_limit nearest = hpf_memory_nearest(m);
    bool is_said = m->killer == HPF_KILLER_CGROUP ||
                   (m->killer == HPF_KILLER_OTHER && hpf_memory_part(m, nearest) >= near);
    if (nearest != HPF_N_MEMORY_LIMITS && !is_said) {
        add(to, "; the nearest limit, shortly before: ");
        add_limit(to, m, nearest);
    }
    if (m->stalled_percent >= LEAST_STALLED) {
        add(to, "; for %u %% of ten seconds, all waited for memory", (unsigned)m->stalled_percent);
    }
}

static void add_holder(death_text *to, const hpf_process *p, double margin)
{
    const hpf_memory *m = &p->memory;
    if (p->left_bytes > 0) {
        add(to, "; at the end %s live",
            format_estimate((double)p->left_bytes, margin, HPF_STR("bytes"), false).text);
    }
    if (p->left_bytes > 0 && m->holder_bytes > 0) {
        add(to, ", %.0f %% of it of %.*s", 100 * (double)m->holder_bytes / (double)p->left_bytes,
            m->holder.length < 200 ? (int)m->holder.length : 200, m->holder.data);
    }
}

death_text death_explain(const hpf_process *p, double margin)
{
    death_text out = {""};
    hpf_memory_limit nearest = hpf_memory_nearest(&p->memory);
    bool is_near = hpf_memory_part(&p->memory, nearest) >= near;
    if (is_sigkill(p) || p->memory.killer != HPF_KILLER_UNKNOWN) {
        add_killer(&out, p);
    } else if (is_near && p->end == HPF_PROCESS_EXITED && p->code != 0) {
        add(&out, "exited with %d", p->code);
    } else if (is_near && p->end == HPF_PROCESS_KILLED) {
        add(&out, "killed by signal %d (%s)", p->code, strsignal(p->code));
    } else if (is_near && p->end == HPF_PROCESS_RUNS) {
        add(&out, "no end was recorded: it runs, or was killed together with census");
    } else {
        return out;
    }
    add_nearest(&out, p);
    add_holder(&out, p, margin);
    return out;
}
