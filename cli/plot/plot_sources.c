/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Each file is read once, from its begin to the last line that is near a place.
 */
#include "plot_sources.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

enum {
    NEAR_LINES = 12,      /* before and after a place */
    MOST_BYTES = 1 << 20, /* of all lines */
};

/* Adds the places of all frames of a profile, each with the mean of its stacks. */
static bool add_places(source_table *table, const hpf_survey *survey)
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
            fits = source_table_add(table, frames[i].source, &sum);
        }
    }
    free(frames);
    return fits;
}

static bool is_near(const source_file *file, uint32_t line)
{
    for (size_t i = 0; i < file->n_spans; i++) {
        uint32_t place = file->spans[i].first_line;
        if (line + NEAR_LINES >= place && line <= place + NEAR_LINES) {
            return true;
        }
    }
    return false;
}

/* Reads the lines of a file that are near its places, until `*room` bytes are used up. Returns
 * false without memory. */
static bool read_file(plot_sources *s, const source_file *file, size_t *room)
{
    FILE *text = file->path ? fopen(file->path, "r") : NULL;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool fits = true;
    for (uint32_t i = 1; text && fits && (length = getline(&line, &size, text)) >= 0; i++) {
        size_t n = (size_t)length - (length > 0 && line[length - 1] == '\n');
        if (n > *room) {
            break;
        }
        if (is_near(file, i)) {
            hpf_str copy = hpf_arena_str(s->table.texts, (hpf_str){line, n});
            const hpr_source_line lines = {.file = file->name, .line = i, .text = copy};
            fits = copy.data && HPF__ARRAY_PUSH(s->all, s->n, s->capacity, lines);
            *room -= n;
        }
    }
    free(line);
    if (text) {
        fclose(text);
    }
    return fits;
}

hpf_status plot_sources_read(plot_sources *s, hpf_survey *const *surveys, size_t n_surveys,
                             const char *folder, hpf_error *err)
{
    size_t room = MOST_BYTES;
    bool fits = true;
    *s = (plot_sources){.table = {.n_columns = 1}};
    for (size_t i = 0; i < n_surveys && fits; i++) {
        fits = add_places(&s->table, surveys[i]);
    }
    if (fits && s->table.n_files == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--source needs stacks with lines: event logs of GHC's -hc, and files "
                             "of other profilers have them");
    }
    hpf_status status = fits ? source_table_find(&s->table, folder, err) : HPF_OK;
    for (size_t i = 0; i < s->table.n_files && fits && !status; i++) {
        fits = read_file(s, &s->table.files[i], &room);
    }
    if (fits && !status && s->n == 0) {
        return hpf_error_set(err, HPF_ERR_UNSUPPORTED,
                             "--source: the folder \"%s\" has no file that the stacks name",
                             folder);
    }
    return fits ? status : hpf_error_set_memory(err);
}

void plot_sources_finish(plot_sources *s)
{
    free(s->all);
    source_table_finish(&s->table);
}
