/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All data are of the latest samples, which the collector keeps; between requests there is nothing
 * to do.
 */
#include "fleet_http.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "death.h"
#include "diag.h"
#include "unit_format.h"

#include "http_metrics.h"
#include "http_server.h"

#define BYTES HPF_STR("bytes")

enum {
    MOST_KILLED = 64,     /* processes whose end is shown */
    DEFAULT_SECONDS = 30, /* of processor time */
    NAME_BYTES = 128,
};

/* The bands of a process. */
typedef struct known_bands {
    uint32_t process_id;
    bool is_used; /* in this scrape */
    http_metrics_bands bands;
} known_bands;

typedef struct killed {
    uint32_t process_id;
    const char *killer;
    char program[NAME_BYTES];
} killed;

struct fleet_http {
    fleet_http_options options;
    loop *loop;
    const hpp_collector *collector;
    http_guard guard;
    http_listener listener;
    http_server *server;
    known_bands **bands;
    size_t n_bands, bands_capacity;
    killed killed[MOST_KILLED]; /* the oldest is replaced */
    size_t n_killed;
};

/* ---- metrics ---- */

static bool find_process(const fleet_http *f, uint32_t process_id, fleet_process *out)
{
    for (size_t i = 0; f->options.process(f->options.context, i, out); i++) {
        if (out->process_id == process_id && !out->refused) {
            return true;
        }
    }
    return false;
}

static http_metrics_bands *bands_of(fleet_http *f, uint32_t process_id)
{
    size_t i = 0;
    while (i < f->n_bands && f->bands[i]->process_id != process_id) {
        i++;
    }
    if (i == f->n_bands) {
        known_bands *added = calloc(1, sizeof *added);
        if (!added || !HPF__ARRAY_PUSH(f->bands, f->n_bands, f->bands_capacity, added)) {
            free(added);
            return NULL;
        }
        added->process_id = process_id;
    }
    f->bands[i]->is_used = true;
    return &f->bands[i]->bands;
}

static void free_bands(known_bands *bands)
{
    http_metrics_bands_finish(&bands->bands);
    free(bands);
}

/* Frees the bands of processes that have ended. */
static void drop_unused_bands(fleet_http *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_bands; i++) {
        if (f->bands[i]->is_used) {
            f->bands[i]->is_used = false;
            f->bands[n++] = f->bands[i];
        } else {
            free_bands(f->bands[i]);
        }
    }
    f->n_bands = n;
}

/* A scrape, whose texts are in the arena. */
typedef struct scrape {
    fleet_http *f;
    http_metrics metrics;
    hpf_arena *arena;
    hpf_status status;
} scrape;

/* Makes the labels of a process. Returns false without memory. */
static bool make_labels(scrape *s, uint32_t process_id, const char *program,
                        http_metrics_process *out)
{
    char profile[NAME_BYTES + 16];
    snprintf(profile, sizeof profile, "%.*s:%u", NAME_BYTES, program, (unsigned)process_id);
    *out = (http_metrics_process){.profile = hpf_arena_text(s->arena, hpf_str_of(profile)),
                                  .program = hpf_arena_text(s->arena, hpf_str_of(program)),
                                  .process_id = process_id};
    return out->profile && out->program;
}

static void add_latest(void *context, const hpp_latest *latest)
{
    scrape *s = context;
    fleet_process process;
    http_metrics_process labels;
    if (s->status != HPF_OK || !find_process(s->f, latest->process_id, &process)) {
        return;
    }
    http_metrics_bands *bands = bands_of(s->f, latest->process_id);
    s->status = bands && make_labels(s, latest->process_id, process.program, &labels)
                    ? http_metrics_add_process(&s->metrics, &labels, latest, bands, NULL)
                    : HPF_ERR_MEMORY;
}

static bool write_metrics(fleet_http *f, hpf_sink *sink)
{
    scrape s = {.f = f, .arena = hpf_arena_create()};
    s.status = s.arena ? HPF_OK : HPF_ERR_MEMORY;
    hpp_collector_latest(f->collector, add_latest, &s);
    for (size_t i = 0; i < MOST_KILLED && i < f->n_killed && s.status == HPF_OK; i++) {
        http_metrics_process labels;
        const killed *k = &f->killed[i];
        s.status = make_labels(&s, k->process_id, k->program, &labels)
                       ? http_metrics_add_killed(&s.metrics, &labels, k->killer, NULL)
                       : HPF_ERR_MEMORY;
    }
    http_metrics_finish(&s.metrics, sink);
    hpf_arena_destroy(s.arena);
    drop_unused_bands(f);
    return s.status == HPF_OK;
}

