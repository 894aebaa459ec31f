/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The step *layout* of a page: a grid of panels, their titles, margins and axes in common, and the
 * legend.
 */
#ifndef HPR_PAGE_LAYOUT_H
#define HPR_PAGE_LAYOUT_H

#include "page.h"

/* Fills the rest of a page whose charts are cumulated and filled. `sources` are those of the
 * panels. Errors: MEMORY; LIMIT for a page that is too small. */
HPF_MUST_USE hpf_status hpr__page_layout(hpr__sheet *sheet, const hpr_page_source *sources,
                                         const hpr_page_options *options, hpr_measurer measurer,
                                         hpf_error *err);

#endif
