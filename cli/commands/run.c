/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census run and census attach: check options, start the program or attach to it, serve the
 * profiler, and print a summary.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hpfile/breakdown.h"
#include "hpfile/sink.h"

#include "cmd.h"
#include "diag.h"
#include "run/attach_all.h"
#include "run/launch.h"
#include "run/run_loop.h"
#include "run/run_output.h"
#include "run/run_summary.h"
#include "run/run_watch.h"
#include "options/suggest.h"

/* Between samples of many processes. */
#define FLEET_INTERVAL_NS (UINT64_C(5) * 1000000000)

/* GHC cuts names at 25 bytes, which would make most C++ names equal. */
enum { NAME_BYTES = 80, CLOCK_ELAPSED = 0, CLOCK_CPU = 1 };

typedef struct run_values {
    opt_list heap;       /* arguments of -h, after the letter */
    opt_list prof;       /* arguments of -p */
    opt_list bins;       /* arguments of -B */
    opt_list exceptions; /* arguments of -x */
    bool prof_verbose;
    const char *interval, *tick;                           /* parsed by hpprof/options.h */
    const char *retainer_by, *is_retainer, *max_retainers; /* these too */
    const char *snapshot;                                  /* parsed by hpprof/options.h, too */
    int clock;
    opt_list skip, retainer, no_retainer;
    int depth;
    bool no_skip, native;
    bool no_children, no_mmap;
    opt_list files; /* arguments of -o */
    const char *max_overhead;
    const char *rate, *biography_rate;
    bool resident;
    opt_list watch; /* arguments of --watch */
    const char *listen, *token_file;
    const char *source; /* folder of the program's text, or NULL */
    bool quiet;
    const char *all; /* of attach: a regular expression, or NULL */
    const char *discovery;
} run_values;

static const char *const clock_names[] = {[CLOCK_ELAPSED] = "elapsed", [CLOCK_CPU] = "cpu", NULL};

