/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each line starts with "census: ", to distinguish it from the output of the program.
 */
#include "run_summary.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "death.h"
#include "diag.h"
#include "options/stack_options.h"
#include "path.h"
#include "unit_format.h"
#include "hpfile/str.h"

/* ---- Hint about symbols ---------------------------------------------------------------------- */

/* How to get symbols for object files that have none.
 *
 * One run of `dpkg-query --search` for all files. Its database may have a file in /bin that the
 * program saw in /usr/bin, or in /usr/lib that it saw in /lib, where both are the same folder. */

enum { HINT_BYTES = 1024 };

typedef struct symbol_hint {
    char packages[HINT_BYTES]; /* Debian's packages with their debugging symbols; or empty */
    char others[HINT_BYTES];   /* files of no package; or empty */
} symbol_hint;

#define USR "/usr"
enum { MOST_FILES = 16 };

/* Appends to a list, with a comma between its items, unless the list has the item. */
static void add_item(char list[HINT_BYTES], const char *item)
{
    const char *found = strstr(list, item);
    size_t n = strlen(list), length = strlen(item);
    bool is_there = found && (found == list || found[-1] == ' ') &&
                    (found[length] == ',' || found[length] == '\0');
    if (!is_there && n + length + 3 < HINT_BYTES) {
        snprintf(list + n, HINT_BYTES - n, "%s%s", n > 0 ? ", " : "", item);
    }
}

/* Returns whether a path can be a word of a command without quotes, and is no pattern. */
static bool is_plain(hpf_str path)
{
    for (size_t i = 0; i < path.length; i++) {
        if (!isalnum((unsigned char)path.data[i]) && !strchr("/._+-", path.data[i])) {
            return false;
        }
    }
    return path.length > 1 && path.data[0] == '/';
}

static hpf_str without_usr(hpf_str path)
{
    return hpf_str_begins(path, USR "/") ? hpf_str_from(path, strlen(USR)) : path;
}

/* Reads a line "package:architecture: /path", and marks the file as found. */
static void read_line(symbol_hint *out, char *line, const hpf_str *paths, size_t n, bool *is_found)
{
    char *path = strstr(line, ": /");
    if (!path || strncmp(line, "diversion ", 10) == 0) {
        return;
    }
    *path = '\0';
    path += 2;
    path[strcspn(path, "\n")] = '\0';
    line[strcspn(line, ":,")] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (hpf_str_equal(without_usr(paths[i]), without_usr(hpf_str_of(path)))) {
            char package[200];
            bool is_libc = strcmp(line, "libc6") == 0; /* has no automatic package */
            snprintf(package, sizeof package, "%.180s-%s", line, is_libc ? "dbg" : "dbgsym");
            add_item(out->packages, package);
            is_found[i] = true;
        }
    }
}

/* Finds the packages of files. Runs dpkg-query; without it, all files are of no package. */
static void symbol_hint_find(symbol_hint *out, const hpf_str *paths, size_t n)
{
    char command[MOST_FILES * 600] = "dpkg-query --search", line[600];
    size_t length = strlen(command);
    bool is_found[MOST_FILES] = {false};
    *out = (symbol_hint){.packages = ""};
    n = n < MOST_FILES ? n : MOST_FILES;
    for (size_t i = 0; i < n; i++) {
        if (is_plain(paths[i]) && paths[i].length < 250) {
            hpf_str path = without_usr(paths[i]);
            length +=
                (size_t)snprintf(command + length, sizeof command - length, " %.*s " USR "%.*s",
                                 (int)path.length, path.data, (int)path.length, path.data);
        }
    }
    snprintf(command + length, sizeof command - length, " 2>/dev/null");
    FILE *answer = popen(command, "r");
    while (answer && fgets(line, sizeof line, answer)) {
        read_line(out, line, paths, n, is_found);
    }
    if (answer) {
        pclose(answer);
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_found[i]) {
            snprintf(line, sizeof line, "%.*s",
                     (int)(paths[i].length < 250 ? paths[i].length : 250), paths[i].data);
            add_item(out->others, line);
        }
    }
}

enum { N_SITES = 5, N_THREADS = 5, N_OTHERS = 5, N_UNNAMED = 4, PATH_BYTES = 60 };

