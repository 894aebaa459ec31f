/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The private side of a page: its charts while they can still be written.
 */
#ifndef HPR_PAGE_H
#define HPR_PAGE_H

#include "chart.h"
#include "hprender/page.h"

typedef struct hpr__sheet {
    hpr_page public; /* first, so that a pointer to it is a pointer to the whole */
    hpf_arena *arena;
    hpr__chart **charts; /* n_panels, public.panels' */
    hpr_panel *panels;   /* public.panels */
    hpr__chart *legend;  /* public.legend */
} hpr__sheet;

#endif