#define AT(member) offsetof(run_values, member)
static const opt run_options[] = {
    OPT_HEADING("What is recorded"),
    OPT('h', "heap", OPT_SUFFIX, AT(heap), "KIND",
        "break the heap down by c: call stack (default), m: module, d: source location, y: type, "
        "T: allocation function, or in a Haskell program closure type, b: use (lag, use, drag, "
        "void), r: retainer set (who holds it); "
        "-hr -hy: both; -hcNAME,NAME: count only blocks that these functions allocated"),
    OPT('i', "interval", OPT_TEXT, AT(interval), "S", "seconds between samples (default 0.1)"),
    OPT('p', "prof", OPT_SUFFIX, AT(prof), "KIND",
        "also record processor time by call stack, for census report; a: all details, "
        "in FILE.prof, j: as JSON"),
    OPT('x', "exceptions", OPT_SUFFIX, AT(exceptions), "KIND",
        "c: print the call stack of each C++ exception that is thrown, once for each type and "
        "place"),
    OPT(0, "rate", OPT_TEXT, AT(rate), "SIZE",
        "count a sample of the blocks only, one for each SIZE bytes that are allocated, such as "
        "512K, for production: amounts are estimates, with their margins of error"),
    OPT(0, "no-children", OPT_FLAG, AT(no_children), NULL,
        "profile only the program, not the processes that it starts"),
    OPT_HEADING("Output"),
    OPT('o', "output", OPT_STEM, AT(files), "FILE",
        "write FILE: .census (a recording of all processes; default, named by the program or "
        "script), .hp, .eventlog, .prof, or a picture or page drawn at the end: .html, .svg, .pdf, "
        ".png ... (may be repeated); in FILE, %r is the rank of a parallel program, %p the "
        "process, %h the host"),
    OPT('q', "quiet", OPT_FLAG, AT(quiet), NULL, "print no summary at the end, only failures"),
    OPT_HEADING("Live"),
    OPT(0, "watch", OPT_SUFFIX, AT(watch), "VIEW",
        "show the profile while the program runs: http (browser, default), tty (terminal), or a "
        "FILE to draw to (may be repeated)"),
    OPT(0, "listen", OPT_TEXT, AT(listen), "WHERE",
        "serve the page of --watch, and metrics for Prometheus, at WHERE: 127.0.0.1:8080, :8080 or "
        "unix:PATH (default: 127.0.0.1 and a free port); alone, it opens no browser"),
    OPT(0, "source", OPT_TEXT, AT(source), "DIR",
        "show on the page of --watch the text of the program around the lines of its stacks, from "
        "the files below DIR"),
    OPT_RARE_HEADING("Retainers (-hr) and snapshots"),
    OPT('R', "max-retainers", OPT_TEXT, AT(max_retainers), "N",
        "with -hr, merge sets of more than N retainers into MANY (default 8)"),
    OPT(0, "retainer", OPT_LIST, AT(retainer), "REGEX",
        "with -hr, count blocks as retainers if the location or function that allocated them "
        "matches (default: locations with at most 8 blocks; may be repeated)"),
    OPT(0, "no-retainer", OPT_LIST, AT(no_retainer), "REGEX",
        "with -hr, never count matching blocks as retainers (may be repeated)"),
    OPT(0, "retainer-by", OPT_TEXT, AT(retainer_by), "PART",
        "with -hr, identify a retainer by description (its location, default), module, stack, type "
        "or kind"),
    OPT(0, "is-retainer", OPT_TEXT, AT(is_retainer), "RULE",
        "with -hr, which blocks are retainers: flagged (default, as --retainer says), all, roots "
        "(none), or PART:NAME,NAME"),
    OPT(0, "snapshot", OPT_TEXT, AT(snapshot), "WHEN",
        "write FILE.heapsnapshot, all blocks and what refers to them, at the largest sample, "
        "the last, or those near a limit of memory (oom), for census report --dominators"),
    OPT_RARE_HEADING("More on what is recorded"),
    OPT('P', "prof-verbose", OPT_FLAG, AT(prof_verbose), NULL,
        "also write FILE.prof, with ticks and bytes"),
    OPT('B', "bins", OPT_SUFFIX, AT(bins), "KIND",
        "also write FILE.time.bins and FILE.heap.bins, processor time and allocation by code "
        "address; t: time only, h: allocation only"),
    OPT('V', "tick", OPT_TEXT, AT(tick), "S",
        "seconds of processor time between ticks of the report (default 0.001)"),
    OPT(0, "clock", OPT_CHOICE, AT(clock), "CLOCK",
        "time of the profile: elapsed (default), or cpu (processor time of the process)",
        .choices = clock_names),
    OPT(0, "skip", OPT_LIST, AT(skip), "REGEX",
        "pass over functions that match, as over those of standard libraries and allocators, when "
        "naming the function that allocated a block (may be repeated)"),
    OPT(0, "no-skip", OPT_FLAG, AT(no_skip), NULL, "pass over none: name the innermost function"),
    OPT(0, "depth", OPT_INT, AT(depth), "N",
        "distinguish stacks by their N innermost functions (default 0: all)", .high = INT_MAX),
    OPT(0, "native", OPT_FLAG, AT(native), NULL,
        "show Python and Haskell programs as native ones: without functions of Python, without "
        "closures"),
    OPT(0, "no-mmap", OPT_FLAG, AT(no_mmap), NULL,
        "leave out the memory that the program maps itself (blocks of kind mmap)"),
    OPT(0, "biography-rate", OPT_TEXT, AT(biography_rate), "SIZE",
        "-hb: watch the use of one block for each SIZE bytes that are allocated (default 64K)"),
    OPT(0, "resident", OPT_FLAG, AT(resident), NULL,
        "also record what the resident set is made of, and who pins it: census plot --value "
        "resident"),
    OPT(0, "max-rss-overhead", OPT_TEXT, AT(max_overhead), "SIZE",
        "limit the memory of the profiler in each process: 64M, or 20% of the memory of the "
        "process"),
    OPT(0, "token-file", OPT_TEXT, AT(token_file), "FILE",
        "keep the secret part of the URL, the bearer token of metrics, in FILE"),
    {.name = NULL},
};

