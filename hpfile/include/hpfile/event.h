/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The event vocabulary: the contents of a heap profile, one event at a time.
 *
 * Readers and the profiler emit events; the survey and every writer accept them. So reading,
 * converting and profiling are each one pipe.
 *
 * A sample is one event, emitted with all its costs when it is complete: a consumer never sees half
 * a sample, also when a file ends inside one.
 *
 * Order of events: a name before the first sample that uses it; headers, marks and names anywhere
 * else. A header may be repeated: the last one counts.
 */
#ifndef HPFILE_EVENT_H
#define HPFILE_EVENT_H

#include "hpfile/error.h"
#include "hpfile/frame.h"
#include "hpfile/stack_view.h"
#include "hpfile/str.h"

HPF_BEGIN_DECLS

/* The four headers of a profile, all compulsory in a `.hp` file. */
typedef enum hpf_header {
    HPF_HEADER_JOB,         /* the program and its arguments */
    HPF_HEADER_DATE,        /* when it ran, as free text */
    HPF_HEADER_SAMPLE_UNIT, /* unit of sample times, usually "seconds" */
    HPF_HEADER_VALUE_UNIT,  /* unit of costs, usually "bytes" */
    HPF_N_HEADERS
} hpf_header;

/* The number of a name: 0, 1, 2, ... in the order of definition, within one stream of events. */
typedef uint32_t hpf_name;

/* The cost of one name in one sample. Whole numbers are exact; fractions, and whole numbers of 2^64
 * and more, are doubles. */
typedef struct hpf_cost {
    hpf_name name;
    uint32_t is_real; /* 0: `whole` is the amount, 1: `real` is */
    union {
        uint64_t whole;
        double real;
    };
} hpf_cost;

/* Returns the amount as a double; whole numbers above 2^53 are rounded. */
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
    uint64_t begin_offset; /* the bytes of the input that hold this sample: */
    uint64_t end_offset;   /*   [begin_offset, end_offset); 0,0 when it comes from no input */
} hpf_sample;

/* One point of a quantity that is measured in addition to the samples, in the value unit: the
 * resident set or the size of the heap. Its name is for people ("heap size"); points of the same
 * name belong to one quantity. They may come in any order, and their times are independent of those
 * of the samples. */
typedef struct hpf_quantity_point {
    double time; /* in the sample unit */
    double value;
} hpf_quantity_point;

/* A consumer of events. Each function may be NULL. A function that returns anything but HPF_OK
 * (with `err` set) stops the producer, which returns this status and error. Threads: called on the
 * producer's thread. All pointers are borrowed for the call. */
typedef struct hpf_events {
    hpf_status (*header)(void *context, hpf_header which, hpf_str text, hpf_error *err);
    hpf_status (*name)(void *context, hpf_name name, hpf_str text, hpf_error *err);
    /* The stack of a name, innermost frame first; at most once, before its first sample. Sent for
     * formats with call stacks, other than event logs. */
    hpf_status (*frames)(void *context, hpf_name name, const hpf_frame *frames, size_t n_frames,
                         hpf_error *err);
    hpf_status (*sample)(void *context, const hpf_sample *sample, hpf_error *err);
    /* `label` is empty in `.hp` files, which have no labels. */
    hpf_status (*mark)(void *context, double time, hpf_str label, hpf_error *err);
    /* The names of quantities are few, and are valid as long as the producer. */
    hpf_status (*quantity)(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err);
    /* The costs of a last sample without END_SAMPLE. Called at most once, as the last event. */
    hpf_status (*leftover)(void *context, const hpf_cost *costs, size_t n_costs, hpf_error *err);
} hpf_events;

typedef struct hpf_mark {
    double time;
    hpf_str label;
} hpf_mark;

/* A quantity over time. */
typedef struct hpf_quantity {
    hpf_str name;
    const hpf_quantity_point *points; /* by time, increasing; at least one */
    size_t n_points;
} hpf_quantity;

/* One garbage collection of an event log. */
typedef struct hpf_collection {
    double time_s; /* of its end; in logs without statistics (GHC before 7.6) of its begin */
    bool is_major; /* false also if that is not known */
} hpf_collection;

/* A thread, with the label that it has, or "thread NUMBER". */
typedef struct hpf_thread {
    uint32_t id;
    hpf_str name;     /* at most HPF_MOST_THREAD_NAME bytes */
    double running_s; /* in the cells where it ran longest, with the others there */
} hpf_thread;

#define HPF_NO_THREAD        UINT32_MAX
#define HPF_MOST_THREAD_NAME 64

/* What a processor did in a cell of time. */
typedef struct hpf_processor_cell {
    uint32_t thread;           /* that ran longest, by index; or HPF_NO_THREAD */
    float running, collecting; /* shares of the time in which it ran threads, and collected */
} hpf_processor_cell;

