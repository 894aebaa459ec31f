/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of output formats, and the pages of a scene for formats that write one page at a time.
 */
#include "hprender/backend.h"

#include <string.h>
#include <strings.h>

#include "output/backend.h"

/* In the order of --help. To add one, write backend_NAME.c with a `const hpr_backend
 * hpr__backend_NAME`, and add its row. */
#define BACKENDS(row) row(pdf) row(ps) row(eps) row(png) row(svg) row(pgf) row(json) row(html)

#define DECLARE(name) extern const hpr_backend hpr__backend_##name;
BACKENDS(DECLARE)

#define ENTRY(name) &hpr__backend_##name,
static const hpr_backend *const backends[] = {BACKENDS(ENTRY) NULL};

const hpr_backend *const *hpr_backends(void)
{
    return backends;
}

const hpr_backend *hpr_backend_by_name(const char *name)
{
    for (const hpr_backend *const *b = backends; *b; b++) {
        if (strcasecmp((*b)->name, name) == 0) {
            return *b;
        }
    }
    return NULL;
}

const hpr_backend *hpr_backend_by_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot) {
        return NULL;
    }
    for (const hpr_backend *const *b = backends; *b; b++) {
        if (strcasecmp((*b)->extension, dot + 1) == 0) {
            return *b;
        }
    }
    return NULL;
}

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