/* These are options of census attach only. */
static const opt all_options[] = {
    OPT_HEADING("All processes of a machine"),
    OPT(0, "all", OPT_TEXT, AT(all), "REGEX",
        "instead of PID: attach to each process whose command line matches, now and later, and "
        "serve their profiles (--listen); write no files"),
    OPT(0, "discovery", OPT_TEXT, AT(discovery), "FILE",
        "with --all: keep a list of the processes in FILE, for file_sd of Prometheus, Alloy and "
        "Parca"),
    {.name = NULL},
};
#undef AT

/* ---- Options ---- */

/* Options of the profiler, and what is wrong with the first one that it refused. */
typedef struct adder {
    hpp_options *profile;
    hpf_status status;
    hpf_error err;
} adder;

/* Adds an option of the profiler with its argument, if that is not NULL. */
static void add_option(adder *to, const char *option, const char *argument)
{
    if (argument && to->status == HPF_OK) {
        to->status = hpp_options_add(to->profile, option, argument, &to->err);
    }
}

/* Adds -h with its argument, in which __main__ is the script. */
static void add_heap(adder *to, const char *argument, const char *script)
{
    static const char alias[] = "__main__.";
    const char *found = strstr(argument, alias);
    size_t room = strlen(argument) + strlen(script) + 2;
    char *named = found ? malloc(room) : NULL;
    if (named) {
        snprintf(named, room, "%.*s%s.%s", (int)(found - argument), argument, script,
                 found + sizeof alias - 1);
    }
    add_option(to, "-h", named ? named : argument);
    free(named);
}

static void add_list(adder *to, const char *option, const opt_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        add_option(to, option, list->texts[i]);
    }
}

/* Checks that -h is followed by the letter of a break-down, not by its name: -hmodule would count
 * only what a module "odule" allocated. Returns false after a message. */
static bool check_breakdown(const cmd *self, const char *text)
{
    suggestion similar = {.given = text, .length = strlen(text)};
    hpf_breakdown meant = HPF_BREAKDOWN_NONE;
    for (int i = 0; i < HPF_N_BREAKDOWNS; i++) {
        const char *name = hpf_breakdown_name((hpf_breakdown)i);
        const char *before = similar.word;
        if (name && similar.length > 2 && *text == *name) {
            suggest_compare(&similar, name);
            meant = similar.word != before ? (hpf_breakdown)i : meant;
        }
    }
    if (meant) {
        cmd_misused(self, "unknown break-down '%s': did you mean %s (%s)?", text,
                    hpf_breakdown_flag(meant), hpf_breakdown_name(meant));
    } else if (*text && *text != 'C' && !hpf_breakdown_of_letter(*text)) {
        cmd_misused(
            self,
            "unknown break-down '-h%s': use -hc (call stack), -hm (module), -hd (source "
            "location), -hy (type), -hT (allocation function), -hb (use) or -hr (retainers)",
            text);
        return false;
    }
    return !meant;
}

/* Writes the options for the break-downs of `letters`: "-hc -hd". Returns false if there are none.
 */
static bool list_breakdowns(char *out, size_t room, const char *letters)
{
    size_t n = 0;
    for (; *letters && n + sizeof " -hc" <= room; letters++) {
        if (!hpf_breakdown_flag(hpf_breakdown_of_letter(*letters))) {
            return false;
        }
        n += (size_t)snprintf(out + n, room - n, "%s-h%c", n > 0 ? " " : "", *letters);
    }
    return n > 0 && !*letters;
}

/* Says which blocks are counted if `-hcd` may have been meant as -hc and -hd. */
static void say_restrictions(const run_values *values)
{
    for (size_t i = 0; i < values->heap.n && !values->quiet; i++) {
        const char *text = values->heap.texts[i];
        char list[64];
        if (strlen(text) > 1 && list_breakdowns(list, sizeof list, text)) {
            diag_say("-h%s counts only the blocks that -h%c names '%s'; for all these break-downs, "
                     "write %s",
                     text, *text, text + 1, list);
        }
    }
}

/* Returns the number in an environment variable that only tests set; 0 without it. */
static uint64_t tested_number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* Returns whether the options ask for a .prof file with more than a recording has. */
static bool asks_for_report(const run_values *values)
{
    bool asks = values->prof_verbose;
    for (size_t i = 0; i < values->prof.n; i++) {
        asks |= *values->prof.texts[i] != '\0';
    }
    return asks;
}

/* Chooses a recording if no other file has the heap profile. Returns whether there is a heap
 * profile: a report or bins alone need none. */