#define BYTES   HPF_STR("bytes")
#define SECONDS HPF_STR("seconds")

typedef struct page {
    FILE *to;
    hpp_collector *collector;
    bool has_recording; /* else each process has files */
    double rate_bytes;  /* of the process that is printed: a sample of its blocks; 0: all */
} page;

static void say(const page *p, const char *format, ...) HPF_PRINTF(2, 3);

static void say(const page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("census: ", p->to);
    diag_vprint(p->to, format, arguments);
    va_end(arguments);
}

static formatted amount(uint64_t n_bytes)
{
    return format_amount((double)n_bytes, BYTES, false);
}

static formatted with_margin(uint64_t n_bytes, double margin)
{
    return format_estimate((double)n_bytes, margin, BYTES, false);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Returns the length of a text cut for a line; the profile has the whole text. */
static int shown(hpf_str text, int most)
{
    return text.length < (size_t)most ? (int)text.length : most;
}

/* ---- The program ---- */

/* Returns the largest amount ever reached, with a sample or without. */
static uint64_t peak_of(const hpp_process_figures *f)
{
    return f->missed_peak_bytes > 0 ? f->missed_peak_bytes : f->peak_bytes;
}

static void say_course(const page *p, const hpp_process_figures *f)
{
    say(p, "%.*s", shown(f->command, 100), f->command.data);
    if (f->n_samples == 0) {
        say(p, "ran %s, no sample; %s allocation%s of %s in total",
            format_time(f->duration_s, SECONDS, false).text, format_count(f->allocations).text,
            plural(f->allocations), amount(f->allocated_bytes).text);
        return;
    }
    double peak_s = f->missed_peak_bytes > 0 ? f->missed_peak_s : f->peak_s;
    say(p, "ran %s; peak %s at %s%s; %s allocation%s of %s in total",
        format_time(f->duration_s, SECONDS, false).text,
        with_margin(peak_of(f), f->peak_margin).text, format_time(peak_s, SECONDS, false).text,
        f->is_restricted ? " within the restriction" : "", format_count(f->allocations).text,
        plural(f->allocations), amount(f->allocated_bytes).text);
    if (f->rate_bytes > 0) {
        say(p, "counted a sample of the blocks, one for %s; ±: 95 of 100 amounts are within it",
            amount(f->rate_bytes).text);
    }
    if (f->resident_bytes > 0) {
        say(p, "resident set up to %s, plus %s for the profiler", amount(f->resident_bytes).text,
            amount(f->profiler_bytes).text);
    } else {
        say(p, "exited too soon to measure the resident set; %s for the profiler",
            amount(f->profiler_bytes).text);
    }
}

/* Prints why a process has ended, if that needs to be explained; `who` as for say_if. */
static void say_death(const page *p, const char *who, const hpp_process_figures *f)
{
    const hpf_process process = {.end = f->end,
                                 .code = f->end_code,
                                 .left_bytes = f->allocated_bytes - f->freed_bytes,
                                 .memory = f->memory};
    death_text death = death_explain(&process, f->end_margin);
    if (death.text[0] && f->end != HPF_PROCESS_RUNS) {
        say(p, "%s%s", who, death.text);
    }
}

/* Returns an amount, as wide as others in a column that has margins, or none. */
static formatted column_of(uint64_t n_bytes, double margin, bool has_margins)
{
    enum { WIDTH = 11 };
    formatted within = format_margin(margin, BYTES, false);
    int n_more = within.text[0] ? 1 : 0; /* the sign has two bytes */
    formatted out;
    snprintf(out.text, sizeof out.text, "%10.90s%-*.90s", amount(n_bytes).text,
             has_margins ? WIDTH + n_more : 0, within.text);
    return out;
}

/* Prints the parts of the resident set that are a hundredth of it, and what pins it. */
static void say_resident(const page *p, const hpp_resident_figures *f)
{
    if (f->bytes == 0) {
        return;
    }
    say(p, "resident at %s, when %s: %s", format_time(f->time_s, SECONDS, false).text,
        f->parts[HPF_RESIDENT_BEFORE] > 0 ? "it was most" : "allocators kept most",
        amount(f->bytes).text);
    for (int i = 0; i < HPF_N_RESIDENT_PARTS; i++) {
        if (f->parts[i] >= f->bytes / 100 && f->parts[i] > 0) {
            bool is_estimate =
                i == HPF_RESIDENT_LIVE || i == HPF_RESIDENT_REST || i == HPF_RESIDENT_BEFORE;
            say(p, "  %s %3.0f%%  %s",
                column_of(f->parts[i], is_estimate ? f->live_margin : 0, f->live_margin > 0).text,
                100 * (double)f->parts[i] / (double)f->bytes,
                hpf_resident_part_name((hpf_resident_part)i));
        }
    }
    if (f->pinned_bytes >= f->bytes / 100 && f->pinned_bytes > 0) {
        double all_bytes = (double)(f->pinned_bytes + f->pinned_live_bytes);
        say(p, "  %s of pages of which %.1f%% is live, most pinned by %.*s",
            amount(f->pinned_bytes).text, 100 * (double)f->pinned_live_bytes / all_bytes,
            shown(f->pinned_by, 80), f->pinned_by.data);
    }
}

/* Returns the words that mark figures of all blocks in the summary of a restricted profile. */
static const char *of_all(const hpp_process_figures *f)
{
    return f->is_restricted ? ", of all blocks" : "";
}

/* Prints the largest sites, types or retainer sets; those below one percent only if they are the
 * first. */
static void say_sites(const page *p, size_t index, hpp_moment moment, uint64_t all_bytes)
{
    hpp_site_figures sites[N_SITES];
    size_t n = hpp_collector_top(p->collector, index, moment, sites, N_SITES);
    for (size_t i = 0; i < n && (i == 0 || sites[i].live_bytes >= all_bytes / 100); i++) {
        const hpp_site_figures *s = &sites[i];
        double share = all_bytes > 0 ? 100.0 * (double)s->live_bytes / (double)all_bytes : 0;
        formatted column = column_of(s->live_bytes, s->margin, p->rate_bytes > 0);
        if (s->live_blocks == 0) { /* a band of another break-down */
            say(p, "  %s %3.0f%%  %.*s", column.text, share, shown(s->place, 100), s->place.data);
            continue;
        }
        int n_path = shown(s->path, PATH_BYTES);
        say(p, "  %s %3.0f%% %10s block%s  %.*s%s%.*s%s", column.text, share,
            format_count(s->live_blocks).text, plural(s->live_blocks), shown(s->place, 80),
            s->place.data, n_path > 0 ? " < " : "", n_path, s->path.data,
            s->path.length > (size_t)n_path ? "..." : "");
    }
}

/* Says how to see the callers of a function of C that seems to allocate for others, if it has most
 * of the peak. */
static void say_wrapper(const page *p, size_t index, uint64_t all_bytes)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:";
    hpp_site_figures s;
    if (hpp_collector_top(p->collector, index, HPP_AT_PEAK, &s, 1) == 0 ||
        s.live_bytes < all_bytes / 2 || s.path.length == 0) {
        return;
    }
    char name[80];
    snprintf(name, sizeof name, "%.*s", shown(s.place, (int)sizeof name - 1), s.place.data);
    name[strcspn(name, "@")] = '\0'; /* its place follows */
    if (strstr(name, "lloc") && name[strspn(name, letters)] == '\0') {
        say(p, "  to see its callers instead: --skip '^%s$', also with census open", name);
    }
}

