/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A page: the embedded files with data between them.
 */
#include "hprender/html.h"

#include "html/html_page.h"
#include "html/html_profile.h"

static void put_piece(hpf_sink *sink, int which)
{
    hpf_sink_write(sink, hpr__html_pieces[which].bytes, hpr__html_pieces[which].n_bytes);
}

/* All up to the list of profiles. */
static hpf_json begin(const char *events_url, const hpr_page_options *options, hpf_sink *sink)
{
    put_piece(sink, 0);
    hpf_sink_text(sink, events_url ? "'self'" : "'none'");
    put_piece(sink, 1);
    hpf_json json = hpf_json_begin_line(sink);
    hpf_json_object(&json, NULL);
    hpf_json_whole(&json, "version", 1);
    hpf_json_text(&json, "events", events_url);
    hpr__html_look(&json);
    hpr__html_view(&json, options);
    hpf_json_array(&json, "profiles");
    return json;
}

static hpf_status end(hpf_json *json, hpf_sink *sink, hpf_error *err)
{
    hpf_json_end(json);
    put_piece(sink, 2);
    return hpf_sink_flush(sink, err);
}

hpf_status hpr_html_write(hpf_survey *const *surveys, const hpr_html_profile *about,
                          size_t n_profiles, const hpr_page_options *options, hpf_sink *sink,
                          hpf_error *err)
{
    const hpr_html_limits limits = {.most_bytes =
                                        HPR__HTML_MOST_BYTES / (n_profiles ? n_profiles : 1)};
    hpf_json json = begin(NULL, options, sink);
    for (size_t i = 0; i < n_profiles; i++) {
        hpf_status status =
            hpr__html_profile(&json, surveys[i], &about[i], &limits, &options->chart, NULL, err);
        if (status) {
            return status;
        }
    }
    return end(&json, sink, err);
}

hpf_status hpr_html_write_live(const char *events_url, const hpr_options *options, hpf_sink *sink,
                               hpf_error *err)
{
    const hpr_page_options alone = {.chart = *options};
    hpf_json json = begin(events_url, &alone, sink);
    return end(&json, sink, err);
}
