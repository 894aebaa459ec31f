/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of the event log, laid out as GHC's (hpfile/eventlog/eventlog_tags.h).
 */
#include "log.h"

#include <string.h>

#include "base/utf8.h"
#include "hpfile/eventlog_tags.h"
#include "profiler.h"

enum { MAX_TEXT_BYTES = 1000, MAX_PAYLOAD_BYTES = 2 * MAX_TEXT_BYTES + 64 };

/* The contents of a record. */
typedef struct payload {
    char bytes[MAX_PAYLOAD_BYTES];
    size_t length;
} payload;

static void put(payload *p, uint64_t number, size_t n_bytes)
{
    for (size_t i = n_bytes; i-- > 0;) {
        p->bytes[p->length++] = (char)(number >> 8 * i);
    }
}

/* Puts a text, cut, and the NUL after it. */
static void put_text(payload *p, const char *text)
{
    size_t n = hpf_utf8_cut(hpf_str_of(text), MAX_TEXT_BYTES);
    memcpy(p->bytes + p->length, text, n);
    p->length += n;
    p->bytes[p->length++] = '\0';
}

static hpp__log_moment now(hpp_profiler *profiler)
{
    hpp__output *output = hpp__profiler_log(profiler);
    return (hpp__log_moment){output, output ? hpp_profiler_time_s(profiler) : 0};
}

/* Writes a record: numbers, then a text up to its end. */
static void write_record(hpp__log_moment at, uint16_t type, uint16_t processor, const payload *p,
                         hpf_str text)
{
    if (at.output && processor != HPF_EVENT_NO_CAP) {
        hpp__output_record(at.output, type, at.time_s, processor, (hpf_str){p->bytes, p->length},
                           text);
    }
}

static void write_payload(hpp__log_moment at, uint16_t type, uint16_t processor, const payload *p)
{
    write_record(at, type, processor, p, HPF_STR(""));
}

/* ---- Messages -------------------------------------------------------------------------------- */

void hpp_log_message(hpp_profiler *profiler, hpf_str text)
{
    write_record(now(profiler), HPF__EVENT_USER_MSG, 0, &(payload){.length = 0}, text);
}

/* ---- Heap ------------------------------------------------------------------------------------ */

/* Writes a number of bytes of the whole heap, capability set 0. */
static void write_bytes(hpp__log_moment at, uint16_t type, uint64_t n_bytes)
{
    payload p = {.length = 0};
    put(&p, 0, 4);
    put(&p, n_bytes, 8);
    write_payload(at, type, 0, &p);
}

void hpp__log_allocated(hpp__log_moment at, uint64_t total_bytes)
{
    write_bytes(at, HPF__EVENT_HEAP_ALLOCATED, total_bytes);
}

void hpp_log_allocated(hpp_profiler *profiler, uint64_t total_bytes)
{
    hpp__log_allocated(now(profiler), total_bytes);
}

void hpp_log_gc_begin(hpp_profiler *profiler)
{
    write_payload(now(profiler), HPF__EVENT_GC_START, 0, &(payload){.length = 0});
}

void hpp_log_gc_end(hpp_profiler *profiler, const hpp_log_gc *gc)
{
    hpp__log_moment at = now(profiler);
    payload p = {.length = 0};
    write_payload(at, HPF__EVENT_GC_END, 0, &p);
    if (gc->heap_bytes > 0) {
        write_bytes(at, HPF__EVENT_HEAP_SIZE, gc->heap_bytes);
    }
    if (gc->block_bytes > 0) {
        write_bytes(at, HPF__EVENT_BLOCKS_SIZE, gc->block_bytes);
    }
    put(&p, 0, 4); /* capability set */
    put(&p, gc->generation, 2);
    put(&p, gc->copied_bytes, 8);
    put(&p, 0, 8); /* slop, fragmentation: unknown */
    put(&p, 0, 8);
    put(&p, 1, 4); /* threads */
    put(&p, gc->copied_bytes, 8);
    put(&p, gc->copied_bytes, 8);
    put(&p, 0, 8); /* copied in balance */
    write_payload(at, HPF__EVENT_GC_STATS_GHC, 0, &p);
    if (gc->live_bytes > 0) {
        write_bytes(at, HPF__EVENT_HEAP_LIVE, gc->live_bytes);
    }
}

void hpp_log_unmoved(hpp_profiler *profiler, const hpp_log_blocks *blocks)
{
    payload p = {.length = 0};
    put(&p, blocks->log2_bytes, 1);
    put(&p, blocks->n_active, 4);
    put(&p, blocks->n_filled, 4);
    put(&p, blocks->n_live, 4);
    write_payload(now(profiler), HPF__EVENT_NONMOVING_HEAP_CENSUS, 0, &p);
}

/* ---- Threads, sparks, tasks ------------------------------------------------------------------ */

