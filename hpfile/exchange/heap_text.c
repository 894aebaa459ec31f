/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heap profiles as text: of gperftools and its kin, and of jemalloc (docs/formats/heap-text.md).
 * Stacks are addresses; the mappings that say whose they are come last.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "event/call_stacks.h"
#include "event/format_row.h"

typedef enum value { INUSE_SPACE, INUSE_OBJECTS, ALLOC_SPACE, ALLOC_OBJECTS } value;

/* A stack; its addresses are [first_address, end_address). */
typedef struct site {
    uint64_t amount;
    size_t first_address, end_address;
} site;

typedef struct mapping {
    uint64_t begin, end;
    uint64_t base; /* where the first byte of the file would be */
    hpf_str path;  /* in `texts` */
} mapping;

typedef struct heap_text {
    hpf__lines lines;
    hpf_error *err;
    hpf__call_stacks stacks;
    value value;
    bool is_jemalloc;
    bool has_stack;      /* jemalloc: addresses of a stack whose amounts follow */
    double period_bytes; /* of sampling; 0: everything is counted */
    uint64_t *addresses;
    site *sites;
    mapping *mappings;
    size_t n_addresses, n_sites, n_mappings;
    size_t addresses_capacity, sites_capacity, mappings_capacity;
    hpf__intern texts;
} heap_text;

static hpf_str skip_blanks(hpf_str text)
{
    while (text.length > 0 && *text.data == ' ') {
        text = hpf_str_from(text, 1);
    }
    return text;
}

static bool take_number(hpf_str *text, uint64_t *number)
{
    *text = skip_blanks(*text);
    return hpf__take_whole(text, 10, number);
}

/* Takes "OBJECTS: BYTES [ OBJECTS: BYTES]", live and allocated, and stores the chosen amount,
 * estimated if the profile is sampled: an allocation of n bytes is counted with the probability
 * 1 - exp(-n / period). */
static bool take_amount(const heap_text *t, hpf_str *text, uint64_t *amount)
{
    uint64_t v[4]; /* objects and bytes */
    if (!take_number(text, &v[0]) || !hpf__take_word(text, ":") || !take_number(text, &v[1])) {
        return false;
    }
    *text = skip_blanks(*text);
    if (!hpf__take_word(text, "[") || !take_number(text, &v[2]) || !hpf__take_word(text, ":") ||
        !take_number(text, &v[3])) {
        return false;
    }
    *text = skip_blanks(*text);
    if (!hpf__take_word(text, "]")) {
        return false;
    }
    size_t pair = t->value >= ALLOC_SPACE ? 2 : 0;
    bool is_objects = t->value == INUSE_OBJECTS || t->value == ALLOC_OBJECTS;
    *amount = v[pair + !is_objects];
    if (t->period_bytes > 0 && v[pair] > 0 && v[pair + 1] > 0) {
        double mean_bytes = (double)v[pair + 1] / (double)v[pair];
        double scaled = (double)*amount / -expm1(-mean_bytes / t->period_bytes);
        *amount = scaled < 0x1p63 ? (uint64_t)llround(scaled) : UINT64_MAX;
    }
    return true;
}

static bool take_addresses(heap_text *t, hpf_str text, bool *fits)
{
    uint64_t address;
    text = skip_blanks(text);
    while (text.length > 0) {
        if (!hpf__take_word(&text, "0x") || !hpf__take_whole(&text, 16, &address)) {
            return false;
        }
        *fits =
            *fits && HPF__ARRAY_PUSH(t->addresses, t->n_addresses, t->addresses_capacity, address);
        text = skip_blanks(text);
    }
    return true;
}

