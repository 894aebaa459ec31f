/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes what the event log has in addition to the bands: quantities, ticks, totals of stacks,
 * threads; and the log into the recording.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"
#include "core/log.h"
#include "hpfile/eventlog_tags.h"
#include "native/machine/clock.h"
#include "profile_state.h"

bool hpp__profile_logs_totals(const hpp__profile *p)
{
    return p->options->with_eventlog && p->options->census->n_restrictions == 0;
}

bool hpp__profile_logs_threads(const hpp_options *profile)
{
    return profile->with_eventlog && profile->log_classes & HPP_LOG_SCHEDULER;
}

bool hpp__profile_logs_ticks(const hpp__profile *p)
{
    return p->options->with_eventlog && p->options->report != HPP_REPORT_NONE;
}

bool hpp__profile_logs_stacks(const hpp__profile *p)
{
    const hpp_census_options *census = p->options->census;
    hpf_breakdown by = census->breakdown;
    return p->options->with_eventlog && !census->savings &&
           (by == HPF_BREAKDOWN_NONE || by == HPF_BREAKDOWN_COST_CENTRE ||
            by == HPF_BREAKDOWN_TYPE || by == HPF_BREAKDOWN_RETAINER ||
            by == HPF_BREAKDOWN_BIOGRAPHY ||
            (by == HPF_BREAKDOWN_CLOSURE_TYPE && p->files.haskell));
}

/* A sampled biography takes pages of watched blocks out of the page table, which the resident set
 * does not count then. */
void hpp__profile_log_quantities(hpp__profile *p, const hpp__process_sample *snapshot,
                                 uint64_t live_bytes)
{
    bool has_resident = p->reader.window->head.biography_bytes == 0;
    const struct {
        hpf_str name;
        double value;
    } lines[] = {
        {HPF_STR("live"), (double)live_bytes},
        {HPF_STR("resident"), has_resident ? snapshot->resident_bytes : -1},
        {HPF_STR("profiler"), snapshot->profiler_bytes},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i].value >= 0) {
            hpp__output_line(&p->output, snapshot->time_s, lines[i].name, lines[i].value);
        }
    }
}

/* ---- The resident set ---- */

enum { MOST_PINNING = 12, MOST_NAME_BYTES = 1000 };

static bool put_number(hpf__buffer *payload, double number)
{
    char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (char)((uint64_t)(number + 0.5) >> 8 * (7 - i));
    }
    return hpf__buffer_append(payload, bytes, sizeof bytes);
}

/* Appends a text with a NUL. */
static bool put_text(hpf__buffer *payload, hpf_str text)
{
    text.length = text.length < MOST_NAME_BYTES ? text.length : MOST_NAME_BYTES;
    return hpf__buffer_add(payload, text) && hpf__buffer_append(payload, "", 1);
}

static void put_row(hpf__buffer *payload, unsigned kind, double bytes, double second, hpf_str name)
{
    char byte = (char)kind;
    (void)(hpf__buffer_append(payload, &byte, 1) && put_number(payload, bytes) &&
           put_number(payload, second) && put_text(payload, name));
}

/* Stores the sites that pin most in ranges of a size, with the bytes that are not live as live
 * ones, and the live ones as indirect ones. The others are the last, without a place. */
static size_t list_pinning(hpp__profile *p, const hpp__resident *r, size_t range,
                           hpp_site_figures out[MOST_PINNING + 1], hpf_arena *arena)
{
    hpp__alive *groups = NULL;
    size_t n_groups = 0, capacity = 0;
    hpp_site_figures rest = {0};
    for (size_t i = 0; i < r->n_pins; i++) {
        const hpp__pinned *pinned = &r->pins[i].ranges[range];
        size_t group = hpp__site_heap_group(&p->heap, r->pins[i].site);
        if (pinned->other_bytes > 0 && HPF__ARRAY_RESERVE_ZEROED(groups, capacity, group + 1)) {
            n_groups = group >= n_groups ? group + 1 : n_groups;
            groups[group].blocks = 1;
            groups[group].bytes += (uint64_t)pinned->other_bytes;
            groups[group].indirect_bytes += (uint64_t)pinned->live_bytes;
            rest.live_bytes += (uint64_t)pinned->other_bytes;
            rest.indirect_bytes += (uint64_t)pinned->live_bytes;
        }
    }
    size_t n = hpp__site_heap_top(&p->heap, groups, n_groups, out, MOST_PINNING, arena);
    for (size_t i = 0; i < n; i++) {
        rest.live_bytes -= out[i].live_bytes;
        rest.indirect_bytes -= out[i].indirect_bytes;
    }
    free(groups);
    if (rest.live_bytes > 0) {
        out[n++] = rest;
    }
    return n;
}

