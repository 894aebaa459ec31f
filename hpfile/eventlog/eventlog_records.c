/* SPDX-License-Identifier: BSD-2-Clause */
#include "eventlog/eventlog_records.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"
#include "hpfile/eventlog_tags.h"
#include "hpfile/str.h"

#define BLOCK_HEAD  24u   /* bytes of a BLOCK_MARKER */
#define BLOCK_BYTES 60000 /* of records that are written without a sample */

/* Records in the order of time. As in GHC's logs, samples, ticks and definitions belong to no
 * capability, marks and sizes to capability 0. The streams are: samples, totals and definitions;
 * other records of no capability; records of capability 0, 1, ... */
typedef struct log_stream {
    hpf__buffer block; /* records that are not written yet */
    uint64_t now_ns;   /* the latest time of a record */
    uint64_t block_ns; /* the latest time in written blocks */
} log_stream;

enum { SAMPLES, REST_OF_NONE, OF_CAPABILITY };

/* The types that the writer uses, with GHC's words. */
static const struct own_type {
    uint16_t id;
    int16_t n_bytes;
    int16_t stream;
    const char *description;
} own_types[] = {
    {HPF__EVENT_CREATE_THREAD, 4, OF_CAPABILITY, "Create thread"},
    {HPF__EVENT_RUN_THREAD, 4, OF_CAPABILITY, "Run thread"},
    {HPF__EVENT_STOP_THREAD, 10, OF_CAPABILITY, "Stop thread"},
    {HPF__EVENT_GC_START, 0, OF_CAPABILITY, "Starting GC"},
    {HPF__EVENT_GC_END, 0, OF_CAPABILITY, "Finished GC"},
    {HPF__EVENT_CREATE_SPARK_THREAD, 4, OF_CAPABILITY, "Create spark thread"},
    {HPF__EVENT_BLOCK_MARKER, 14, SAMPLES, "Block marker"},
    {HPF__EVENT_USER_MSG, -1, OF_CAPABILITY, "User message"},
    {HPF__EVENT_CAPSET_CREATE, 6, SAMPLES, "Create capability set"},
    {HPF__EVENT_CAPSET_ASSIGN_CAP, 6, SAMPLES, "Add capability to capability set"},
    {HPF__EVENT_RTS_IDENTIFIER, -1, SAMPLES, "RTS name and version"},
    {HPF__EVENT_PROGRAM_ARGS, -1, SAMPLES, "Program arguments"},
    {HPF__EVENT_SPARK_COUNTERS, 56, OF_CAPABILITY, "Spark counters"},
    {HPF__EVENT_SPARK_CREATE, 0, OF_CAPABILITY, "Spark create"},
    {HPF__EVENT_SPARK_DUD, 0, OF_CAPABILITY, "Spark dud"},
    {HPF__EVENT_SPARK_OVERFLOW, 0, OF_CAPABILITY, "Spark overflow"},
    {HPF__EVENT_SPARK_RUN, 0, OF_CAPABILITY, "Spark run"},
    {HPF__EVENT_SPARK_STEAL, 2, OF_CAPABILITY, "Spark steal"},
    {HPF__EVENT_SPARK_FIZZLE, 0, OF_CAPABILITY, "Spark fizzle"},
    {HPF__EVENT_SPARK_GC, 0, OF_CAPABILITY, "Spark GC"},
    {HPF__EVENT_WALL_CLOCK_TIME, 16, SAMPLES, "Wall clock time"},
    {HPF__EVENT_THREAD_LABEL, -1, OF_CAPABILITY, "Thread label"},
    {HPF__EVENT_CAP_CREATE, 2, SAMPLES, "Create capability"},
    {HPF__EVENT_HEAP_ALLOCATED, 12, OF_CAPABILITY, "Total heap mem ever allocated"},
    {HPF__EVENT_HEAP_SIZE, 12, OF_CAPABILITY, "Current heap size"},
    {HPF__EVENT_HEAP_LIVE, 12, OF_CAPABILITY, "Current heap live data"},
    {HPF__EVENT_GC_STATS_GHC, 58, OF_CAPABILITY, "GC statistics"},
    {HPF__EVENT_TASK_CREATE, 18, OF_CAPABILITY, "Task create"},
    {HPF__EVENT_TASK_MIGRATE, 12, OF_CAPABILITY, "Task migrate"},
    {HPF__EVENT_TASK_DELETE, 8, OF_CAPABILITY, "Task delete"},
    {HPF__EVENT_USER_MARKER, -1, OF_CAPABILITY, "User marker"},
    {HPF__EVENT_MEM_RETURN, 16, OF_CAPABILITY, "Memory return statistics"},
    {HPF__EVENT_BLOCKS_SIZE, 12, OF_CAPABILITY, "Current heap size (size of allocated blocks)"},
    {HPF__EVENT_HEAP_PROF_BEGIN, -1, SAMPLES, "Start of heap profile"},
    {HPF__EVENT_HEAP_PROF_COST_CENTRE, -1, SAMPLES, "Cost center definition"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, 8, SAMPLES, "Start of heap profile sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, -1, SAMPLES, "Heap profile cost-centre sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_STRING, -1, SAMPLES, "Heap profile string sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_END, 8, SAMPLES, "End of heap profile sample"},
    {HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, 16, SAMPLES,
     "Start of heap profile (biographical) sample"},
    {HPF__EVENT_PROF_SAMPLE_COST_CENTRE, -1, REST_OF_NONE, "Time profile cost-centre stack"},
    {HPF__EVENT_PROF_BEGIN, 8, REST_OF_NONE, "Start of a time profile"},
    {HPF__EVENT_IPE, -1, SAMPLES, "Info Table Source Position"},
    {HPF__EVENT_NONMOVING_HEAP_CENSUS, 13, OF_CAPABILITY, "Nonmoving heap census"},
    {HPF__EVENT_TICKY_COUNTER_DEF, -1, OF_CAPABILITY, "Ticky-ticky entry counter definition"},
    {HPF__EVENT_TICKY_COUNTER_SAMPLE, 32, OF_CAPABILITY, "Ticky-ticky entry counter sample"},
    {HPF__EVENT_TICKY_COUNTER_BEGIN_SAMPLE, 0, OF_CAPABILITY,
     "Ticky-ticky entry counter begin sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, -1, SAMPLES, "Heap profile changes since last sample"},
    {HPF__EVENT_HEAP_PROF_STACK_TOTALS, -1, SAMPLES, "Heap profile totals of a stack"},
    {HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES, -1, SAMPLES,
     "Heap profile changes of totals of stacks"},
    {HPF__EVENT_HEAP_PROF_CALL, 8, SAMPLES, "Cost center that is a call in another"},
    {HPF__EVENT_HEAP_PROF_RATE, 9, SAMPLES, "Heap profile of a sample of the blocks"},
    {HPF__EVENT_HEAP_PROF_RESIDENT, -1, OF_CAPABILITY, "What the resident set is made of"},
    {HPF__EVENT_HEAP_PROF_WASTE, -1, OF_CAPABILITY, "Memory of the heap that does nothing"},
    {HPF__EVENT_HEAP_PROF_WATCH, 9, SAMPLES, "Heap profile with names of a sample of the blocks"},
    {HPF__EVENT_HEAP_PROF_GENERATIONS, -1, OF_CAPABILITY, "Where closures of a Haskell heap are"},
};

/* ---- Types ---- */

static const struct own_type *find_own_type(uint16_t id)
{
    const size_t n = sizeof own_types / sizeof own_types[0];
    size_t i = 0;
    while (i < n && own_types[i].id != id) {
        i++;
    }
    return i < n ? &own_types[i] : NULL;
}

const hpf_event_type *hpf__log_find_type(const hpf__log_records *log, uint16_t id)
{
    size_t i = 0;
    while (i < log->n_types && log->types[i].id != id) {
        i++;
    }
    return i < log->n_types ? &log->types[i] : NULL;
}

void hpf__log_add_type(hpf__log_records *log, const hpf_event_type *type)
{
    const struct own_type *own = find_own_type(type->id);
    if (own && own->n_bytes != type->n_bytes) {
        return;
    }
    hpf_str description = hpf_arena_str(log->arena, type->description);
    if (!description.data ||
        !HPF__ARRAY_RESERVE(log->types, log->types_capacity, log->n_types + 1)) {
        log->is_out_of_memory = true;
        return;
    }
    log->types[log->n_types++] = (hpf_event_type){type->id, type->n_bytes, description, 0};
}

void hpf__log_init(hpf__log_records *log, hpf_sink *sink, hpf_arena *arena,
                   const hpf_writer_options *options)
{
    log->sink = sink;
    log->arena = arena;
    for (size_t i = 0; i < sizeof own_types / sizeof own_types[0]; i++) {
        const struct own_type *t = &own_types[i];
        hpf_str description = hpf_str_of(t->description);
        bool is_totals = t->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS ||
                         t->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS_CHANGES;
        if ((t->id != HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES || options->writes_changes) &&
            (!is_totals || options->writes_totals) &&
            (t->id != HPF__EVENT_HEAP_PROF_CALL || options->writes_calls) &&
            (t->id != HPF__EVENT_HEAP_PROF_RATE || (options->rate_bytes && !options->has_watch)) &&
            (t->id != HPF__EVENT_HEAP_PROF_WATCH || options->has_watch) &&
            (t->id != HPF__EVENT_HEAP_PROF_RESIDENT || options->writes_resident) &&
            (t->id != HPF__EVENT_HEAP_PROF_WASTE || options->writes_waste) &&
            (t->id != HPF__EVENT_HEAP_PROF_GENERATIONS || options->writes_generations)) {
            hpf__log_add_type(log, &(hpf_event_type){t->id, t->n_bytes, description, 0});
        }
    }
}

void hpf__log_finish(hpf__log_records *log)
{
    for (size_t i = 0; i < log->n_streams; i++) {
        hpf__buffer_finish(&log->streams[i].block);
    }
    free(log->streams);
    free(log->types);
    hpf__buffer_finish(&log->payload);
}

static int compare_types(const void *left, const void *right)
{
    const hpf_event_type *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* Writes what is in the payload, but not as a record. */
static void write_payload(hpf__log_records *log)
{
    hpf_sink_write(log->sink, log->payload.bytes, log->payload.length);
    log->payload.length = 0;
}

void hpf__log_write_types(hpf__log_records *log)
{
    qsort(log->types, log->n_types, sizeof *log->types, compare_types);
    hpf__log_put(log, "hdrbhetb", 8);
    for (size_t i = 0; i < log->n_types; i++) {
        const hpf_event_type *t = &log->types[i];
        hpf__log_put(log, "etb\0", 4);
        hpf__log_put_number(log, t->id, 2);
        hpf__log_put_number(log, (uint16_t)t->n_bytes, 2);
        hpf__log_put_number(log, t->description.length, 4);
        hpf__log_put(log, t->description.data, t->description.length);
        hpf__log_put_number(log, 0, 4);
        hpf__log_put(log, "ete\0", 4);
    }
    hpf__log_put(log, "hetehdredatb", 12);
    write_payload(log);
}

/* ---- The payload ---- */

static void append(hpf__log_records *log, hpf__buffer *to, const void *bytes, size_t n)
{
    log->is_out_of_memory |= n && !hpf__buffer_append(to, bytes, n);
}

static void append_number(hpf__log_records *log, hpf__buffer *to, uint64_t number, size_t n_bytes)
{
    char bytes[8];
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (char)(number >> 8 * (n_bytes - 1 - i));
    }
    append(log, to, bytes, n_bytes);
}

void hpf__log_put(hpf__log_records *log, const void *bytes, size_t n)
{
    append(log, &log->payload, bytes, n);
}

void hpf__log_put_number(hpf__log_records *log, uint64_t number, size_t n_bytes)
{
    append_number(log, &log->payload, number, n_bytes);
}

void hpf__log_put_groups(hpf__log_records *log, uint64_t number)
{
    while (number >= 128) {
        hpf__log_put_number(log, (number & 127) | 128, 1);
        number >>= 7;
    }
    hpf__log_put_number(log, number, 1);
}

void hpf__log_put_change(hpf__log_records *log, uint64_t before, uint64_t now)
{
    uint64_t change = now - before;
    hpf__log_put_groups(log, change << 1 ^ (change >> 63 ? UINT64_MAX : 0));
}

void hpf__log_put_text(hpf__log_records *log, hpf_str text, size_t room)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    size_t n_valid = 0; /* bytes of `text` that are to be appended as they are */
    while (n_valid < text.length && text.data[n_valid]) {
        bool is_ascii = (unsigned char)text.data[n_valid] < 0x80;
        size_t n = is_ascii ? 1 : hpf_utf8_next(hpf_str_from(text, n_valid), NULL);
        size_t n_shown = n ? n : sizeof replacement - 1;
        if (n_shown > room) {
            break;
        }
        room -= n_shown;
        n_valid += n;
        if (n == 0) {
            hpf__log_put(log, text.data, n_valid);
            hpf__log_put(log, replacement, sizeof replacement - 1);
            text = hpf_str_from(text, n_valid + 1);
            n_valid = 0;
        }
    }
    hpf__log_put(log, text.data, n_valid);
}

void hpf__log_put_string(hpf__log_records *log, hpf_str text, size_t room)
{
    hpf__log_put_text(log, text, room);
    hpf__log_put_number(log, 0, 1);
}

/* ---- Records ---- */

/* Moves the payload to the end of a stream. */
static void end_record(hpf__log_records *log, size_t stream, uint16_t id, bool has_length,
                       uint64_t time_ns)
{
    size_t n = stream + 1;
    if (!HPF__ARRAY_RESERVE_ZEROED(log->streams, log->streams_capacity, n)) {
        log->is_out_of_memory = true;
        log->payload.length = 0;
        return;
    }
    log->n_streams = n > log->n_streams ? n : log->n_streams;
    log_stream *to = &log->streams[stream];
    assert(log->payload.length <= HPF__LOG_MAX_PAYLOAD);
    to->now_ns = time_ns > to->now_ns ? time_ns : to->now_ns;
    append_number(log, &to->block, id, 2);
    append_number(log, &to->block, time_ns, 8);
    if (has_length) {
        append_number(log, &to->block, log->payload.length, 2);
    }
    append(log, &to->block, log->payload.bytes, log->payload.length);
    log->n_bytes += 10 + 2 * has_length + log->payload.length;
    log->payload.length = 0;
    if (stream != SAMPLES && to->block.length >= BLOCK_BYTES) {
        hpf__log_write_blocks(log);
    }
}

void hpf__log_end_record(hpf__log_records *log, uint16_t id, uint64_t time_ns)
{
    const struct own_type *t = find_own_type(id);
    end_record(log, (size_t)t->stream, id, t->n_bytes < 0, time_ns);
}

void hpf__log_end_record_of(hpf__log_records *log, const hpf_event_type *type, uint16_t cap,
                            uint64_t time_ns)
{
    size_t stream = cap == HPF_EVENT_NO_CAP ? REST_OF_NONE : OF_CAPABILITY + (size_t)cap;
    end_record(log, stream, type->id, type->n_bytes < 0, time_ns);
}

uint64_t hpf__log_now_ns(const hpf__log_records *log)
{
    return log->n_streams > SAMPLES ? log->streams[SAMPLES].now_ns : 0;
}

/* Writes the collected records of a stream as a block. */
static void write_block(hpf__log_records *log, log_stream *stream, uint16_t cap)
{
    if (stream->block.length) {
        hpf__log_put_number(log, HPF__EVENT_BLOCK_MARKER, 2);
        hpf__log_put_number(log, stream->block_ns, 8);
        hpf__log_put_number(log, BLOCK_HEAD + stream->block.length, 4);
        hpf__log_put_number(log, stream->now_ns, 8);
        hpf__log_put_number(log, cap, 2);
        write_payload(log);
        hpf_sink_write(log->sink, stream->block.bytes, stream->block.length);
        stream->block.length = 0;
        stream->block_ns = stream->now_ns;
    }
}

/* Marks and sizes are written before the sample that follows them, definitions before ticks. */
void hpf__log_write_blocks(hpf__log_records *log)
{
    for (size_t i = OF_CAPABILITY; i < log->n_streams; i++) {
        write_block(log, &log->streams[i], (uint16_t)(i - OF_CAPABILITY));
    }
    for (size_t i = 0; i < log->n_streams && i < OF_CAPABILITY; i++) {
        write_block(log, &log->streams[i], HPF_EVENT_NO_CAP);
    }
}
