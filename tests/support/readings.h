/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading a profile in different ways and writing down everything that was said, as text: two ways
 * agree when the texts are equal.
 */
#ifndef CENSUS_TESTS_READINGS_H
#define CENSUS_TESTS_READINGS_H

#include "model.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

/* Events to a sink, one line each; the context is the sink. Numbers are written exactly. */
extern const hpf_events event_text_events;

typedef struct reading {
    hpf_sink *text; /* events, warnings, and the error if there was one */
    hpf_status status;
    hpf_error error;
    unsigned n_warnings;
    hpf_error warning;
} reading;

/* Largest piece for read_text: SIZE_MAX feeds all at once, 1 byte by byte; with a seed other than 0
 * pieces have random lengths from 0 to `most_bytes`. Each piece is fed from memory that ends with
 * it, so that a sanitizer sees every byte read too far. */
reading read_text(hpf_str text, size_t most_bytes, uint64_t seed);

/* The same from a source, which is left open. */
reading read_from_source(hpf_source *source);

void reading_finish(reading *r);

/* Whether two readings say the same, errors with their place and warnings included. */
bool readings_equal(const reading *a, const reading *b);

/* The model of a text, or NULL with `err` set. */
hpf_model *model_of_text(hpf_str text, hpf_error *err);

/* The model written as `.hp` into a fresh memory sink; NULL on any failure. */
hpf_sink *write_model(const hpf_model *model);

#endif
