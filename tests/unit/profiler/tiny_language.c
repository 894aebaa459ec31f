/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The smallest language runtime. A reference is a cell's address.
 */
#include "tiny_language.h"

#include <string.h>

tiny_cell tiny_cells[TINY_CELLS];
const hpp_shape tiny_data = {
    .description = {"Cell", 4}, .type = {"Tree", 4}, .module = {"Lib", 3}, .kind = {"CONSTR", 6}};
const hpp_shape tiny_thunk = {.description = {"thunk", 5},
                              .type = {"Tree", 4},
                              .module = {"Lib", 3},
                              .kind = {"THUNK", 5},
                              .flags = HPP_RETAINER};

static bool has_header;

static tiny_cell *cell_at(hpp_ref ref)
{
    return (tiny_cell *)ref;
}

static const hpp_shape *shape_of(hpp_ref ref, void *context)
{
    (void)context;
    return cell_at(ref)->shape;
}

static uint64_t size_of(hpp_ref ref, void *context)
{
    (void)context;
    return cell_at(ref)->payload_bytes + (has_header ? sizeof(hpp_header) : 0);
}

static hpp_header *find_header(hpp_ref ref, void *context)
{
    (void)context;
    return &cell_at(ref)->header;
}

static size_t list_children(hpp_ref *out, size_t capacity, hpp_ref ref, size_t from_index,
                            void *context)
{
    (void)context;
    if (from_index > 0 || capacity == 0) {
        return 0;
    }
    out[0] = cell_at(ref)->child;
    return 1;
}

static int visit_cells(hpp_visit_root *visit, void *visit_context, void *context)
{
    (void)context;
    for (int i = 0; i < TINY_CELLS; i++) {
        int stop = tiny_cells[i].shape ? visit((hpp_ref)&tiny_cells[i], visit_context) : 0;
        if (stop != 0) {
            return stop;
        }
    }
    return 0;
}

hpp_language tiny_language(bool has_headers)
{
    has_header = has_headers;
    return (hpp_language){.size = sizeof(hpp_language),
                          .shape = shape_of,
                          .size_bytes = size_of,
                          .header = has_headers ? find_header : NULL,
                          .all_have_headers = has_headers,
                          .children = list_children,
                          .objects = visit_cells};
}

hpp_ref tiny_new(hpp_runtime *runtime, const hpp_shape *shape, uint64_t payload_bytes,
                 hpp_ref child)
{
    tiny_cell *cell = tiny_cells;
    while (cell->shape) {
        cell++;
    }
    *cell = (tiny_cell){.shape = shape, .payload_bytes = payload_bytes, .child = child};
    hpp_ref ref = (hpp_ref)cell;
    hpp_runtime_created(runtime, ref, (size_t)size_of(ref, NULL));
    return ref;
}

void tiny_free(hpp_runtime *runtime, hpp_ref ref)
{
    hpp_runtime_dead(runtime, ref);
    memset(cell_at(ref), 0, sizeof(tiny_cell));
}
