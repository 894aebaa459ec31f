/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A timer looks for processes. A thread attaches to one of them at a time, which may take seconds;
 * meanwhile the collector takes samples, and requests are answered. Before the next one, the
 * collector takes the window of the last one.
 */
#include "attach_all.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/json.h"
#include "diag.h"
#include "hpfile/sink.h"
#include "watch/web/fleet_http.h"
#include "hpfile/error.h"
#include "hpprof/collector.h"
#include "base/array.h"
#include "base/regular_expression.h"
#include "hpprof/command_name.h"

/* ---- Processes of the machine ---------------------------------------------------------------- */

/* Which processes of this machine match, as they come and go. A process that calls exec is a new
 * one.
 *
 * Threads: use a scan in one thread.
 *
 * /proc lists processes in the order of their numbers, so that a look goes along the list of the
 * last one. Most processes are known already: they are compared at every eighth look only. */

typedef enum scanned_state {
    SCANNED_NEW,      /* seen once: it may be about to call exec */
    SCANNED_OTHER,    /* does not match, or has no command line */
    SCANNED_MATCHING, /* to be attached to */
    SCANNED_WAITING,  /* the same, at the next scan */
    SCANNED_ATTACHING,
    SCANNED_ATTACHED,
    SCANNED_REFUSED,
} scanned_state;

typedef struct scanned {
    uint32_t process_id;
    uint64_t start_ticks, stack_start; /* of /proc/PID/stat: exec moves the stack */
    scanned_state state;
    bool is_there;           /* at the latest look */
    char *program, *command; /* NULL unless it matches; the name of its program or script */
    char *refused;           /* why it is not profiled */
    hpp_attached attached;
} scanned;

typedef struct process_scan process_scan;

enum { LOOKS_PER_CHECK = 8, MOST_COMMAND = 4096, MOST_WORDS = 32, MOST_ANCESTORS = 64 };

struct process_scan {
    regex_t pattern;
    bool has_pattern;
    uint32_t own[MOST_ANCESTORS]; /* this process, and those that started it */
    size_t n_own;
    struct stat program; /* of this process */
    unsigned n_looks;
    scanned *list;
    size_t n, capacity;
};

/* ---- /proc ---- */

/* Reads the beginning of a file of a process. Returns the number of bytes; ends them with NUL. */
static size_t read_file(uint32_t process_id, const char *name, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", (unsigned)process_id, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, room - 1) : -1;
    hpf__close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Reads what tells a process from others that had or will have its number, and its parent. Returns
 * false if there is none. */
static bool read_identity(scanned *out, uint32_t *parent_id)
{
    enum { PARENT = 4, START = 22, STACK = 28 };
    char text[1024];
    read_file(out->process_id, "stat", text, sizeof text);
    char *at = strrchr(text, ')'); /* after the name, which is the second field */
    for (int field = 3; at && field <= STACK; field++) {
        at = strchr(at + 1, ' ');
        uint64_t number = at ? strtoull(at + 1, NULL, 10) : 0;
        *parent_id = field == PARENT ? (uint32_t)number : *parent_id;
        out->start_ticks = field == START ? number : out->start_ticks;
        out->stack_start = field == STACK ? number : out->stack_start;
    }
    return at != NULL;
}

/* Lists this process and its ancestors. */
static void list_own(process_scan *scan)
{
    scanned at = {.process_id = (uint32_t)getpid()};
    uint32_t parent_id = 0;
    while (at.process_id > 0 && scan->n_own < MOST_ANCESTORS) {
        scan->own[scan->n_own++] = at.process_id;
        at.process_id = read_identity(&at, &parent_id) ? parent_id : 0;
    }
}

static bool is_own(const process_scan *scan, uint32_t process_id)
{
    char path[64];
    struct stat program;
    for (size_t i = 0; i < scan->n_own; i++) {
        if (scan->own[i] == process_id) {
            return true;
        }
    }
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)process_id);
    return stat(path, &program) == 0 && program.st_dev == scan->program.st_dev &&
           program.st_ino == scan->program.st_ino;
}

/* Stores the name of the program or script of a command line of words. */
static void process_scan_name(char *out, size_t room, char *words, size_t n_bytes)
{
    const char *list[MOST_WORDS + 1] = {NULL};
    size_t n = 0;
    for (size_t at = 0; at < n_bytes && n < MOST_WORDS; at += strlen(words + at) + 1) {
        list[n++] = words + at;
    }
    hpp_command_name(out, room, list, false);
}

