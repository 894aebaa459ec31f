/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Marks of both files are in order, so the search goes on where it ended.
 */
#include "base/arena.h"
#include "summary/sidecar_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Returns the mark that a label at `time` belongs to; NULL when there is none, or not yet: then
 * next_mark is after the last one. */
static hpf_mark *find_mark(hpf__sidecar_merge *b, double time)
{
    hpf_mark *marks = b->accumulator->marks;
    size_t n = b->accumulator->overview.n_marks, i = b->next_mark;
    while (i < n && (marks[i].time < time || (marks[i].time == time && marks[i].label.length))) {
        i++;
    }
    b->next_mark = i;
    return i < n && marks[i].time == time ? &marks[b->next_mark++] : NULL;
}

static bool is_after_all(const hpf__sidecar_merge *b)
{
    return b->next_mark == b->accumulator->overview.n_marks;
}

static hpf_status on_mark(void *context, double time, hpf_str label, hpf_error *err)
{
    hpf__sidecar_merge *b = context;
    hpf_mark *found = b->n_waiting ? NULL : find_mark(b, time);
    bool waits = b->n_waiting || (!found && is_after_all(b));
    if (!found && !waits) {
        return HPF_OK;
    }
    hpf_mark mark = {time, hpf_arena_str(b->accumulator->arena, label)};
    if (!mark.label.data) {
        return hpf_error_set_memory(err);
    }
    if (waits) {
        return HPF__ARRAY_PUSH(b->waiting, b->n_waiting, b->capacity, mark)
                   ? HPF_OK
                   : hpf_error_set_memory(err);
    }
    *found = mark;
    return HPF_OK;
}

static hpf_status on_line(void *context, hpf_str name, hpf_quantity_point point, hpf_error *err)
{
    hpf__sidecar_merge *b = context;
    return hpf__accumulator_events.quantity(b->accumulator, name, point, err);
}

const hpf_events hpf__sidecar_merge_events = {.mark = on_mark, .quantity = on_line};

void hpf__sidecar_merge_catch_up(hpf__sidecar_merge *b)
{
    size_t n = 0;
    for (; n < b->n_waiting; n++) {
        hpf_mark *found = find_mark(b, b->waiting[n].time);
        if (found) {
            found->label = b->waiting[n].label;
        } else if (is_after_all(b)) {
            break;
        }
    }
    b->n_waiting -= n;
    if (n) {
        memmove(b->waiting, b->waiting + n, b->n_waiting * sizeof *b->waiting);
    }
}

void hpf__sidecar_merge_finish(hpf__sidecar_merge *b)
{
    free(b->waiting);
    *b = (hpf__sidecar_merge){0};
}
