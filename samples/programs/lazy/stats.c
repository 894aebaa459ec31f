/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Statistics of a run, in the layout of GHC's: where time was spent (-s), and each collection (-S).
 */
#include <inttypes.h>
#include <time.h>

#include "runtime.h"

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

lz_moment lz_now(void)
{
    struct timespec elapsed;
    clock_gettime(CLOCK_MONOTONIC, &elapsed);
    return (lz_moment){lz_processor_ns(),
                       (uint64_t)elapsed.tv_sec * 1000000000 + (uint64_t)elapsed.tv_nsec};
}

/* Adds the time since `begun`. */
static void add_since(lz_moment *sum, lz_moment begun)
{
    lz_moment now = lz_now();
    sum->cpu_ns += now.cpu_ns - begun.cpu_ns;
    sum->elapsed_ns += now.elapsed_ns - begun.elapsed_ns;
}

void lz_stats_start(lz_runtime *rt)
{
    rt->stats.begun = lz_now();
    if (rt->stats.out && rt->stats.prints_each) {
        fputs("    Alloc    Copied     Live     GC     GC      TOT      TOT\n"
              "    bytes     bytes     bytes   user   elap     user     elap\n",
              rt->stats.out);
    }
}

void lz_stats_collected(lz_runtime *rt, lz_moment begun, uint64_t memory_bytes)
{
    lz_stats *s = &rt->stats;
    lz_moment pause = {0}, total = {0};
    add_since(&pause, begun);
    add_since(&total, s->begun);
    s->collector.cpu_ns += pause.cpu_ns;
    s->collector.elapsed_ns += pause.elapsed_ns;
    s->longest_pause_ns =
        pause.elapsed_ns > s->longest_pause_ns ? pause.elapsed_ns : s->longest_pause_ns;
    s->copied_bytes += rt->live_bytes;
    s->most_live_bytes = rt->live_bytes > s->most_live_bytes ? rt->live_bytes : s->most_live_bytes;
    s->memory_bytes = memory_bytes > s->memory_bytes ? memory_bytes : s->memory_bytes;
    if (s->out && s->prints_each) {
        fprintf(s->out, "%9zu %9zu %9zu %6.3f %6.3f %8.3f %8.3f  (Gen:  0)\n", rt->allocated_bytes,
                rt->live_bytes, rt->live_bytes, seconds(pause.cpu_ns), seconds(pause.elapsed_ns),
                seconds(total.cpu_ns), seconds(total.elapsed_ns));
    }
}

void lz_stats_profiled(lz_runtime *rt, lz_moment begun)
{
    add_since(&rt->stats.profiler, begun);
}

/* Prints a number with commas between its thousands. */
static void print_count(FILE *out, uint64_t number, const char *after)
{
    char digits[32], text[48];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number), length = 0;
    for (int i = 0; i < n; i++) {
        text[length++] = digits[i];
        if ((n - i) % 3 == 1 && i + 1 < n) {
            text[length++] = ',';
        }
    }
    fprintf(out, "%16.*s %s", length, text, after);
}

static void print_time(FILE *out, const char *name, lz_moment time)
{
    fprintf(out, "  %-7s time  %7.3fs  (%7.3fs elapsed)\n", name, seconds(time.cpu_ns),
            seconds(time.elapsed_ns));
}

void lz_stats_print(lz_runtime *rt)
{
    lz_stats *s = &rt->stats;
    lz_moment total = {0};
    add_since(&total, s->begun);
    if (!s->out) {
        return;
    }
    const lz_moment program = {total.cpu_ns - s->collector.cpu_ns - s->profiler.cpu_ns,
                               total.elapsed_ns - s->collector.elapsed_ns - s->profiler.elapsed_ns};
    double program_s = seconds(program.cpu_ns);
    print_count(s->out, rt->total_bytes, "bytes allocated in the heap\n");
    print_count(s->out, s->copied_bytes, "bytes copied during GC\n");
    print_count(s->out, s->most_live_bytes, "bytes maximum residency");
    fprintf(s->out, " (%u sample(s))\n", rt->n_collections);
    print_count(s->out, s->memory_bytes >> 20, "MiB total memory in use\n\n");
    fprintf(s->out,
            "                                     Tot time (elapsed)  Avg pause  Max pause\n"
            "  Gen  0     %5u colls,     0 par  %7.3fs %7.3fs     %.4fs    %.4fs\n\n",
            rt->n_collections, seconds(s->collector.cpu_ns), seconds(s->collector.elapsed_ns),
            seconds(s->collector.elapsed_ns) / (rt->n_collections > 0 ? rt->n_collections : 1),
            seconds(s->longest_pause_ns));
    print_time(s->out, "MUT", program);
    print_time(s->out, "GC", s->collector);
    print_time(s->out, "PROF", s->profiler);
    print_time(s->out, "Total", total);
    fprintf(s->out, "\n  %%GC     time     %5.1f%%  (%.1f%% elapsed)\n\n",
            100 * (double)s->collector.cpu_ns / (double)total.cpu_ns,
            100 * (double)s->collector.elapsed_ns / (double)total.elapsed_ns);
    fputs("  Alloc rate ", s->out);
    print_count(s->out, program_s > 0 ? (uint64_t)((double)rt->total_bytes / program_s) : 0,
                "bytes per MUT second\n\n");
    fprintf(s->out, "  Productivity %5.1f%% of total user, %.1f%% of total elapsed\n\n",
            100 * (double)program.cpu_ns / (double)total.cpu_ns,
            100 * (double)program.elapsed_ns / (double)total.elapsed_ns);
    if (s->out != stderr) {
        fclose(s->out);
    }
    s->out = NULL;
}
