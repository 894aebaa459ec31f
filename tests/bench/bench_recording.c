/* SPDX-License-Identifier: BSD-2-Clause
 *
 * How large the recording of a long run is: of a server, with a sample a second, whose call stacks
 * are 20 functions deep.
 *
 *     bench_recording [FILE.census [SAMPLES [SITES [CHANGES]]]]
 *
 * At first 300 sites have live blocks; up to SITES (2000) come in the first quarter. Between two
 * samples CHANGES (50) of them change, mostly by little, and allocate and free more. Writes FILE
 * with SAMPLES (86,400, a day) samples, and prints its size, and the size of an event log with
 * whole samples, which is not kept. Then reads it. Compare with `ls -l`; slowness never fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "event/format_row.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/recording_writer.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"
#include "hpfile/writer.h"
#include "rng.h"

enum { DEPTH = 20, FIRST_SITES = 300, N_FUNCTIONS = 5000, NAME_BYTES = 16 };

typedef struct server {
    rng chance;
    size_t n_samples, n_sites, n_changes;
    uint64_t *live;
    hpf_stack_totals *totals;
    hpf_cost *costs;
} server;

static char functions[N_FUNCTIONS][NAME_BYTES];

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t frames_of(void *context, hpf_name name, hpf_frame *frames, size_t room)
{
    (void)context;
    (void)room;
    rng chance = {name};
    for (size_t i = 0; i < DEPTH; i++) {
        const char *label = functions[rng_below(&chance, i < 6 ? N_FUNCTIONS : 20)];
        frames[i] = (hpf_frame){.label = {label, strlen(label)},
                                .module = HPF_STR("server"),
                                .source = HPF_STR("s.c:12")};
    }
    return DEPTH;
}

static size_t frames_of_stack(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    return frames_of(context, (hpf_name)stack, frames, room);
}

static void expect(hpf_status status)
{
    if (status != HPF_OK) {
        fprintf(stderr, "bench_recording: failed with %d\n", (int)status);
        exit(1);
    }
}

/* Changes what is live, and writes a sample. Returns the live bytes. */
static uint64_t take_sample(server *s, size_t sample, hpf_writer *writer)
{
    size_t n_known = FIRST_SITES + (s->n_sites - FIRST_SITES) * sample * 4 / s->n_samples;
    n_known = n_known < s->n_sites ? n_known : s->n_sites;
    size_t n_changes = sample == 0 ? n_known : s->n_changes;
    size_t n = 0;
    uint64_t live_bytes = 0;
    for (size_t i = 0; i < n_changes; i++) {
        size_t site = sample == 0 ? i : rng_below(&s->chance, n_known);
        uint64_t block = 16 + 16 * (site % 64);
        s->live[site] = s->live[site] && rng_below(&s->chance, 50)
                            ? s->live[site] + block * rng_below(&s->chance, 20) -
                                  (s->live[site] > 10 * block ? 10 * block : 0)
                            : block * rng_below(&s->chance, 5000);
        s->totals[site].allocated_bytes += s->live[site] / 4 + 50 * block;
    }
    for (size_t i = 0; i < n_known; i++) {
        if (s->live[i] > 0) {
            s->costs[n++] = (hpf_cost){.name = (hpf_name)i, .whole = s->live[i]};
            live_bytes += s->live[i];
        }
    }
    expect(hpf_eventlog_writer_totals(writer, sample * UINT64_C(1000000000), s->totals, n_known,
                                      frames_of_stack, NULL, sample + 1 == s->n_samples, NULL));
    const hpf_sample taken = {.time = (double)sample, .costs = s->costs, .n_costs = n};
    expect(hpf_writer_events.sample(writer, &taken, NULL));
    const hpf_quantity_point point = {(double)sample, (double)n};
    expect(hpf_writer_events.quantity(writer, HPF_STR("live"), point, NULL));
    expect(hpf_writer_events.quantity(writer, HPF_STR("resident"), point, NULL));
    return live_bytes;
}