/* Returns the half-width of the interval of 95 % of a share, in points (Agresti and Coull). A
 * sample of one block for `sample_bytes` tells a share of `live_bytes` as live_bytes / sample_bytes
 * blocks of one size do, or better. */
static double margin_of(double share, const hpp_biography_figures *b)
{
    double n = (double)b->live_bytes / (double)b->sample_bytes;
    double middle = (share * n + 2) / (n + 4);
    return 100 * 1.96 * sqrt(middle * (1 - middle) / (n + 4));
}

/* Prints the shares of the phases in the largest sample. */
static void say_phases(const page *p, const hpp_process_figures *f)
{
    const hpp_biography_figures *b = &f->biography;
    const char *of = b->are_of_bands ? "" : of_all(f);
    const struct {
        const char *name;
        uint64_t bytes;
    } phases[] = {{"lag", b->phases.lag_bytes},
                  {"use", b->phases.use_bytes},
                  {"drag", b->phases.drag_bytes},
                  {"void", b->phases.void_bytes}};
    uint64_t sum =
        b->phases.lag_bytes + b->phases.use_bytes + b->phases.drag_bytes + b->phases.void_bytes;
    if (sum == 0) {
        return;
    }
    char text[200];
    size_t n = 0;
    double margin = 0;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        double share = (double)phases[i].bytes / (double)sum;
        double own = b->sample_bytes > 0 ? margin_of(share, b) : 0;
        margin = own > margin ? own : margin;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.1f%%", i > 0 ? ", " : "",
                              phases[i].name, 100 * share);
    }
    if (b->sample_bytes > 0) {
        say(p, "biography of the largest sample%s: %s, each within %.1f points (95%%)", of, text,
            margin);
        say(p, "  from %s block%s watched, one for %s allocated", format_count(b->n_samples).text,
            plural(b->n_samples), amount(b->sample_bytes).text);
    } else {
        say(p, "biography of the largest sample%s: %s", of, text);
        say(p,
            "  from all accesses of code that census cc compiled; accesses of other libraries were "
            "not seen");
    }
}