static bool choose_recording(run_output *output, const run_values *values)
{
    bool has_profile = output->with_recording || output->with_hp || output->with_eventlog;
    bool has_report = asks_for_report(values) || output->with_prof || values->bins.n > 0;
    bool is_only_report =
        has_report && values->heap.n == 0 && !has_profile && output->pictures.n == 0;
    output->with_recording |= !is_only_report && (!has_profile || output->has_bare_name);
    return !is_only_report;
}

/* Reads the options of the profiler. Returns false after a message. */
static bool read_profile(const cmd *self, hpp_options *profile, const run_values *values,
                         run_output *output)
{
    adder to = {.profile = profile};
    for (size_t i = 0; i < values->heap.n; i++) {
        if (!check_breakdown(self, values->heap.texts[i])) {
            return false;
        }
    }
    say_restrictions(values);
    bool has_census = choose_recording(output, values);
    for (size_t i = 0; i < values->heap.n; i++) {
        add_heap(&to, values->heap.texts[i], output->program);
    }
    add_option(&to, "-hc", values->heap.n == 0 && has_census ? "" : NULL);
    add_option(&to, "-l", output->with_eventlog ? "" : NULL);
    add_option(&to, "-p", output->with_prof && values->prof.n == 0 ? "" : NULL);
    add_list(&to, "-p", &values->prof);
    add_list(&to, "-B", &values->bins);
    for (size_t i = 0; i < values->exceptions.n; i++) {
        if (*values->exceptions.texts[i] && strcmp(values->exceptions.texts[i], "c") != 0) {
            cmd_misused(self, "-x expects c, not '%s'", values->exceptions.texts[i]);
            return false;
        }
        add_option(&to, "-xc", "");
    }
    add_option(&to, "-P", values->prof_verbose ? "" : NULL);
    add_option(&to, "-i", values->interval);
    add_option(&to, "-V", values->tick);
    add_option(&to, "-R", values->max_retainers);
    add_option(&to, "--retainer-by=", values->retainer_by);
    add_option(&to, "--is-retainer=", values->is_retainer);
    add_option(&to, "--snapshot=", values->snapshot);
    uint64_t tested_bytes = tested_number("CENSUS_NAME_BYTES");
    if (profile) {
        profile->census->max_name_bytes = tested_bytes > 0 ? (uint32_t)tested_bytes : NAME_BYTES;
        profile->with_resident = values->resident;
    }
    if (to.status != HPF_OK) {
        cmd_misused(self, "%s", to.err.message);
        return false;
    }
    return true;
}

/* Reads "64M", "1G" or "300000". */
static bool read_size(uint64_t *out, const char *text)
{
    static const char suffixes[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || errno || n == 0) {
        return false;
    }
    const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    *out = (uint64_t)n << shift;
    return *end == '\0' || (suffix && end[1] == '\0' && n <= UINT64_MAX >> shift);
}

/* Reads a size, or "20%". */
static bool read_limit(hpp_collector_options *options, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && strcmp(end, "%") == 0) {
        options->max_overhead_percent = (uint32_t)n;
        return !errno && n > 0 && n <= UINT32_MAX;
    }
    return read_size(&options->max_overhead_bytes, text);
}

/* ---- The run ---- */

/* A run. */
typedef struct run {
    const run_values *values;
    hpp_options *profile;
    hpp_collector_options options;
    run_output output;
    const char *suffixes[8]; /* of the files that are written; the first is the profile */
    char path[PATH_MAX], library[PATH_MAX];
    long process_id; /* of the program */
    hpp_collector *collector;
    bool has_exceptions; /* that were printed */
    run_signals signals;
    run_watch watch;
} run;

