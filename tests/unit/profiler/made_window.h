/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Windows made by hand, as a profiled program would leave them, for tests of the collector.
 */
#ifndef MADE_WINDOW_H
#define MADE_WINDOW_H

#include <stdint.h>

#include "native/window/window.h"

typedef struct made_window {
    hpp_window *window;
    uint64_t size_bytes;
} made_window;

/* An empty window: the sites that are always there, no nodes but the root. Aborts without memory.
 */
void made_window_init(made_window *w, uint64_t size_bytes);
void made_window_finish(made_window *w);

/* The same in memory that the caller gives, all zero. */
void made_window_begin(made_window *w, void *bytes, uint64_t size_bytes);

/* Each returns the index of what it adds. `module` of a node is an index + 1, or 0. A code is
 * complete, its texts are cut. */
uint32_t made_module(made_window *w, const char *path, uint64_t begin, uint64_t end);
uint32_t made_node(made_window *w, uint64_t address, uint32_t parent, uint32_t module);
uint32_t made_code(made_window *w, const char *name, const char *file, uint32_t line);
uint32_t made_site(made_window *w, uint32_t node, hpp_call call);
uint32_t made_slot(made_window *w, uint32_t thread_id);
uint32_t made_mark(made_window *w, uint64_t time_ns, const char *text);
uint32_t made_life(made_window *w, uint32_t site, uint32_t era, const int64_t bytes[HPP_N_PHASES]);

/* Sets the HPP_NODE_ values of a node. */
void made_flags(made_window *w, uint32_t node, uint16_t flags);

/* Adds a peak: `n_bytes` of one site in a slot were live, and what is live at all other sites. */
void made_peak(made_window *w, uint32_t slot, uint32_t site, int64_t n_bytes);

/* Adds to a cell: `n` blocks of `each_bytes` made, and freed. */
void made_allocate(made_window *w, uint32_t slot, uint32_t site, uint64_t n, uint64_t each_bytes);
void made_free(made_window *w, uint32_t slot, uint32_t site, uint64_t n, uint64_t each_bytes);

#endif
