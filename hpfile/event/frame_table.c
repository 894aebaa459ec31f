/* SPDX-License-Identifier: BSD-2-Clause */
#include "event/frame_table.h"

#include "base/array.h"
#include "base/intern.h"

typedef struct stack {
    hpf_frame *frames; /* in the arena */
    size_t n;
} stack;

struct hpf_frame_table {
    hpf_arena *arena;
    hpf__intern names, texts;
    stack *of_name;
    size_t capacity;
};

hpf_frame_table *hpf_frame_table_create(void)
{
    hpf_frame_table *table = calloc(1, sizeof *table);
    if (table && !(table->arena = hpf_arena_create())) {
        free(table);
        return NULL;
    }
    return table;
}

/* Replaces a text, which may be NULL if empty, by its copy in the table. */
static hpf_status keep(hpf_frame_table *table, hpf_str *text)
{
    uint32_t number = 0;
    bool is_new;
    hpf_str given = text->length ? *text : HPF_STR("");
    hpf_status status = hpf__intern_add(&table->texts, given, &number, &is_new);
    *text = status == HPF_OK ? table->texts.names[number] : *text;
    return status;
}

hpf_status hpf_frame_table_add(hpf_frame_table *table, hpf_str name, const hpf_frame *frames,
                               size_t n_frames, hpf_error *err)
{
    uint32_t number = 0;
    bool is_new = false;
    hpf_frame *kept = hpf_arena_array(table->arena, n_frames, sizeof *frames);
    hpf_status status =
        kept ? hpf__intern_add(&table->names, name, &number, &is_new) : HPF_ERR_MEMORY;
    for (size_t i = 0; i < n_frames && is_new && status == HPF_OK; i++) {
        kept[i] = (hpf_frame){
            .label = frames[i].label, .module = frames[i].module, .source = frames[i].source};
        status = keep(table, &kept[i].label);
        status = status == HPF_OK ? keep(table, &kept[i].module) : status;
        status = status == HPF_OK ? keep(table, &kept[i].source) : status;
    }
    if (status == HPF_OK && !HPF__ARRAY_RESERVE(table->of_name, table->capacity, number + 1)) {
        status = HPF_ERR_MEMORY;
    }
    if (status == HPF_OK && is_new) {
        table->of_name[number] = (stack){kept, n_frames};
    }
    return status == HPF_OK ? HPF_OK : hpf_error_set_memory(err);
}

size_t hpf_frame_table_get(const hpf_frame_table *table, hpf_str name, hpf_frame *frames,
                           size_t room)
{
    uint32_t number;
    if (!hpf__intern_find(&table->names, name, &number)) {
        return 0;
    }
    size_t n = table->of_name[number].n;
    for (size_t i = 0; i < n && i < room; i++) {
        frames[i] = table->of_name[number].frames[i];
    }
    return n;
}

void hpf_frame_table_destroy(hpf_frame_table *table)
{
    if (table) {
        hpf_arena_destroy(table->arena);
        hpf__intern_finish(&table->names);
        hpf__intern_finish(&table->texts);
        free(table->of_name);
        free(table);
    }
}
