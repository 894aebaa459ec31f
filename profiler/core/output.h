/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Results of censuses as events: to the `.hp` file, to the file beside it, and to whoever else
 * listens.
 */
#ifndef HPP_OUTPUT_H
#define HPP_OUTPUT_H

#include "hpfile/sidecar.h"
#include "hpfile/writer.h"
#include "hpprof/census.h"

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

typedef struct hpp__output {
    hpp__listener listeners[3]; /* the file, the sidecar, the other */
    int fd;
    hpf_sink *sink;
    hpf_writer *writer;
    int sidecar_fd;
    hpf_sink *sidecar_sink;
    hpf_sidecar_writer *sidecar;
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

/* Lets another listen to an output that was opened. */
void hpp__output_add(hpp__output *output, const hpf_events *events, void *context);

/* All four headers: seconds and bytes. */
void hpp__output_headers(hpp__output *output, hpf_str job, hpf_str date);

void hpp__output_sample(hpp__output *output, double time_s, const hpp_band *bands, size_t n_bands);
void hpp__output_mark(hpp__output *output, double time_s, hpf_str label);
void hpp__output_line(hpp__output *output, double time_s, hpf_str name, double value);

/* Ends the files and frees everything. Returns the files' first error. Accepts a zeroed output. */
hpf_status hpp__output_close(hpp__output *output, hpf_error *err);

/* Frees everything; a file that was to be replaced stays as it was. */
void hpp__output_drop(hpp__output *output);

#endif
