/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Output formats. A back end is a struct of properties and functions; a new one is one file and one
 * row in the table of render/output/backend.c. Threads: back ends are constants, and write several
 * documents at a time if these use different sinks and fonts.
 */
#ifndef HPRENDER_BACKEND_H
#define HPRENDER_BACKEND_H

#include "hpfile/sink.h"
#include "hprender/scene.h"
#include "hprender/text.h"

HPF_BEGIN_DECLS

typedef struct hpr_page hpr_page;       /* page.h */
typedef struct hpr_options hpr_options; /* render.h */

typedef struct hpr_output {
    size_t size;          /* of the struct (hpfile/version.h) */
    double dpi;           /* formats of pixels: pixels per inch; 0: 144 */
    double width_px;      /* formats of pixels: image width, overrides dpi; 0: from dpi */
    const char *software; /* "heapcensus 0.1.0", for metadata */
    const char *date;     /* of creation, for metadata, as ISO 8601; NULL: the profile's */
    hpr_fonts *fonts; /* the fonts that the chart was measured with; data formats: NULL is enough */
} hpr_output;

typedef struct hpr_backend {
    const char *name;      /* as given to --format: "pdf" */
    const char *extension; /* without a dot */
    const char *summary;   /* "Portable Document Format" */
    size_t most_samples;   /* of a profile, that readers can handle: hpf_survey_options.max_drawn */
    size_t most_points;    /* of a curve, that readers of the format can handle; 0: any number */
    bool has_foreign_fonts; /* another program sets the texts, in fonts that are not known here */
    bool is_graphical; /* draws the scene; else it writes the chart as data, and `scene` is NULL */
    /* Returns the pixels per point of a picture of that width: curves are drawn to half a pixel,
     * and hpr_output.dpi and width_px apply. NULL for vectors and data. */
    double (*px_per_pt)(const hpr_output *output, double width_pt);
    /* Writes the whole document and flushes the sink, but does not finish it. For a legend or a
     * page of several charts, `chart` is NULL. Errors: from the sink; MEMORY; LIMIT for a picture
     * that is too large; UNSUPPORTED when the system has no font. */
    hpf_status (*write)(const hpr_chart *chart, const hpr_scene *scene, const hpr_output *output,
                        hpf_sink *sink, hpf_error *err);
    /* Writes several charts as data; same contract. NULL: the format can hold only one chart, or is
     * graphical: then `write` gets the scene of the page. */
    hpf_status (*write_page)(const hpr_page *page, const hpr_output *output, hpf_sink *sink,
                             hpf_error *err);
    /* Writes whole profiles, which its readers explore, instead of charts: `write` and `write_page`
     * are NULL then. `names` are shown; each may be NULL. Flushes the sink, but does not finish it.
     * Errors: from hpf_survey_series and the sink; MEMORY. */
    hpf_status (*write_profiles)(hpf_survey *const *surveys, const char *const *names, size_t n,
                                 const hpr_options *options, hpf_sink *sink, hpf_error *err);
} hpr_backend;

/* Returns the measurer for pictures in a format: widths are larger where another program sets the
 * texts. Valid as long as `fonts`. */
HPF_API hpr_measurer hpr_fonts_measurer_for(hpr_fonts *fonts, const hpr_backend *backend);

/* Return a back end by its name ("pdf"), or by the extension of a path ("x/y.pdf"); NULL if there
 * is none. Letter case does not matter. */
HPF_API const hpr_backend *hpr_backend_by_name(const char *name);
HPF_API const hpr_backend *hpr_backend_by_path(const char *path);

/* Returns all back ends in the order of --help; the last entry is NULL. */
HPF_API const hpr_backend *const *hpr_backends(void);

HPF_END_DECLS
#endif
