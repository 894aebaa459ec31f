/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GHC's event logs, record by record: a resumable push reader of records, and a table of their
 * fields. The heap profile of a log is read like any other profile (hpfile/format.h,
 * hpfile/survey.h); this header is for everything else.
 *
 * Source: GHC user's guide, chapter "Eventlog encodings"; docs/formats/eventlog.md.
 *
 * The length of a record comes from the header of the log, never from the table, so records of
 * unknown types are skipped. The records do not depend on how the input is cut into pieces. They
 * come in the order of the file: each capability writes blocks of its own, so time goes back
 * between blocks.
 *
 * GHC's run-time system can damage its log: two of its threads write a record to the same place.
 * Where no record can begin, the reader skips bytes up to the next plausible records.
 *
 * Memory: the header's descriptions, and at most one unfinished record, or the few that show that
 * damage is over.
 */
#ifndef HPFILE_EVENTLOG_H
#define HPFILE_EVENTLOG_H

#include "hpfile/breakdown.h"
#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"
#include "hpfile/prof.h"

HPF_BEGIN_DECLS

/* The length of types with a length in each record; the capability of records outside of blocks, or
 * in a block without capability. */
#define HPF_EVENT_VARIABLE (-1)
#define HPF_EVENT_NO_CAP   UINT16_MAX
#define HPF_EVENTLOG_MAGIC "hdrb"

/* A type of records, as the log declares it. */
typedef struct hpf_event_type {
    uint16_t id;
    int32_t n_bytes; /* of a record without type and time, or HPF_EVENT_VARIABLE */
    hpf_str description;
    uint64_t n_events; /* seen so far */
} hpf_event_type;

typedef struct hpf_event {
    const hpf_event_type *type;
    uint64_t time_ns;                  /* since the program started */
    uint64_t begin_offset, end_offset; /* of the record in the input */
    uint16_t cap;                      /* of the block around it */
    hpf_str payload;
} hpf_event;

/* A consumer of records. Each function may be NULL. A status other than HPF_OK stops the reader,
 * which returns it. All pointers are borrowed for the call, types for the life of the reader. */
typedef struct hpf_event_visitor {
    /* A type is declared. Set `*is_wanted` to false to have its records counted but not visited. */
    hpf_status (*type)(void *context, const hpf_event_type *type, bool *is_wanted, hpf_error *err);
    hpf_status (*event)(void *context, const hpf_event *event, hpf_error *err);
    /* Records are missing from here on. */
    void (*damage)(void *context);
} hpf_event_visitor;

typedef struct hpf_eventlog hpf_eventlog;

/* Creates a reader. `visitor` is copied, `context` is borrowed for its life. Returns NULL when
 * there is no memory. */
HPF_API hpf_eventlog *hpf_eventlog_create(const hpf_event_visitor *visitor, void *context);

/* Reads the next bytes, and visits every complete record. Bytes after the end marker are ignored.
 * Errors are sticky: SYNTAX, also for damage before the first record and in logs whose records are
 * changes of those before; VERSION for a log of GHC 6.12, whose header is wrong; LIMIT; MEMORY;
 * from the visitor. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_feed(hpf_eventlog *log, const char *bytes,
                                                  size_t n_bytes, hpf_error *err);

/* How the input ends. */
typedef enum hpf_eventlog_end {
    HPF_EVENTLOG_COMPLETE,  /* with an end marker */
    HPF_EVENTLOG_OPEN,      /* after a record: the program still runs, or was killed */
    HPF_EVENTLOG_IN_RECORD, /* inside a record */
    HPF_EVENTLOG_IN_HEADER,
} hpf_eventlog_end;
HPF_API hpf_eventlog_end hpf_eventlog_state(const hpf_eventlog *log);

/* Returns the number of bytes in the header and complete records so far. */
HPF_API uint64_t hpf_eventlog_offset(const hpf_eventlog *log);

/* The bytes that were skipped so far because no record could begin there. */
typedef struct hpf_eventlog_damage {
    uint64_t n_places, first_offset, n_bytes;
} hpf_eventlog_damage;
HPF_API hpf_eventlog_damage hpf_eventlog_damaged(const hpf_eventlog *log);

