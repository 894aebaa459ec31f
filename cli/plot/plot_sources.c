/* SPDX-License-Identifier: BSD-2-Clause */
#include "plot_sources.h"

#include <stdlib.h>

#include "base/array.h"

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

hpf_status plot_sources_read(plot_sources *s, hpf_survey *const *surveys, size_t n_surveys,
                             const char *folder, hpf_error *err)
{
    size_t room = MOST_BYTES;
    bool fits = true;
    hpf_text_folder *below = NULL;
    *s = (plot_sources){.table = {.n_columns = 1}};
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

void plot_sources_finish(plot_sources *s)
{
    source_lines_finish(&s->lines);
    hpf_text_costs_finish(&s->table);
}