/* Lists the files that the options ask for. */
static void list_files(run *r)
{
    const hpp_options *p = r->profile;
    const run_output *o = &r->output;
    r->options.without_prof = o->with_recording && !o->with_prof && !asks_for_report(r->values);
    r->options.without_hp = !o->with_hp;
    const struct {
        bool is_written;
        const char *suffix;
    } files[] = {
        {o->with_recording, ".census"},
        {o->with_hp, ".hp"},
        {p->with_eventlog, ".eventlog"},
        {!r->options.without_prof && (p->report != HPP_REPORT_NONE ||
                                      hpp_census_asks_for(p->census, HPF_BREAKDOWN_RETAINER)),
         ".prof"},
        {p->time_bins, ".time.bins"},
        {p->heap_bins, ".heap.bins"},
        {true, ".heapsnapshot"}, /* also by census mark */
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].is_written) {
            r->suffixes[n++] = files[i].suffix;
        }
    }
    r->suffixes[n] = NULL;
    r->options.recording = o->with_recording ? o->reserved : NULL;
}

/* Draws the pictures and pages of a profile, as `census plot -o FILE` does. */
static void draw(const run *r, char *profile)
{
    char command[] = "plot", option[] = "--output", picture[PATH_MAX];
    const cmd *plot = cmd_find(command);
    for (size_t i = 0; run_output_picture(&r->output, i, r->process_id, picture); i++) {
        char *words[] = {command, option, picture, profile, NULL};
        (void)plot->run(plot, 4, words);
    }
}

static void report(const run *r)
{
    if (hpp_collector_n_processes(r->collector) == 0) {
        const hpf_error *refused = hpp_collector_refused(r->collector);
        diag_say("%s was not profiled: %s", r->path,
                 refused ? refused->message : "it did not load the profiling library");
        return;
    }
    char path[PATH_MAX + 16];
    if (r->values->quiet) {
        run_summary_print_failures(stderr, r->collector, r->options.recording);
    } else {
        run_summary_print(stderr, r->collector, r->profile->with_census, r->options.recording,
                          r->suffixes[0]);
    }
    if (r->options.recording) {
        snprintf(path, sizeof path, "%s", r->options.recording);
    } else if (r->output.pictures.n > 0) {
        hpp_process_figures f;
        hpp_collector_figures(r->collector, run_summary_largest(r->collector), &f);
        snprintf(path, sizeof path, "%s%s", f.base, r->suffixes[0]);
    }
    sigset_t ours;
    (void)run_signals_read(&r->signals); /* a second Ctrl-C, too, was meant for the profile */
    sigprocmask(SIG_SETMASK, &r->signals.before, &ours); /* pictures can take long */
    draw(r, path);
    sigprocmask(SIG_SETMASK, &ours, NULL);
}

