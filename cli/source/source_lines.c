/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each file is read once, from its begin to the last line that is near a place.
 */
#include "source_lines.h"

#include <stdlib.h>

#include "base/array.h"

enum { NEAR_LINES = 12 /* before and after a place */ };

static bool is_near(const hpf_text_file *file, uint32_t line)
{
    for (size_t i = 0; i < file->n_spans; i++) {
        uint32_t place = file->spans[i].first_line;
        if (line + NEAR_LINES >= place && line <= place + NEAR_LINES) {
            return true;
        }
    }
    return false;
}

static uint32_t last_near(const hpf_text_file *file)
{
    uint32_t last = 0;
    for (size_t i = 0; i < file->n_spans; i++) {
        uint32_t line = file->spans[i].first_line;
        last = line > last ? line : last;
    }
    return last < UINT32_MAX - NEAR_LINES ? last + NEAR_LINES : UINT32_MAX;
}

bool source_lines_add(source_lines *lines, const hpf_text_file *file, const hpf_text_folder *folder,
                      const char *path, size_t *room)
{
    FILE *text = path ? hpf_text_folder_open(folder, path) : NULL;
    const uint32_t last = last_near(file);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    lines->texts = lines->texts ? lines->texts : hpf_arena_create();
    bool fits = lines->texts != NULL;
    for (uint32_t i = 1; text && fits && i <= last && (length = getline(&line, &size, text)) >= 0;
         i++) {
        size_t n = (size_t)length - (length > 0 && line[length - 1] == '\n');
        if (!is_near(file, i)) {
            continue;
        }
        if (n > *room) {
            break;
        }
        const hpr_source_line one = {
            .file = file->name, .line = i, .text = hpf_arena_str(lines->texts, (hpf_str){line, n})};
        fits = one.text.data && HPF__ARRAY_PUSH(lines->all, lines->n, lines->capacity, one);
        *room -= n;
    }
    free(line);
    if (text) {
        fclose(text);
    }
    return fits;
}

void source_lines_finish(source_lines *lines)
{
    free(lines->all);
    hpf_arena_destroy(lines->texts);
}