/* Describes these as a warning; returns false if there are none. */
HPF_API bool hpf_eventlog_describe_damage(const hpf_eventlog *log, hpf_error *warning);

/* Return the number of events so far, visited or not, and the latest of their times, or 0.
 */
HPF_API uint64_t hpf_eventlog_n_events(const hpf_eventlog *log);
HPF_API uint64_t hpf_eventlog_last_ns(const hpf_eventlog *log);

/* Return the types declared so far, in the order of the header. */
HPF_API size_t hpf_eventlog_n_types(const hpf_eventlog *log);
HPF_API const hpf_event_type *hpf_eventlog_type(const hpf_eventlog *log, size_t index);

/* Returns the number of events of a type so far. */
HPF_API uint64_t hpf_eventlog_n_of_type(const hpf_eventlog *log, unsigned id);

HPF_API void hpf_eventlog_destroy(hpf_eventlog *log);

/* Reads a whole source. The caller owns `*log`, unless `log` is NULL; it is set also after an
 * error, and may be NULL. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_read_source(hpf_eventlog **log, hpf_source *source,
                                                         const hpf_event_visitor *visitor,
                                                         void *context, hpf_error *err);

/* --- fields of records --- */

typedef enum hpf_event_field_kind {
    HPF_FIELD_NUMBER,
    HPF_FIELD_TEXT,
    HPF_FIELD_TEXTS, /* several, each with a NUL at the end, except perhaps the last */
    HPF_FIELD_STACK, /* 4-byte big-endian numbers of cost centres, innermost first */
    HPF_FIELD_BYTES,
} hpf_event_field_kind;

typedef struct hpf_event_field {
    hpf_str name; /* static */
    hpf_event_field_kind kind;
    uint64_t number;
    hpf_str text; /* for all other kinds; in the payload */
} hpf_event_field;

/* Returns the documented name of a type ("HEAP_PROF_BEGIN"). NULL if it is unknown, or if the log
 * declares a fixed length instead of the documented variable one or vice versa: the number is then
 * another type. */
HPF_API const char *hpf_event_name(const hpf_event_type *type);

/* Iterates over the fields of a record: zero the cursor, and call until it returns false. Ends
 * early if the record is too short. */
typedef struct hpf_event_cursor {
    const char *layout; /* NULL before the first field */
    size_t at;          /* in the payload */
} hpf_event_cursor;
HPF_API bool hpf_event_next_field(const hpf_event *event, hpf_event_cursor *cursor,
                                  hpf_event_field *field);

/* Writes a record as one line of text: time in seconds, capability, name, fields. An unknown type
 * is written as its number and the description in the log. */
HPF_API void hpf_event_print(hpf_sink *sink, const hpf_event *event);

/* --- metadata --- */

/* One heap profile: a HEAP_PROF_BEGIN. */
typedef struct hpf_eventlog_profile {
    uint8_t id;
    hpf_breakdown breakdown; /* may be an unknown number */
    uint64_t period_ns;
    hpf_str filters[HPF_N_RESTRICTIONS]; /* empty when there is none */
} hpf_eventlog_profile;

typedef struct hpf_arena hpf_arena; /* private to the library */

typedef struct hpf_eventlog_metadata {
    hpf_str rts;  /* "GHC-9.0.2 rts_p" */
    hpf_str args; /* the command line, a NUL after each word */
    hpf_str
        job; /* as GHC writes it into a `.hp` file: program and its words, then +RTS and those */
    hpf_str date; /* "Sat Nov 21 02:07 2026", UTC */
    uint64_t pid;
    uint64_t mblock_bytes; /* unit of MEM_RETURN: 1 MiB unless the log says otherwise */
    uint64_t tick_ns;      /* of the time profile; 0: none */
    uint64_t rate_bytes;   /* mean bytes between sampled blocks (margin.h), the largest; 0: all were
                              counted */
    bool has_watch;        /* these tell the shares of names only, and totals are exact (-hb) */
    uint64_t further;      /* break-downs after the first one, each as a bit 1 << hpf_breakdown */
    hpf_eventlog_profile *profiles;
    size_t n_profiles, profiles_capacity;
    hpf_arena *arena;
} hpf_eventlog_metadata;

