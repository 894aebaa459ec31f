/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which points of a chart are drawn when it has more than can be told apart: the plot is cut into
 * cells of equal width, and of each the lowest and the highest by some amount are kept, besides the
 * first and the last. Bands on each other share a choice by the total: so they still lie on each
 * other without gaps, and the peak is always among them.
 */
#ifndef HPR_DOWNSAMPLE_H
#define HPR_DOWNSAMPLE_H

#include "hprender/chart.h"

/* The indices of about `most` points (0: two in 0.8 pt), increasing. The caller frees them; NULL
 * when there is no memory. */
size_t *hpr__downsample(size_t *n, const hpr_chart *chart, const double *amounts, size_t most);

#endif
