/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One of many profiles that are read side by side: only its next samples are in memory, and its
 * file is open only while a piece of it is read.
 */
#ifndef CENSUS_MERGE_INPUT_H
#define CENSUS_MERGE_INPUT_H

#include "base/hash_table.h"
#include "detect/reader.h"

typedef struct hpf_arena hpf_arena;

/* What all inputs share: bands by name, and the headers of the first one. */
typedef struct merge_bands {
    hpf_arena *arena; /* texts */
    hpf__hash_table numbers;
    hpf_str *names;
    size_t names_capacity;
    uint32_t n;
    hpf_str headers[HPF_N_HEADERS];
    double *marks; /* times of the marks of the first profile */
    size_t n_marks, marks_capacity;
} merge_bands;

void merge_bands_finish(merge_bands *bands);

/* Stores the number of the band with a name, which is new if it was not known. Errors: MEMORY. */
HPF_MUST_USE hpf_status merge_bands_add(merge_bands *bands, hpf_str name, uint32_t *number,
                                        hpf_error *err);

/* A sample that was read ahead. */
typedef struct merge_sample {
    double time;
    size_t begin, n_costs; /* in the costs of the input */
} merge_sample;

typedef struct merge_input {
    const char *path;
    merge_bands *bands;
    bool is_first;
    bool has_one_band;
    uint32_t band; /* if it has one */
    hpf_reader *reader;
    hpf_source *source; /* of input that cannot be read in pieces: a pipe, compressed, imported;
                           else NULL */
    hpf_eventlog_activity *clock; /* of the mutator, or NULL */
    hpf_frame_table *frames;      /* of an imported profile, or NULL */
    int spool; /* temporary file of an imported profile, above 0 if there is one */
    uint64_t offset;
    bool is_at_end;
    uint32_t *band_of_name;
    size_t n_names, names_capacity;
    merge_sample *samples;
    size_t n_samples, samples_capacity;
    size_t next;     /* the first sample that is ahead; the one before it is the current one */
    hpf_cost *costs; /* of bands */
    size_t n_costs, costs_capacity;
    bool has_current;
    double shift;    /* added to its times */
    uint64_t date_s; /* when it began, since 1970; 0: unknown */
} merge_input;

/* Begins to read a profile; `path` and `bands` are borrowed. Errors: from opening; UNSUPPORTED for
 * the mutator's clock of a pipe. */
HPF_MUST_USE hpf_status merge_input_open(merge_input *in, const char *path, merge_bands *bands,
                                         bool uses_mutator_clock, size_t max_name_bytes,
                                         hpf_error *err);
void merge_input_close(merge_input *in);

/* Reads ahead until there are `n` samples after the current one, or the end. `piece` is room for
 * `n_piece` bytes. Errors: from the reader. */
HPF_MUST_USE hpf_status merge_input_fill(merge_input *in, size_t n, char *piece, size_t n_piece,
                                         hpf_error *err);

/* Returns the current sample, which is part of the sum, or NULL. */
const merge_sample *merge_input_current(const merge_input *in);

/* Returns sample `i` after the current one, or NULL. */
const merge_sample *merge_input_ahead(const merge_input *in, size_t i);

/* Makes the next sample the current one, or, at the end, leaves none. */
void merge_input_advance(merge_input *in);

#endif
