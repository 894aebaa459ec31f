/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Results of censuses as events: to the `.hp` file, to the files beside it, and to whoever else
 * listens.
 */
#ifndef HPP_OUTPUT_H
#define HPP_OUTPUT_H

#include "hpfile/eventlog_writer.h"
#include "hpfile/sidecar.h"
#include "hpfile/writer.h"
#include "hpprof/census.h"
#include "hpprof/options.h"

/* One that is told. It numbers names by its own: what it could not be told once, it is told later.
 */
typedef struct hpp__listener {
    const hpf_events *events; /* NULL: nobody */
    void *context;
    uint32_t *names; /* by index of the band: its name's number + 1, or 0 */
    size_t names_capacity;
    uint32_t n_names;
    bool has_failed; /* it is told no more */
} hpp__listener;

enum { HPP__OUT_HP, HPP__OUT_LINES, HPP__OUT_LOG, HPP__N_OUT_FILES };

/* A file that is open. */
typedef struct hpp__out_file {
    hpf_sink *sink; /* NULL: none */
    int fd;         /* under the sink, or -1 */
} hpp__out_file;

typedef struct hpp__output {
    hpp__listener listeners[HPP__N_OUT_FILES + 1]; /* the last: whoever else listens */
    hpp__out_file files[HPP__N_OUT_FILES];
    hpf_writer *writer;
    hpf_sidecar_writer *sidecar;
    hpf_eventlog_writer *log;
    const hpp_census *engine; /* that knows the stacks of the log; borrowed */
    uint32_t named_band;      /* the one whose name is being told */
    hpf_cost *costs;
    size_t costs_capacity;
    uint64_t n_lost_samples; /* for want of memory */
    hpf_error first_error;   /* of the files */
} hpp__output;

/* Makes the file `path`, which grows sample by sample. Errors: IO, MEMORY. */
hpf_status hpp__output_open(hpp__output *output, const char *path, hpf_error *err);

/* Makes the file `path` at once, when it is closed. Same errors. */
hpf_status hpp__output_replace(hpp__output *output, const char *path, hpf_error *err);

/* Adds the file `path` for lines and labels of marks. Same errors; the output stays as it was. */
hpf_status hpp__output_open_sidecar(hpp__output *output, const char *path, hpf_error *err);

/* Adds the event log `path`, with the stacks of the engine's bands. `at_once`: as
 * hpp__output_replace. Same errors; the output stays as it was, and where it is until it ends. */
hpf_status hpp__output_open_log(hpp__output *output, const char *path, const hpp_options *options,
                                const hpp_census *engine, bool at_once, hpf_error *err);

/* Lets another listen to an output that was opened. */
void hpp__output_add(hpp__output *output, const hpf_events *events, void *context);

/* All four headers: seconds and bytes. */
void hpp__output_headers(hpp__output *output, hpf_str job, hpf_str date);

void hpp__output_sample(hpp__output *output, double time_s, const hpp_band *bands, size_t n_bands);
void hpp__output_mark(hpp__output *output, double time_s, hpf_str label);
void hpp__output_line(hpp__output *output, double time_s, hpf_str name, double value);

/* Ends the files and frees everything. Returns the files' first error. Accepts a zeroed output. */
hpf_status hpp__output_close(hpp__output *output, hpf_error *err);

/* Frees everything; files that were to be replaced stay as they were. */
void hpp__output_drop(hpp__output *output);

#endif
