/* SPDX-License-Identifier: BSD-2-Clause */
#include "resident.h"

#include "hpfile/eventlog.h"
#include "hpfile/eventlog_tags.h"

static bool is_declared(const hpf_eventlog *log)
{
    bool is_declared = false;
    for (size_t i = 0; log && i < hpf_eventlog_n_types(log); i++) {
        is_declared |= hpf_eventlog_type(log, i)->id == HPF__EVENT_HEAP_PROF_RESIDENT;
    }
    return is_declared;
}

hpf_status resident_read(hpf_survey *out[HPR_N_RESIDENT], hpf_source *source,
                         const hpf_survey *survey, hpf_error *err)
{
    static const char *const values[HPR_N_RESIDENT] = {"resident", "pinned", "pinned-64K",
                                                       "pinned-2M"};
    bool has_any = is_declared(hpf_survey_eventlog(survey));
    hpf_status status = HPF_OK;
    for (int i = 0; i < HPR_N_RESIDENT; i++) {
        out[i] = NULL;
    }
    for (int i = 0; i < HPR_N_RESIDENT && has_any && status == HPF_OK; i++) {
        const hpf_survey_options options = {
            .size = sizeof options, .format = &hpf_format_eventlog, .value = hpf_str_of(values[i])};
        status = hpf_source_rewind(source, err);
        status = status ? status : hpf_survey_create(&out[i], source, &options, err);
    }
    if (status != HPF_OK) {
        resident_free(out);
    }
    return status == HPF_ERR_ARGUMENT ? HPF_OK : status; /* no record yet */
}

void resident_free(hpf_survey *surveys[HPR_N_RESIDENT])
{
    for (int i = 0; i < HPR_N_RESIDENT; i++) {
        hpf_survey_destroy(surveys[i]);
        surveys[i] = NULL;
    }
}