/* Opens the views and the collector. */
static int open_collector(run *r)
{
    hpf_error err;
    if (!run_signals_begin(&r->signals) ||
        !run_watch_open(&r->watch, &r->options, r->profile->with_eventlog)) {
        return EXIT_FAILED;
    }
    if (hpp_collector_create(&r->collector, &r->options, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return err.status == HPF_ERR_ARGUMENT || err.status == HPF_ERR_UNSUPPORTED ? EXIT_MISUSED
                                                                                   : EXIT_FAILED;
    }
    run_watch_attach(&r->watch, r->collector, r->options.recording);
    return EXIT_DONE;
}

/* Completes the profile. Returns false if a signal has ended that: the process must end at once. */
static bool conclude(run *r)
{
    if (!run_loop_complete(r->collector, &r->signals)) {
        hpf_sink_remove_temporaries();
        return false;
    }
    run_watch_conclude(&r->watch, &r->signals);
    if (r->profile->print_on_abort && !r->has_exceptions && !r->values->quiet) {
        diag_say(
            "-xc: no exception was thrown through a shared C++ run-time library; exceptions of a "
            "program that is linked to it statically cannot be seen");
    }
    report(r);
    run_watch_finish(&r->watch, &r->signals);
    hpp_collector_destroy(r->collector);
    r->collector = NULL;
    return true;
}

static int start_and_serve(const cmd *self, run *r, char **argv)
{
    launched program;
    int status = open_collector(r);
    if (status != EXIT_DONE) {
        return status;
    }
    launch_raise_file_limit();
    const launch_plan plan = {
        .path = r->path, .argv = argv, .library = r->library, .signal_mask = r->signals.before};
    status = launch_start(&program, r->collector, &plan);
    if (status != EXIT_DONE) {
        return status;
    }
    r->process_id = program.pid;
    (void)run_output_set_process(&r->output, self, program.pid, r->suffixes);
    const run_guest guest = run_watch_guest(&r->watch);
    int wait_status = run_loop(r->collector, &program, &r->signals, &guest, r->values->quiet);
    if (!conclude(r)) {
        _exit(launch_exit_as(wait_status));
    }
    return launch_exit_as(wait_status);
}

static int attach_and_serve(run *r, long process_id)
{
    hpp_variables variables;
    hpp_attached attached;
    hpf_error err;
    int status = open_collector(r);
    if (status != EXIT_DONE) {
        return status;
    }
    r->process_id = process_id;
    const launched program = launch_follow((pid_t)process_id);
    if (hpp_collector_expect(r->collector, process_id, &err) != HPF_OK ||
        hpp_collector_variables(r->collector, &variables, process_id, r->library, NULL, &err) !=
            HPF_OK ||
        hpp_attach(&attached, process_id, r->library, variables.run, &err) != HPF_OK) {
        diag_say("cannot attach to process %ld: %s", process_id, err.message);
        return EXIT_FAILED;
    }
    if (!r->values->quiet) {
        diag_say("profiling process %ld (%s); Ctrl-C ends the profile, not the process", process_id,
                 r->path);
    }
    const run_guest guest = run_watch_guest(&r->watch);
    bool has_ended = run_loop_attached(r->collector, &program, &r->signals, &guest);
    if (!has_ended) {
        hpp_collector_prepare_end(r->collector, true);
    }
    if (!has_ended && hpp_detach(&attached, r->collector, &err) != HPF_OK) {
        diag_say("cannot detach from process %ld: %s", process_id, err.message);
        status = EXIT_FAILED;
    }
    if (!conclude(r)) {
        _exit(EXIT_FAILED);
    }
    return status;
}

static void print_exception(void *context, hpf_str line)
{
    run *r = context;
    r->has_exceptions = true;
    diag_print(stderr, "%.*s", (int)line.length, line.data);
}

/* Checks options that need more than their type. */
static int check_options(const cmd *self, run *r)
{
    const run_values *v = r->values;
    r->options = (hpp_collector_options){
        .size = sizeof(hpp_collector_options),
        .profile = r->profile,
        .base = r->output.base,
        .without_children = v->no_children,
        .without_maps = v->no_mmap,
        .by_cpu_time = v->clock == CLOCK_CPU,
        .skip = v->skip.texts,
        .n_skip = v->skip.n,
        .retainer = v->retainer.texts,
        .n_retainer = v->retainer.n,
        .no_retainer = v->no_retainer.texts,
        .n_no_retainer = v->no_retainer.n,
        .max_depth = (uint32_t)v->depth,
        .skips_none = v->no_skip,
        .without_python = v->native,
        .biography_seed = tested_number("CENSUS_BIOGRAPHY_SEED"),
        .cgroups = getenv("CENSUS_CGROUPS"), /* for tests */
        .verify_stacks = (uint32_t)tested_number("CENSUS_VERIFY_STACKS"),
        .print = print_exception,
        .print_context = r,
        .is_hurried = run_signals_are_pending,
        .is_hurried_context = &r->signals,
    };
    if (v->max_overhead && !read_limit(&r->options, v->max_overhead)) {
        return cmd_misused(self, "--max-rss-overhead expects a size such as 64M or 20%%, not '%s'",
                           v->max_overhead);
    }
    if (v->rate && !read_size(&r->profile->rate_bytes, v->rate)) {
        return cmd_misused(self, "--rate expects a size such as 512K, not '%s'", v->rate);
    }
    if (v->biography_rate && !read_size(&r->options.biography_bytes, v->biography_rate)) {
        return cmd_misused(self, "--biography-rate expects a size such as 64K, not '%s'",
                           v->biography_rate);
    }
    if ((v->watch.n > 0 || v->listen) && !r->profile->with_census) {
        return cmd_misused(self, "--%s needs a heap profile: add -hc",
                           v->listen ? "listen" : "watch");
    }
    list_files(r);
    return EXIT_DONE;
}

/* Finds the library, and names the files by the process. */
static int prepare(const cmd *self, run *r, long process_id)
{
    if (r->values->source && !r->profile->with_eventlog && !r->options.recording) {
        return cmd_misused(self, "--source needs a recording (-o FILE.census): a .hp file does not "
                                 "have the lines of calls");
    }
    int status = run_watch_init(&r->watch, self, &r->values->watch, r->values->listen,
                                r->values->token_file, r->values->source);
    status = status == EXIT_DONE && !launch_library(r->library) ? EXIT_FAILED : status;
    return status == EXIT_DONE ? run_output_open(&r->output, self, process_id, r->suffixes)
                               : status;
}

static int run_program(const cmd *self, run *r, char **argv)
{
    int status = check_options(self, r);
    status = status == EXIT_DONE ? launch_find(argv[0], r->path) : status;
    if (status != EXIT_DONE) {
        return status;
    }
    hpf_error err;
    if (hpp_program_has_sanitizer(r->path, getenv("LD_PRELOAD"))) {
        diag_say("%s runs without a profile: it has a sanitizer (of addresses, threads or memory), "
                 "which replaces malloc itself",
                 argv[0]);
        return launch_without_profile(r->path, argv);
    }
    if (hpp_program_check(r->path, &err) != HPF_OK) {
        diag_say("%s cannot be profiled: %s", argv[0], err.message);
        return EXIT_FAILED;
    }
    status = prepare(self, r, getpid()); /* %p is not known yet */
    return status == EXIT_DONE ? start_and_serve(self, r, argv) : status;
}

/* Names the files by the command of a process that runs. Returns false with errno set if there is
 * none. */
static bool name_process(run *r, long process_id)
{
    enum { MOST_WORDS = 32 };
    static char command[4096];
    char *words[MOST_WORDS + 1] = {r->path}; /* the first word may be a title */
    size_t n_words = 1, n = 0;
    snprintf(command, sizeof command, "/proc/%ld/comm", process_id);
    FILE *file = fopen(command, "re");
    bool has_name = file && fgets(r->path, sizeof r->path, file);
    if (file) {
        fclose(file);
    }
    r->path[strcspn(r->path, "\n")] = '\0';
    snprintf(command, sizeof command, "/proc/%ld/cmdline", process_id);
    file = has_name ? fopen(command, "re") : NULL;
    if (file) {
        n = fread(command, 1, sizeof command - 1, file);
        fclose(file);
    }
    command[n] = '\0';
    for (size_t at = strlen(command) + 1; at < n && n_words < MOST_WORDS;
         at += strlen(command + at) + 1) {
        words[n_words++] = command + at;
    }
    if (has_name) {
        run_output_name(&r->output, words);
    }
    return has_name;
}

/* Refuses options that write files or show one process. */
static int check_all(const cmd *self, const run_values *v, bool has_process)
{
    const opt_given others[] = {
        {"output", v->files.n > 0},           {"watch", v->watch.n > 0},
        {"source", v->source != NULL},        {"resident", v->resident},
        {"prof-verbose", asks_for_report(v)}, {"bins", v->bins.n > 0},
        {"snapshot", v->snapshot != NULL},    {NULL, false},
    };
    const char *other = opt_first_given(others);
    if (has_process) {
        return cmd_misused(self, "--all REGEX takes the place of PID: give one of them");
    }
    if (other) {
        return cmd_misused(self,
                           "--%s is for one process: --all serves profiles (--listen WHERE), "
                           "and writes none",
                           other);
    }
    if (v->discovery && v->listen && strncmp(v->listen, "unix:", 5) == 0) {
        return cmd_misused(self, "--discovery lists addresses of the network, not a socket '%s'",
                           v->listen);
    }
    for (size_t i = 0; i < v->heap.n; i++) {
        if (strchr("ry", *v->heap.texts[i])) {
            return cmd_misused(self, "-h%c is for one process: it needs images of its memory",
                               *v->heap.texts[i]);
        }
    }
    return EXIT_DONE;
}

static int attach_to_all(const cmd *self, run *r)
{
    const run_values *v = r->values;
    const attach_all_options all = {.pattern = v->all,
                                    .where = v->listen,
                                    .token_file = v->token_file,
                                    .discovery = v->discovery,
                                    .library = r->library,
                                    .has_interval = v->interval != NULL,
                                    .is_quiet = v->quiet};
    int status = check_options(self, r);
    if (status == EXIT_DONE && !launch_library(r->library)) {
        status = EXIT_FAILED;
    }
    if (status == EXIT_DONE && !run_signals_begin(&r->signals)) {
        status = EXIT_FAILED;
    }
    if (status != EXIT_DONE) {
        return status;
    }
    r->options.recording = NULL;
    r->profile->with_eventlog = false;
    if (!v->interval) {
        r->profile->interval_ns = FLEET_INTERVAL_NS;
    }
    launch_raise_file_limit();
    return attach_all(&all, &r->options, &r->signals);
}

static int attach_to(const cmd *self, run *r, char **argv)
{
    if (r->values->all) {
        int status = check_all(self, r->values, argv[0] != NULL);
        return status == EXIT_DONE ? attach_to_all(self, r) : status;
    }
    if (r->values->discovery) {
        return cmd_misused(self, "--discovery needs --all REGEX");
    }
    long process_id = cmd_process_id(argv[0]);
    if (process_id == 0) {
        return cmd_misused(self, "expected the number of a process, not '%s'", argv[0]);
    }
    if (!name_process(r, process_id)) {
        diag_say("cannot attach to process %ld: %s", process_id,
                 errno == ENOENT || errno == ESRCH ? "there is no such process" : strerror(errno));
        return EXIT_FAILED;
    }
    int status = check_options(self, r);
    r->options.without_children = r->options.is_attached = true;
    status = status == EXIT_DONE ? prepare(self, r, process_id) : status;
    return status == EXIT_DONE ? attach_and_serve(r, process_id) : status;
}

static int read_and(const cmd *self, int argc, char **argv,
                    int (*act)(const cmd *self, run *r, char **argv))
{
    static run_values values;
    static run r;
    int status = EXIT_FAILED;
    if (!cmd_options(self, &values, &argc, argv, &status)) {
        return status;
    }
    if (argc < 2 && !values.all) {
        return cmd_misused(self, act == run_program ? "no program given"
                                                    : "no process given (PID, or --all REGEX)");
    }
    if (argc > 2 && act == attach_to) {
        return cmd_misused(self, "only one process can be given");
    }
    argv[argc] = NULL;
    r.values = &values;
    r.profile = hpp_options_create();
    run_output_name(&r.output, argv + 1);
    status = run_output_read(&r.output, self, &values.files);
    if (status == EXIT_DONE) {
        bool is_read = read_profile(self, r.profile, &values, &r.output);
        status = is_read ? act(self, &r, argv + 1) : EXIT_MISUSED;
    }
    hpp_collector_destroy(r.collector);
    run_output_close(&r.output);
    run_watch_finish(&r.watch, &r.signals);
    hpp_options_destroy(r.profile);
    return status;
}

static int run_command(const cmd *self, int argc, char **argv)
{
    return read_and(self, argc, argv, run_program);
}

/* Returns the options that apply to a program that runs already: its children are not profiled. */
static const opt *attach_options(void)
{
    static const char names[] = " heap interval rate prof prof-verbose bins tick clock skip "
                                "no-skip depth no-mmap resident snapshot "
                                "output max-rss-overhead watch listen token-file source quiet ";
    static opt options[(sizeof run_options + sizeof all_options) / sizeof *run_options];
    size_t n = 0;
    for (const opt *row = all_options; row->name; row++) {
        options[n++] = *row;
    }
    for (const opt *row = run_options; row->name; row++) {
        char word[24];
        snprintf(word, sizeof word, " %s ", row->name);
        if (!opt_is_option(row) || strstr(names, word)) {
            options[n++] = *row;
        }
    }
    options[n] = (opt){.name = NULL};
    return options;
}

static int attach_command(const cmd *self, int argc, char **argv)
{
    return read_and(self, argc, argv, attach_to);
}

const cmd cmd_attach = {
    .name = "attach",
    .summary = "Record the heap profile of a running program",
    .operands = "PID | --all REGEX",
    .make_options = attach_options,
    .run = attach_command,
};

const cmd cmd_run = {
    .name = "run",
    .group = "Record",
    .summary = "Run a program and record its heap profile",
    .operands = "[--] PROGRAM [ARGUMENTS]",
    .options = run_options,
    .operand_ends_options = true,
    .run = run_command,
};