/* ---- choosing ---- */

static void choose(const process_scan *scan, scanned *p)
{
    char words[MOST_COMMAND], command[MOST_COMMAND], program[256];
    size_t n = read_file(p->process_id, "cmdline", words, sizeof words);
    while (n > 0 && words[n - 1] == '\0') {
        n--;
    }
    memcpy(command, words, n + 1);
    for (size_t i = 0; i < n; i++) {
        command[i] = command[i] == '\0' ? ' ' : command[i];
    }
    p->state = SCANNED_OTHER;
    if (n == 0 || regexec(&scan->pattern, command, 0, NULL, 0) != 0 ||
        is_own(scan, p->process_id)) {
        return;
    }
    process_scan_name(program, sizeof program, words, n);
    p->program = strdup(program);
    p->command = strdup(command);
    p->state = p->program && p->command ? SCANNED_MATCHING : SCANNED_NEW;
}

static void free_texts(scanned *p)
{
    free(p->program);
    free(p->command);
    free(p->refused);
    p->program = p->command = p->refused = NULL;
}

/* Compares a process with the last look. Returns false if it has ended. */
static bool check(const process_scan *scan, scanned *p)
{
    scanned now = {.process_id = p->process_id};
    uint32_t parent_id = 0;
    bool is_due = p->state == SCANNED_NEW || (p->process_id + scan->n_looks) % LOOKS_PER_CHECK == 0;
    if (is_due && !read_identity(&now, &parent_id)) {
        return false;
    }
    if (is_due && (p->start_ticks != now.start_ticks || p->stack_start != now.stack_start)) {
        free_texts(p);
        *p = now;
    } else if (p->state == SCANNED_NEW) {
        choose(scan, p);
    } else if (p->state == SCANNED_WAITING) {
        p->state = SCANNED_MATCHING;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    const scanned *x = a, *y = b;
    return (x->process_id > y->process_id) - (x->process_id < y->process_id);
}

/* Looks for processes that are new or have ended. */
static void process_scan_look(process_scan *scan)
{
    size_t n_before = scan->n, at = 0, n = 0;
    DIR *folder = opendir("/proc");
    scan->n_looks++;
    if (!folder) {
        return;
    }
    for (const struct dirent *e; (e = readdir(folder));) {
        scanned new = {.process_id = (uint32_t)strtoul(e->d_name, NULL, 10)};
        uint32_t parent_id = 0;
        if (!isdigit((unsigned char)e->d_name[0])) {
            continue;
        }
        while (at < n_before && scan->list[at].process_id < new.process_id) {
            scan->list[at++].is_there = false;
        }
        if (at < n_before && scan->list[at].process_id == new.process_id) {
            scan->list[at].is_there = check(scan, &scan->list[at]);
            at++;
        } else if (read_identity(&new, &parent_id)) {
            new.is_there = true;
            (void)HPF__ARRAY_PUSH(scan->list, scan->n, scan->capacity, new);
        }
    }
    closedir(folder);
    for (; at < n_before; at++) {
        scan->list[at].is_there = false;
    }
    for (size_t i = 0; i < scan->n; i++) {
        if (scan->list[i].is_there) {
            scan->list[n++] = scan->list[i];
        } else {
            free_texts(&scan->list[i]);
        }
    }
    scan->n = n;
    HPF__ARRAY_SORT(scan->list, scan->n, by_number);
}

/* Returns the processes in order of their numbers, valid until the next look. */
static scanned *process_scan_list(process_scan *scan, size_t *n)
{
    *n = scan->n;
    return scan->list;
}

/* Returns how many seconds ago a process began. */
static double process_scan_age_s(const scanned *p)
{
    struct timespec now;
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec - (double)p->start_ticks / (double)ticks_per_s;
}

/* Returns whether a process is stopped by a signal: no thread of it can be asked for anything. */
static bool process_scan_is_stopped(const scanned *p)
{
    char text[1024];
    read_file(p->process_id, "stat", text, sizeof text);
    const char *at = strrchr(text, ')'); /* the state is the third field */
    return at && strncmp(at, ") T", 3) == 0;
}

/* Returns whether a process has ended since the latest look. */
static bool process_scan_has_ended(const scanned *p)
{
    char text[2];
    return read_file(p->process_id, "cmdline", text, sizeof text) == 0;
}

/* ---- begin and end ---- */

/* Accepts NULL. */
static void process_scan_destroy(process_scan *scan)
{
    if (!scan) {
        return;
    }
    if (scan->has_pattern) {
        regfree(&scan->pattern);
    }
    for (size_t i = 0; i < scan->n; i++) {
        free_texts(&scan->list[i]);
    }
    free(scan->list);
    free(scan);
}

/* Chooses processes whose command line, with blanks between its words, matches the POSIX extended
 * regular expression `pattern`; never this one, those that started it, and other copies of its
 * program. Errors: ARGUMENT, LIMIT, MEMORY. */
static hpf_status process_scan_create(process_scan **out, const char *pattern, hpf_error *err)
{
    *out = NULL;
    process_scan *scan = calloc(1, sizeof *scan);
    if (!scan) {
        return hpf_error_set_memory(err);
    }
    hpf_status status = hpf__regular_expression(&scan->pattern, pattern, err);
    scan->has_pattern = status == HPF_OK;
    if (status != HPF_OK) {
        process_scan_destroy(scan);
        return status;
    }
    list_own(scan);
    (void)stat("/proc/self/exe", &scan->program);
    *out = scan;
    return HPF_OK;
}

#define LOOK_EVERY_S 1.0
#define YOUNG_S      10.0 /* a process of this age may still be loading its libraries */

enum { MOST_PROCESSES = 1000, MOST_REASONS = 32, MOST_CPU_PERCENT = 2 };

/* An attachment that goes on. */
typedef struct attachment {
    pthread_t thread;
    uint32_t process_id; /* 0: none goes on */
    hpp_variables variables;
    hpp_attached attached;
    hpf_status status;
    hpf_error err;
} attachment;

typedef struct fleet {
    const attach_all_options *options;
    hpp_collector *collector;
    process_scan *scan;
    fleet_http *http;
    loop *l;
    int timer, has_attached; /* has_attached: an eventfd */
    attachment now;
    char *reasons[MOST_REASONS]; /* that a message was printed about */
    size_t n_reasons;
    hpf_str listed; /* what the discovery file has; owned */
    bool has_failed;
} fleet;

/* ---- discovery ---- */

static void list_processes(fleet *f, hpf_sink *sink)
{
    char address[300], number[16];
    hpf_json json = hpf_json_begin(sink);
    size_t n;
    const scanned *list = process_scan_list(f->scan, &n);
    fleet_http_address(f->http, address, sizeof address);
    hpf_json_array(&json, NULL);
    for (size_t i = 0; i < n; i++) {
        if (list[i].state != SCANNED_ATTACHED) {
            continue;
        }
        snprintf(number, sizeof number, "%u", (unsigned)list[i].process_id);
        hpf_json_object(&json, NULL);
        hpf_json_array(&json, "targets");
        hpf_json_text(&json, NULL, address);
        hpf_json_close(&json);
        hpf_json_object(&json, "labels");
        hpf_json_text(&json, "__param_pid", number);
        hpf_json_text(&json, "pid", number);
        hpf_json_text(&json, "program", list[i].program);
        hpf_json_text(&json, "service_name", list[i].program);
        hpf_json_close(&json);
        hpf_json_close(&json);
    }
    hpf_json_close(&json);
}

/* Replaces the discovery file if its contents have changed. Says once that this fails. */
static void write_discovery(fleet *f)
{
    hpf_error err;
    hpf_sink *text = f->options->discovery ? hpf_sink_to_memory() : NULL;
    if (!text) {
        return;
    }
    list_processes(f, text);
    if (hpf_sink_finish(text, &err) == HPF_OK && !hpf_str_equal(hpf_sink_bytes(text), f->listed)) {
        hpf_str now = hpf_sink_bytes(text);
        hpf_sink *file = hpf_sink_to_path(f->options->discovery, &err);
        if (file) {
            hpf_sink_str(file, now);
        }
        char *copy = malloc(now.length + 1);
        if (!copy || !file || hpf_sink_finish(file, &err) != HPF_OK) {
            diag_error(f->options->discovery, &err);
            f->has_failed = true;
        }
        if (copy) { /* also after an error: it is said once for each change */
            memcpy(copy, now.data, now.length);
            free((char *)(uintptr_t)f->listed.data);
            f->listed = (hpf_str){copy, now.length};
        }
        hpf_sink_destroy(file);
    }
    hpf_sink_destroy(text);
}

/* ---- attaching ---- */

/* Keeps why a process is not profiled, and prints it if it is the first with this reason. */
static void refuse(fleet *f, scanned *p, const char *reason)
{
    p->state = SCANNED_REFUSED;
    p->refused = strdup(reason);
    size_t i = 0;
    while (i < f->n_reasons && strcmp(f->reasons[i], reason) != 0) {
        i++;
    }
    if (i == f->n_reasons && i < MOST_REASONS && (f->reasons[i] = strdup(reason))) {
        f->n_reasons++;
        diag_say("not profiled: process %u (%s): %s", (unsigned)p->process_id, p->program, reason);
    }
}

static void *run_attachment(void *context)
{
    fleet *f = context;
    attachment *now = &f->now;
    const uint64_t once = 1;
    now->status = hpp_attach(&now->attached, now->process_id, f->options->library,
                             now->variables.run, &now->err);
    ssize_t n = write(f->has_attached, &once, sizeof once);
    (void)n; /* the first one always has room */
    return NULL;
}

static void begin_attachment(fleet *f, scanned *p)
{
    attachment *now = &f->now;
    if (hpp_collector_n_living(f->collector) >= MOST_PROCESSES) {
        refuse(f, p, "census profiles a thousand processes at a time");
        return;
    }
    hpf_status status = hpp_collector_expect(f->collector, p->process_id, &now->err);
    if (status == HPF_OK) {
        status = hpp_collector_variables(f->collector, &now->variables, p->process_id,
                                         f->options->library, NULL, &now->err);
    }
    if (status != HPF_OK) {
        refuse(f, p, now->err.message);
        return;
    }
    now->process_id = p->process_id;
    p->state = SCANNED_ATTACHING;
    if (pthread_create(&now->thread, NULL, run_attachment, f) != 0) {
        now->process_id = 0;
        p->state = SCANNED_WAITING;
    }
}

/* Waits for the attachment that goes on, and notes its result. */
static void finish_attachment(fleet *f)
{
    const attachment *now = &f->now;
    size_t n, i = 0;
    if (now->process_id == 0) {
        return;
    }
    pthread_join(now->thread, NULL);
    scanned *list = process_scan_list(f->scan, &n);
    while (i < n && (list[i].process_id != now->process_id || list[i].state != SCANNED_ATTACHING)) {
        i++;
    }
    if (i < n && now->status == HPF_OK) {
        list[i].state = SCANNED_ATTACHED;
        list[i].attached = now->attached;
    } else if (i < n && process_scan_has_ended(&list[i])) {
        list[i].state = SCANNED_OTHER;
    } else if (i < n && process_scan_age_s(&list[i]) < YOUNG_S) {
        list[i].state = SCANNED_WAITING;
    } else if (i < n) {
        refuse(f, &list[i], now->err.message);
    }
    f->now.process_id = 0;
}

/* Begins the next attachment, if none goes on. */
static void attach_next(fleet *f)
{
    size_t n;
    scanned *list = process_scan_list(f->scan, &n);
    for (size_t i = 0; i < n && f->now.process_id == 0; i++) {
        if (list[i].state == SCANNED_MATCHING && process_scan_is_stopped(&list[i])) {
            list[i].state = SCANNED_WAITING;
        } else if (list[i].state == SCANNED_MATCHING) {
            begin_attachment(f, &list[i]);
        }
    }
}

static void on_attached(void *context, uint32_t epoll_events)
{
    fleet *f = context;
    uint64_t n_times;
    (void)epoll_events;
    if (read(f->has_attached, &n_times, sizeof n_times) == (ssize_t)sizeof n_times) {
        finish_attachment(f);
        attach_next(f);
    }
}

static void on_timer(void *context, uint32_t epoll_events)
{
    fleet *f = context;
    (void)epoll_events;
    process_scan_look(f->scan);
    write_discovery(f);
    attach_next(f);
}

/* Detaches from all processes. */
static void detach(fleet *f)
{
    finish_attachment(f);
    size_t n, n_living = hpp_collector_n_living(f->collector);
    scanned *list = process_scan_list(f->scan, &n);
    for (size_t i = 0; i < n; i++) {
        hpf_error err;
        if (list[i].state == SCANNED_ATTACHED &&
            hpp_detach(&list[i].attached, f->collector, &err) != HPF_OK) {
            diag_say("cannot detach from process %u (%s): %s", (unsigned)list[i].process_id,
                     list[i].program, err.message);
            f->has_failed = true;
        }
        list[i].state = SCANNED_OTHER;
    }
    write_discovery(f);
    if (!f->options->is_quiet) {
        diag_say("detached from %zu process%s", n_living, n_living == 1 ? "" : "es");
    }
}

/* ---- the address ---- */

static bool on_process(void *context, size_t index, fleet_process *out)
{
    const fleet *f = context;
    size_t n, i = 0;
    const scanned *list = process_scan_list(f->scan, &n);
    for (; i < n; i++) {
        bool is_shown = list[i].state == SCANNED_ATTACHED || list[i].state == SCANNED_REFUSED;
        if (is_shown && index-- == 0) {
            break;
        }
    }
    if (i < n) {
        *out = (fleet_process){.process_id = list[i].process_id,
                               .program = list[i].program,
                               .command = list[i].command,
                               .refused = list[i].refused};
    }
    return i < n;
}

static void on_ended(void *context, const hpp_process_figures *figures)
{
    const fleet *f = context;
    char words[4096], program[256];
    size_t n = figures->command.length < sizeof words ? figures->command.length : sizeof words - 1;
    for (size_t i = 0; i < n; i++) {
        words[i] = figures->command.data[i] == ' ' ? '\0' : figures->command.data[i];
    }
    words[n] = '\0';
    process_scan_name(program, sizeof program, words, n);
    fleet_http_ended(f->http, program, figures);
}

static int guest_fd(void *context)
{
    return loop_fd(((const fleet *)context)->l);
}

static void guest_step(void *context)
{
    loop_step(((const fleet *)context)->l, 0);
}

/* ---- begin and end ---- */

static int open_all(fleet *f, hpp_collector_options *options)
{
    hpf_error err;
    const fleet_http_options http = {.where = f->options->where,
                                     .token_file = f->options->token_file,
                                     .pattern = f->options->pattern,
                                     .process = on_process,
                                     .context = f};
    if (process_scan_create(&f->scan, f->options->pattern, &err) != HPF_OK) {
        diag_say("--all: %s", err.message);
        return EXIT_MISUSED;
    }
    options->without_hp = options->without_prof = options->without_children = true;
    options->is_attached = true;
    options->keeps_costs = options->keeps_latest = options->forgets_ended = true;
    options->ended = on_ended;
    options->ended_context = f;
    options->max_cpu_percent = f->options->has_interval ? 0 : MOST_CPU_PERCENT;
    if (hpp_collector_create(&f->collector, options, &err) != HPF_OK) {
        diag_say("%s", err.message);
        return err.status == HPF_ERR_ARGUMENT || err.status == HPF_ERR_UNSUPPORTED ? EXIT_MISUSED
                                                                                   : EXIT_FAILED;
    }
    f->l = loop_create();
    f->timer = f->l ? loop_add_timer(f->l, on_timer, f) : -1;
    f->has_attached = f->l ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    if (f->timer < 0 || f->has_attached < 0 ||
        !loop_add(f->l, f->has_attached, EPOLLIN, on_attached, f)) {
        diag_say("cannot watch processes: out of memory or file descriptors");
        return EXIT_FAILED;
    }
    f->http = fleet_http_create(f->l, &http);
    if (!f->http) {
        return EXIT_FAILED;
    }
    fleet_http_attach(f->http, f->collector);
    return EXIT_DONE;
}

static void close_all(fleet *f)
{
    fleet_http_destroy(f->http);
    hpp_collector_destroy(f->collector);
    loop_destroy(f->l);
    hpf__close(f->has_attached);
    process_scan_destroy(f->scan);
    for (size_t i = 0; i < f->n_reasons; i++) {
        free(f->reasons[i]);
    }
    free((char *)(uintptr_t)f->listed.data);
}

int attach_all(const attach_all_options *all, hpp_collector_options *options,
               const run_signals *signals)
{
    fleet f = {.options = all, .timer = -1, .has_attached = -1};

    int status = open_all(&f, options);
    if (status == EXIT_DONE) {
        const launched none = {.pid = -1, .pidfd = -1};
        const run_guest guest = {guest_fd, guest_step, &f};
        loop_arm(f.timer, LOOK_EVERY_S, LOOK_EVERY_S);
        (void)run_loop_attached(f.collector, &none, signals, &guest);
        detach(&f);
        status = run_loop_complete(f.collector, signals) && !f.has_failed ? EXIT_DONE : EXIT_FAILED;
    }
    close_all(&f);
    return status;
}
