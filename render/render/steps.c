/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Rounding, printing, and walking along a shape.
 */
#include "steps.h"

#include <math.h>
#include <string.h>

#define FARTHEST 1e9

int64_t hpr__steps_of(double value_pt)
{
    double steps = value_pt * HPR__STEPS_PER_PT;
    return (int64_t)floor(fmin(fmax(steps, -FARTHEST), FARTHEST) + 0.5);
}

size_t hpr__steps_print(char *out, int64_t steps)
{
    char digits[HPR__STEPS_BYTES];
    uint64_t rest = (uint64_t)(steps < 0 ? -steps : steps);
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (steps < 0) {
        digits[--at] = '-';
    }
    size_t length = sizeof digits - at;
    memcpy(out, digits + at, length);
    return length;
}

void hpr__steps_put(hpf_sink *sink, int64_t steps)
{
    char text[HPR__STEPS_BYTES];
    hpf_sink_write(sink, text, hpr__steps_print(text, steps));
}

hpr__trace hpr__trace_begin(const hpr_item *item)
{
    return (hpr__trace){.item = item};
}

static hpr__step look(const hpr__trace *trace)
{
    const hpr_point *p = &trace->item->points[trace->next];
    return (hpr__step){hpr__steps_of(p->x_pt), hpr__steps_of(p->y_pt)};
}

static bool is_same(hpr__step a, hpr__step b)
{
    return a.x == b.x && a.y == b.y;
}

/* Whether the way from `a` over `b` to `c` is one straight line, not turning back. */
static bool is_straight(hpr__step a, hpr__step b, hpr__step c)
{
    double first_x = (double)(b.x - a.x);
    double first_y = (double)(b.y - a.y);
    double then_x = (double)(c.x - b.x);
    double then_y = (double)(c.y - b.y);
    return first_x * then_y == first_y * then_x && first_x * then_x + first_y * then_y > 0;
}

bool hpr__trace_next(hpr__trace *trace, hpr__step *corner)
{
    size_t n = trace->item->n_points;
    while (trace->n_corners && trace->next < n && is_same(look(trace), trace->at)) {
        trace->next++;
    }
    if (trace->next >= n) {
        return false;
    }
    hpr__step reached = look(trace);
    trace->next++;
    for (; trace->n_corners && trace->next < n; trace->next++) {
        hpr__step beyond = look(trace);
        if (!is_same(reached, beyond) && !is_straight(trace->at, reached, beyond)) {
            break;
        }
        reached = beyond;
    }
    trace->at = reached;
    trace->n_corners++;
    *corner = reached;
    return true;
}
