/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *draw*: a finished chart as ink, one function per look.
 *
 * A chart's y axis points upwards from the lower left, a scene's downwards from the upper left.
 */
#ifndef HPR_DRAW_H
#define HPR_DRAW_H

#include "hprender/render.h"

/* Errors: MEMORY. */
HPF_MUST_USE hpf_status hpr__draw_classic(hpr_scene **out, const hpr_chart *chart,
                                          const hpr_options *options, hpf_error *err);
HPF_MUST_USE hpf_status hpr__draw_modern(hpr_scene **out, const hpr_chart *chart,
                                         const hpr_options *options, hpr_measurer measurer,
                                         hpf_error *err);

#endif