/* What a stack has allocated since the start, and what of it is live in the largest sample. */
typedef struct hpf_stack_totals {
    uint64_t allocated_bytes, peak_bytes, peak_blocks;
} hpf_stack_totals;

/* --- metadata of records ---
 *
 * Reading the metadata of an event log from its records.
 */

/* Returns whether records of this type have metadata. */
HPF_API bool hpf_eventlog_metadata_want(uint16_t id);

/* Adds the metadata of a record; other records are ignored. The struct is zeroed at first. Errors:
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_metadata_note(hpf_eventlog_metadata *metadata,
                                                           const hpf_event *event, hpf_error *err);

HPF_API void hpf_eventlog_metadata_finish(hpf_eventlog_metadata *metadata);

/* What a log of GHC does not have, each with the run-time option that would have recorded it. */
typedef struct hpf_eventlog_missing {
    const char *hints[6];
    size_t n;
} hpf_eventlog_missing;

/* Returns what a whole log is missing; nothing for logs of other run-time systems. */
HPF_API hpf_eventlog_missing hpf_eventlog_find_missing(const hpf_eventlog *log,
                                                       const hpf_eventlog_metadata *metadata,
                                                       bool has_samples);

/* --- time profile ---
 *
 * The time profile of an event log (`+RTS -p -l`): the stack at each tick, as a tree of cost-centre
 * stacks for hpfile/prof.h. Logs have neither entries nor allocation: these are 0. In a log without
 * `-p`, each stack that the package ghc-stack-profiler wrote is a tick, of unknown length.
 *
 * Memory: cost centres and different stacks; samples only where their order is kept.
 */

typedef struct hpf_eventlog_time hpf_eventlog_time;

/* Returns NULL when there is no memory. */
HPF_API hpf_eventlog_time *hpf_eventlog_time_create(void);
HPF_API void hpf_eventlog_time_destroy(hpf_eventlog_time *time);

/* Reads a record; records of other types are ignored. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_note(hpf_eventlog_time *time,
                                                       const hpf_event *event, hpf_error *err);

/* Returns whether there were ticks, or how long they are. */
HPF_API bool hpf_eventlog_time_has_begun(const hpf_eventlog_time *time);

/* Returns the number of ticks so far. */
HPF_API uint64_t hpf_eventlog_time_n_ticks(const hpf_eventlog_time *time);

/* Stores each sample from now on, for hpf_eventlog_time_samples. */
HPF_API void hpf_eventlog_time_keep_order(hpf_eventlog_time *time);

/* A tick of one capability. */
typedef struct hpf_time_sample {
    uint64_t time_ns;
    uint32_t stack; /* index into hpf_prof.stacks */
    uint16_t cap;
} hpf_time_sample;

/* Returns the stored samples, by capability, then by time. Borrowed until the next record. */
HPF_API const hpf_time_sample *hpf_eventlog_time_samples(hpf_eventlog_time *time,
                                                         size_t *n_samples);

/* Stores the profile so far, with cost centres in the order of their definition. Borrowed until the
 * next call. Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_time_profile(hpf_eventlog_time *time, hpf_prof *out,
                                                          hpf_error *err);

/* --- ticky counters ---
 *
 * The ticky counters of an event log (a program built with -ticky and -eventlog, `+RTS -lT`): how
 * often each closure was entered, and what it allocated.
 *
 * The run-time system sets its counters to 0 at each sample, so the counts of all samples are added
 * up; one amount over time is a profile (hpf__eventlog_read_ticky). Definitions may come before or
 * after the samples that use them; GHC writes them when the program ends. Amounts are bytes, as the
 * compiled code counts them.
 *
 * Memory: counters, never samples.
 */

typedef struct hpf_ticky_counter {
    uint64_t id;           /* an address: what joins definition and samples */
    hpf_str name;          /* "Main.go{v r1zC} (fun)"; empty when it was never defined */
    hpf_str kinds;         /* of the arguments, a letter each */
    hpf_str description;   /* more of it, as JSON; older logs have none */
    uint32_t arity;        /* arguments of a function, fields of a constructor */
    uint64_t entries;      /* how often it was entered */
    uint64_t allocs_bytes; /* that it allocated */
    uint64_t allocd_bytes; /* that were allocated of it; only with -ticky-allocd */
} hpf_ticky_counter;

