/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counters are found by their addresses, and sorted when they are listed.
 */
#include "eventlog/eventlog_ticky.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "hpfile/eventlog_tags.h"
#include "base/arena.h"
#include "hpfile/str.h"
#include "base/intern.h"

#define ID_BYTES 8u /* both records begin with it */

struct hpf_eventlog_ticky {
    hpf_arena *arena; /* texts of definitions */
    hpf__intern ids;
    hpf_ticky_counter *counters; /* by the number of their id */
    size_t counters_capacity;
    char number[24]; /* of the counter without a name that was last asked for */
};

const char *const hpf__ticky_values[] = {"ticky-entries", "ticky-allocs", "ticky-allocd", NULL};

hpf_eventlog_ticky *hpf_eventlog_ticky_create(void)
{
    hpf_eventlog_ticky *t = calloc(1, sizeof *t);
    if (t && !(t->arena = hpf_arena_create())) {
        free(t);
        return NULL;
    }
    return t;
}

void hpf_eventlog_ticky_destroy(hpf_eventlog_ticky *t)
{
    if (t) {
        hpf_arena_destroy(t->arena);
        hpf__intern_finish(&t->ids);
        free(t->counters);
        free(t);
    }
}

/* Returns the counter that a record begins with; NULL with `*status` set when there is no memory.
 */
static hpf_ticky_counter *counter_of(hpf_eventlog_ticky *t, const hpf_event *event,
                                     hpf_status *status)
{
    uint32_t number;
    bool is_new;
    *status = HPF_ERR_MEMORY;
    if (!HPF__ARRAY_RESERVE(t->counters, t->counters_capacity, (size_t)t->ids.n_names + 1)) {
        return NULL;
    }
    *status = hpf__intern_add(&t->ids, (hpf_str){event->payload.data, ID_BYTES}, &number, &is_new);
    if (*status != HPF_OK) {
        return NULL;
    }
    if (is_new) {
        t->counters[number] = (hpf_ticky_counter){0};
    }
    return &t->counters[number];
}

static hpf_status keep(hpf_eventlog_ticky *t, hpf_str text, hpf_str *copy)
{
    *copy = hpf_arena_str(t->arena, text);
    return copy->data ? HPF_OK : HPF_ERR_MEMORY;
}

/* The last definition counts. Fields are identified by their names in the table. */
static hpf_status note_definition(hpf_eventlog_ticky *t, hpf_ticky_counter *counter,
                                  const hpf_event *event)
{
    hpf_event_cursor cursor = {0};
    hpf_event_field field;
    hpf_status status = HPF_OK;
    while (status == HPF_OK && hpf_event_next_field(event, &cursor, &field)) {
        if (hpf_str_is(field.name, "arity")) {
            counter->arity = (uint32_t)field.number;
        } else if (hpf_str_is(field.name, "counter")) {
            counter->id = field.number;
        } else if (hpf_str_is(field.name, "name")) {
            status = keep(t, field.text, &counter->name);
        } else if (hpf_str_is(field.name, "kinds")) {
            status = keep(t, field.text, &counter->kinds);
        } else if (hpf_str_is(field.name, "description")) {
            status = keep(t, field.text, &counter->description);
        }
    }
    return status;
}

static void note_sample(hpf_ticky_counter *counter, const hpf_event *event)
{
    hpf_event_cursor cursor = {0};
    hpf_event_field field;
    while (hpf_event_next_field(event, &cursor, &field)) {
        if (hpf_str_is(field.name, "entries")) {
            counter->entries += field.number;
        } else if (hpf_str_is(field.name, "counter")) {
            counter->id = field.number;
        } else if (hpf_str_is(field.name, "allocs")) {
            counter->allocs_bytes += field.number;
        } else if (hpf_str_is(field.name, "allocd")) {
            counter->allocd_bytes += field.number;
        }
    }
}

hpf_status hpf_eventlog_ticky_note(hpf_eventlog_ticky *t, const hpf_event *event, hpf_error *err)
{
    uint16_t id = event->type->id;
    hpf_status status = HPF_OK;
    bool is_definition = id == HPF__EVENT_TICKY_COUNTER_DEF;
    if ((!is_definition && id != HPF__EVENT_TICKY_COUNTER_SAMPLE) || !hpf_event_name(event->type) ||
        event->payload.length < ID_BYTES) {
        return HPF_OK;
    }
    hpf_ticky_counter *counter = counter_of(t, event, &status);
    if (counter && is_definition) {
        status = note_definition(t, counter, event);
    } else if (counter) {
        note_sample(counter, event);
    }
    if (status == HPF_ERR_LIMIT) {
        return hpf_error_set(err, status, "more than 2^30 ticky counters");
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

static int falling(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_counters(const void *left, const void *right)
{
    const hpf_ticky_counter *a = left;
    const hpf_ticky_counter *b = right;
    int order = falling(a->allocs_bytes, b->allocs_bytes);
    order = order ? order : falling(a->entries, b->entries);
    order = order ? order : falling(a->allocd_bytes, b->allocd_bytes);
    order = order ? order : hpf_str_compare(a->name, b->name);
    return order ? order : falling(b->id, a->id);
}

size_t hpf_eventlog_ticky_n_counters(const hpf_eventlog_ticky *t)
{
    return t->ids.n_names;
}

hpf_ticky_sums hpf_eventlog_ticky_list(const hpf_eventlog_ticky *t, hpf_ticky_counter *counters)
{
    hpf_ticky_sums sums = {0};
    for (size_t i = 0; i < t->ids.n_names; i++) {
        const hpf_ticky_counter *c = &t->counters[i];
        counters[i] = *c;
        sums.n_counted += c->entries || c->allocs_bytes || c->allocd_bytes;
        sums.entries += c->entries;
        sums.allocs_bytes += c->allocs_bytes;
    }
    HPF__ARRAY_SORT(counters, t->ids.n_names, compare_counters);
    return sums;
}

hpf_str hpf__eventlog_ticky_name(hpf_eventlog_ticky *t, const hpf_event *sample)
{
    uint32_t number;
    const hpf_str id = {sample->payload.data, ID_BYTES};
    if (hpf__intern_find(&t->ids, id, &number) && t->counters[number].name.length > 0) {
        return t->counters[number].name;
    }
    int length = snprintf(t->number, sizeof t->number, "0x%" PRIx64, hpf__read8(id.data));
    return (hpf_str){t->number, (size_t)length};
}
