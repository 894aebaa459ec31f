/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ticky counters (-lT): for each piece of code, how often it was entered, the bytes that it has
 * allocated, and the bytes of the closures that run it.
 */
#include "hpprof/log.h"
#include "runtime.h"

enum { MAX_COUNTERS = 1024 };

typedef struct counter {
    const lz_info *info;
    hpp_log_count count; /* since the last report */
} counter;

static counter counters[MAX_COUNTERS]; /* a hash table; with one unused entry at least */
static size_t n_counters;

/* Returns the counter of code, and defines it in the log if it is new; NULL if there are too many.
 */
static counter *counter_of(lz_runtime *rt, const lz_info *info)
{
    size_t at = (uintptr_t)info / sizeof *info % MAX_COUNTERS;
    while (counters[at].info && counters[at].info != info) {
        at = (at + 1) % MAX_COUNTERS;
    }
    if (!counters[at].info && n_counters + 1 < MAX_COUNTERS) {
        char kinds[] = ">>>>>>>>"; /* all arguments are objects */
        unsigned n = info->n_args < sizeof kinds ? info->n_args : sizeof kinds - 1;
        kinds[n] = '\0';
        counters[at] = (counter){info, {.id = (uintptr_t)info}};
        n_counters++;
        hpp_log_counter(hpp_runtime_profiler(rt->profile), (uintptr_t)info,
                        info->shape.description.data, (uint16_t)info->n_args, kinds);
    }
    return counters[at].info ? &counters[at] : NULL;
}

void lz_ticky_entered(lz_runtime *rt, const lz_info *info)
{
    counter *c = rt->counts_entries ? counter_of(rt, info) : NULL;
    if (c) {
        c->count.entries++;
    }
}

void lz_ticky_allocated(lz_runtime *rt, const lz_info *info, size_t n_bytes)
{
    const lz_thread *t = rt->running;
    const lz_info *by = t->n_frames > 0 ? t->frames[t->n_frames - 1].info : NULL;
    counter *of = rt->counts_entries && info->code ? counter_of(rt, info) : NULL;
    if (of) {
        of->count.allocd_bytes += n_bytes;
    }
    counter *in = rt->counts_entries && by && by->code ? counter_of(rt, by) : NULL;
    if (in) {
        in->count.allocs_bytes += n_bytes;
    }
}

void lz_ticky_report(lz_runtime *rt)
{
    hpp_log_count counts[MAX_COUNTERS];
    size_t n = 0;
    for (size_t i = 0; i < MAX_COUNTERS; i++) {
        hpp_log_count *count = &counters[i].count;
        if (count->entries > 0 || count->allocs_bytes > 0 || count->allocd_bytes > 0) {
            counts[n++] = *count;
            *count = (hpp_log_count){.id = count->id};
        }
    }
    if (n > 0) {
        hpp_log_counts(hpp_runtime_profiler(rt->profile), counts, n);
    }
}
