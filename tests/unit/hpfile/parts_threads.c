/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a profile in parts, with all their threads, and in one go: the totals are the same. A plain
 * program, for ThreadSanitizer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hpfile/sink.h"
#include "hpfile/survey.h"

static int write_profile(const char *path)
{
    hpf_sink *sink = hpf_sink_to_path(path, NULL);
    if (!sink) {
        return 1;
    }
    hpf_sink_text(sink, "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for (int i = 0; i < 40000; i++) {
        hpf_sink_printf(sink, "BEGIN_SAMPLE %d.5\n", i);
        for (int k = 0; k < 10; k++) {
            hpf_sink_printf(sink, "name%d\t%d\n", (i / 1000 + k) % 25, i * k % 977);
        }
        hpf_sink_printf(sink, "END_SAMPLE %d.5\n", i);
    }
    hpf_status status = hpf_sink_finish(sink, NULL);
    hpf_sink_destroy(sink);
    return status != HPF_OK;
}

/* The sum of all amounts, or -1. */
static double total(const char *path, uint64_t parts_least_bytes)
{
    double sum = -1;
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_source_options keep = {.keep = true};
    hpf_survey_options options = {.parts_least_bytes = parts_least_bytes};
    if (hpf_source_open(&source, path, &keep, NULL) == HPF_OK &&
        hpf_survey_create(&survey, source, &options, NULL) == HPF_OK) {
        sum = hpf_survey_overview(survey)->total.sum;
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return sum;
}

int main(void)
{
    char path[] = "/tmp/census-threads-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write_profile(path)) {
        perror("cannot write a profile");
        return 1;
    }
    close(fd);
    double parts = total(path, 1);
    double whole = total(path, UINT64_MAX);
    unlink(path);
    if (parts != whole || whole <= 0) {
        printf("in parts %.17g, in one go %.17g\n", parts, whole);
        return 1;
    }
    return 0;
}
