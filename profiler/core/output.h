/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sends the results of censuses as events to the `.hp` file, the sidecar, the event log, the log in
 * a recording, and one more listener.
 */
#ifndef HPP_OUTPUT_H
#define HPP_OUTPUT_H

#include "hpfile/sidecar.h"
#include "hpfile/eventlog_writer.h"
#include "hpfile/writer.h"
#include "census/census.h"
#include "hpprof/options.h"

/* A receiver of events. Each one numbers names itself: a name that it missed for lack of memory is
 * sent again later. */
typedef struct hpp__listener {
    const hpf_events *events; /* NULL: none */
    void *context;
    uint32_t *names; /* by index of the band: its name's number + 1, or 0 */
    size_t names_capacity;
    uint32_t n_names;
    bool has_failed; /* it gets no more events */
    bool has_rest;   /* it has all marks and lines already */
} hpp__listener;

enum { HPP__OUT_HP, HPP__OUT_LINES, HPP__OUT_LOG, HPP__OUT_RECORDING, HPP__N_OUT_FILES };

/* An open file. */
typedef struct hpp__out_file {
    hpf_sink *sink; /* NULL: none */
    int fd;         /* under the sink, or -1 */
    bool has_name;  /* was to be in a folder when it was opened */
} hpp__out_file;

typedef struct hpp__output {
    hpp__listener listeners[HPP__N_OUT_FILES + 1]; /* the last is not a file */
    hpp__out_file files[HPP__N_OUT_FILES];
    hpf_writer *writer;
    hpf_sidecar_writer *sidecar;
    hpf_writer *logs[HPP__N_OUT_FILES + 1]; /* of OUT_LOG and OUT_RECORDING; the others are NULL */
    const hpp_census *engine;               /* has the stacks of the event logs; borrowed */
    uint32_t named_band;                    /* the band whose name is being sent */
    uint32_t log_classes;                   /* HPP_LOG_ values */
    uint32_t n_processors;                  /* known in the event log */
    bool has_generations;                   /* its records may follow in event logs */
    hpf_cost *costs;
    size_t costs_capacity;
    uint64_t n_lost_samples; /* for lack of memory */
    uint64_t n_lost_records; /* of the event log, for lack of memory */
    hpf_error first_error;   /* of the files */
} hpp__output;

/* Creates the file `path`, which grows by sample. Errors: IO, MEMORY. */
hpf_status hpp__output_open(hpp__output *output, const char *path, hpf_error *err);

/* Replaces the file `path` when the output is closed. Same errors. */
hpf_status hpp__output_replace(hpp__output *output, const char *path, hpf_error *err);

/* Adds the sidecar `path`, for lines and labels of marks. Same errors; the output is unchanged
 * then. */
hpf_status hpp__output_open_sidecar(hpp__output *output, const char *path, hpf_error *err);

/* Adds the event log `path`, with the stacks of the engine's bands, and with `has_totals` for
 * totals of stacks. It grows, or with `end_s`, the
 * time at which the program ended, is replaced as by hpp__output_replace. The output must not be
 * moved until it is closed. Same errors; the output is unchanged then. */
hpf_status hpp__output_open_log(hpp__output *output, const char *path, const hpp_options *options,
                                const hpp_census *engine, bool has_totals, const double *end_s,
                                hpf_error *err);

/* Adds an event log in a recording, whose samples are changes: into `sink`, which is borrowed until
 * the output is closed. The rest is as above. Errors: MEMORY. */
hpf_status hpp__output_add_recording(hpp__output *output, hpf_sink *sink,
                                     const hpp_options *options, const hpp_census *engine,
                                     bool has_totals, const double *end_s, hpf_error *err);

/* Adds a receiver to an open output. */
void hpp__output_add(hpp__output *output, const hpf_events *events, void *context);

/* Sends all four headers. The sample unit is seconds; the value unit is bytes, or objects. */
void hpp__output_headers(hpp__output *output, hpf_str job, hpf_str date, bool count_objects);

void hpp__output_sample(hpp__output *output, double time_s, const hpp_band *bands, size_t n_bands);

/* Sends the sample of a result; the event log gets its bands by stack, if there are any. */
void hpp__output_result(hpp__output *output, const hpp_census_result *result);
void hpp__output_mark(hpp__output *output, double time_s, hpf_str label);
void hpp__output_line(hpp__output *output, double time_s, hpf_str name, double value);

bool hpp__output_has_log(const hpp__output *output);

/* Writes the begin of a time profile, a tick of it, the totals of stacks, and any other record
 * (eventlog_writer.h) that is wanted into the event log, if there is one. */
void hpp__output_begin_time(hpp__output *output, uint64_t tick_ns);
void hpp__output_tick(hpp__output *output, double time_s, uint64_t tick, const hpf_frame *frames,
                      size_t n_frames);
void hpp__output_totals(hpp__output *output, double time_s, const hpf_stack_totals *totals,
                        size_t n, hpf_frames_of_stack *frames_of, void *context, bool is_last);
void hpp__output_record(hpp__output *output, uint16_t type, double time_s, uint16_t processor,
                        hpf_str payload, hpf_str text);

/* Copies all but the heap profile from the event log `path` into OUT_LOG or OUT_RECORDING, in place
 * of the marks and lines that follow. `process` chooses one of a recording; or NULL. Errors: IO,
 * MEMORY, SYNTAX. */
hpf_status hpp__output_copy_log(hpp__output *output, int which, const char *path,
                                const char *process, hpf_error *err);

/* Completes the files and frees the output, which may be zeroed. Returns the first error of any
 * file. */
hpf_status hpp__output_close(hpp__output *output, hpf_error *err);

/* Frees the output without replacing files. */
void hpp__output_drop(hpp__output *output);

#endif