/* Returns what allocators keep, but little if little is live: a program may free all at its end. If
 * that is not known, all that is resident. */
static uint64_t weight_of(const hpp_resident_figures *f)
{
    uint64_t kept_bytes =
        f->parts[HPF_RESIDENT_GAPS] + f->parts[HPF_RESIDENT_FREE] + f->parts[HPF_RESIDENT_REST];
    uint64_t most_bytes = 10 * f->parts[HPF_RESIDENT_LIVE];
    return f->parts[HPF_RESIDENT_BEFORE] > 0 ? f->bytes
           : kept_bytes < most_bytes         ? kept_bytes
                                             : most_bytes;
}

/* Keeps the figures if allocators keep more than before that is not live. */
static void note_resident(hpp__profile *p, const hpp__process_sample *snapshot,
                          const hpp_site_figures *pinning, size_t n_pinning)
{
    hpp_resident_figures now = {.time_s = snapshot->time_s,
                                .live_margin = snapshot->resident->margin};
    for (int i = 0; i < HPF_N_RESIDENT_PARTS; i++) {
        now.parts[i] = (uint64_t)(snapshot->resident->resident[i] + 0.5);
        now.bytes += now.parts[i];
    }
    for (size_t i = 0; i < n_pinning; i++) {
        now.pinned_bytes += pinning[i].live_bytes;
        now.pinned_live_bytes += pinning[i].indirect_bytes;
    }
    if (p->figures.resident.bytes == 0 || weight_of(&now) > weight_of(&p->figures.resident)) {
        hpf_str before = p->figures.resident.pinned_by;
        p->figures.resident = now;
        bool is_same = n_pinning > 0 && hpf_str_equal(before, pinning->place);
        p->figures.resident.pinned_by = is_same         ? before
                                        : n_pinning > 0 ? hpf_arena_str(p->arena, pinning->place)
                                                        : HPF_STR("");
    }
}

void hpp__profile_log_resident(hpp__profile *p, const hpp__process_sample *snapshot)
{
    const hpp__resident *r = snapshot->resident;
    hpf_arena *arena = r ? hpf_arena_create() : NULL;
    hpf__buffer payload = {0};
    if (!arena) {
        return;
    }
    for (int i = 0; i < HPF_N_RESIDENT_PARTS; i++) {
        put_row(&payload, HPF_RESIDENT_ROW_PART, r->resident[i], r->proportional[i],
                hpf_str_of(hpf_resident_part_name((hpf_resident_part)i)));
    }
    put_row(&payload, HPF_RESIDENT_ROW_PAGE_TABLES, r->page_table_bytes, 0, HPF_STR(""));
    if (r->margin > 0) {
        put_row(&payload, HPF_RESIDENT_ROW_MARGIN, r->margin, r->margin, HPF_STR(""));
    }
    for (size_t range = 0; range < HPF_N_PINNED; range++) {
        hpp_site_figures pinning[MOST_PINNING + 1];
        size_t n = list_pinning(p, r, range, pinning, arena);
        for (size_t i = 0; i < n; i++) {
            put_row(&payload, HPF_RESIDENT_ROW_PINNED + (unsigned)range,
                    (double)pinning[i].live_bytes, (double)pinning[i].indirect_bytes,
                    pinning[i].place.length > 0 ? pinning[i].place : HPF_STR("other sites"));
        }
        if (range == 0) {
            note_resident(p, snapshot, pinning, n);
        }
    }
    hpp__output_record(&p->output, HPF__EVENT_HEAP_PROF_RESIDENT, snapshot->time_s, 0,
                       hpf__buffer_str(&payload), HPF_STR(""));
    hpf__buffer_finish(&payload);
    hpf_arena_destroy(arena);
}

