/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A profile as a command gets it: opened and surveyed, with everything that went wrong said
 * already.
 */
#ifndef CENSUS_INPUT_H
#define CENSUS_INPUT_H

#include "hpfile/format.h"
#include "hpfile/sink.h"
#include "hpfile/survey.h"

typedef struct input {
    const char *name;    /* for people: the path, or "stdin" */
    hpf_format format;   /* of what was given */
    hpf_source *given;   /* the bytes that were given */
    hpf_source *source;  /* what is surveyed: `given`, or its translation in `spool` */
    hpf_source *spooled; /* the source on `spool`, or NULL */
    int spool;           /* a temporary file without a name, or -1 */
    hpf_sink *rest;      /* of the translation: labels and lines (event/sidecar.h), or NULL */
    hpf_survey *survey;  /* NULL when only opened */
    hpf_retainer_sets *sets;      /* that the survey looks into (retainers.h), or NULL */
} input;

/* Opens and surveys the profile at `path`, or standard input for "-". Its format is told by its
 * content. False: a message was printed and there is nothing to close. `path` is borrowed. */
bool input_open(input *out, const char *path);

/* The same for an input whose format is known; NULL: it is not. */
bool input_open_as(input *out, const char *path, const hpf_format *format);

/* Only opens it, and tells its format. */
bool input_open_only(input *out, const char *path);

/* Surveys what was only opened, for totals, not for pictures; of an event log with several heap
 * profiles the one with the number
 * `*log_profile`, or with NULL the first. False: a message was printed, and the input is closed. */
bool input_survey(input *in, const int *log_profile);

/* The same as input_open for a `.hp` file, with another limit for the samples that are picked for
 * drawing (hpf_survey_options.max_picks). */
bool input_open_fine(input *out, const char *path, size_t max_picks);

/* The same as input_open with what `limits` says of samples and names, for pictures: of an event
 * log without a heap profile it gives the live bytes that the collector measured, after a warning.
 */
bool input_open_limited(input *out, const char *path, const hpf_survey_options *limits);

void input_close(input *in);

#endif
