/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The wiggle of a chart, straight from its definition (render/chart/wiggle.h).
 */
#ifndef CENSUS_TESTS_CHART_WIGGLE_H
#define CENSUS_TESTS_CHART_WIGGLE_H

#include <math.h>

#include "hprender/chart.h"

/* Returns the wiggle with the bands in this order, bottom first; NULL: as they are. */
static double chart_wiggle(const hpr_chart *chart, const uint32_t *order)
{
    double wiggle = 0;
    for (size_t t = 0; t + 1 < chart->n_points; t++) {
        double below = 0, next_below = 0;
        for (uint32_t i = 0; i < chart->n_bands; i++) {
            const double *values = chart->bands[order ? order[i] : i].values;
            double thickness = values[t], next_thickness = values[t + 1];
            double movement = next_below + next_thickness / 2 - (below + thickness / 2);
            wiggle += (thickness + next_thickness) / 2 * fabs(movement);
            below += thickness;
            next_below += next_thickness;
        }
    }
    return wiggle;
}

#endif