void fleet_http_ended(fleet_http *f, const char *program, const hpp_process_figures *figures)
{
    const hpf_process end = {
        .end = figures->end, .code = figures->end_code, .memory = figures->memory};
    const char *killer = death_killer_name(&end);
    if (killer) {
        size_t i = 0; /* of an earlier process of this number: labels must differ */
        while (i < f->n_killed && i < MOST_KILLED &&
               f->killed[i].process_id != figures->process_id) {
            i++;
        }
        killed *k =
            &f->killed[i < f->n_killed && i < MOST_KILLED ? i : f->n_killed++ % MOST_KILLED];
        *k = (killed){.process_id = figures->process_id, .killer = killer};
        snprintf(k->program, sizeof k->program, "%s", program);
    }
}

/* ---- the page ---- */

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"refresh\" content=\"10\"><title>census: processes</title>\n"
    "<style>body{font:14px/1.5 system-ui,sans-serif;margin:2em;color-scheme:light dark}"
    "table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:left;white-space:nowrap}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "tbody tr:nth-child(odd){background:color-mix(in srgb,currentcolor 6%,transparent)}"
    "td.c{max-width:40em;overflow:hidden;text-overflow:ellipsis}</style>"
    "</head>\n<body><h1>Heap profiles</h1>\n";

typedef struct listing {
    const fleet_http *f;
    hpf_sink *sink;
    size_t n;
    double live_bytes, variance; /* variance: the square of its margin */
} listing;

static void list_latest(void *context, const hpp_latest *latest)
{
    listing *list = context;
    fleet_process process;
    double live = (double)latest->live_bytes, peak = (double)latest->peak_bytes;
    if (!find_process(list->f, latest->process_id, &process)) {
        return;
    }
    list->n++;
    list->live_bytes += live;
    list->variance += latest->live_margin * latest->live_margin;
    hpf_sink_printf(list->sink, "<tr><td class=\"n\">%u</td><td>", (unsigned)latest->process_id);
    hpf_sink_markup(list->sink, hpf_str_of(process.program));
    hpf_sink_printf(
        list->sink, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
        format_estimate(live, latest->live_margin, BYTES, false).text,
        format_estimate(peak, latest->peak_margin, BYTES, false).text,
        latest->resident_bytes >= 0 ? format_amount(latest->resident_bytes, BYTES, false).text
                                    : "");
    hpf_sink_printf(list->sink,
                    "<td><a href=\"debug/pprof/heap?pid=%u\">heap</a> "
                    "<a href=\"debug/pprof/allocs?pid=%u\">allocs</a></td><td class=\"c\">",
                    (unsigned)latest->process_id, (unsigned)latest->process_id);
    hpf_sink_markup(list->sink, hpf_str_of(process.command));
    hpf_sink_text(list->sink, "</td></tr>\n");
}

static void list_refused(const fleet_http *f, hpf_sink *sink)
{
    static const char head[] = "<h2>Not profiled</h2>\n<table><thead><tr><th class=\"n\">process"
                               "</th><th>program</th><th>reason</th></tr></thead><tbody>\n";
    fleet_process process;
    bool has_any = false;
    for (size_t i = 0; f->options.process(f->options.context, i, &process); i++) {
        if (process.refused) {
            hpf_sink_printf(sink, "%s<tr><td class=\"n\">%u</td><td>", has_any ? "" : head,
                            (unsigned)process.process_id);
            hpf_sink_markup(sink, hpf_str_of(process.program));
            hpf_sink_text(sink, "</td><td>");
            hpf_sink_markup(sink, hpf_str_of(process.refused));
            hpf_sink_text(sink, "</td></tr>\n");
            has_any = true;
        }
    }
    hpf_sink_text(sink, has_any ? "</tbody></table>\n" : "");
}