/* Prints which blocks no root reached, in the words of Valgrind. */
static void say_leaks(const page *p, size_t index, const hpp_process_figures *f)
{
    hpp_site_figures sites[N_SITES];
    size_t n = hpp_collector_top(p->collector, index, HPP_LOST, sites, N_SITES);
    say(p, "unreachable%s, at most: %s%s in %s block%s%s", of_all(f), amount(f->lost_bytes).text,
        format_margin(f->lost_margin, BYTES, false).text, format_count(f->lost_blocks).text,
        plural(f->lost_blocks), n > 0 ? ":" : "");
    for (size_t i = 0; i < n; i++) {
        const hpp_site_figures *s = &sites[i];
        uint64_t n_direct = s->live_blocks - s->indirect_blocks;
        formatted within = format_margin(s->margin, BYTES, false);
        say(p, "  %10s directly in %s block%s, %s indirectly in %s%s%s  %.*s",
            amount(s->live_bytes - s->indirect_bytes).text, format_count(n_direct).text,
            plural(n_direct), amount(s->indirect_bytes).text, format_count(s->indirect_blocks).text,
            within.text, within.text[0] ? " in all" : "", shown(s->place, 80), s->place.data);
    }
    if (f->lost_blocks > 0 && f->n_moving > 0) {
        say(p, "  %s thread%s ran at that moment, and may have had some of them in registers",
            format_count(f->n_moving).text, plural(f->n_moving));
    }
}

/* Prints the largest parts of the waste, of at least one percent. */
static void say_waste(const page *p, size_t index, const hpp_process_figures *f)
{
    hpp_site_figures parts[N_SITES];
    size_t n = hpp_collector_top(p->collector, index, HPP_WASTE, parts, N_SITES);
    for (size_t i = 0; i < n && parts[i].live_bytes > f->waste_of_bytes / 100; i++) {
        const hpp_site_figures *s = &parts[i];
        bool has_site = s->path.length > 0 && !hpf_str_equal(s->path, s->place);
        if (i == 0) {
            say(p, "waste at %s, of %s live%s:", format_time(f->waste_s, SECONDS, false).text,
                amount(f->waste_of_bytes).text, of_all(f));
        }
        say(p, "  %10s %3.0f%% %10s block%s  %.*s, %s%s%.*s", amount(s->live_bytes).text,
            100.0 * (double)s->live_bytes / (double)f->waste_of_bytes,
            format_count(s->live_blocks).text, plural(s->live_blocks), shown(s->place, 80),
            s->place.data, s->module.data, has_site ? "; " : "",
            has_site ? shown(s->path, PATH_BYTES) : 0, s->path.data);
    }
}

/* Prints how long images made threads wait, if that is more than a twentieth of the run. */
static void say_pauses(const page *p, const hpp_process_figures *f)
{
    if (f->image_pause_s > f->duration_s / 20) {
        say(p, "images made threads wait for %s in all: %s on average, %s for the longest",
            format_time(f->image_pause_s, SECONDS, false).text,
            format_time(f->image_pause_s / (double)f->n_images, SECONDS, false).text,
            format_time(f->longest_pause_s, SECONDS, false).text);
    }
}

