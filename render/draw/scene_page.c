/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every PAGE item begins a page, which ends where the next begins.
 */
#include "draw/scene_page.h"

size_t hpr__scene_n_pages(const hpr_scene *scene)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->n_items; i++) {
        n += scene->items[i].kind == HPR_ITEM_PAGE;
    }
    return n;
}

bool hpr__scene_next_page(const hpr_scene *scene, size_t *at, hpr__page *page)
{
    if (*at >= scene->n_items) {
        return false;
    }
    const hpr_item *first = &scene->items[*at];
    size_t end = *at + 1;
    while (end < scene->n_items && scene->items[end].kind != HPR_ITEM_PAGE) {
        end++;
    }
    *page = (hpr__page){&first->paper, first + 1, end - *at - 1};
    *at = end;
    return true;
}

hpr_paper hpr__scene_paper(const hpr_scene *scene, const hpr__page *page, bool is_eps)
{
    if (page->paper->width_pt > 0 && is_eps == scene->is_encapsulated) {
        return *page->paper;
    }
    return (hpr_paper){scene->width_pt, scene->height_pt, {1, 0, 0, 1, 0, 0}};
}
