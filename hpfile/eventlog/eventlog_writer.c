/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of event logs that GHC's tools read (docs/formats/eventlog.md): samples of labels, of
 * cost-centre stacks or of info tables, markers, the size of the heap. Limits of the format: times
 * are whole nanoseconds, amounts are whole numbers below 2^64, the date is in minutes, and only
 * quantities of event logs are written ("resident" as "heap" if there is no "heap"). Texts are
 * UTF-8, cut to the length of a record; names that become equal get a number in front.
 *
 * Records are collected in blocks. A block is written when it is full, and with each sample. The
 * first records wait for the first event that is not a header.
 */
#include "base/arena.h"
#include "event/format_row.h"
#include "eventlog/eventlog_writer.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buffer.h"
#include "base/date.h"
#include "base/intern.h"
#include "eventlog/eventlog_totals.h"
#include "eventlog/eventlog_tags.h"
#include "hpfile/str.h"
#include "base/utf8.h"

#define MAX_PAYLOAD 65535u
#define N_HELD      3 /* lines that make one MEM_RETURN */

/* Records in the order of time, which are written in blocks. As in GHC's logs, samples, ticks and
 * definitions belong to no capability, marks and sizes to capability 0. The streams are: samples
 * and definitions; other records of no capability; records of capability 0, 1, ... */
typedef struct log_stream {
    hpf__buffer block; /* records that are not written yet */
    uint64_t now_ns;   /* the latest time of a record */
    uint64_t block_ns; /* the latest time in written blocks */
} log_stream;

enum { OF_NONE, REST_OF_NONE, OF_CAPABILITY };

/* A name as it is in records, after the amount. */
typedef struct log_key {
    hpf_str bytes;
    bool is_stack;
} log_key;

/* What readers know of names, for samples that are changes. */
typedef struct log_changes {
    uint32_t *ids;      /* by name, plus 1; 0: not written yet */
    hpf_name *names;    /* by id */
    uint64_t *amounts;  /* by name, in the sample before */
    uint64_t *now;      /* by name, in this sample */
    size_t capacity[4]; /* of these arrays */
    size_t n_ids;
} log_changes;

typedef struct eventlog_writer {
    hpf_writer base;
    hpf_sink *sink;
    hpf_writer_options options;
    hpf_arena *arena;
    hpf_str headers[HPF_N_HEADERS];
    bool is_begun;
    bool is_out_of_memory;
    log_stream *streams;
    size_t n_streams, streams_capacity;
    hpf_event_type *types; /* those of `own_types`, and declared ones */
    size_t n_types, types_capacity;
    hpf__buffer scratch; /* a payload */
    hpf__intern centres, stacks, labels;
    log_key *keys; /* by name */
    size_t keys_capacity;
    log_changes changes;
    uint64_t n_samples;
    const char *heap_line; /* "heap" or "resident", whichever came first; NULL: none did */
    double held[N_HELD];   /* parts of a MEM_RETURN that came already: */
    double held_time;      /*   at this time */
    unsigned has_held;     /*   these bits */
} eventlog_writer;

#define MAX_FRAMES 255u

/* Longest texts, so that no record is too long. */
#define CENTRE_TEXT_BYTES 21800u
#define INFO_TEXT_BYTES   10900u
#define LABEL_BYTES       65500u
#define FILTER_BYTES      9300u

/* Info tables get addresses that no program has. */
#define FIRST_ADDRESS (UINT64_C(0xf) << 60)

#define SET_BYTES    4u    /* of the number of a capability set */
#define BLOCK_HEAD   24u   /* bytes of a BLOCK_MARKER */
#define BLOCK_BYTES  60000 /* of marks and quantities before they are written without a sample */
#define MBLOCK_BYTES 1048576.0

