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
#ifndef HPF_EVENTLOG_H
#define HPF_EVENTLOG_H

#include "hpfile/breakdown.h"
#include "hpfile/event.h"
#include "hpfile/sink.h"
#include "hpfile/source.h"

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
 * those of the visitor. */
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
    hpf_eventlog_profile *profiles;
    size_t n_profiles, profiles_capacity;
    hpf_arena *arena;
} hpf_eventlog_metadata;

/* What a stack has allocated since the start, and what of it is live in the largest sample. */
typedef struct hpf_stack_totals {
    uint64_t allocated_bytes, peak_bytes, peak_blocks;
} hpf_stack_totals;

#endif
