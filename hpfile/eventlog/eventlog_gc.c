/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One record of statistics is one collection, however many capabilities took part.
 */
#include "eventlog/eventlog_gc.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/big_endian.h"
#include "eventlog/eventlog_tags.h"

#define GENERATION_AT  4u /* after the capability set */
#define GENERATION_END 6u

static hpf_status add(hpf_eventlog_gc *gc, const hpf_event *event, bool is_major, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(gc->list, gc->capacity, gc->n + 1)) {
        return hpf_error_set_memory(err);
    }
    gc->list[gc->n++] = (hpf_collection){(double)event->time_ns / 1e9, is_major};
    return HPF_OK;
}

hpf_status hpf_eventlog_gc_note(hpf_eventlog_gc *gc, const hpf_event *event, hpf_error *err)
{
    hpf_str payload = event->payload;
    if (event->type->id == HPF__EVENT_GC_STATS_GHC && payload.length >= GENERATION_END) {
        gc->n = gc->has_statistics ? gc->n : 0;
        gc->has_statistics = true;
        return add(gc, event, hpf__read2(payload.data + GENERATION_AT) > 0, err);
    }
    if (event->type->id == HPF__EVENT_GC_START && !gc->has_statistics) {
        return add(gc, event, false, err);
    }
    return HPF_OK;
}

static int compare(const void *left, const void *right)
{
    const hpf_collection *a = left;
    const hpf_collection *b = right;
    int order = (a->time_s > b->time_s) - (a->time_s < b->time_s);
    return order ? order : a->is_major - b->is_major;
}

void hpf_eventlog_gc_settle(hpf_eventlog_gc *gc)
{
    if (gc->n) {
        qsort(gc->list, gc->n, sizeof *gc->list, compare);
    }
}

void hpf_eventlog_gc_finish(hpf_eventlog_gc *gc)
{
    free(gc->list);
    *gc = (hpf_eventlog_gc){0};
}