/* What is always declared, with GHC's words. */
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
    {HPF__EVENT_BLOCK_MARKER, 14, OF_NONE, "Block marker"},
    {HPF__EVENT_USER_MSG, -1, OF_CAPABILITY, "User message"},
    {HPF__EVENT_CAPSET_CREATE, 6, OF_NONE, "Create capability set"},
    {HPF__EVENT_CAPSET_ASSIGN_CAP, 6, OF_NONE, "Add capability to capability set"},
    {HPF__EVENT_RTS_IDENTIFIER, -1, OF_NONE, "RTS name and version"},
    {HPF__EVENT_PROGRAM_ARGS, -1, OF_NONE, "Program arguments"},
    {HPF__EVENT_WALL_CLOCK_TIME, 16, OF_NONE, "Wall clock time"},
    {HPF__EVENT_THREAD_LABEL, -1, OF_CAPABILITY, "Thread label"},
    {HPF__EVENT_CAP_CREATE, 2, OF_NONE, "Create capability"},
    {HPF__EVENT_HEAP_ALLOCATED, 12, OF_CAPABILITY, "Total heap mem ever allocated"},
    {HPF__EVENT_HEAP_SIZE, 12, OF_CAPABILITY, "Current heap size"},
    {HPF__EVENT_HEAP_LIVE, 12, OF_CAPABILITY, "Current heap live data"},
    {HPF__EVENT_GC_STATS_GHC, 58, OF_CAPABILITY, "GC statistics"},
    {HPF__EVENT_USER_MARKER, -1, OF_CAPABILITY, "User marker"},
    {HPF__EVENT_MEM_RETURN, 16, OF_CAPABILITY, "Memory return statistics"},
    {HPF__EVENT_BLOCKS_SIZE, 12, OF_CAPABILITY, "Current heap size (size of allocated blocks)"},
    {HPF__EVENT_HEAP_PROF_BEGIN, -1, OF_NONE, "Start of heap profile"},
    {HPF__EVENT_HEAP_PROF_COST_CENTRE, -1, OF_NONE, "Cost center definition"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, 8, OF_NONE, "Start of heap profile sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE, -1, OF_NONE, "Heap profile cost-centre sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_STRING, -1, OF_NONE, "Heap profile string sample"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_END, 8, OF_NONE, "End of heap profile sample"},
    {HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, 16, OF_NONE,
     "Start of heap profile (biographical) sample"},
    {HPF__EVENT_PROF_SAMPLE_COST_CENTRE, -1, REST_OF_NONE, "Time profile cost-centre stack"},
    {HPF__EVENT_PROF_BEGIN, 8, REST_OF_NONE, "Start of a time profile"},
    {HPF__EVENT_IPE, -1, OF_NONE, "Info Table Source Position"},
    {HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, -1, OF_NONE, "Heap profile changes since last sample"},
    {HPF__EVENT_HEAP_PROF_STACK_TOTALS, -1, REST_OF_NONE, "Heap profile totals of a stack"},
};

static const hpf_event_type *find_type(const eventlog_writer *w, uint16_t id)
{
    size_t i = 0;
    while (i < w->n_types && w->types[i].id != id) {
        i++;
    }
    return i < w->n_types ? &w->types[i] : NULL;
}

/* --- bytes --- */

/* Appends to a buffer; sets is_out_of_memory when there is none. */
static void put(eventlog_writer *w, hpf__buffer *to, const void *bytes, size_t n)
{
    w->is_out_of_memory |= n && !hpf__buffer_append(to, bytes, n);
}

static void put_number(eventlog_writer *w, hpf__buffer *to, uint64_t number, size_t n_bytes)
{
    char bytes[8];
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (char)(number >> 8 * (n_bytes - 1 - i));
    }
    put(w, to, bytes, n_bytes);
}

/* Appends text as logs hold it: UTF-8, U+FFFD for each byte that is none, up to the first NUL, and
 * at most `room` bytes, of whole characters. */
static void put_text(eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    while (text.length && *text.data) {
        size_t n = hpf_utf8_next(text, NULL);
        hpf_str shown = n ? (hpf_str){text.data, n} : HPF_STR(replacement);
        if (shown.length > room) {
            break;
        }
        put(w, to, shown.data, shown.length);
        room -= shown.length;
        n += n == 0;
        text = hpf_str_from(text, n);
    }
}

/* Appends text of at most `room` bytes, and a NUL. */
static void put_string(eventlog_writer *w, hpf__buffer *to, hpf_str text, size_t room)
{
    put_text(w, to, text, room);
    put_number(w, to, 0, 1);
}

/* Moves the payload in scratch to the end of a stream, as a record. */
static void put_record_into(eventlog_writer *w, size_t stream, uint16_t id, bool has_length,
                            uint64_t time_ns)
{
    size_t n = stream + 1;
    if (!HPF__ARRAY_RESERVE_ZEROED(w->streams, w->streams_capacity, n)) {
        w->is_out_of_memory = true;
        w->scratch.length = 0;
        return;
    }
    w->n_streams = n > w->n_streams ? n : w->n_streams;
    log_stream *to = &w->streams[stream];
    assert(w->scratch.length <= MAX_PAYLOAD);
    to->now_ns = time_ns > to->now_ns ? time_ns : to->now_ns;
    put_number(w, &to->block, id, 2);
    put_number(w, &to->block, time_ns, 8);
    if (has_length) {
        put_number(w, &to->block, w->scratch.length, 2);
    }
    put(w, &to->block, w->scratch.bytes, w->scratch.length);
    w->scratch.length = 0;
}

