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

static hpf_status read_sets(input *in, const char *path, hpf_source **source, hpf_error *err)
{
    hpf_status status = hpf_source_open(source, path, NULL, err);
    status = status == HPF_OK ? hpf_sets_read(&in->sets, *source, err) : status;
    if (status == HPF_OK) {
        hpf_survey_use_sets(in->survey, in->sets);
    }
    return status;
}

/* One that must be there and have sets. */
static bool read_named(input *in, const char *path)
{
    hpf_source *source = NULL;
    hpf_error err;
    hpf_status status = read_sets(in, path, &source, &err);
    if (status == HPF_OK && hpf_sets_n(in->sets) == 0) {
        status = hpf_error_set(&err, HPF_ERR_UNSUPPORTED,
                               "no retainer sets in it: a program writes them with +RTS -hr");
    }
    if (status != HPF_OK) {
        diag_input(path, source, &err);
    }
    hpf_source_destroy(source);
    return status == HPF_OK;
}

static void read_beside(input *in)
{
    hpf_str job = hpf_survey_header(in->survey, HPF_HEADER_JOB);
    bool has_sets = hpf_breakdown_of_job(job) == HPF_BREAKDOWN_RETAINER;
    char *path = has_sets ? beside_name(in->name, ".prof") : NULL;
    hpf_source *source = NULL;
    hpf_error err;
    if (path && access(path, F_OK) == 0 && read_sets(in, path, &source, &err) != HPF_OK) {
        diag_warning(path, &err);
    }
    hpf_source_destroy(source);
    free(path);
}

bool retainers_read(input *in, const char *path)
{
    if (path) {
        return read_named(in, path);
    }
    read_beside(in);
    return true;
}