void hpp__log_thread(hpp__log_moment at, uint32_t thread, hpp_log_thread_event event,
                     uint16_t processor)
{
    enum { HEAP_OVERFLOW = 1, YIELDING = 3, BLOCKED = 4, FINISHED = 5 };
    static const struct {
        uint16_t type, status; /* status 0: the record has none */
    } records[] = {
        [HPP_THREAD_CREATED] = {HPF__EVENT_CREATE_THREAD, 0},
        [HPP_THREAD_RUNS] = {HPF__EVENT_RUN_THREAD, 0},
        [HPP_THREAD_STOPS] = {HPF__EVENT_STOP_THREAD, YIELDING},
        [HPP_THREAD_COLLECTS] = {HPF__EVENT_STOP_THREAD, HEAP_OVERFLOW},
        [HPP_THREAD_BLOCKED] = {HPF__EVENT_STOP_THREAD, BLOCKED},
        [HPP_THREAD_ENDED] = {HPF__EVENT_STOP_THREAD, FINISHED},
        [HPP_THREAD_FOR_SPARKS] = {HPF__EVENT_CREATE_SPARK_THREAD, 0},
    };
    payload p = {.length = 0};
    put(&p, thread, 4);
    if (records[event].status) {
        put(&p, records[event].status, 2);
        put(&p, 0, 4);
    }
    write_payload(at, records[event].type, processor, &p);
}

void hpp_log_thread(hpp_profiler *profiler, uint32_t thread, hpp_log_thread_event event,
                    uint16_t processor)
{
    hpp__log_thread(now(profiler), thread, event, processor);
}

void hpp__log_thread_name(hpp__log_moment at, uint32_t thread, hpf_str name)
{
    payload p = {.length = 0};
    put(&p, thread, 4);
    write_record(at, HPF__EVENT_THREAD_LABEL, 0, &p, name);
}

void hpp_log_thread_name(hpp_profiler *profiler, uint32_t thread, hpf_str name)
{
    hpp__log_thread_name(now(profiler), thread, name);
}

void hpp_log_spark(hpp_profiler *profiler, hpp_log_spark_event event, uint16_t processor,
                   uint16_t from)
{
    static const uint16_t types[] = {
        [HPP_SPARK_CREATED] = HPF__EVENT_SPARK_CREATE,
        [HPP_SPARK_DUD] = HPF__EVENT_SPARK_DUD,
        [HPP_SPARK_OVERFLOWED] = HPF__EVENT_SPARK_OVERFLOW,
        [HPP_SPARK_RUNS] = HPF__EVENT_SPARK_RUN,
        [HPP_SPARK_STOLEN] = HPF__EVENT_SPARK_STEAL,
        [HPP_SPARK_FIZZLED] = HPF__EVENT_SPARK_FIZZLE,
        [HPP_SPARK_COLLECTED] = HPF__EVENT_SPARK_GC,
    };
    payload p = {.length = 0};
    if (event == HPP_SPARK_STOLEN) {
        put(&p, from, 2);
    }
    write_payload(now(profiler), types[event], processor, &p);
}

void hpp_log_sparks(hpp_profiler *profiler, const hpp_log_spark_counts *counts, uint16_t processor)
{
    const uint64_t numbers[] = {counts->created,   counts->duds,      counts->overflowed,
                                counts->converted, counts->collected, counts->fizzled,
                                counts->remaining};
    payload p = {.length = 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put(&p, numbers[i], 8);
    }
    write_payload(now(profiler), HPF__EVENT_SPARK_COUNTERS, processor, &p);
}

void hpp_log_task_created(hpp_profiler *profiler, uint64_t task, uint16_t processor,
                          uint64_t kernel_thread)
{
    payload p = {.length = 0};
    put(&p, task, 8);
    put(&p, processor, 2);
    put(&p, kernel_thread, 8);
    write_payload(now(profiler), HPF__EVENT_TASK_CREATE, processor, &p);
}

void hpp_log_task_moved(hpp_profiler *profiler, uint64_t task, uint16_t from, uint16_t to)
{
    payload p = {.length = 0};
    put(&p, task, 8);
    put(&p, from, 2);
    put(&p, to, 2);
    write_payload(now(profiler), HPF__EVENT_TASK_MIGRATE, from, &p);
}

void hpp_log_task_ended(hpp_profiler *profiler, uint64_t task, uint16_t processor)
{
    payload p = {.length = 0};
    put(&p, task, 8);
    write_payload(now(profiler), HPF__EVENT_TASK_DELETE, processor, &p);
}

/* ---- Ticky counters -------------------------------------------------------------------------- */

void hpp_log_counter(hpp_profiler *profiler, uint64_t id, const char *name, uint16_t n_args,
                     const char *kinds)
{
    payload p = {.length = 0};
    put(&p, id, 8);
    put(&p, n_args, 2);
    put_text(&p, kinds);
    put_text(&p, name);
    write_payload(now(profiler), HPF__EVENT_TICKY_COUNTER_DEF, 0, &p);
}

void hpp_log_counts(hpp_profiler *profiler, const hpp_log_count *counts, size_t n)
{
    hpp__log_moment at = now(profiler);
    write_payload(at, HPF__EVENT_TICKY_COUNTER_BEGIN_SAMPLE, 0, &(payload){.length = 0});
    for (size_t i = 0; i < n; i++) {
        payload p = {.length = 0};
        put(&p, counts[i].id, 8);
        put(&p, counts[i].entries, 8);
        put(&p, counts[i].allocs_bytes, 8);
        put(&p, counts[i].allocd_bytes, 8);
        write_payload(at, HPF__EVENT_TICKY_COUNTER_SAMPLE, 0, &p);
    }
}