/* ---- Generations ---- */

static void put_place(const char *name, uint64_t n_bytes, void *context)
{
    if (n_bytes > 0) {
        put_row(context, HPF_RESIDENT_ROW_PART, (double)n_bytes, 0, hpf_str_of(name));
    }
}

void hpp__profile_log_generations(hpp__profile *p, double time_s)
{
    hpf__buffer payload = {0};
    hpp__haskell_census_each_place(p->closures.census, put_place, &payload);
    hpp__output_record(&p->output, HPF__EVENT_HEAP_PROF_GENERATIONS, time_s, 0,
                       hpf__buffer_str(&payload), HPF_STR(""));
    hpf__buffer_finish(&payload);
}

/* ---- The rate ---- */

/* Writes for how many bytes of memory there is one known block. */
static void put_rate(hpp__profile *p, uint16_t id, double bytes, double time_s)
{
    hpf__buffer payload = {0};
    if (hpf__buffer_append(&payload, "", 1) && put_number(&payload, bytes)) {
        hpp__output_record(&p->output, id, time_s, 0, hpf__buffer_str(&payload), HPF_STR(""));
    }
    hpf__buffer_finish(&payload);
}

void hpp__profile_log_rate(hpp__profile *p, const hpp__process_sample *snapshot)
{
    uint64_t watch_bytes = p->reader.window->head.biography_bytes;
    if (watch_bytes > 0 && p->options->rate_bytes == 0 && !p->biography.is_logged) {
        p->biography.is_logged = true;
        put_rate(p, HPF__EVENT_HEAP_PROF_WATCH, (double)watch_bytes, snapshot->time_s);
    }
    if (p->heap.rate_now > (double)p->figures.rate_bytes) {
        p->figures.rate_bytes = (uint64_t)p->heap.rate_now;
        put_rate(p, HPF__EVENT_HEAP_PROF_RATE, p->heap.rate_now, snapshot->time_s);
    }
}

/* ---- Waste ---- */

void hpp__profile_log_waste(hpp__profile *p, const hpp__process_sample *snapshot)
{
    enum { MOST_ROWS = 5 };
    const hpp__waste *waste = &p->objects.most_waste;
    uint64_t live_bytes = p->figures.waste_of_bytes;
    hpf__buffer payload = {0};
    if (!p->heap.with_types || live_bytes == 0 || p->figures.waste_s < snapshot->time_s) {
        return;
    }
    (void)put_number(&payload, (double)live_bytes);
    for (size_t i = 0; i < waste->n_rows && i < MOST_ROWS; i++) {
        const hpf_waste *row = &waste->rows[i];
        if (row->kind == HPF_WASTE_SIZE) {
            break;
        }
        put_row(&payload, row->kind, (double)row->bytes, (double)row->n_blocks, row->type);
        (void)put_text(&payload, row->site);
    }
    hpp__output_record(&p->output, HPF__EVENT_HEAP_PROF_WASTE, snapshot->time_s, 0,
                       hpf__buffer_str(&payload), HPF_STR(""));
    hpf__buffer_finish(&payload);
}

/* ---- Ticks and totals ---- */

/* Returns the number of ticks that all processors together can have had, from some time before the
 * profile began. */
static uint64_t most_ticks(const hpp__profile *p)
{
    static const uint64_t before_ns = UINT64_C(10000000000);
    long n_processors = sysconf(_SC_NPROCESSORS_CONF);
    uint64_t tick_ns = p->options->tick_ns;
    uint64_t n_each = tick_ns > 0 ? (hpp__now_ns() - p->log.begin_ns + before_ns) / tick_ns : 0;
    return n_each * (uint64_t)(n_processors > 0 ? n_processors : 1);
}