static void say_types(const page *p, const hpp_type_figures *t)
{
    const struct {
        const char *by;
        uint64_t bytes;
    } shares[] = {{"class", t->by_class},
                  {"container", t->by_container},
                  {"variable", t->by_variable},
                  {"owner", t->by_owner},
                  {"only the site", t->by_site}};
    uint64_t sum = t->by_class + t->by_container + t->by_variable + t->by_owner + t->by_site;
    char text[200];
    size_t n = 0;
    for (size_t i = 0; sum > 0 && i < sizeof shares / sizeof *shares; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.1f%%", i > 0 ? ", " : "",
                              shares[i].by, 100 * (double)shares[i].bytes / (double)sum);
    }
    if (sum > 0) {
        say(p, "bytes of the largest sample have a type by: %s", text);
    }
}

static void say_threads(const page *p, size_t index)
{
    hpp_thread_figures threads[N_THREADS];
    size_t n = hpp_collector_threads(p->collector, index, threads, N_THREADS);
    if (n < 2) {
        return;
    }
    say(p, "allocated by thread:");
    for (size_t i = 0; i < n; i++) {
        const hpp_thread_figures *t = &threads[i];
        say(p, "  %10s  %.*s%s", amount(t->allocated_bytes).text, (int)t->name.length, t->name.data,
            t->name.length == 0 ? "(ended before they were sampled)" : "");
    }
}

/* ---- Losses ---- */

/* `who` starts each sentence: "" or the files of a process. */
static void say_if(const page *p, const char *who, uint64_t n, const char *noun, const char *what)
{
    if (n > 0) {
        say(p, "%s%s %s%s %s", who, format_count(n).text, noun, plural(n), what);
    }
}

static void say_biography_losses(const page *p, const char *who, const hpp_biography_figures *b)
{
    static const char *const ends[] = {
        [HPP_BIOGRAPHY_NO_PAGEMAP] =
            "uses of blocks were not seen: the program could not read /proc/self/pagemap, for "
            "which /proc must be mounted and the program dumpable, or its pages are larger than 4 "
            "KiB",
        [HPP_BIOGRAPHY_LOCKED_MEMORY] = "the biography ended early: the program locked its memory "
                                        "(mlock), so later uses were not seen",
        [HPP_BIOGRAPHY_RAW_FORK] =
            "the biography ended early: the program forked by clone, _Fork or a bare system call",
    };
    if (b->end != HPP_BIOGRAPHY_COMPLETE) {
        say(p, "%s%s", who, ends[b->end]);
    }
    say_if(p, who, b->n_unsampled, "block", "not watched: aligned to a page, or no memory");
    say_if(p, who, b->n_retired, "block", "watched only until the program forked");
    say_if(p, who, b->n_lost, "change", "of phase not recorded");
}

static void say_python(const page *p, const char *who, const hpp_process_figures *f)
{
    static const char *const reasons[] = {
        [HPP_NO_PYTHON_VERSION] = "frames of this version are not known (3.9 to 3.15 are)",
        [HPP_NO_PYTHON_LAYOUT] = "this build differs from others of its version",
        [HPP_NO_PYTHON_LOCK] = "objects of a free-threaded build are only counted from its start "
                               "on, and without -hb",
    };
    if (f->python == HPP_NO_PYTHON_TYPES) {
        say(p,
            "%sPython %u.%u is free-threaded: types and variables of its objects are not "
            "known, its functions are",
            who, f->python_version >> 24, f->python_version >> 16 & 0xff);
    } else if (f->python != HPP_PYTHON_PROFILED) {
        say(p, "%sPython %u.%u is profiled as a native program: %s", who, f->python_version >> 24,
            f->python_version >> 16 & 0xff, reasons[f->python]);
    }
}

static void say_haskell(const page *p, const char *who, const hpp_process_figures *f)
{
    if (f->haskell == HPP_NO_HASKELL_VERSION) {
        say(p,
            "%sthe Haskell heap is profiled as native blocks: the layout of %s%s is not known "
            "(those of GHC 8.8, 9.0, 9.6 and 9.10 are)",
            who, f->haskell_version[0] ? "GHC " : "this version of GHC", f->haskell_version);
    } else if (f->haskell == HPP_NO_HASKELL_LAYOUT) {
        say(p,
            "%sthe Haskell heap is profiled as native blocks: its layout is not that of GHC %s, "
            "or it has one generation only",
            who, f->haskell_version);
    }
    if (f->n_unsettled > 0) {
        say(p,
            "%s%s sample%s skipped: no collection began while Haskell code ran, or one of the "
            "whole heap was under way",
            who, format_count(f->n_unsettled).text, plural(f->n_unsettled));
    }
}