static hpf_status add_site(heap_text *t, uint64_t amount)
{
    size_t first = t->n_sites > 0 ? t->sites[t->n_sites - 1].end_address : 0;
    const site new = {amount, first, t->n_addresses};
    t->has_stack = false;
    return HPF__ARRAY_PUSH(t->sites, t->n_sites, t->sites_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(t->err);
}

/* "  25: 2500 [ 50: 5000] @ 0x1165 0x1177" */
static hpf_status read_gperftools(heap_text *t, hpf_str line)
{
    uint64_t amount;
    bool fits = true;
    if (!take_amount(t, &line, &amount)) {
        return hpf__lines_expected(&t->lines, "OBJECTS: BYTES [ OBJECTS: BYTES] @ ADDRESS...");
    }
    line = skip_blanks(line);
    if (!hpf__take_word(&line, "@") || !take_addresses(t, line, &fits)) {
        return hpf__lines_expected(&t->lines, "OBJECTS: BYTES [ OBJECTS: BYTES] @ ADDRESS...");
    }
    return fits ? add_site(t, amount) : hpf_error_set_memory(t->err);
}

/* "@ 0x1165 0x1177", then "  t*: 25: 2500 [0: 0]", the sum of the lines for threads after it. */
static hpf_status read_jemalloc(heap_text *t, hpf_str line)
{
    uint64_t amount;
    bool fits = true;
    line = skip_blanks(line);
    if (hpf__take_word(&line, "@")) {
        t->has_stack = true;
        return !take_addresses(t, line, &fits) ? hpf__lines_expected(&t->lines, "@ ADDRESS...")
               : fits                          ? HPF_OK
                                               : hpf_error_set_memory(t->err);
    }
    if (!hpf__take_word(&line, "t")) {
        return hpf__lines_expected(&t->lines,
                                   "@ ADDRESS..., or t*: OBJECTS: BYTES [OBJECTS: BYTES]");
    }
    bool is_sum = hpf__take_word(&line, "*: ");
    if (!is_sum) {
        return HPF_OK;
    }
    if (!take_amount(t, &line, &amount)) {
        return hpf__lines_expected(&t->lines, "t*: OBJECTS: BYTES [OBJECTS: BYTES]");
    }
    return t->has_stack ? add_site(t, amount) : HPF_OK;
}

/* "7f00-7f10 r-xp 00026000 fe:00 332835   /usr/lib/libc.so.6", as in /proc/PID/maps. */
static hpf_status read_mapping(heap_text *t, hpf_str line)
{
    mapping new = {0};
    uint64_t offset = 0;
    uint32_t number = 0;
    bool is_new = false;
    if (!hpf__take_whole(&line, 16, &new.begin) || !hpf__take_word(&line, "-") ||
        !hpf__take_whole(&line, 16, &new.end) || !hpf__take_word(&line, " ")) {
        return HPF_OK; /* other lines follow the mappings */
    }
    hpf__take_until(&line, ' ');
    if (!hpf__take_whole(&line, 16, &offset)) {
        return hpf__lines_expected(&t->lines,
                                   "a mapping, BEGIN-END ACCESS OFFSET DEVICE INODE PATH");
    }
    for (int i = 0; i < 2; i++) { /* device and inode */
        line = skip_blanks(line);
        hpf__take_until(&line, ' ');
    }
    line = skip_blanks(line);
    if (line.length == 0 || *line.data != '/') {
        return HPF_OK;
    }
    if (hpf__intern_add(&t->texts, hpf__call_stacks_text(line), &number, &is_new) != HPF_OK) {
        return hpf_error_set_memory(t->err);
    }
    new.path = t->texts.names[number];
    new.base = new.begin - offset;
    return HPF__ARRAY_PUSH(t->mappings, t->n_mappings, t->mappings_capacity, new)
               ? HPF_OK
               : hpf_error_set_memory(t->err);
}

/* "heap profile: 50: 2000 [ 100: 2750] @ heap_v2/524288" or "heap_v2/524288" */
static hpf_status read_head(heap_text *t)
{
    uint64_t period = 0;
    hpf_status status = hpf__lines_next(&t->lines);
    if (status != HPF_OK && status != HPF_END) {
        return status;
    }
    hpf_str text = t->lines.text;
    t->is_jemalloc = hpf_str_begins(text, "heap_v2/");
    if (!t->is_jemalloc) {
        if (!hpf_str_begins(text, "heap profile:")) {
            return hpf__lines_expected(&t->lines, "heap profile: or heap_v2/");
        }
        hpf__take_until(&text, '@');
        text = skip_blanks(text);
    }
    bool is_go = hpf__take_word(&text, "heap/");
    if (is_go || hpf__take_word(&text, "heap_v2/")) {
        if (!hpf__take_whole(&text, 10, &period)) {
            return hpf__lines_expected(&t->lines, "the bytes between samples after heap_v2/");
        }
    } else if (!hpf_str_is(text, "heapprofile")) {
        return hpf__lines_expected(&t->lines, "@ heapprofile, @ heap/BYTES or @ heap_v2/BYTES");
    }
    t->period_bytes = period > 1 ? (double)period / (is_go ? 2 : 1) : 0;
    return HPF_OK;
}

static hpf_status read_lines(heap_text *t)
{
    bool has_mappings = false;
    hpf_status status = read_head(t);
    while (status == HPF_OK) {
        status = hpf__lines_next(&t->lines);
        hpf_str line = t->lines.text;
        if (status != HPF_OK || line.length == 0 || *line.data == '#') {
            continue;
        }
        if (hpf_str_is(line, "MAPPED_LIBRARIES:")) {
            has_mappings = true;
        } else {
            status = has_mappings     ? read_mapping(t, line)
                     : t->is_jemalloc ? read_jemalloc(t, line)
                                      : read_gperftools(t, line);
        }
    }
    return status == HPF_END ? HPF_OK : status;
}

/* ---- The sample ---- */

static int compare_mappings(const void *left, const void *right)
{
    const mapping *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static const mapping *mapping_of(const heap_text *t, uint64_t address)
{
    size_t next;
    HPF__ARRAY_BISECT(next, t->n_mappings, i, t->mappings[i].begin <= address);
    return next > 0 && address < t->mappings[next - 1].end ? &t->mappings[next - 1] : NULL;
}

/* Returns whether the code belongs to an allocator that is a library. */
static bool is_allocator(const mapping *m)
{
    hpf_str name = m ? hpf__base_name(m->path) : HPF_STR("");
    return hpf_str_begins(name, "libjemalloc") || hpf_str_begins(name, "libtcmalloc");
}

static hpf_status add_cost(heap_text *t, const site *s)
{
    hpf__call_stacks *stacks = &t->stacks;
    bool fits = hpf__call_stacks_begin(stacks);
    for (size_t i = s->first_address;
         i < s->end_address && fits && !hpf__call_stacks_is_full(stacks); i++) {
        const mapping *m = mapping_of(t, t->addresses[i]);
        hpf_frame frame = {.module = m ? m->path : HPF_STR("")};
        if (stacks->n_frames == 0 && is_allocator(m)) {
            continue;
        }
        frame.label = hpf__call_stacks_join(stacks, hpf__base_name(frame.module), "%s0x%" PRIx64,
                                            m ? "+" : "", t->addresses[i] - (m ? m->base : 0));
        frame.code = t->addresses[i] - (m ? m->base : 0) - 1; /* the address is after the call */
        frame.is_code_offset = true;
        fits = frame.label.data && hpf__call_stacks_push(stacks, frame);
    }
    return fits ? hpf__call_stacks_cost(stacks, s->amount, t->err) : hpf_error_set_memory(t->err);
}

static hpf_status emit(heap_text *t)
{
    bool is_objects = t->value == INUSE_OBJECTS || t->value == ALLOC_OBJECTS;
    hpf_str program = t->n_mappings > 0 ? t->mappings[0].path : HPF_STR("");
    hpf_str unit = is_objects ? HPF_STR("objects") : HPF_STR("bytes");
    const hpf_str headers[HPF_N_HEADERS] = {
        [HPF_HEADER_JOB] = program, [HPF_HEADER_VALUE_UNIT] = unit};
    hpf_status status = hpf__call_stacks_headers(&t->stacks, headers, t->err);
    HPF__ARRAY_SORT(t->mappings, t->n_mappings, compare_mappings);
    for (size_t i = 0; i < t->n_sites && status == HPF_OK; i++) {
        status = add_cost(t, &t->sites[i]);
    }
    return status == HPF_OK ? hpf__emitter_sample(&t->stacks.emit, 0, t->lines.place, t->err)
                            : status;
}

static hpf_status read(hpf_source *source, const hpf_events *events, void *context,
                       const hpf_reader_options *options, hpf_error *err)
{
    static const char *const values[] = {"inuse_space", "inuse_objects", "alloc_space",
                                         "alloc_objects", NULL};
    size_t chosen;
    heap_text t = {
        .lines.scan = hpf__cursor_of(source, options, err),
        .err = err,
        .stacks = {.emit = {.events = events, .context = context}, .source = source},
    };
    hpf_status status = hpf__choose_value(&chosen, values, options, err);
    t.value = (value)chosen;
    status = status == HPF_OK ? read_lines(&t) : status;
    status = status == HPF_OK ? emit(&t) : status;
    hpf__call_stacks_finish(&t.stacks);
    hpf__buffer_finish(&t.lines.bytes);
    hpf__intern_finish(&t.texts);
    free(t.addresses);
    free(t.sites);
    free(t.mappings);
    return status;
}

static bool is_format(hpf_str head)
{
    return hpf_str_begins(head, "heap profile: ") || hpf_str_begins(head, "heap_v2/");
}

const hpf_format hpf_format_heap_text = {
    .name = "heap-text",
    .summary = "heap profile as text, of gperftools or jemalloc",
    .is_format = is_format,
    .read = read,
    .allocated = "alloc_space",
    .is_moment = true,
    .has_addresses = true,
};