void hpp__profile_log_ticks(hpp__profile *p, const hpp__process_sample *snapshot)
{
    enum { MAX_FRAMES = 255 };
    hpf_frame frames[MAX_FRAMES];
    hpp__stack_ticks now = {0};
    uint64_t most = most_ticks(p);
    hpp__stack_ticks_count(&now, &p->heap, &snapshot->sums);
    for (size_t id = 0; id < now.capacity && id < p->stacks.n_stacks; id++) {
        uint64_t n_logged = id < p->log.ticks.capacity ? p->log.ticks.by_stack[id] : 0;
        size_t n_frames = 0;
        if (now.by_stack[id] > n_logged) {
            n_frames = hpp__stack_frames(&hpp__named_stacks_view, NULL, p->stacks.by_id[id], frames,
                                         MAX_FRAMES);
        }
        for (; n_logged < now.by_stack[id] && p->log.n_ticks < most; n_logged++) {
            hpp__output_tick(&p->output, snapshot->time_s, ++p->log.n_ticks, frames,
                             n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES);
        }
    }
    free(p->log.ticks.by_stack);
    p->log.ticks = now;
}

static size_t frames_of_stack(void *context, size_t stack, hpf_frame *frames, size_t room)
{
    const hpp__named_stacks *stacks = context;
    return hpp__stack_frames(&hpp__named_stacks_view, NULL, stacks->by_id[stack], frames, room);
}

void hpp__profile_log_totals(hpp__profile *p, double time_s, bool is_last)
{
    size_t n = p->calls.n_stacks;
    hpf_stack_totals *totals = calloc(n, sizeof *totals);
    for (size_t i = 0; totals && i < p->heap.n_groups; i++) {
        const hpp__stack *stack = p->heap.groups[i].calls;
        hpf_stack_totals *to = &totals[stack ? stack->id : 0];
        if (i != HPP__GROUP_TICKS) {
            to->allocated_bytes += p->heap.costs[i].allocated_bytes;
            to->peak_bytes += i < p->peak.n ? p->peak.groups[i].bytes : 0;
            to->peak_blocks += i < p->peak.n ? p->peak.groups[i].blocks : 0;
        }
    }
    if (!totals) {
        return;
    }
    for (size_t id = 0; id < p->log.n_totals; id++) {
        if (totals[id].allocated_bytes < p->log.totals[id].allocated_bytes) {
            totals[id].allocated_bytes = p->log.totals[id].allocated_bytes;
        }
    }
    hpp__output_totals(&p->output, time_s, totals, n, frames_of_stack, &p->calls, is_last);
    free(p->log.totals);
    p->log.totals = totals;
    p->log.n_totals = n;
}

/* Each slot is a processor of the log that runs the threads that hold the slot one after the other:
 * when they wait is not known. Slot 0 belongs to no thread. */
static void log_thread(hpp__profile *p, size_t slot_index, double time_s,
                       hpp_log_thread_event event)
{
    hpp__log_thread((hpp__log_moment){&p->output, time_s}, p->log.threads[slot_index].id, event,
                    (uint16_t)(slot_index > 0 ? slot_index - 1 : 0));
}

static void end_thread(hpp__profile *p, size_t slot_index, double time_s)
{
    if (p->log.threads[slot_index].id != 0) {
        log_thread(p, slot_index, time_s, HPP_THREAD_ENDED);
        p->log.threads[slot_index].id = 0;
    }
}

void hpp__profile_thread(hpp__profile *p, double time_s, const hpp__thread_event *event)
{
    uint32_t slot_index = event->slot_index;
    if (!HPF__ARRAY_RESERVE_ZEROED(p->log.threads, p->log.threads_capacity,
                                   (size_t)slot_index + 1)) {
        return;
    }
    hpp__logged_thread *thread = &p->log.threads[slot_index];
    if (event->begins) {
        end_thread(p, slot_index, time_s); /* the one before ended without notice */
        *thread = (hpp__logged_thread){.id = event->thread_id};
        log_thread(p, slot_index, time_s, HPP_THREAD_CREATED);
        log_thread(p, slot_index, time_s, HPP_THREAD_RUNS);
    }
    if (thread->id != event->thread_id) {
        return;
    }
    if (event->name[0] && strcmp(event->name, thread->name) != 0) {
        memcpy(thread->name, event->name, sizeof thread->name);
        hpp__log_thread_name((hpp__log_moment){&p->output, time_s}, thread->id,
                             hpf_str_of(thread->name));
    }
    if (event->ends) {
        end_thread(p, slot_index, time_s);
    }
}