static void write_page(const fleet_http *f, hpf_sink *sink)
{
    listing list = {.f = f, .sink = sink};
    hpf_sink_text(sink, page_head);
    hpf_sink_text(sink, "<p>All processes whose command line matches <code>");
    hpf_sink_markup(sink, hpf_str_of(f->options.pattern));
    hpf_sink_text(sink,
                  "</code>: <a href=\"metrics\">metrics</a>, and added up "
                  "<a href=\"debug/pprof/heap\">heap</a> and "
                  "<a href=\"debug/pprof/allocs\">allocs</a> for pprof.</p>\n"
                  "<table><thead><tr><th class=\"n\">process</th><th>program</th>"
                  "<th class=\"n\">live</th><th class=\"n\">peak</th><th class=\"n\">resident</th>"
                  "<th>pprof</th><th>command line</th></tr></thead><tbody>\n");
    hpp_collector_latest(f->collector, list_latest, &list);
    hpf_sink_printf(sink, "</tbody></table>\n<p>%zu process%s, %s live.</p>\n", list.n,
                    list.n == 1 ? "" : "es",
                    format_estimate(list.live_bytes, sqrt(list.variance), BYTES, false).text);
    list_refused(f, sink);
    hpf_sink_text(sink, "</body></html>\n");
}

/* ---- requests ---- */

static const char *on_refused(void *context, uint32_t process_id)
{
    return http_costs_refused(((const fleet_http *)context)->collector, process_id);
}

static http_costs *on_measured(void *context, http_place where, uint32_t process_id,
                               unsigned *seconds)
{
    const fleet_http *f = context;
    bool is_time = where == HTTP_PROFILE;
    bool has_costs = !is_time || hpp_collector_tick_ns(f->collector) > 0;
    http_costs *costs = has_costs ? http_costs_create(process_id) : NULL;
    *seconds = !is_time ? 0 : *seconds > 0 ? *seconds : DEFAULT_SECONDS;
    if (costs && is_time) {
        http_costs_add_programs(costs, f->collector);
        http_costs_begin(costs);
    }
    return costs;
}

static bool on_scraped(void *context, http_place where, http_costs *measured, hpf_sink *sink)
{
    fleet_http *f = context;
    fleet_process process;
    if (where == HTTP_METRICS) {
        return write_metrics(f, sink);
    }
    if (where == HTTP_PAGE) {
        write_page(f, sink);
        return true;
    }
    http_costs_add_programs(measured, f->collector);
    bool is_one = measured->process_id > 0 && find_process(f, measured->process_id, &process);
    return http_costs_write(measured, hpf_str_of(is_one ? process.program : f->options.pattern),
                            where, sink, NULL) == HPF_OK;
}

/* ---- begin and end ---- */

static hpf_status start(fleet_http *f, hpf_error *err)
{
    const http_server_options options = {
        .guard = &f->guard,
        .listener = &f->listener,
        .page_policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        .refused = on_refused,
        .measured = on_measured,
        .scraped = on_scraped,
        .context = f,
        .heartbeat_s = 15,
        .patience_s = 30,
    };
    hpf_status status = http_listen(&f->listener, f->options.where, err);
    if (status != HPF_OK) {
        return status;
    }
    strcpy(f->guard.name, f->listener.host);
    f->guard.has_all_addresses = f->listener.is_every_address;
    if (f->options.token_file) {
        status = http_token_from_file(f->guard.token, f->options.token_file, err);
    } else if (!http_make_secret(f->guard.token, HTTP_TOKEN_BYTES)) {
        status = hpf_error_set_os(err, errno, "cannot get random numbers");
    }
    return status == HPF_OK ? http_server_create(&f->server, f->loop, &options, err) : status;
}

fleet_http *fleet_http_create(loop *l, const fleet_http_options *options)
{
    char path[HTTP_TOKEN_LENGTH + 4], url[512];
    hpf_error err;
    fleet_http *f = calloc(1, sizeof *f);
    if (!f) {
        diag_say("out of memory");
        return NULL;
    }
    f->options = *options;
    f->loop = l;
    f->listener.fd = -1;
    if (start(f, &err) != HPF_OK) {
        diag_error("http", &err);
        fleet_http_destroy(f);
        return NULL;
    }
    snprintf(path, sizeof path, "/%s/", f->guard.token);
    http_listener_url(&f->listener, path, url, sizeof url);
    diag_say("serving at %s%s%s", url, f->listener.path[0] ? " through the socket " : "",
             f->listener.path);
    return f;
}

void fleet_http_destroy(fleet_http *f)
{
    if (!f) {
        return;
    }
    http_server_destroy(f->server, 0);
    http_listener_close(&f->listener);
    for (size_t i = 0; i < f->n_bands; i++) {
        free_bands(f->bands[i]);
    }
    free(f->bands);
    free(f);
}

void fleet_http_attach(fleet_http *f, const hpp_collector *collector)
{
    f->collector = collector;
}

void fleet_http_address(const fleet_http *f, char *out, size_t room)
{
    snprintf(out, room, "%s:%u", f->listener.host, f->listener.port);
}