static void put_record(eventlog_writer *w, uint16_t id, uint64_t time_ns)
{
    const struct own_type *t = own_types;
    while (t->id != id) {
        t++;
    }
    put_record_into(w, (size_t)t->stream, id, t->n_bytes < 0, time_ns);
}

/* Writes the collected records of a stream as a block. */
static void leave_block(eventlog_writer *w, log_stream *stream, uint16_t cap)
{
    hpf__buffer marker = {0};
    if (stream->block.length) {
        put_number(w, &marker, HPF__EVENT_BLOCK_MARKER, 2);
        put_number(w, &marker, stream->block_ns, 8);
        put_number(w, &marker, BLOCK_HEAD + stream->block.length, 4);
        put_number(w, &marker, stream->now_ns, 8);
        put_number(w, &marker, cap, 2);
        hpf_sink_write(w->sink, marker.bytes, marker.length);
        hpf_sink_write(w->sink, stream->block.bytes, stream->block.length);
        stream->block.length = 0;
        stream->block_ns = stream->now_ns;
        hpf__buffer_finish(&marker);
    }
}

/* Marks and sizes are written before the sample that follows them, definitions before ticks. */
static void leave(eventlog_writer *w)
{
    for (size_t i = OF_CAPABILITY; i < w->n_streams; i++) {
        leave_block(w, &w->streams[i], (uint16_t)(i - OF_CAPABILITY));
    }
    for (size_t i = 0; i < w->n_streams && i < OF_CAPABILITY; i++) {
        leave_block(w, &w->streams[i], HPF_EVENT_NO_CAP);
    }
}

static void leave_if_full(eventlog_writer *w, size_t stream)
{
    if (stream < w->n_streams && w->streams[stream].block.length >= BLOCK_BYTES) {
        leave(w);
    }
}

/* --- names --- */

/* Returns the time of the last record before a definition. */
static uint64_t now_of_samples(const eventlog_writer *w)
{
    return w->n_streams > OF_NONE ? w->streams[OF_NONE].now_ns : 0;
}

static hpf_str keep(eventlog_writer *w, hpf_str text)
{
    hpf_str copy = {hpf_arena_text(w->arena, text), text.length};
    w->is_out_of_memory |= !copy.data;
    return copy;
}

/* Interns the bytes of scratch from `begin` on. Returns whether they are new. */
static bool intern(eventlog_writer *w, hpf__intern *table, size_t begin, uint32_t *number)
{
    bool is_new = false;
    *number = 0;
    if (!w->is_out_of_memory) {
        hpf_str text = {w->scratch.bytes + begin, w->scratch.length - begin};
        w->is_out_of_memory = hpf__intern_add(table, text, number, &is_new) != HPF_OK;
    }
    return is_new;
}

/* --- stacks --- */

/* Returns the number of a cost centre, and defines it if it is new. Cost centres of different
 * `twin` are never the same. */
static uint32_t number_of_centre(eventlog_writer *w, const hpf_frame *frame, uint64_t twin)
{
    uint32_t number;
    w->scratch.length = 0;
    put_number(w, &w->scratch, (uint64_t)w->centres.n_names + 1, 4);
    put_string(w, &w->scratch, frame->label, CENTRE_TEXT_BYTES);
    put_string(w, &w->scratch, frame->module, CENTRE_TEXT_BYTES);
    put_string(w, &w->scratch, frame->source, CENTRE_TEXT_BYTES);
    put_number(w, &w->scratch, frame->is_caf, 1);
    size_t length = w->scratch.length;
    put_number(w, &w->scratch, twin, 8);
    bool is_new = intern(w, &w->centres, 4, &number);
    w->scratch.length = length;
    if (is_new) {
        put_record(w, HPF__EVENT_HEAP_PROF_COST_CENTRE, now_of_samples(w));
    }
    w->scratch.length = 0;
    return number + 1;
}

/* Stores the stack in `stack`. Its innermost cost centre is that of `twin`. */
static void put_stack(eventlog_writer *w, hpf__buffer *stack, const hpf_frame *frames, size_t depth,
                      uint64_t twin)
{
    stack->length = 0;
    put_number(w, stack, depth, 1);
    for (size_t i = 0; i < depth; i++) {
        put_number(w, stack, number_of_centre(w, &frames[i], i == 0 ? twin : 0), 4);
    }
}

/* Two names may have the same frames, as far as these are known: the later gets a cost centre of
 * its own. */
