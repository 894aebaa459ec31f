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

/* ---- The places of profiles ---- */

enum { MOST_BYTES = 1 << 20 /* of all lines */ };

/* Adds the places of all frames of a profile, each with the mean of its stacks. */
static bool add_places(hpf_text_costs *table, const hpf_survey *survey)
{
    hpf_frame *frames = NULL;
    size_t capacity = 0;
    bool fits = true;
    for (hpf_name name = 0; name < hpf_survey_n_names(survey) && fits; name++) {
        double sum = hpf_survey_totals(survey, name)->sum;
        size_t n = hpf_survey_frames(survey, name, NULL, 0);
        fits = HPF__ARRAY_RESERVE(frames, capacity, n);
        if (fits && n > 0) {
            hpf_survey_frames(survey, name, frames, n);
        }
        for (size_t i = 0; i < n && fits; i++) {
            fits = hpf_text_costs_add(table, frames[i].source, &sum);
        }
    }
    free(frames);
    return fits;
}

hpf_status source_texts_read(source_texts *s, hpf_survey *const *surveys, size_t n_surveys,
                             const char *folder, hpf_error *err)
{
    size_t room = MOST_BYTES;
    bool fits = true;
    hpf_text_folder *below = NULL;
    *s = (source_texts){.table = {.n_columns = 1}};
    for (size_t i = 0; i < n_surveys && fits; i++) {
        fits = add_places(&s->table, surveys[i]);
    }
    if (fits && s->table.n_files == 0 && folder) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--source needs stacks with lines: event logs of GHC's -hc, and files "
                             "of other profilers have them");
    }
    hpf_status status = fits ? hpf_text_folder_create(&below, folder, err) : HPF_OK;
    status = fits && !status ? hpf_text_costs_find(&s->table, below, err) : status;
    bool is_ambiguous = false;
    for (size_t i = 0; i < s->table.n_files && fits && !status; i++) {
        const hpf_text_file *file = &s->table.files[i];
        is_ambiguous |= file->is_ambiguous;
        fits = source_lines_add(&s->lines, file, below, file->path, &room);
    }
    hpf_text_folder_destroy(below);
    if (fits && !status && s->lines.n == 0 && folder) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             is_ambiguous
                                 ? "--source: the folder \"%s\" has several files for each "
                                   "name in the stacks: use one of its folders"
                                 : "--source: the folder \"%s\" has no file that the "
                                   "stacks name",
                             folder);
    }
    return fits ? status : hpf_error_set_memory(err);
}

void source_texts_finish(source_texts *s)
{
    source_lines_finish(&s->lines);
    hpf_text_costs_finish(&s->table);
}
