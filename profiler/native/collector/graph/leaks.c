/* SPDX-License-Identifier: BSD-2-Clause */
#include "leaks.h"

#include <stdlib.h>

#include "base/array.h"

/* Blocks whose edges are still to be followed. */
typedef struct work {
    uint32_t *blocks;
    size_t n, capacity;
} work;

/* Marks what a directly lost block reaches as lost indirectly, also what was lost directly until
 * now. What was lost indirectly has been followed already. */
static bool follow(const hpp__graph *graph, uint32_t from, unsigned char *losses, work *w)
{
    if (!HPF__ARRAY_PUSH(w->blocks, w->n, w->capacity, from)) {
        return false;
    }
    while (w->n > 0) {
        size_t n;
        const uint32_t *edges = hpp__graph_edges(graph, w->blocks[--w->n], &n);
        for (size_t i = 0; i < n; i++) {
            uint32_t to = edges[i];
            if (losses[to] == HPP__LOSS_NONE || losses[to] == HPP__LOSS_INDIRECT || to == from) {
                continue;
            }
            losses[to] = HPP__LOSS_INDIRECT;
            if (!HPF__ARRAY_PUSH(w->blocks, w->n, w->capacity, to)) {
                return false;
            }
        }
    }
    return true;
}

bool hpp__leaks_find(const hpp__graph *graph, unsigned char *losses)
{
    work w = {0};
    bool is_good = true;
    for (uint32_t i = 0; i < graph->n_blocks && is_good; i++) {
        if (losses[i] == HPP__LOSS_SOMEHOW) {
            losses[i] = HPP__LOSS_DIRECT;
            is_good = follow(graph, i, losses, &w);
        }
    }
    free(w.blocks);
    return is_good;
}