static log_key make_stack(eventlog_writer *w, hpf_name name, const hpf_frame *frames, size_t depth)
{
    uint32_t known;
    hpf__buffer stack = {0};
    put_stack(w, &stack, frames, depth, 0);
    put(w, &w->scratch, stack.bytes, stack.length);
    if (!intern(w, &w->stacks, 0, &known)) {
        put_stack(w, &stack, frames, depth, (uint64_t)name + 1);
    }
    w->scratch.length = 0;
    log_key made = {keep(w, (hpf_str){stack.bytes, stack.length}), true};
    hpf__buffer_finish(&stack);
    return made;
}

/* --- labels --- */

/* Two texts may become equal by truncation or as UTF-8: then the later one gets a number in front.
 */
static log_key make_label(eventlog_writer *w, hpf_name name, hpf_str text)
{
    uint32_t known;
    char number[16] = "";
    bool is_own = false;
    for (unsigned long i = name; !is_own && !w->is_out_of_memory; i++) {
        w->scratch.length = 0;
        put(w, &w->scratch, number, strlen(number));
        put_string(w, &w->scratch, text, LABEL_BYTES);
        is_own = intern(w, &w->labels, 0, &known);
        snprintf(number, sizeof number, "(%lu)", i);
    }
    log_key made = {keep(w, (hpf_str){w->scratch.bytes, w->scratch.length}), false};
    w->scratch.length = 0;
    return made;
}

/* --- info tables --- */

/* Tools read the closure type as a number. */
static hpf_str number_or_zero(hpf_str text)
{
    size_t i = 0;
    while (i < text.length && text.data[i] >= '0' && text.data[i] <= '9') {
        i++;
    }
    return i && i == text.length ? text : HPF_STR("0");
}

/* The label is the address; a record describes the info table. */
static log_key make_info(eventlog_writer *w, hpf_name name, const hpf_frame *info)
{
    uint64_t address = FIRST_ADDRESS + name;
    const hpf_str texts[] = {info->table,  number_or_zero(info->closure_type),
                             info->type,   info->label,
                             info->module, info->source};
    char label[24];
    put_number(w, &w->scratch, address, 8);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_string(w, &w->scratch, texts[i], INFO_TEXT_BYTES);
    }
    put_record(w, HPF__EVENT_IPE, now_of_samples(w));
    int n = snprintf(label, sizeof label, "0x%llx", (unsigned long long)address);
    return make_label(w, name, (hpf_str){label, (size_t)n});
}

/* Returns what a name is in records, and defines its cost centres or its info table if they are
 * new. The empty stack has no frames; it is known by its name. */
static log_key make_key(eventlog_writer *w, hpf_name name, hpf_str text)
{
    static const hpf_frame no_frames[1];
    hpf_frame *frames = w->options.frames ? calloc(MAX_FRAMES, sizeof *frames) : NULL;
    size_t depth = 0;
    if (frames) {
        depth = w->options.frames(w->options.frames_context, name, frames, MAX_FRAMES);
        depth = depth < MAX_FRAMES ? depth : MAX_FRAMES;
    }
    bool is_main = w->options.breakdown == HPF_BREAKDOWN_COST_CENTRE && hpf_str_is(text, "MAIN");
    bool is_table = depth == 1 && w->options.breakdown == HPF_BREAKDOWN_INFO_TABLE;
    w->is_out_of_memory |= w->options.frames && !frames;
    log_key made = is_table           ? make_info(w, name, &frames[0])
                   : depth || is_main ? make_stack(w, name, frames ? frames : no_frames, depth)
                                      : make_label(w, name, text);
    free(frames);
    return made;
}

/* --- events --- */

static hpf_status status_of(const eventlog_writer *w, hpf_error *err)
{
    return w->is_out_of_memory ? hpf_error_set_memory(err) : HPF_OK;
}

/* --- the begin --- */

