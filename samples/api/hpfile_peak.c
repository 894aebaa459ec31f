/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints the peak of a heap profile, and the largest band at that moment: hpfile_peak FILE
 */
#include <stdio.h>
#include <stdlib.h>

#include "hpfile/survey.h"

static hpf_status print_peak(hpf_survey *survey, hpf_error *err)
{
    const hpf_overview *overview = hpf_survey_overview(survey);
    uint32_t n_names = hpf_survey_n_names(survey);
    hpf_str unit = hpf_survey_header(survey, HPF_HEADER_VALUE_UNIT);
    printf("peak: %.0f %.*s at %g\n", overview->peak_total, (int)unit.length, unit.data,
           overview->peak_time);
    if (n_names == 0) {
        return HPF_OK;
    }
    double *amounts = calloc(n_names, sizeof *amounts);
    if (!amounts) {
        return hpf_error_set_memory(err);
    }
    hpf_status status =
        hpf_survey_drawn_amounts(survey, hpf_survey_peak_index(survey), amounts, err);
    if (status == HPF_OK) {
        hpf_name largest = 0;
        for (hpf_name name = 1; name < n_names; name++) {
            largest = amounts[name] > amounts[largest] ? name : largest;
        }
        hpf_str text = hpf_survey_name(survey, largest);
        printf("largest band: %.*s, %.0f %.*s\n", (int)text.length, text.data, amounts[largest],
               (int)unit.length, unit.data);
    }
    free(amounts);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: hpfile_peak FILE\n", stderr);
        return 2;
    }
    hpf_error err = {0};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_source_options options = {.size = sizeof options, .keep = true};
    hpf_status status = hpf_source_open(&source, argv[1], &options, &err);
    if (status == HPF_OK) {
        status = hpf_survey_create(&survey, source, NULL, &err);
    }
    if (status == HPF_OK) {
        status = print_peak(survey, &err);
    }
    if (status != HPF_OK) {
        fprintf(stderr, "%s:%u:%u: %s\n", argv[1], err.line, err.column, err.message);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status == HPF_OK ? 0 : 1;
}