/* Of all counters. */
typedef struct hpf_ticky_sums {
    size_t n_counted; /* counters that are not 0 */
    uint64_t entries, allocs_bytes;
} hpf_ticky_sums;

/* Says how to get a log with counters. */
#define HPF_NO_TICKY                                                                               \
    "no ticky counters in the event log: build with -ticky and -eventlog (GHC 9.2 or later) and "  \
    "run with +RTS -lT"

typedef struct hpf_eventlog_ticky hpf_eventlog_ticky;

/* Returns NULL when there is no memory. */
HPF_API hpf_eventlog_ticky *hpf_eventlog_ticky_create(void);
HPF_API void hpf_eventlog_ticky_destroy(hpf_eventlog_ticky *ticky);

/* Reads a record; records of other types are ignored. Errors: MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_ticky_note(hpf_eventlog_ticky *ticky,
                                                        const hpf_event *event, hpf_error *err);

HPF_API size_t hpf_eventlog_ticky_n_counters(const hpf_eventlog_ticky *ticky);

/* Returns the sums, and fills `counters`, which has room for all: largest allocation first, then by
 * entries, by what was allocated of them, and by name. Texts are borrowed until the next call of
 * hpf_eventlog_ticky_note. */
HPF_API hpf_ticky_sums hpf_eventlog_ticky_list(const hpf_eventlog_ticky *ticky,
                                               hpf_ticky_counter *counters);

/* --- non-moving collector ---
 *
 * Statistics of the non-moving collector from an event log (`+RTS --nonmoving-gc -l`): how long it
 * marked, stopped the program and swept, and, with `-ln`, how its heap was filled after each
 * collection. In that heap, blocks of equal size live in segments of their own; a segment with few
 * live blocks wastes memory.
 *
 * Memory: a row for each block size of each census.
 */

typedef enum hpf_nonmoving_phase {
    HPF_NONMOVING_MARK,  /* while the program runs */
    HPF_NONMOVING_SYNC,  /* the program waits */
    HPF_NONMOVING_SWEEP, /* while the program runs */
    HPF_N_NONMOVING_PHASES
} hpf_nonmoving_phase;

/* Phases of one kind that began and ended. */
typedef struct hpf_nonmoving_time {
    uint64_t n;
    uint64_t total_ns, longest_ns;
    uint64_t open_ns; /* when the one that is open began */
    bool is_open;
} hpf_nonmoving_time;

/* The blocks of one size at one census. */
typedef struct hpf_nonmoving_blocks {
    uint64_t time_ns;
    uint32_t census; /* from 0 */
    uint64_t block_bytes;
    uint32_t n_active; /* segments with live and with free blocks */
    uint32_t n_filled; /* segments without a free block */
    uint32_t n_live;   /* blocks */
} hpf_nonmoving_blocks;

typedef struct hpf_eventlog_nonmoving {
    hpf_nonmoving_time phases[HPF_N_NONMOVING_PHASES];
    uint64_t n_marked;            /* objects */
    uint64_t n_flushes;           /* of remembered sets */
    uint64_t n_pruned;            /* segments given back */
    hpf_nonmoving_blocks *blocks; /* by census, then as the log has them: by size */
    size_t n_blocks, blocks_capacity;
    uint32_t n_censuses;
    uint32_t peak_census; /* the first with the most live bytes */
    uint64_t peak_bytes, peak_ns;
    uint64_t census_bytes; /* of the last census */
} hpf_eventlog_nonmoving;

/* Notes an event; one that says nothing of this collector does nothing. The struct begins zeroed.
 * Errors: MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpf_eventlog_nonmoving_note(hpf_eventlog_nonmoving *log,
                                                            const hpf_event *event, hpf_error *err);

/* Live blocks times their size. */
static inline uint64_t hpf_nonmoving_live_bytes(const hpf_nonmoving_blocks *blocks)
{
    return blocks->n_live * blocks->block_bytes;
}

HPF_API void hpf_eventlog_nonmoving_finish(hpf_eventlog_nonmoving *log);

HPF_END_DECLS
#endif
