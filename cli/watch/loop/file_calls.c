/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_calls.h"

#include <stdlib.h>
#include <string.h>

#include "hpfile/format.h"
#include "hpfile/survey_stacks.h"

#include "input.h"
#include "resident.h"

struct file_calls {
    char *path;
    bool was_read;
    hpf_source *source;
    const hpf_format *format;
    hpf_survey *survey; /* or NULL */
    hpf_survey *resident[HPR_N_RESIDENT];
};

file_calls *file_calls_create(const char *path)
{
    file_calls *calls = calloc(1, sizeof *calls);
    if (calls && !(calls->path = strdup(path))) {
        free(calls);
        return NULL;
    }
    return calls;
}

void file_calls_forget(file_calls *calls)
{
    resident_free(calls->resident);
    hpf_survey_destroy(calls->survey);
    hpf_source_destroy(calls->source);
    calls->survey = NULL;
    calls->source = NULL;
    calls->was_read = false;
}

void file_calls_destroy(file_calls *calls)
{
    if (calls) {
        file_calls_forget(calls);
        free(calls->path);
        free(calls);
    }
}

/* Surveys the file. Errors: those of source and survey. */
static hpf_status read_file(file_calls *calls, const hpf_live_options *live)
{
    const hpf_source_options keeping = {.size = sizeof keeping,
                                        .keep = true,
                                        .temporary_dir = input_temporary_dir(),
                                        .process = live->process};
    const hpf_survey_options options = {.size = sizeof options,
                                        .format = &hpf_format_eventlog,
                                        .max_drawn = live->max_drawn,
                                        .max_name_bytes = live->max_name_bytes,
                                        .has_log_profile = live->has_log_profile,
                                        .log_profile = live->log_profile,
                                        .uses_mutator_clock = live->uses_mutator_clock,
                                        .by_stack = true,
                                        .by_line = true,
                                        .view = live->view,
                                        .keeps_stacks = true,
                                        .is_wanted = live->is_wanted,
                                        .is_wanted_context = live->is_wanted_context,
                                        .symbolise = live->symbolise,
                                        .symbolise_context = live->symbolise_context};
    hpf_status status = hpf_source_open(&calls->source, calls->path, &keeping, NULL);
    status = status ? status : hpf_format_detect(&calls->format, calls->source, NULL);
    if (status || calls->format != &hpf_format_eventlog) { /* others have whole stacks already */
        return status;
    }
    status = hpf_survey_create(&calls->survey, calls->source, &options, NULL);
    return status ? status : resident_read(calls->resident, calls->source, calls->survey, NULL);
}

hpf_survey *file_calls_survey(file_calls *calls, const hpf_live_options *options)
{
    if (!calls->was_read && options->value.length == 0) {
        hpf_status status = read_file(calls, options);
        bool chooses = options->view || options->is_wanted;
        if (status) {
            file_calls_forget(calls);
        } else if (calls->survey && !(chooses || hpf_survey_has_types(calls->survey) ||
                                      hpf_survey_hides_frames(calls->survey))) {
            hpf_survey_destroy(calls->survey);
            calls->survey = NULL;
        }
    }
    calls->was_read = true;
    return calls->survey;
}

hpf_survey *const *file_calls_resident(const file_calls *calls)
{
    return calls->resident;
}

hpf_source *file_calls_source(const file_calls *calls, const hpf_format **format)
{
    *format = calls->format;
    return calls->source;
}