static int compare_types(const void *left, const void *right)
{
    const hpf_event_type *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static void write_types(eventlog_writer *w)
{
    hpf__buffer header = {0};
    qsort(w->types, w->n_types, sizeof *w->types, compare_types);
    put(w, &header, "hdrbhetb", 8);
    for (size_t i = 0; i < w->n_types; i++) {
        const hpf_event_type *t = &w->types[i];
        put(w, &header, "etb\0", 4);
        put_number(w, &header, t->id, 2);
        put_number(w, &header, (uint16_t)t->n_bytes, 2);
        put_number(w, &header, t->description.length, 4);
        put(w, &header, t->description.data, t->description.length);
        put_number(w, &header, 0, 4);
        put(w, &header, "ete\0", 4);
    }
    put(w, &header, "hetehdredatb", 12);
    hpf_sink_write(w->sink, header.bytes, header.length);
    hpf__buffer_finish(&header);
}

/* Capability 0, and the sets that GHC has for the process and for its clock. */
static void put_capabilities(eventlog_writer *w)
{
    const uint16_t kinds[HPF_EVENTLOG_OWN_CAPSETS] = {2, 3};
    put_number(w, &w->scratch, 0, 2);
    put_record(w, HPF__EVENT_CAP_CREATE, 0);
    for (uint32_t set = 0; set < HPF_EVENTLOG_OWN_CAPSETS; set++) {
        put_number(w, &w->scratch, set, 4);
        put_number(w, &w->scratch, kinds[set], 2);
        put_record(w, HPF__EVENT_CAPSET_CREATE, 0);
        put_number(w, &w->scratch, set, 4);
        put_number(w, &w->scratch, 0, 2);
        put_record(w, HPF__EVENT_CAPSET_ASSIGN_CAP, 0);
    }
}

/* The words of JOB, each with a NUL instead of the blank after it. */
static void put_args(eventlog_writer *w)
{
    put_number(w, &w->scratch, 0, SET_BYTES);
    put_string(w, &w->scratch, w->headers[HPF_HEADER_JOB], MAX_PAYLOAD - SET_BYTES - 1);
    for (size_t i = SET_BYTES; i < w->scratch.length; i++) {
        w->scratch.bytes[i] = w->scratch.bytes[i] == ' ' ? '\0' : w->scratch.bytes[i];
    }
    put_record(w, HPF__EVENT_PROGRAM_ARGS, 0);
}

static void put_date(eventlog_writer *w)
{
    uint64_t unix_s;
    if (hpf__date_parse(w->headers[HPF_HEADER_DATE], &unix_s)) {
        put_number(w, &w->scratch, 1, 4);
        put_number(w, &w->scratch, unix_s, 8);
        put_number(w, &w->scratch, 0, 4);
        put_record(w, HPF__EVENT_WALL_CLOCK_TIME, 0);
    }
}

static void put_profile(eventlog_writer *w)
{
    hpf_breakdown breakdown = w->options.breakdown;
    breakdown = breakdown == HPF_BREAKDOWN_NONE ? HPF_BREAKDOWN_CLOSURE_DESCR : breakdown;
    put_number(w, &w->scratch, 0, 1);
    put_number(w, &w->scratch, w->options.period_ns, 8);
    put_number(w, &w->scratch, (uint64_t)breakdown, 4);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        put_string(w, &w->scratch, w->options.filters[i], FILTER_BYTES);
    }
    put_record(w, HPF__EVENT_HEAP_PROF_BEGIN, 0);
}

static void begin(eventlog_writer *w)
{
    if (w->is_begun) {
        return;
    }
    w->is_begun = true;
    write_types(w);
    put_capabilities(w);
    put_number(w, &w->scratch, 0, SET_BYTES);
    put_text(w, &w->scratch, w->options.rts, MAX_PAYLOAD - SET_BYTES);
    put_record(w, HPF__EVENT_RTS_IDENTIFIER, 0);
    put_args(w);
    put_date(w);
    put_profile(w);
    leave(w);
}

static hpf_status on_header(void *context, hpf_header which, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = context;
    char *copy = hpf_arena_text(w->arena, text);
    w->headers[which] = (hpf_str){copy, text.length};
    return copy ? HPF_OK : hpf_error_set_memory(err);
}

static hpf_status on_name(void *context, hpf_name name, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = context;
    if (!HPF__ARRAY_RESERVE(w->keys, w->keys_capacity, (size_t)name + 1)) {
        return hpf_error_set_memory(err);
    }
    begin(w);
    w->keys[name] = make_key(w, name, text);
    return status_of(w, err);
}

/* --- samples, marks, lines --- */

/* Whole numbers from 0 to 2^64 - 1. */
static uint64_t round_whole(double number)
{
    const double two_to_64 = 18446744073709551616.0;
    double rounded = nearbyint(number);
    return rounded >= two_to_64 ? UINT64_MAX : rounded > 0 ? (uint64_t)rounded : 0;
}

static uint64_t ns_of(const eventlog_writer *w, double time)
{
    return round_whole(time / w->options.units_per_s * 1e9);
}

static uint64_t whole_of(const hpf_cost *cost)
{
    return cost->is_real ? round_whole(cost->real) : cost->whole;
}

