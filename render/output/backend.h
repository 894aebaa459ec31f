/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The pages of a scene, for back ends that write one page at a time.
 */
#ifndef HPR_BACKEND_H
#define HPR_BACKEND_H

#include "hprender/backend.h"

/* A page: the items after its PAGE item. */
typedef struct hpr__page {
    const hpr_paper *paper;
    const hpr_item *items;
    size_t n_items;
} hpr__page;

/* Returns the number of pages. */
size_t hpr__scene_n_pages(const hpr_scene *scene);

/* Fills in the page that begins at item `*at`, and moves `*at` to the next page. Returns false
 * after the last page. Start with `*at` = 0. */
bool hpr__scene_next_page(const hpr_scene *scene, size_t *at, hpr__page *page);

#endif