typedef struct hpf_processor {
    uint32_t number;
    const hpf_processor_cell *cells;
    const double *sparks, *run_sparks; /* as for all processors below */
    double n_sparks, n_run_sparks;
} hpf_processor;

/* What an event log says of its run-time system between two times, in equal cells of time. Arrays
 * have one element for each cell; they are NULL if the log does not have the records. */
typedef struct hpf_activity {
    double begin_s, cell_s;
    size_t n_cells;
    const double *allocated_bytes;
    const double *paused_s;          /* by garbage collections; at most cell_s */
    double paused_share;             /* of the elapsed time in all cells */
    const double *running_s;         /* of threads, summed over processors */
    uint32_t n_processors;           /* that run threads */
    const hpf_processor *processors; /* the same, one by one, unless there are many */
    size_t n_rows;                   /* of these */
    const hpf_thread *threads;       /* those in cells, the longest first */
    size_t n_threads;
    const double *sparks, *run_sparks; /* created; run in parallel, perhaps later, and by another
                                          processor. Both or none */
    double n_sparks, n_run_sparks;     /* of the whole log so far, also outside of the cells */
    const hpf_mark *messages;          /* by time */
    size_t n_messages;
    uint64_t n_more_messages; /* that are not kept */
} hpf_activity;

/* Receives a problem that does not stop the reader, as an error: HPF_END for truncated input,
 * HPF_ERR_ORDER for samples out of order, HPF_ERR_ARGUMENT for addresses that could have functions,
 * HPF_ERR_UNSUPPORTED for anything that is skipped. May be NULL. */
typedef void hpf_warning(void *context, const hpf_error *warning);

/* The default of hpf_reader_options.max_name_bytes. */
#define HPF_MAX_NAME_BYTES ((size_t)16 << 20)

typedef struct hpf_event_visitor hpf_event_visitor;         /* private to the library */
typedef struct hpf_eventlog_activity hpf_eventlog_activity; /* private to the library */

/* Replaces the frames of a stack, innermost first, of which some may be `code` without a function.
 * A single frame may be an info table, an address in the program `module`, which becomes a label in
 * a module of its source. `*frames` is valid until the next call. */
typedef hpf_status hpf_symboliser(void *context, const hpf_frame **frames, size_t *n_frames,
                                  hpf_error *err);

typedef struct hpf_reader_options {
    size_t size; /* of the struct (version.h) */
    /* The longest name, text or line of the input; longer ones are an error, LIMIT. 0: the default,
     * 16 MiB. Memory of a reader is at most some times as much. */
    size_t max_name_bytes;
    hpf_warning *warning;
    void *warning_context;
    /* The number of the heap profile to read from an event log that has several. Without it the
     * first one is read, with a warning. Errors: UNSUPPORTED if the input is no event log. */
    bool has_log_profile;
    uint8_t log_profile;
    /* Leave the time of a sample that is earlier than the one before it: the consumer sorts the
     * samples. */
    bool keeps_times;
    /* Gives the times of an event log; NULL: they are elapsed time. Borrowed. */
    const hpf_eventlog_activity *clock;
    /* The amount to read from a format that has several for each stack, as the format calls it
     * ("alloc_space"); empty: its default. Borrowed. Errors: ARGUMENT if there is none of that
     * name. */
    hpf_str value;
    /* Receives when the sample of a format without times was taken, in seconds since 1970;
     * unchanged if that is unknown. May be NULL. */
    double *taken_at_s;
    /* Also visits the records of an event log, except amounts of samples. May be NULL; borrowed. */
    const hpf_event_visitor *visitor;
    void *visitor_context;
    /* Surveys and live profiles call it for each stack of a format that may have addresses instead
     * of functions; NULL: they remain addresses. */
    hpf_symboliser *symbolise;
    void *symbolise_context;
    bool symbolises_all; /* also of formats that usually have functions */
    /* An event log by type may have the stacks that allocated the objects. Its names are the types;
     * with this they are the stacks, each with a type as its innermost frame. */
    bool by_stack;
    /* An event log may have the lines of calls. Stacks that differ only in these are one name,
     * whose frames are functions; with this, each is a name, whose frames are calls. */
    bool by_line;
    /* What is shown of stacks; NULL: the names as they are. Borrowed. A profile of which nothing is
     * shown is an error at the end, RANGE or UNSUPPORTED. */
    const hpf_stack_view *view;
    /* Stacks of which the same is shown are not one name, but each is a name that begins with a
     * number, as of a cost-centre stack, and has all of its frames. */
    bool keeps_stacks;
    /* Whose code frames are; NULL: by the view, or by the usual rules. Borrowed. */
    const hpf_frame_rules *rules;
} hpf_reader_options;

HPF_END_DECLS
#endif
