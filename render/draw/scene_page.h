/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The pages of a scene as stretches of its items, for back ends that go page by page.
 */
#ifndef HPR_SCENE_PAGE_H
#define HPR_SCENE_PAGE_H

#include "hprender/scene.h"

/* A page: the items after its PAGE item. */
typedef struct hpr__page {
    const hpr_paper *paper;
    const hpr_item *items;
    size_t n_items;
} hpr__page;

size_t hpr__scene_n_pages(const hpr_scene *scene);

/* The page that begins at or after item `*at`, which then is moved behind it; false after the last
 * page. Begin with 0. */
bool hpr__scene_next_page(const hpr_scene *scene, size_t *at, hpr__page *page);

/* The paper of a page: what the scene chose for such a document, else the drawing area. Paper that
 * was not chosen for an EPS is none for an EPS. */
hpr_paper hpr__scene_paper(const hpr_scene *scene, const hpr__page *page, bool is_eps);

#endif