static void put_cost(eventlog_writer *w, hpf_name name, uint64_t amount, uint64_t time_ns)
{
    const log_key *k = &w->keys[name];
    put_number(w, &w->scratch, 0, 1);
    put_number(w, &w->scratch, amount, 8);
    put(w, &w->scratch, k->bytes.data, k->bytes.length);
    put_record(w,
               k->is_stack ? HPF__EVENT_HEAP_PROF_SAMPLE_COST_CENTRE
                           : HPF__EVENT_HEAP_PROF_SAMPLE_STRING,
               time_ns);
}

/* Appends a number in groups of 7 bits, the lowest first; all but the last have the bit 128. */
static void put_groups(eventlog_writer *w, uint64_t number)
{
    while (number >= 128) {
        put_number(w, &w->scratch, (number & 127) | 128, 1);
        number >>= 7;
    }
    put_number(w, &w->scratch, number, 1);
}

/* Writes the amounts that differ from the sample before: first those of names that readers know,
 * then names that are new, with their amounts, which gives them the next numbers. */
static void put_changes(eventlog_writer *w, const hpf_sample *sample, uint64_t time_ns)
{
    enum { MOST_PAIR_BYTES = 20 };
    log_changes *c = &w->changes;
    size_t n = w->keys_capacity;
    if (!HPF__ARRAY_RESERVE_ZEROED(c->ids, c->capacity[0], n) ||
        !HPF__ARRAY_RESERVE_ZEROED(c->names, c->capacity[1], n) ||
        !HPF__ARRAY_RESERVE_ZEROED(c->amounts, c->capacity[2], n) ||
        !HPF__ARRAY_RESERVE_ZEROED(c->now, c->capacity[3], n)) {
        w->is_out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        c->now[sample->costs[i].name] += whole_of(&sample->costs[i]);
    }
    put_number(w, &w->scratch, 0, 1);
    size_t next = 0; /* id after the last one in the record */
    for (size_t id = 0; id < c->n_ids; id++) {
        hpf_name name = c->names[id];
        uint64_t change = c->now[name] - c->amounts[name];
        if (w->scratch.length + MOST_PAIR_BYTES > MAX_PAYLOAD) {
            put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, time_ns);
            put_number(w, &w->scratch, 0, 1);
            next = 0;
        }
        if (change != 0) {
            put_groups(w, id - next);
            put_groups(w, change << 1 ^ (change >> 63 ? UINT64_MAX : 0));
            next = id + 1;
        }
        c->amounts[name] = c->now[name];
    }
    put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES, time_ns);
    for (size_t i = 0; i < sample->n_costs; i++) {
        hpf_name name = sample->costs[i].name;
        if (c->ids[name] == 0 && c->now[name] > 0) {
            put_cost(w, name, c->now[name], time_ns);
            c->names[c->n_ids++] = name;
            c->ids[name] = (uint32_t)c->n_ids;
            c->amounts[name] = c->now[name];
        }
    }
    for (size_t i = 0; i < sample->n_costs; i++) {
        c->now[sample->costs[i].name] = 0;
    }
}

/* Biographies are known when the program ends: the records of their samples have that time, and
 * the time of the sample is a field. */
static hpf_status on_sample(void *context, const hpf_sample *sample, hpf_error *err)
{
    eventlog_writer *w = context;
    uint64_t time_ns = ns_of(w, sample->time);
    begin(w);
    put_number(w, &w->scratch, w->n_samples, 8);
    if (w->options.breakdown == HPF_BREAKDOWN_BIOGRAPHY ||
        w->options.filters[HPF_RESTRICT_BIOGRAPHY].length > 0) {
        uint64_t end_ns = ns_of(w, w->options.end_time);
        put_number(w, &w->scratch, time_ns, 8);
        time_ns = end_ns > time_ns ? end_ns : time_ns;
        put_record(w, HPF__EVENT_HEAP_BIO_PROF_SAMPLE_BEGIN, time_ns);
    } else {
        put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_BEGIN, time_ns);
    }
    if (w->options.writes_changes) {
        put_changes(w, sample, time_ns);
    }
    for (size_t i = 0; i < sample->n_costs && !w->options.writes_changes; i++) {
        put_cost(w, sample->costs[i].name, whole_of(&sample->costs[i]), time_ns);
    }
    put_number(w, &w->scratch, w->n_samples++, 8);
    put_record(w, HPF__EVENT_HEAP_PROF_SAMPLE_END, time_ns);
    leave(w);
    return w->options.flush_samples && !w->is_out_of_memory ? hpf_sink_flush(w->sink, err)
                                                            : status_of(w, err);
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    eventlog_writer *w = context;
    begin(w);
    put_text(w, &w->scratch, label, MAX_PAYLOAD);
    put_record(w, HPF__EVENT_USER_MARKER, ns_of(w, time));
    leave_if_full(w, OF_CAPABILITY);
    return status_of(w, err);
}

