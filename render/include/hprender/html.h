/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interactive pages: one file of HTML that holds profiles, style and script, and asks the network
 * for nothing; or the same page without profiles, which shows what a server sends.
 *
 * What the script reads is documented in docs/formats/page.md. A page holds the series of the
 * largest names, exactly, within a budget of bytes; all smaller ones are one series together.
 */
#ifndef HPRENDER_HTML_H
#define HPRENDER_HTML_H

#include "hprender/page.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a page says of a profile beside what is in it. Texts are borrowed during the call. */
typedef struct hpr_html_profile {
    uint32_t id;       /* by which later messages call it */
    uint32_t epoch;    /* another one when it began anew */
    const char *file;  /* where it comes from, for people; NULL: nowhere */
    const char *state; /* "ended", "growing", "waiting" or "failed"; NULL: "ended" */
} hpr_html_profile;

typedef struct hpr_html_limits {
    size_t most_bytes;   /* of packed series; 0: the default, 24 MiB */
    uint32_t most_names; /* with a series of their own; 0: any number */
} hpr_html_limits;

/* Writes a self-contained page of one or several profiles. Of the options those that say what is
 * shown first: bands, order, grouping, percents or lines, theme, units, marks, overlay, pins,
 * scale. Equal input gives equal bytes. The sink is flushed, not finished. Errors: those of
 * hpf_survey_series; MEMORY; those of the sink. */
HPF_API HPF_MUST_USE hpf_status hpr_html_write(hpf_survey *const *surveys,
                                               const hpr_html_profile *about, size_t n_profiles,
                                               const hpr_page_options *options, hpf_sink *sink,
                                               hpf_error *err);

/* Writes the same page without profiles: it opens `events_url`, which sends server-sent events. */
HPF_API HPF_MUST_USE hpf_status hpr_html_write_live(const char *events_url,
                                                    const hpr_options *options, hpf_sink *sink,
                                                    hpf_error *err);

/* Writes one profile as pages read it: a JSON text in one line. `*chosen`, unless `chosen` is NULL,
 * becomes an array by name, to be freed by the caller: the name's place in the page's list, or
 * UINT32_MAX for names that share the rest. Errors: as hpr_html_write. */
HPF_API HPF_MUST_USE hpf_status hpr_html_profile_json(hpf_survey *survey,
                                                      const hpr_html_profile *about,
                                                      const hpr_html_limits *limits, hpf_sink *sink,
                                                      uint32_t **chosen, hpf_error *err);

/* Writes names as a page's list has them, without series: `[{"name":...,"colour":[...]},...]`, in
 * one line. A name has the same colours here and in hpr_html_profile_json. */
HPF_API void hpr_html_names_json(const hpf_str *names, size_t n, hpf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
