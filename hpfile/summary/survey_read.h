/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A survey of a source, which is read a second time for the costs of samples.
 */
#ifndef HPF_SURVEY_READ_H
#define HPF_SURVEY_READ_H

#include "summary/survey.h"

typedef struct hpf__place {
    double time;
    uint64_t begin_offset, end_offset;
} hpf__place;

typedef struct hpf__time_index {
    hpf__place *places;
    size_t n_places, capacity;
} hpf__time_index;

typedef struct hpf__read_survey {
    hpf_survey base;
    hpf_source *input;            /* the first one */
    hpf_source *source;           /* of the second pass */
    hpf_source *spool;            /* the same, of a format that is read whole; or NULL */
    hpf_eventlog_activity *clock; /* of the mutator; or NULL */
    hpf__time_index order;        /* empty while samples come in the order of time */
    const hpf__place *place;      /* of the sample that is read */
    hpf_survey_options options;
} hpf__read_survey;

/* A format of event logs without samples: the live bytes that the garbage collector measured are
 * samples of one name. Returns HPF_END if the log has none. */
extern const hpf_format hpf__live_bytes;

/* By reading the drawn samples again, or recalling them. */
extern const hpf__second_pass hpf__survey_second_pass;

/* Pass all of the source again, or all samples by time, to the consumer of the reader. */
hpf_status hpf__survey_reread_all(hpf__read_survey *survey, hpf_error *err);
hpf_status hpf__survey_reread_by_time(hpf__read_survey *survey, hpf_error *err);

#endif
