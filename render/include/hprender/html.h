/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interactive pages: one HTML file with profiles, style and script that needs no network; or the
 * same page without profiles, which shows the events of a server.
 *
 * docs/formats/page.md documents the data. A page holds the exact series of the largest names
 * within a budget of bytes; the sum of all other names is one more series. Threads: one at a time
 * for each survey and sink.
 */
#ifndef HPRENDER_HTML_H
#define HPRENDER_HTML_H

#include "hprender/page.h"

HPF_BEGIN_DECLS

/* What a page shows of a profile that is not in the profile, and how much of it. Texts are borrowed
 * during the call. */
typedef struct hpr_html_profile {
    size_t size;                  /* of the struct (hpfile/version.h) */
    uint32_t id;                  /* of the profile in later messages */
    uint32_t epoch;               /* changes when the profile restarts */
    const char *file;             /* name to show; NULL: none */
    const char *state;            /* "ended", "growing", "waiting" or "failed"; NULL: "ended" */
    const hpf_activity *activity; /* lanes of a growing event log; NULL: none */
    bool si_units;                /* in the notes of these lanes */
    hpr_group group;              /* of names into bands; the stacks remain those of names */
    size_t most_bytes;            /* of packed series; 0: the default, 24 MiB */
    uint32_t most_names;          /* with a series of their own; 0: any number */
    hpf_survey *const *resident;  /* HPR_N_RESIDENT surveys, or NULL for each; NULL: none */
} hpr_html_profile;

/* Writes a self-contained page of one or several profiles. `names` are shown; each may be NULL. It
 * uses the options for what is shown
 * first: bands, order, groups, percents or lines, theme, units, marks, overlay, pinned colours,
 * scale. Equal input gives equal bytes. Flushes the sink, but does not finish it. Errors: from
 * hpf_survey_series and the sink; UNSUPPORTED for a comparison without stacks; MEMORY, LIMIT. */
HPF_API HPF_MUST_USE hpf_status hpr_html_write(hpf_survey *const *surveys, const char *const *names,
                                               size_t n_profiles, const hpr_options *options,
                                               hpf_sink *sink, hpf_error *err);

/* Writes the page without profiles, which reads server-sent events from `events_url`, and lines of
 * a file of the program from below `source_url`; NULL: from nowhere. */
HPF_API HPF_MUST_USE hpf_status hpr_html_write_live(const char *events_url, const char *source_url,
                                                    const hpr_options *options, hpf_sink *sink,
                                                    hpf_error *err);

/* Writes lines of a program, by file, in the format of pages, as one line of JSON. Errors, and
 * missing memory, stay in the sink. */
HPF_API void hpr_html_sources_json(const hpr_source_line *lines, size_t n, hpf_sink *sink);

/* Writes one profile in the format of pages, as one line of JSON. Unless `chosen` is NULL, sets
 * `*chosen` to an array with an entry for each name of the survey, to be freed by the caller: the
 * position of the name in the page's list, or UINT32_MAX for names that are part of the rest.
 * Errors: as hpr_html_write; ARGUMENT. */
HPF_API HPF_MUST_USE hpf_status hpr_html_profile_json(hpf_survey *survey,
                                                      const hpr_html_profile *about, hpf_sink *sink,
                                                      uint32_t **chosen, hpf_error *err);

/* Writes lanes and messages in the format of pages, as one line of JSON. Errors: from the sink;
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_html_lanes_json(const hpf_activity *activity, bool si_units,
                                                    hpf_sink *sink, hpf_error *err);

/* Writes a name without series, as one line of JSON: `{"name":...,"colour":[...],"stack":[...]}`.
 * The name has the colour that it prefers, which other names of the profile may have. The frames of
 * its stack are given innermost first; without any, the name has the frames. Errors, and missing
 * memory, stay in the sink. */
HPF_API void hpr_html_name_json(hpf_str name, const hpf_frame *frames, size_t n_frames,
                                hpf_sink *sink);

HPF_END_DECLS
#endif