/* The bytes held, needed and returned at one time are one record, counted in megablocks. */
static void put_held(eventlog_writer *w, unsigned which, hpf_quantity_point point)
{
    w->has_held = point.time == w->held_time ? w->has_held | 1u << which : 1u << which;
    w->held_time = point.time;
    w->held[which] = point.value;
    if (w->has_held == (1u << N_HELD) - 1) {
        put_number(w, &w->scratch, 0, 4);
        for (int i = 0; i < N_HELD; i++) {
            put_number(w, &w->scratch, round_whole(w->held[i] / MBLOCK_BYTES), 4);
        }
        put_record(w, HPF__EVENT_MEM_RETURN, ns_of(w, point.time));
        w->has_held = 0;
    }
}

/* A log has one size of the heap: the first quantity that could be it is written. */
static bool is_heap_line(eventlog_writer *w, const char *name)
{
    w->heap_line = w->heap_line ? w->heap_line : name;
    return w->heap_line == name;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    static const struct {
        const char *name;
        uint16_t id;
    } sizes[] = {
        {"live", HPF__EVENT_HEAP_LIVE},
        {"heap", HPF__EVENT_HEAP_SIZE},
        {"resident", HPF__EVENT_HEAP_SIZE},
        {"blocks", HPF__EVENT_BLOCKS_SIZE},
    };
    static const char *const held[N_HELD] = {"held", "needed", "returned"};
    eventlog_writer *w = context;
    begin(w);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bool is_size = sizes[i].id == HPF__EVENT_HEAP_SIZE;
        if (hpf_str_is(name, sizes[i].name) && (!is_size || is_heap_line(w, sizes[i].name))) {
            put_number(w, &w->scratch, 0, 4);
            put_number(w, &w->scratch, round_whole(point.value), 8);
            put_record(w, sizes[i].id, ns_of(w, point.time));
        }
    }
    for (unsigned i = 0; i < N_HELD; i++) {
        if (hpf_str_is(name, held[i])) {
            put_held(w, i, point);
        }
    }
    leave_if_full(w, OF_CAPABILITY);
    return status_of(w, err);
}

/* --- records of other kinds --- */

/* Adds a type to those that the log declares. */
static hpf_status add_type(eventlog_writer *w, const hpf_event_type *type, hpf_error *err)
{
    hpf_str description = keep(w, type->description);
    if (w->is_out_of_memory || !HPF__ARRAY_RESERVE(w->types, w->types_capacity, w->n_types + 1)) {
        return hpf_error_set_memory(err);
    }
    w->types[w->n_types++] = (hpf_event_type){type->id, type->n_bytes, description, 0};
    return HPF_OK;
}

hpf_status hpf_eventlog_writer_declare(hpf_writer *writer, const hpf_eventlog *log, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    hpf_status status = HPF_OK;
    for (size_t i = 0; i < hpf_eventlog_n_types(log) && status == HPF_OK; i++) {
        const hpf_event_type *type = hpf_eventlog_type(log, i);
        bool is_ours = find_type(w, type->id) || type->id == HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES;
        status = is_ours ? HPF_OK : add_type(w, type, err);
    }
    return status;
}

