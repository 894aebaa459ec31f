/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks that no root reaches, in the words of Valgrind: one that another such block points to is
 * lost indirectly, the others directly. Of blocks that reach each other in a circle, the one with
 * the lowest address is lost directly.
 */
#ifndef HPP_NATIVE_COLLECTOR_GRAPH_LEAKS_H
#define HPP_NATIVE_COLLECTOR_GRAPH_LEAKS_H

#include "graph.h"

typedef enum hpp__loss {
    HPP__LOSS_NONE,
    HPP__LOSS_DIRECT,
    HPP__LOSS_INDIRECT,
    HPP__LOSS_SOMEHOW,
} hpp__loss;

/* Replaces HPP__LOSS_SOMEHOW in `losses`, which has an element for each block, by how the block is
 * lost. Returns false without memory. */
bool hpp__leaks_find(const hpp__graph *graph, unsigned char *losses);

#endif
