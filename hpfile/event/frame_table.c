/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/frame_table.h"

#include "base/array.h"
#include "event/frame_tree.h"

struct hpf_frame_table {
    hpf__intern names;
    hpf__frame_tree tree;
    uint32_t *stacks; /* nodes, by name */
    size_t capacity;
};

hpf_frame_table *hpf_frame_table_create(void)
{
    return calloc(1, sizeof(hpf_frame_table));
}

hpf_status hpf_frame_table_add(hpf_frame_table *table, hpf_str name, const hpf_frame *frames,
                               size_t n_frames, hpf_error *err)
{
    uint32_t number = 0, node = HPF__NO_FRAMES;
    bool is_new = false;
    hpf_status status = hpf__intern_add(&table->names, name, &number, &is_new);
    if (status == HPF_OK && is_new) {
        status = HPF__ARRAY_RESERVE(table->stacks, table->capacity, (size_t)number + 1)
                     ? hpf__frame_tree_add(&table->tree, frames, n_frames, &node)
                     : HPF_ERR_MEMORY;
        if (status == HPF_OK) {
            table->stacks[number] = node;
        }
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

size_t hpf_frame_table_get(const hpf_frame_table *table, hpf_str name, hpf_frame *frames,
                           size_t room)
{
    uint32_t number;
    return hpf__intern_find(&table->names, name, &number)
               ? hpf__frame_tree_get(&table->tree, table->stacks[number], frames, room)
               : 0;
}

void hpf_frame_table_destroy(hpf_frame_table *table)
{
    if (table) {
        hpf__intern_finish(&table->names);
        hpf__frame_tree_finish(&table->tree);
        free(table->stacks);
        free(table);
    }
}