hpf_status hpf_eventlog_writer_record(hpf_writer *writer, uint16_t id, uint64_t time_ns,
                                      uint16_t cap, hpf_str payload, hpf_str text, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    begin(w);
    const hpf_event_type *t = find_type(w, id);
    if (!t || payload.length > MAX_PAYLOAD ||
        (t->n_bytes >= 0 && payload.length != (size_t)t->n_bytes)) {
        return HPF_OK;
    }
    size_t stream = cap == HPF_EVENT_NO_CAP ? REST_OF_NONE : OF_CAPABILITY + (size_t)cap;
    put(w, &w->scratch, payload.data, payload.length);
    put_text(w, &w->scratch, text, MAX_PAYLOAD - payload.length);
    put_record_into(w, stream, id, t->n_bytes < 0, time_ns);
    leave_if_full(w, stream);
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_begin_time(hpf_writer *writer, uint64_t tick_ns, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    begin(w);
    put_number(w, &w->scratch, tick_ns, 8);
    put_record(w, HPF__EVENT_PROF_BEGIN, 0);
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_tick(hpf_writer *writer, uint64_t time_ns, uint32_t cap,
                                    uint64_t tick, const hpf_frame *frames, size_t n_frames,
                                    hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    hpf__buffer stack = {0};
    begin(w);
    put_stack(w, &stack, frames, n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES, 0);
    put_number(w, &w->scratch, cap, 4);
    put_number(w, &w->scratch, tick, 8);
    put(w, &w->scratch, stack.bytes, stack.length);
    put_record(w, HPF__EVENT_PROF_SAMPLE_COST_CENTRE, time_ns);
    leave_if_full(w, REST_OF_NONE);
    hpf__buffer_finish(&stack);
    return status_of(w, err);
}

hpf_status hpf_eventlog_writer_totals(hpf_writer *writer, uint64_t time_ns,
                                      const hpf_stack_totals *totals, const hpf_frame *frames,
                                      size_t n_frames, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)writer;
    hpf__buffer stack = {0};
    begin(w);
    put_stack(w, &stack, frames, n_frames < MAX_FRAMES ? n_frames : MAX_FRAMES, 0);
    put_number(w, &w->scratch, 0, 1);
    put_number(w, &w->scratch, totals->allocated_bytes, 8);
    put_number(w, &w->scratch, totals->peak_bytes, 8);
    put_number(w, &w->scratch, totals->peak_blocks, 8);
    put(w, &w->scratch, stack.bytes, stack.length);
    put_record(w, HPF__EVENT_HEAP_PROF_STACK_TOTALS, time_ns);
    leave_if_full(w, REST_OF_NONE);
    hpf__buffer_finish(&stack);
    return status_of(w, err);
}

/* --- the whole --- */

static hpf_status finish(hpf_writer *base, hpf_error *err)
{
    eventlog_writer *w = (eventlog_writer *)base;
    begin(w);
    leave(w);
    hpf_sink_write(w->sink, "\xff\xff", 2);
    return status_of(w, err);
}

static void destroy(hpf_writer *base)
{
    eventlog_writer *w = (eventlog_writer *)base;
    if (w) {
        hpf_arena_destroy(w->arena);
        for (size_t i = 0; i < w->n_streams; i++) {
            hpf__buffer_finish(&w->streams[i].block);
        }
        free(w->streams);
        free(w->types);
        hpf__buffer_finish(&w->scratch);
        hpf__intern_finish(&w->centres);
        hpf__intern_finish(&w->stacks);
        hpf__intern_finish(&w->labels);
        free(w->keys);
        free(w->changes.ids);
        free(w->changes.names);
        free(w->changes.amounts);
        free(w->changes.now);
        free(w);
    }
}

static hpf_writer *create(hpf_sink *sink, const hpf_writer_options *options)
{
    static const hpf_events events = {.header = on_header,
                                      .name = on_name,
                                      .sample = on_sample,
                                      .mark = on_mark,
                                      .quantity = on_line};
    eventlog_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->arena = hpf_arena_create())) {
        free(w);
        return NULL;
    }
    w->base = (hpf_writer){&events, finish, destroy, 0};
    w->sink = sink;
    w->options = *options;
    w->options.units_per_s = w->options.units_per_s > 0 ? w->options.units_per_s : 1;
    hpf_str rts = w->options.rts.length ? w->options.rts : HPF_STR("heapcensus rts");
    w->options.rts = keep(w, rts);
    for (int i = 0; i < HPF_N_RESTRICTIONS; i++) {
        w->options.filters[i] = keep(w, w->options.filters[i]);
    }
    hpf_status status = status_of(w, NULL);
    for (size_t i = 0; i < sizeof own_types / sizeof own_types[0] && status == HPF_OK; i++) {
        const struct own_type *t = &own_types[i];
        hpf_str description = {t->description, strlen(t->description)};
        if ((t->id == HPF__EVENT_HEAP_PROF_SAMPLE_CHANGES && !options->writes_changes) ||
            (t->id == HPF__EVENT_HEAP_PROF_STACK_TOTALS && !options->writes_totals)) {
            continue;
        }
        status = add_type(w, &(hpf_event_type){t->id, t->n_bytes, description, 0}, NULL);
    }
    if (status != HPF_OK) {
        destroy(&w->base);
        return NULL;
    }
    return &w->base;
}

static bool is_format(hpf_str head)
{
    return hpf_str_begins(head, HPF_EVENTLOG_MAGIC);
}

const hpf_format hpf_format_eventlog = {
    .name = "eventlog",
    .extension = "eventlog",
    .summary = "event log of GHC's run-time system",
    .is_format = is_format,
    .read = hpf__eventlog_read_totals,
    .allocated = "allocated",
    .is_streamed = true,
    .create_writer = create,
    .holds_quantities = true,
    .holds_marks_in_place = true,
    .holds_only_s_and_bytes = true,
};
