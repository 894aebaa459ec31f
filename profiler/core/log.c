/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of the event log, laid out as GHC's (hpfile/eventlog/eventlog_tags.h).
 */
#include "hpprof/log.h"

#include "eventlog/eventlog_tags.h"
#include "profiler.h"

enum { MAX_PAYLOAD_BYTES = 64 };

/* A payload of numbers. */
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

static void write_payload(hpp_profiler *profiler, uint16_t type, uint16_t processor,
                          const payload *p)
{
    hpp__profiler_record(profiler, type, processor, (hpf_str){p->bytes, p->length}, HPF_STR(""));
}

void hpp_log_message(hpp_profiler *profiler, hpf_str text)
{
    hpp__profiler_record(profiler, HPF__EVENT_USER_MSG, 0, HPF_STR(""), text);
}

/* Writes a number of bytes of the whole heap, capability set 0. */
static void write_bytes(hpp_profiler *profiler, uint16_t type, uint64_t n_bytes)
{
    payload p = {.length = 0};
    put(&p, 0, 4);
    put(&p, n_bytes, 8);
    write_payload(profiler, type, 0, &p);
}

void hpp_log_allocated(hpp_profiler *profiler, uint64_t total_bytes)
{
    write_bytes(profiler, HPF__EVENT_HEAP_ALLOCATED, total_bytes);
}

void hpp_log_gc_begin(hpp_profiler *profiler)
{
    hpp__profiler_record(profiler, HPF__EVENT_GC_START, 0, HPF_STR(""), HPF_STR(""));
}

void hpp_log_gc_end(hpp_profiler *profiler, const hpp_log_gc *gc)
{
    payload p = {.length = 0};
    hpp__profiler_record(profiler, HPF__EVENT_GC_END, 0, HPF_STR(""), HPF_STR(""));
    if (gc->heap_bytes > 0) {
        write_bytes(profiler, HPF__EVENT_HEAP_SIZE, gc->heap_bytes);
    }
    if (gc->block_bytes > 0) {
        write_bytes(profiler, HPF__EVENT_BLOCKS_SIZE, gc->block_bytes);
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
    write_payload(profiler, HPF__EVENT_GC_STATS_GHC, 0, &p);
    if (gc->live_bytes > 0) {
        write_bytes(profiler, HPF__EVENT_HEAP_LIVE, gc->live_bytes);
    }
}

void hpp_log_thread(hpp_profiler *profiler, uint32_t thread, hpp_log_thread_event event,
                    uint16_t processor)
{
    enum { YIELDING = 3, BLOCKED = 4, FINISHED = 5 };
    static const struct {
        uint16_t type, status; /* status 0: the record has none */
    } records[] = {
        [HPP_THREAD_CREATED] = {HPF__EVENT_CREATE_THREAD, 0},
        [HPP_THREAD_RUNS] = {HPF__EVENT_RUN_THREAD, 0},
        [HPP_THREAD_STOPS] = {HPF__EVENT_STOP_THREAD, YIELDING},
        [HPP_THREAD_BLOCKED] = {HPF__EVENT_STOP_THREAD, BLOCKED},
        [HPP_THREAD_ENDED] = {HPF__EVENT_STOP_THREAD, FINISHED},
    };
    payload p = {.length = 0};
    put(&p, thread, 4);
    if (records[event].status) {
        put(&p, records[event].status, 2);
        put(&p, 0, 4);
    }
    write_payload(profiler, records[event].type, processor, &p);
}

void hpp_log_thread_name(hpp_profiler *profiler, uint32_t thread, hpf_str name)
{
    payload p = {.length = 0};
    put(&p, thread, 4);
    hpp__profiler_record(profiler, HPF__EVENT_THREAD_LABEL, 0, (hpf_str){p.bytes, p.length}, name);
}