static void say_losses(const page *p, const char *who, const hpp_process_figures *f)
{
    say_python(p, who, f);
    say_haskell(p, who, f);
    say_biography_losses(p, who, &f->biography);
    say_if(p, who, f->n_lost_stacks, "allocation", "with an unknown stack, in the band UNKNOWN");
    say_if(p, who, f->n_uncounted, "block", "not counted");
    say_if(p, who, f->n_missed_frees, "free", "of counted blocks not seen");
    say_if(p, who, f->n_cut_stacks, "stack",
           "incomplete: no unwind information for the outer frames");
    say_if(p, who, f->n_apart, "fork",
           "not profiled: the child could not connect to census, maybe because it is in another "
           "network namespace");
    if (f->has_own_malloc) {
        say(p,
            "%sit contains its own malloc, whose blocks cannot be counted: only its mappings are",
            who);
    }
    if (f->started_sanitizer) {
        say(p,
            "%sit started programs with a sanitizer (of addresses, threads or memory): they were "
            "not profiled",
            who);
    }
    if (f->started_other) {
        say(p,
            "%sit started programs that are not linked to glibc, or to one older than 2.35: they "
            "were not profiled",
            who);
    }
    if (f->left_network) {
        say(p, "%sit entered another network namespace: programs started there were not profiled",
            who);
    }
    if (f->was_isolated) {
        say(p,
            "%sit isolated itself by seccomp: since then, new threads have no stacks, and programs "
            "that it started were not profiled",
            who);
    }
    if (f->was_traced) {
        say(p,
            "%sit was traced (gdb, strace): since then, it has no ticks of processor time, whose "
            "signals the tracer would see",
            who);
    }
    if (f->n_missed_samples > f->n_samples / 10) {
        say_if(p, who, f->n_missed_samples, "sample",
               f->n_images == 0 ? "missing: the machine was busy"
                                : "missing: the machine was busy, or images had paused the program "
                                  "for a sixteenth of the time");
    }
    if (f->n_missed_images > 0) {
        say(p, "%s%s sample%s skipped: %s", who, format_count(f->n_missed_images).text,
            plural(f->n_missed_images), f->image_error.message);
    }
    say_if(p, who, f->n_without_graph, "sample",
           f->has_unknown_blocks
               ? "skipped: with --rate, -hr and --snapshot need glibc's malloc or "
                 "jemalloc 5.3, of which all blocks can be found"
               : "skipped: out of memory");
    if (f->limits & HPP_LIMITED_BLOCKS) {
        say(p, "%smemory limit reached: later blocks were not counted", who);
    } else if (f->limits & HPP_LIMITED_STACKS) {
        say(p, "%smemory limit nearly reached: new stacks are in the band UNKNOWN", who);
    }
}

/* Returns what to call a process, in a buffer. */
static const char *call(const page *p, const hpp_process_figures *f, char buffer[24])
{
    snprintf(buffer, 24, "process %u", (unsigned)f->process_id);
    return p->has_recording ? buffer : f->base;
}

static void say_failures(const page *p)
{
    const hpf_error *refused = hpp_collector_refused(p->collector);
    for (size_t i = 0; i < hpp_collector_n_processes(p->collector); i++) {
        hpp_process_figures f;
        hpp_collector_figures(p->collector, i, &f);
        if (f.error.status != HPF_OK) {
            char buffer[24];
            say(p, "%s: %s", call(p, &f, buffer), f.error.message);
        }
    }
    if (refused) {
        say(p, "a process could not be profiled: %s", refused->message);
    }
}

static void say_checks(const page *p, const hpp_process_figures *f)
{
    if (f->n_checked > 0) {
        say(p,
            "%s stacks verified: %s differ from a fresh unwind, %s from the C library, which cut "
            "off %s",
            format_count(f->n_checked).text, format_count(f->n_cache_mismatches).text,
            format_count(f->n_peer_mismatches).text, format_count(f->n_peer_cut).text);
    }
}

