/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The smallest language runtime: cells with one child, in an array. For tests of the profiler's
 * life and of the runtime adapter.
 */
#ifndef TINY_LANGUAGE_H
#define TINY_LANGUAGE_H

#include "hpprof/runtime.h"

enum { TINY_CELLS = 64 };

typedef struct tiny_cell {
    hpp_header header;
    const hpp_shape *shape; /* NULL: free */
    uint64_t payload_bytes;
    hpp_ref child;
} tiny_cell;

extern tiny_cell tiny_cells[TINY_CELLS];
extern const hpp_shape tiny_data;  /* "Cell", type "Tree" */
extern const hpp_shape tiny_thunk; /* "thunk", a retainer */

/* The language, with headers in its cells or without. */
hpp_language tiny_language(bool has_headers);

/* Makes a cell of `payload_bytes` in the first free place and tells the profiler. */
hpp_ref tiny_new(hpp_runtime *runtime, const hpp_shape *shape, uint64_t payload_bytes,
                 hpp_ref child);
void tiny_free(hpp_runtime *runtime, hpp_ref ref);

#endif
