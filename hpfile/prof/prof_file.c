/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which reader reads a report, and where what it reads is kept.
 */
#include "base/arena.h"
#include "prof/prof_file.h"

#include <stdlib.h>

#include "base/array.h"

void hpf_prof_file_destroy(hpf_prof_file *file)
{
    if (file) {
        hpf_arena_destroy(file->arena);
        free(file->centres);
        free(file->stacks);
        free(file);
    }
}

const hpf_prof *hpf_prof_file_report(const hpf_prof_file *file)
{
    return &file->prof;
}

hpf_status hpf__prof_file_fit_centre(hpf_prof_file *file, uint32_t index, hpf_error *err)
{
    if (!HPF__ARRAY_RESERVE(file->centres, file->centres_capacity, (size_t)index + 1)) {
        return hpf_error_set_memory(err);
    }
    if (index == file->prof.n_centres) {
        file->centres[file->prof.n_centres++] = (hpf_prof_centre){0};
    }
    return HPF_OK;
}

hpf_status hpf__prof_file_add_stack(hpf_prof_file *file, uint32_t parent_index, hpf_error *err)
{
    size_t n = file->prof.n_stacks;
    if (n >= HPF_PROF_NO_PARENT) {
        return hpf_error_set(err, HPF_ERR_LIMIT, "more than 2^32 stacks");
    }
    if (!HPF__ARRAY_RESERVE(file->stacks, file->stacks_capacity, n + 1)) {
        return hpf_error_set_memory(err);
    }
    file->stacks[n] =
        (hpf_prof_stack){.parent_index = parent_index, .id = n + 1, .centre_index = UINT32_MAX};
    file->prof.n_stacks++;
    return HPF_OK;
}

hpf_status hpf__prof_file_keep(hpf_prof_file *file, hpf_str text, hpf_str *copy, hpf_error *err)
{
    *copy = (hpf_str){hpf_arena_text(file->arena, text), text.length};
    return copy->data ? HPF_OK : hpf_error_set_memory(err);
}

static bool is_blank(int byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* JSON begins with a brace, text with a date. */
static hpf_status read_any(hpf_prof_file *file, hpf_source *source, hpf_error *err)
{
    hpf__cursor scan = {.source = source, .err = err, .line = 1};
    while (is_blank(hpf__cursor_peek(&scan))) {
        hpf__cursor_pass(&scan);
    }
    hpf_status status = hpf__cursor_peek(&scan) == '{' ? hpf__prof_read_json(file, scan, err)
                                                       : hpf__prof_read_text(file, scan, err);
    file->prof.centres = file->centres;
    file->prof.stacks = file->stacks;
    return status;
}

hpf_status hpf_prof_read(hpf_prof_file **out, hpf_source *source, hpf_error *err)
{
    hpf_prof_file *file = calloc(1, sizeof *file);
    *out = NULL;
    if (!file || !(file->arena = hpf_arena_create())) {
        free(file);
        return hpf_error_set_memory(err);
    }
    hpf_status status = read_any(file, source, err);
    if (status == HPF_OK) {
        *out = file;
    } else {
        hpf_prof_file_destroy(file);
    }
    return status;
}