/* Object files without symbols, in one line. */
typedef struct unnamed {
    char text[600];
    size_t length, n;
    hpf_str paths[N_UNNAMED];
} unnamed;

static int add_unnamed(hpf_str path, uint64_t n_addresses, void *context)
{
    unnamed *u = context;
    if (u->n < N_UNNAMED) {
        u->paths[u->n] = path;
        int n = snprintf(u->text + u->length, sizeof u->text - u->length, "%s%.*s (%s)",
                         u->length > 0 ? ", " : "", shown(path, 80), path.data,
                         format_count(n_addresses).text);
        u->length += n > 0 ? (size_t)n : 0;
    }
    u->n++;
    return 0;
}

/* Prints how to get the symbols. */
static void say_symbols(const page *p, const unnamed *u)
{
    symbol_hint hint;
    symbol_hint_find(&hint, u->paths, u->n < N_UNNAMED ? u->n : N_UNNAMED);
    const char *servers = getenv("DEBUGINFOD_URLS");
    bool has_servers = servers && *servers;
    if (hint.packages[0]) {
        say(p, "  to name their functions, install %s%s", hint.packages,
            has_servers ? "" : ", or set DEBUGINFOD_URLS=https://debuginfod.elfutils.org");
    }
    if (hint.others[0]) {
        say(p, "  to name functions in %s, compile with -g and do not strip", hint.others);
    }
}

static void say_unnamed(const page *p)
{
    unnamed u = {.length = 0};
    hpp_collector_each_unnamed(p->collector, add_unnamed, &u);
    if (u.n > N_UNNAMED) {
        say(p, "no symbols for addresses in: %s, and %zu more files", u.text, u.n - N_UNNAMED);
    } else if (u.n > 0) {
        say(p, "no symbols for addresses in: %s", u.text);
    }
    if (u.n > 0 && hpp_collector_missing()[0]) {
        say(p, "not built in: %s", hpp_collector_missing());
    } else if (u.n > 0) {
        say_symbols(p, &u);
    }
}

/* ---- All ---- */

static void say_program(page *p, size_t index)
{
    hpp_process_figures f;
    hpp_collector_figures(p->collector, index, &f);
    p->rate_bytes = (double)f.rate_bytes;
    uint64_t end_bytes = f.allocated_bytes - f.freed_bytes;
    uint64_t end_blocks = f.allocations - f.frees;
    say_course(p, &f);
    say_death(p, "", &f);
    if (f.missed_peak_bytes > 0 && f.peak_bytes == 0) {
        say(p, "the peak has no sample");
    } else if (f.missed_peak_bytes > 0) {
        say(p, "the peak has no sample; in the largest one, %s at %s:", amount(f.peak_bytes).text,
            format_time(f.peak_s, SECONDS, false).text);
    } else if (f.peak_bytes > 0) {
        say(p, "at the peak:");
    }
    if (f.peak_bytes > 0) {
        say_sites(p, index, HPP_AT_PEAK, f.peak_bytes);
        say_wrapper(p, index, f.peak_bytes);
    }
    for (int i = 0; i < HPP_MAX_FURTHER_BANDS && f.further[i] != HPF_BREAKDOWN_NONE; i++) {
        say(p, "at the peak, with --by %s:", stack_part_of(f.further[i]));
        say_sites(p, index, (hpp_moment)(HPP_AT_PEAK_BY_SECOND + i), f.peak_bytes);
    }
    if (f.mapped_bytes > 0) {
        say(p, "  of this, the program mapped %s itself (mmap)", amount(f.mapped_bytes).text);
    }
    if (end_bytes > 0) {
        say(p, "not freed at the end%s: %s in %s block%s", of_all(&f),
            with_margin(end_bytes, f.end_margin).text, format_count(end_blocks).text,
            plural(end_blocks));
        say_sites(p, index, HPP_AT_END, end_bytes);
    }
    if (f.last_objects_s > 0 && !f.has_last_image) {
        say(p, "the end of the program has no sample; the last one is of %s",
            format_time(f.last_objects_s, SECONDS, false).text);
    }
    if (f.has_graph) {
        say_leaks(p, index, &f);
    }
    say_waste(p, index, &f);
    say_pauses(p, &f);
    say_resident(p, &f.resident);
    if (f.n_snapshots > 0) {
        uint64_t near_bytes = f.snapshot_bytes / 8 + 65536;
        bool is_of_peak = peak_of(&f) <= f.snapshot_bytes + near_bytes;
        char *word = path_shell_word(f.base);
        say(p, "heap snapshot at %s, %s live%s%s: census report %s.heapsnapshot",
            format_time(f.snapshot_s, SECONDS, false).text, amount(f.snapshot_bytes).text,
            is_of_peak ? "" : " of a peak of ", is_of_peak ? "" : amount(peak_of(&f)).text,
            word ? word : f.base);
        free(word);
    }
    say_phases(p, &f);
    say_types(p, &f.types);
    say_threads(p, index);
    say_losses(p, "", &f);
    say_checks(p, &f);
}

