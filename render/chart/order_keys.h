/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Bands put in order by a figure of theirs.
 */
#ifndef HPR_ORDER_KEYS_H
#define HPR_ORDER_KEYS_H

#include "chart/chart.h"
#include "chart/band_assignment.h"

/* What a band is ordered by; the least comes to the bottom. */
typedef double hpr__key(const hpr_chart *chart, const hpr_band *band);

double hpr__key_nothing(const hpr_chart *chart, const hpr_band *band); /* so by name alone */
double hpr__key_sum(const hpr_chart *chart, const hpr_band *band);
double hpr__key_sum_down(const hpr_chart *chart, const hpr_band *band); /* largest at the bottom */
double hpr__key_area_down(const hpr_chart *chart, const hpr_band *band);
double hpr__key_deviation(const hpr_chart *chart, const hpr_band *band);
/* The first point at which the band is there. */
double hpr__key_first(const hpr_chart *chart, const hpr_band *band);
/* Slope of the line of least squares, without an empty first and an empty last point: GHC always
 * writes them, and no program's heap is empty. */
double hpr__key_growth(const hpr_chart *chart, const hpr_band *band);
/* All ups and downs added; the same for a unit of area. */
double hpr__key_variation(const hpr_chart *chart, const hpr_band *band);
double hpr__key_restlessness(const hpr_chart *chart, const hpr_band *band);

/* Indices of the first `n` bands, the bottom one first; equal ones by bytes of their names, the
 * first name on top. In the chart's arena; NULL when there is no memory. */
uint32_t *hpr__order_by(const hpr__chart *chart, uint32_t n, hpr__key *key);

/* The same in the order that hp2ps gives them: by sum, the least at the bottom, equal ones as its
 * table and its sort leave them, and OTHER, if it is among them, below all. The chart's bands are
 * those of `plan`. */
uint32_t *hpr__order_as_hp2ps(const hpr__chart *chart, const hpr__assignment *plan, uint32_t n);

#endif
