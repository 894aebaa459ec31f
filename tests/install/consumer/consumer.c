/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that uses the installed libraries: draws a profile, and takes an empty one.
 */
#include <stdio.h>

#include "hpprof/hpprof.h"
#include "hprender/render.h"

static hpf_status draw(hpf_survey *survey, const char *path, hpf_error *err)
{
    hpr_options options = hpr_options_default(HPR_LOOK_MODERN);
    hpr_fonts *fonts = NULL;
    hpf_sink *sink = hpf_sink_to_path(path, err);
    hpf_status status = sink ? hpr_fonts_create(&fonts, NULL, NULL, err) : err->status;
    if (status == HPF_OK) {
        hpr_output output = {.size = sizeof output, .fonts = fonts, .software = "consumer"};
        status = hpr_render(survey, &options, hpr_backend_by_path(path), &output, sink, err);
    }
    if (status == HPF_OK) {
        status = hpf_sink_finish(sink, err);
    }
    hpf_sink_destroy(sink);
    hpr_fonts_destroy(fonts);
    return status;
}

static hpf_status parse_options(hpf_error *err)
{
    hpp_options *options = hpp_options_create();
    hpf_status status = hpp_options_parse(options, HPF_STR("-hc -i0.5"), err);
    hpp_options_destroy(options);
    return status;
}

int main(int argc, char **argv)
{
    hpf_error err = {0};
    hpf_source *source = NULL;
    hpf_survey *survey = NULL;
    hpf_source_options keep = {.size = sizeof keep, .keep = true};
    hpf_status status =
        argc == 3 ? hpf_source_open(&source, argv[1], &keep, &err) : HPF_ERR_ARGUMENT;
    if (status == HPF_OK) {
        status = hpf_survey_create(&survey, source, NULL, &err);
    }
    if (status == HPF_OK) {
        status = draw(survey, argv[2], &err);
    }
    if (status == HPF_OK) {
        status = parse_options(&err);
    }
    if (status != HPF_OK) {
        fprintf(stderr, "%s: %s\n", hpf_status_name(status), err.message);
    }
    hpf_survey_destroy(survey);
    hpf_source_destroy(source);
    return status == HPF_OK ? 0 : 1;
}