/* Orders other processes by peak, largest first. */
static int by_peak(const void *a, const void *b)
{
    uint64_t left = peak_of(a);
    uint64_t right = peak_of(b);
    return (left < right) - (left > right);
}

static void say_others(const page *p, size_t first)
{
    size_t n_all = hpp_collector_n_processes(p->collector);
    size_t n = 0;
    hpp_process_figures *others = calloc(n_all + 1, sizeof *others);
    for (size_t i = 0; others && i < n_all; i++) {
        if (i != first) {
            hpp_collector_figures(p->collector, i, &others[n++]);
        }
    }
    if (n > 0) {
        qsort(others, n, sizeof *others, by_peak);
        say(p, "%zu other process%s:", n, n == 1 ? "" : "es");
    }
    for (size_t i = 0; i < n && i < N_OTHERS; i++) {
        char buffer[24], who[200];
        const char *name = call(p, &others[i], buffer);
        say(p, "  %10s peak, %s: %.*s", amount(peak_of(&others[i])).text, name,
            shown(others[i].command, 60), others[i].command.data);
        snprintf(who, sizeof who, "  %.180s: ", name);
        say_death(p, who, &others[i]);
        say_losses(p, who, &others[i]);
    }
    if (n > N_OTHERS) {
        say(p, "  and %zu smaller", n - N_OTHERS);
    }
    free(others);
}

size_t run_summary_largest(const hpp_collector *collector)
{
    size_t largest = SIZE_MAX;
    hpp_process_figures best = {0};
    for (size_t i = 0; i < hpp_collector_n_processes(collector); i++) {
        hpp_process_figures f;
        hpp_collector_figures(collector, i, &f);
        bool is_better =
            peak_of(&f) > peak_of(&best) || (peak_of(&f) == peak_of(&best) && f.is_first);
        if (largest == SIZE_MAX || is_better) {
            largest = i;
            best = f;
        }
    }
    return largest;
}

void run_summary_print_failures(FILE *to, hpp_collector *collector, const char *recording)
{
    say_failures(&(page){to, collector, recording != NULL, 0});
}

void run_summary_print(FILE *to, hpp_collector *collector, bool with_census, const char *recording,
                       const char *suffix)
{
    page p = {to, collector, recording != NULL, 0};
    size_t n = hpp_collector_n_processes(collector);
    size_t largest = run_summary_largest(collector);
    if (n > 1) {
        say(&p, "%zu processes; the one with the largest peak:", n);
    }
    if (n > 0) {
        say_program(&p, largest);
    }
    say_others(&p, largest);
    say_unnamed(&p);
    say_failures(&p);
    if (n > 0 && with_census) {
        hpp_process_figures f;
        hpp_collector_figures(collector, largest, &f);
        const char *base = recording ? recording : f.base;
        suffix = recording ? "" : suffix;
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", base, suffix);
        if (f.error.status == HPF_OK && access(path, F_OK) != 0 && errno == ENOENT) {
            say(&p, "%s was removed", path); /* after its process had ended, by another */
        } else if (f.error.status == HPF_OK) {
            say(&p, "%s sample%s%s in %s; look at %s with:", format_count(f.n_samples).text,
                plural(f.n_samples), n > 1 ? " of this process" : "", path,
                f.n_samples == 1 ? "it" : "them");
            char *word = path_shell_word(path);
            diag_print(to, "census open %s", word ? word : path);
            free(word);
        }
    }
}
