/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds and reads reports with retainer sets.
 */
#include "hpfile/survey.h"
#include "retainers.h"

#include <stdlib.h>
#include <unistd.h>

#include "hpfile/breakdown.h"

#include "path.h"
#include "diag.h"

static hpf_status read_sets(hpf_retainer_sets **sets, hpf_survey *survey, const char *path,
                            hpf_source **source, hpf_error *err)
{
    hpf_status status = hpf_source_open(source, path, NULL, err);
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
    hpf_status status = read_sets(&in->sets, in->survey, path, &source, &err);
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

hpf_retainer_sets *retainers_of_profile(hpf_survey *survey, const char *path)
{
    hpf_breakdown breakdown = breakdown_of(survey); /* NONE: old or other titles do not name it */
    bool may_have_sets = breakdown == HPF_BREAKDOWN_RETAINER || breakdown == HPF_BREAKDOWN_NONE;
    char *report = may_have_sets ? companion_path(path, ".prof") : NULL;
    hpf_retainer_sets *sets = NULL;
    hpf_source *source = NULL;
    hpf_error err;
    if (report && access(report, F_OK) == 0 &&
        read_sets(&sets, survey, report, &source, &err) != HPF_OK) {
        diag_warning(report, &err);
    }
    hpf_source_destroy(source);
    free(report);
    if (sets && hpf_retainer_sets_n(sets) == 0) {
        hpf_retainer_sets_destroy(sets);
        sets = NULL;
    }
    return sets;
}

bool retainers_read(input *in, const char *path)
{
    if (path) {
        return read_named(in, path);
    }
    in->sets = retainers_of_profile(in->survey, in->name);
    return true;
}
