/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing a recording (docs/formats/census.md): the event logs of the processes of a run in one
 * file. Each sample is one write, so that followers of the file never see half a sample.
 *
 * The log of a process is held in memory until the process matters: until it has three samples, or
 * 1 MiB in one. The first process always matters. Others are rows only. A process that begins while
 * another one with its pid has not ended replaces it, whose log is provisional
 * (HPF_PROCESS_REPLACED).
 *
 * Threads: the functions may be called by several threads, but those of one process, and its log,
 * by one at a time.
 */
#ifndef HPFILE_RECORDING_WRITER_H
#define HPFILE_RECORDING_WRITER_H

#include "hpfile/recording.h"
#include "hpfile/sink.h"

HPF_BEGIN_DECLS

typedef struct hpf_recording_writer hpf_recording_writer;

/* A process matters from this number of samples, or from this number of live bytes in a sample. */
enum { HPF_RECORDING_LEAST_SAMPLES = 3, HPF_RECORDING_LEAST_BYTES = 1 << 20 };

/* Creates a writer into an empty file, which the caller keeps open and closes, and writes the head.
 * Errors: MEMORY, IO. After an error of a write, the file ends with a whole chunk, and all further
 * functions return the error. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_create(hpf_recording_writer **out, int fd,
                                                            hpf_error *err);
HPF_API void hpf_recording_writer_destroy(hpf_recording_writer *writer);

/* Writes the row of a process that begins: its parent, pid, start, date and texts, which are cut at
 * 4 KiB. Stores its number, by which the other functions know it. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_begin(hpf_recording_writer *writer,
                                                           const hpf_process *process,
                                                           uint32_t *number, hpf_error *err);

/* Returns the sink, in memory, for the event log of a process: with samples that are changes
 * (hpf_writer_options.writes_changes). Borrowed until the process ends. */
HPF_API hpf_sink *hpf_recording_writer_log(hpf_recording_writer *writer, uint32_t number);

/* A sample of a log: its time there, the sum of its amounts, and what of it a forked process has
 * from its parent, which counts it, too. */
typedef struct hpf_recorded_sample {
    double time_s;
    uint64_t live_bytes, inherited_bytes;
} hpf_recorded_sample;

/* Writes what is in the sink as a sample. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_sample(hpf_recording_writer *writer,
                                                            uint32_t number,
                                                            const hpf_recorded_sample *sample,
                                                            hpf_error *err);

/* Writes the report of the process, in the layout of a .prof file, unless it has no log. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_report(hpf_recording_writer *writer,
                                                            uint32_t number, hpf_str report,
                                                            hpf_error *err);

/* Writes how close the process is to its limits; at the end, who killed it and what it held. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_memory(hpf_recording_writer *writer,
                                                            uint32_t number,
                                                            const hpf_memory *memory,
                                                            hpf_error *err);

/* Writes the end of the log, and the row of the end: how, code, end_s (on the clock of the run),
 * left_bytes, and a new name unless it is empty. */
HPF_API HPF_MUST_USE hpf_status hpf_recording_writer_end(hpf_recording_writer *writer,
                                                         uint32_t number,
                                                         const hpf_process *process,
                                                         hpf_error *err);

/* Returns the row of a process, with its peak and its number of samples so far. */
HPF_API hpf_process hpf_recording_writer_process(hpf_recording_writer *writer, uint32_t number);

HPF_END_DECLS
#endif
