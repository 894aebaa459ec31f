/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds and reads reports with retainer sets.
 */
#include "hpfile/survey.h"
#include "retainers.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hpfile/breakdown.h"
#include "hpfile/recording.h"

#include "path.h"
#include "diag.h"

static hpf_status read_sets(hpf_retainer_sets **sets, hpf_survey *survey, const char *path,
                            const char *process, hpf_source **source, hpf_error *err)
{
    const hpf_source_options options = {
        .size = sizeof options, .process = process, .of_report = true};
    hpf_status status = hpf_source_open(source, path, &options, err);
    status = status == HPF_OK ? hpf_retainer_sets_read(sets, *source, err) : status;
    if (status == HPF_OK && hpf_retainer_sets_n(*sets) > 0) {
        hpf_survey_use_retainer_sets(survey, *sets);
    }
    return status;
}

/* Returns the break-down from the event log, or from the options in JOB; NONE if unknown. */
static hpf_breakdown breakdown_of(const hpf_survey *survey)
{
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(survey);
    return profile ? profile->breakdown
                   : hpf_breakdown_of_job(hpf_survey_header(survey, HPF_HEADER_JOB));
}

/* Reads a report that was named on the command line; it must exist and have sets. */
static bool read_named(input *in, const char *path)
{
    hpf_source *source = NULL;
    hpf_error err;
    hpf_breakdown breakdown = breakdown_of(in->survey);
    const char *other = breakdown == HPF_BREAKDOWN_RETAINER ? NULL : hpf_breakdown_name(breakdown);
    if (other) {
        diag_say("%s: --sets needs a profile by retainer set (-hr): this one is by %s", in->name,
                 other);
        return false;
    }
    hpf_status status = read_sets(&in->sets, in->survey, path, NULL, &source, &err);
    if (status == HPF_OK && hpf_retainer_sets_n(in->sets) == 0) {
        status = hpf_error_set(&err, HPF_ERR_UNSUPPORTED,
                               "no retainer sets found: a program writes them with +RTS -hr");
    }
    if (status != HPF_OK) {
        diag_input(path, source, &err);
    }
    hpf_source_destroy(source);
    return status == HPF_OK;
}

/* Reads sets that no option asks for: an error is a warning. Returns NULL if there are none. */
static hpf_retainer_sets *find_sets(hpf_survey *survey, const char *path, const char *process)
{
    hpf_retainer_sets *sets = NULL;
    hpf_source *source = NULL;
    hpf_error err;
    if (access(path, F_OK) == 0 &&
        read_sets(&sets, survey, path, process, &source, &err) != HPF_OK) {
        diag_warning(path, &err);
    }
    hpf_source_destroy(source);
    if (sets && hpf_retainer_sets_n(sets) == 0) {
        hpf_retainer_sets_destroy(sets);
        sets = NULL;
    }
    return sets;
}

hpf_retainer_sets *retainers_of_profile(hpf_survey *survey, const char *path, const char *process)
{
    hpf_breakdown breakdown = breakdown_of(survey); /* NONE: old or other titles do not name it */
    if (breakdown != HPF_BREAKDOWN_RETAINER && breakdown != HPF_BREAKDOWN_NONE) {
        return NULL;
    }
    hpf_str base = path_uncompressed(path);
    bool is_recording = process || path_drop_suffix(&base, ".census"); /* under any name */
    hpf_retainer_sets *sets = is_recording ? find_sets(survey, path, process) : NULL;
    char *report = sets ? NULL : companion_path(path, ".prof");
    sets = report ? find_sets(survey, report, NULL) : sets;
    free(report);
    return sets;
}

bool retainers_read(input *in, const char *path)
{
    char number[12];
    const hpf_recording *recording = hpf_source_recording(in->source);
    const hpf_process *process = recording ? hpf_recording_chosen(recording) : NULL;
    if (path) {
        return read_named(in, path);
    }
    snprintf(number, sizeof number, "%u", process ? (unsigned)process->number : 0);
    in->sets = retainers_of_profile(in->survey, in->name, process ? number : NULL);
    return true;
}
