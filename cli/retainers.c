/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which report, and reading it.
 */
#include "retainers.h"

#include <stdlib.h>
#include <unistd.h>

#include "hpfile/breakdown.h"

#include "beside.h"
#include "diag.h"

static hpf_status read_sets(hpf_retainer_sets **sets, hpf_survey *survey, const char *path,
                            hpf_source **source, hpf_error *err)
{
    hpf_status status = hpf_source_open(source, path, NULL, err);
    status = status == HPF_OK ? hpf_retainer_sets_read(sets, *source, err) : status;
    if (status == HPF_OK) {
        hpf_survey_use_retainer_sets(survey, *sets);
    }
    return status;
}

/* What a log says itself, or what a `.hp` file's program was asked for; NONE: that is not known. */
static hpf_breakdown breakdown_of(const hpf_survey *survey)
{
    const hpf_eventlog_profile *profile = hpf_survey_eventlog_profile(survey);
    return profile ? profile->breakdown
                   : hpf_breakdown_of_job(hpf_survey_header(survey, HPF_HEADER_JOB));
}

/* One that must be there and have sets. */
static bool read_named(input *in, const char *path)
{
    hpf_source *source = NULL;
    hpf_error err;
    hpf_breakdown breakdown = breakdown_of(in->survey);
    const char *other = breakdown == HPF_BREAKDOWN_RETAINER ? NULL : hpf_breakdown_name(breakdown);
    if (other) {
        diag_say("%s: --sets is for profiles of retainer sets (-hr): this is one by %s", in->name,
                 other);
        return false;
    }
    hpf_status status = read_sets(&in->sets, in->survey, path, &source, &err);
    if (status == HPF_OK && hpf_retainer_sets_n(in->sets) == 0) {
        status = hpf_error_set(&err, HPF_ERR_UNSUPPORTED,
                               "no retainer sets in it: a program writes them with +RTS -hr");
    }
    if (status != HPF_OK) {
        diag_input(path, source, &err);
    }
    hpf_source_destroy(source);
    return status == HPF_OK;
}

hpf_retainer_sets *retainers_beside(hpf_survey *survey, const char *path)
{
    bool has_sets = breakdown_of(survey) == HPF_BREAKDOWN_RETAINER;
    char *report = has_sets ? beside_name(path, ".prof") : NULL;
    hpf_retainer_sets *sets = NULL;
    hpf_source *source = NULL;
    hpf_error err;
    if (report && access(report, F_OK) == 0 &&
        read_sets(&sets, survey, report, &source, &err) != HPF_OK) {
        diag_warning(report, &err);
    }
    hpf_source_destroy(source);
    free(report);
    return sets;
}

bool retainers_read(input *in, const char *path)
{
    if (path) {
        return read_named(in, path);
    }
    in->sets = retainers_beside(in->survey, in->name);
    return true;
}