void hpp__profile_end_threads(hpp__profile *p, double time_s)
{
    for (size_t i = 0; i < p->log.threads_capacity; i++) {
        end_thread(p, i, time_s);
    }
}

/* ---- The recording ---- */

hpf_status hpp__profile_begin_recording(hpp__profile *p, const double *end_s, hpf_error *err)
{
    hpp__recording *r = p->files.recording;
    hpf_status status =
        hpp__recording_begin(r, p->figures.process_id, p->files.parent_id, p->files.start_s,
                             p->words, p->n_words, p->figures.command, &p->number, err);
    p->last_number = p->number;
    return status == HPF_OK ? hpp__output_add_recording(
                                  &p->output, hpf_recording_writer_log(r->writer, p->number),
                                  p->options, p->engine, hpp__profile_logs_totals(p), end_s, err)
                            : status;
}

static void note_recording(hpp__profile *p, hpf_status status, const hpf_error *err)
{
    if (status != HPF_OK && p->recording_error.status == HPF_OK) {
        p->recording_error = *err;
    }
}

void hpp__profile_record(hpp__profile *p, const hpp_census_result *result, uint64_t inherited_bytes)
{
    hpf_error err;
    if (p->number != 0) {
        const hpf_recorded_sample sample = {result->time_s, result->size_bytes, inherited_bytes};
        note_recording(
            p, hpf_recording_writer_sample(p->files.recording->writer, p->number, &sample, &err),
            &err);
    }
}

void hpp__profile_record_memory(hpp__profile *p)
{
    hpf_error err;
    if (p->number != 0) {
        note_recording(p,
                       hpf_recording_writer_memory(p->files.recording->writer, p->number,
                                                   &p->figures.memory, &err),
                       &err);
    }
}

void hpp__profile_note_memory(hpp__profile *p, const hpf_memory *memory)
{
    enum { LEAST_CHANGE = 2 };
    hpf_memory_limit nearest = hpf_memory_nearest(memory);
    if (nearest == HPF_N_MEMORY_LIMITS && memory->killer == HPF_KILLER_UNKNOWN) {
        return; /* it was not looked at */
    }
    int percent = (int)(100 * hpf_memory_part(memory, nearest));
    p->figures.memory = *memory;
    if (abs(percent - p->recorded_percent) >= LEAST_CHANGE) {
        p->recorded_percent = percent;
        hpp__profile_record_memory(p);
    }
}

void hpp__profile_record_sets(hpp__profile *p)
{
    hpf_error err;
    hpf_sink *sink =
        p->number != 0 && hpp_census_has_retainers(p->engine) ? hpf_sink_to_memory() : NULL;
    if (sink) {
        hpp__retainer_log_write(&p->objects.log, p->engine, sink);
        note_recording(p,
                       hpf_recording_writer_report(p->files.recording->writer, p->number,
                                                   hpf_sink_bytes(sink), &err),
                       &err);
    }
    hpf_sink_destroy(sink);
}

void hpp__profile_end_recording(hpp__profile *p, double time_s, hpf_process_end how, int code)
{
    hpf_error err;
    const hpf_process row = {
        .end = how,
        .code = code,
        .end_s = p->files.start_s + time_s,
        .left_bytes = p->figures.allocated_bytes - p->figures.freed_bytes,
        .name = {p->title, p->title ? strlen(p->title) : 0},
        .missed_peak_bytes = p->figures.missed_peak_bytes,
        .missed_peak_s = p->figures.missed_peak_s,
    };
    if (p->number != 0) {
        note_recording(
            p, hpf_recording_writer_end(p->files.recording->writer, p->number, &row, &err), &err);
        p->number = 0;
    }
}
