/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of a survey: points in any order, thinned by time when they become too many.
 */
#ifndef HPF_QUANTITY_H
#define HPF_QUANTITY_H

#include "base/intern.h"
#include "hpfile/overview.h"

#define HPF__QUANTITY_MAX_POINTS 16384

typedef struct hpf__quantity {
    hpf_quantity_point *points;
    size_t n_points, capacity;
} hpf__quantity;

typedef struct hpf__quantities {
    hpf__intern names;
    hpf__quantity *all; /* by number of the name */
    size_t capacity;
    hpf_quantity *settled; /* what hpf__quantities_settle made */
} hpf__quantities;

/* Returns false when there is no memory. */
bool hpf__quantities_add(hpf__quantities *quantities, hpf_str name, hpf_quantity_point point);

/* Returns the copy of the name of a quantity that was added. */
hpf_str hpf__quantities_name(const hpf__quantities *quantities, hpf_str name);

/* Compares points by time, then by value, for qsort. */
int hpf__compare_points(const void *left, const void *right);

/* Sorts all points; the quantities are then in `settled`. False when there is no memory. */
bool hpf__quantities_settle(hpf__quantities *quantities);
void hpf__quantities_finish(hpf__quantities *quantities);

#endif