/* Returns the bytes of the file: a recording, or a log with whole samples. */
static double record(const server *of, const char *path, bool is_recording)
{
    server s = *of;
    const hpf_writer_options options = {.size = sizeof options,
                                        .flush_samples = true,
                                        .writes_changes = is_recording,
                                        .writes_totals = true,
                                        .breakdown = HPF_BREAKDOWN_COST_CENTRE,
                                        .frames = frames_of};
    FILE *file = fopen(path, "wb");
    hpf_recording_writer *recording = NULL;
    uint32_t number = 0;
    if (file && is_recording) {
        const hpf_process row = {
            .name = HPF_STR("server"), .command = HPF_STR("server"), .host = HPF_STR("here")};
        expect(hpf_recording_writer_create(&recording, fileno(file), NULL));
        expect(hpf_recording_writer_begin(recording, &row, &number, NULL));
    }
    hpf_sink *sink = recording ? hpf_recording_writer_log(recording, number)
                     : file    ? hpf_sink_to_fd(fileno(file))
                               : NULL;
    s.live = calloc(s.n_sites, sizeof *s.live);
    s.totals = calloc(s.n_sites, sizeof *s.totals);
    s.costs = calloc(s.n_sites, sizeof *s.costs);
    if (!sink || !s.live || !s.totals || !s.costs) {
        perror(path);
        exit(1);
    }
    hpf_writer *writer;
    double begin_s = now_s();
    expect(hpf_writer_create(&writer, &hpf_format_eventlog, sink, &options, NULL));
    for (hpf_name i = 0; i < s.n_sites; i++) {
        expect(hpf_writer_events.name(writer, i, HPF_STR("site"), NULL));
    }
    for (size_t i = 0; i < s.n_samples; i++) {
        uint64_t live_bytes = take_sample(&s, i, writer);
        if (recording) {
            expect(hpf_recording_writer_sample(
                recording, number, &(hpf_recorded_sample){(double)i, live_bytes, 0}, NULL));
        }
    }
    expect(hpf_writer_finish(writer, NULL));
    expect(hpf_sink_flush(sink, NULL));
    hpf_writer_destroy(writer);
    if (recording) {
        expect(hpf_recording_writer_end(recording, number, &(hpf_process){.end_s = 86400}, NULL));
        hpf_recording_writer_destroy(recording);
    } else {
        hpf_sink_destroy(sink);
    }
    double us = (now_s() - begin_s) * 1e6 / (double)s.n_samples;
    fseek(file, 0, SEEK_END);
    double bytes = (double)ftell(file);
    printf("%-14s %9zu samples %12.1f MB %8.0f bytes and %6.1f us a sample\n",
           is_recording ? "recording" : "whole samples", s.n_samples, bytes / 1e6,
           bytes / (double)s.n_samples, us);
    fclose(file);
    free(s.live);
    free(s.totals);
    free(s.costs);
    return bytes;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "bench_recording.census";
    server s = {.chance = {20},
                .n_samples = argc > 2 ? strtoull(argv[2], NULL, 10) : 86400,
                .n_sites = argc > 3 ? strtoull(argv[3], NULL, 10) : 2000,
                .n_changes = argc > 4 ? strtoull(argv[4], NULL, 10) : 50};
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        snprintf(functions[i], NAME_BYTES, "function_%zu", i);
    }
    server part = s; /* whole samples of a day would be many gigabytes */
    part.n_samples = s.n_samples / 100;
    double whole = record(&part, path, false) * 100;
    double changes = record(&s, path, true);
    printf("%.0f MB are %.1f MB: 1 of %.0f\n", whole / 1e6, changes / 1e6, whole / changes);

    const hpf_source_options keeping = {.size = sizeof keeping, .keep = true};
    hpf_source *source;
    hpf_survey *survey;
    double begin_s = now_s();
    expect(hpf_source_open(&source, path, &keeping, NULL));
    expect(hpf_survey_create(&survey, source, NULL, NULL));
    printf("read in %.1f s: %llu samples, %u names\n", now_s() - begin_s,
           (unsigned long long)hpf_survey_overview(survey)->n_samples, hpf_survey_n_names(survey));
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return 0;
}
