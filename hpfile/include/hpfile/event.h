/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The event vocabulary: what a heap profile says, one thing at a time.
 *
 * Readers and the profiler emit events; the model, the survey and every writer accept them. So a
 * conversion, a live view and a profile being taken are each one pipe.
 *
 * A sample is one event. It is emitted when it is complete, with all its costs: a consumer never
 * sees half a sample and has nothing to undo when a file ends in the middle of one.
 *
 * Order of events: a name before the first sample that uses it; headers, marks and names anywhere
 * else. A header may be repeated: the last one counts.
 */
#ifndef HPFILE_EVENT_H
#define HPFILE_EVENT_H

#include "hpfile/error.h"
#include "hpfile/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The four headers of a profile, all compulsory in a `.hp` file. */
typedef enum hpf_header {
    HPF_HEADER_JOB,         /* the program and its arguments */
    HPF_HEADER_DATE,        /* when it ran, as free text */
    HPF_HEADER_SAMPLE_UNIT, /* unit of sample times, usually "seconds" */
    HPF_HEADER_VALUE_UNIT,  /* unit of costs, usually "bytes" */
    HPF_N_HEADERS
} hpf_header;

/* A name's number: dense, from 0, in order of definition. Belongs to one stream of events. */
typedef uint32_t hpf_name;

/* What one name costs in one sample. Whole numbers are exact; a fraction, or a whole number of
 * 2^64 and more, is a double. */
typedef struct hpf_cost {
    hpf_name name;
    uint32_t is_real; /* 0: `whole` is the amount, 1: `real` is */
    union {
        uint64_t whole;
        double real;
    };
} hpf_cost;

/* The amount as a double, rounded where it is a whole number above 2^53. */
static inline double hpf_cost_amount(const hpf_cost *cost)
{
    return cost->is_real ? cost->real : (double)cost->whole;
}

/* One complete sample. The same name may occur several times: the amounts add up. A name that does
 * not occur costs 0. */
typedef struct hpf_sample {
    double time;           /* in the profile's sample unit; never less than the sample before */
    const hpf_cost *costs; /* in the order of the input */
    size_t n_costs;
    uint64_t begin_offset; /* the bytes of the input that say this sample: */
    uint64_t end_offset;   /*   [begin_offset, end_offset); 0,0 when it comes from no input */
} hpf_sample;

/* One point of a quantity that is measured beside the samples, in the value unit: the resident set,
 * the size of the heap. `name` says what it is, in words for people ("heap size"); equal names are
 * one line. Points of a line may come in any order, and have nothing to do with sample times. */
typedef struct hpf_quantity_point {
    double time; /* in the sample unit */
    double value;
} hpf_quantity_point;

/* A consumer. Each function may be NULL: the consumer does not care. A function that returns
 * anything but HPF_OK (with `err` set) stops the producer, which hands status and error on.
 * Threads: called on the producer's thread. All pointers are borrowed for the call. */
typedef struct hpf_events {
    hpf_status (*header)(void *context, hpf_header which, hpf_str text, hpf_error *err);
    hpf_status (*name)(void *context, hpf_name name, hpf_str text, hpf_error *err);
    hpf_status (*sample)(void *context, const hpf_sample *sample, hpf_error *err);
    /* `label` is empty in `.hp` files, which know no labels. */
    hpf_status (*mark)(void *context, double time, hpf_str label, hpf_error *err);
    /* There are few names of lines, and they stay borrowed for the producer's life. */
    hpf_status (*quantity)(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err);
    /* Costs after the last complete sample, that no END_SAMPLE ever closed. At most once, last. */
    hpf_status (*leftover)(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err);
} hpf_events;

typedef struct hpf_mark {
    double time;
    hpf_str label;
} hpf_mark;

/* A quantity over time, drawn over the bands. */
typedef struct hpf_quantity {
    hpf_str name;
    const hpf_quantity_point *points; /* by time, increasing; at least one */
    size_t n_points;
} hpf_quantity;

/* Something odd that does not stop the reader, with the same struct as an error: HPF_END for an
 * input that is cut short, HPF_ERR_ORDER for samples out of order, HPF_ERR_UNSUPPORTED for what is
 * left out. May be NULL. */
typedef void hpf_warning(void *context, const hpf_error *warning);

typedef struct hpf_reader_options {
    hpf_warning *warning;
    void *warning_context;
    /* Which of several heap profiles of an event log is read, by its number; else the first that
     * begins, and a warning says so. */
    bool has_log_profile;
    uint8_t log_profile;
    /* A sample of an event log that is earlier than the one before it keeps its time: the consumer
     * puts it in order. */
    bool keeps_times;
} hpf_reader_options;

#ifdef __cplusplus
}
#endif
#endif
