/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/frame_table.h"

#include "base/array.h"
#include "event/frame_tree.h"

typedef struct stack {
    hpf_str name; /* in the arena of `keys` */
    uint32_t node;
} stack;

struct hpf_frame_table {
    hpf__intern keys;
    hpf__frame_tree tree;
    stack *stacks; /* by key */
    size_t capacity;
};

hpf_frame_table *hpf_frame_table_create(void)
{
    return calloc(1, sizeof(hpf_frame_table));
}

hpf_status hpf_frame_table_add(hpf_frame_table *table, hpf_str key, hpf_str name,
                               const hpf_frame *frames, size_t n_frames, hpf_error *err)
{
    uint32_t number = 0;
    bool is_new = false;
    hpf_status status = hpf__intern_add(&table->keys, key, &number, &is_new);
    if (status == HPF_OK && is_new) {
        stack new = {.name = hpf_arena_str(table->keys.arena, name)};
        bool fits =
            new.name.data &&HPF__ARRAY_RESERVE(table->stacks, table->capacity, (size_t)number + 1);
        status =
            fits ? hpf__frame_tree_add(&table->tree, frames, n_frames, &new.node) : HPF_ERR_MEMORY;
        if (status == HPF_OK) {
            table->stacks[number] = new;
        }
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

hpf_str hpf_frame_table_name(const hpf_frame_table *table, hpf_str key)
{
    uint32_t number;
    return table && hpf__intern_find(&table->keys, key, &number) ? table->stacks[number].name : key;
}

size_t hpf_frame_table_get(const hpf_frame_table *table, hpf_str key, hpf_frame *frames,
                           size_t room)
{
    uint32_t number;
    return hpf__intern_find(&table->keys, key, &number)
               ? hpf__frame_tree_get(&table->tree, table->stacks[number].node, frames, room)
               : 0;
}

void hpf_frame_table_destroy(hpf_frame_table *table)
{
    if (table) {
        hpf__intern_finish(&table->keys);
        hpf__frame_tree_finish(&table->tree);
        free(table->stacks);
        free(table);
    }
}
