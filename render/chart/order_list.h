/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An order that is given as a list of names, as read from the top of the picture to its bottom. A
 * name also stands for those that differ from it in the number of a cost-centre stack only, so a
 * list holds for later runs; "*" stands for all bands that are not named, and without it they come
 * last.
 */
#ifndef HPR_ORDER_LIST_H
#define HPR_ORDER_LIST_H

#include "chart/chart.h"

/* Reorders `order`, indices of `n` of the chart's bands, the bottom one first. What the list leaves
 * open stays as it was. False when there is no memory. */
bool hpr__order_by_list(hpr__chart *chart, uint32_t *order, uint32_t n, const hpf_str *list,
                        size_t n_list);

/* Whether each of the first `n` bands has a line with its whole name, so that nothing is open. */
bool hpr__order_list_is_whole(const hpr__chart *chart, uint32_t n, const hpf_str *list,
                              size_t n_list);

/* Whether OTHER has a place of its own in the list. */
bool hpr__order_list_has_other(const hpf_str *list, size_t n_list);

#endif
