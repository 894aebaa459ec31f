/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A timer looks for processes. A thread attaches to one of them at a time, which may take seconds;
 * meanwhile the collector takes samples, and requests are answered. Before the next one, the
 * collector takes the window of the last one.
 */
#include "attach_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/json.h"
#include "diag.h"
#include "hpfile/sink.h"
#include "process_scan.h"
#include "watch/web/fleet_http.h"

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
        if (list[i].state == SCANNED_ATTACHED && hpp_detach(&list[i].attached, &err) != HPF_OK) {
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
