/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *layout* of a page: a grid of panels, their titles, margins and axes in common, and the
 * legend.
 */
#ifndef HPR_PAGE_LAYOUT_H
#define HPR_PAGE_LAYOUT_H

#include "chart/chart.h"
#include "hprender/page.h"

/* The private side of a page: its charts while they can still be written. */
typedef struct hpr__sheet {
    hpr_page public; /* first, so that a pointer to it is a pointer to the whole */
    hpf_arena *arena;
    hpr__chart **charts; /* n_panels, public.panels' */
    hpr_panel *panels;   /* public.panels */
    hpr__chart *legend;  /* public.legend */
} hpr__sheet;

/* Fills the rest of a page whose charts are cumulated and filled. `sources` are those of the
 * panels. Errors: MEMORY; LIMIT for a page that is too small. */
HPF_MUST_USE hpf_status hpr__page_layout(hpr__sheet *sheet, const hpr_page_source *sources,
                                         const hpr_page_options *options, hpr_measurer measurer,
                                         hpf_error *err);

#endif
