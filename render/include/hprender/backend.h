/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Output formats. A back end is a struct of functions; adding one means one file and one line in
 * the table of backend.c.
 */
#ifndef HPRENDER_BACKEND_H
#define HPRENDER_BACKEND_H

#include "hpfile/sink.h"
#include "hprender/scene.h"
#include "hprender/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpr_page hpr_page; /* page.h */

typedef struct hpr_output {
    double dpi;           /* PNG: pixels per inch; 0: 144 */
    double width_px;      /* PNG: image width, overrides dpi; 0: from dpi */
    const char *software; /* "heapcensus 0.1.0", for metadata */
    const char *date;     /* of the document's creation, for metadata, as ISO 8601; NULL: the
                             profile's */
    hpr_fonts *fonts;     /* those that the chart was measured with; JSON needs none */
} hpr_output;

typedef struct hpr_backend {
    const char *name;       /* of --format: "pdf" */
    const char *extension;  /* without a dot */
    const char *summary;    /* "Portable Document Format" */
    size_t most_points;     /* points of a curve that readers of the format bear; 0: any number */
    bool has_foreign_fonts; /* texts are set by others, in their own fonts */
    bool is_graphical; /* draws the scene; else it writes the chart as data, and `scene` is NULL */
    /* Returns the pixels per point of a picture of that width: curves are drawn to half a pixel,
     * and hpr_output.dpi and width_px apply. NULL for vectors and data. */
    double (*px_per_pt)(const hpr_output *output, double width_pt);
    /* Writes the whole document. The sink is flushed, not finished. Errors: those of the sink;
     * MEMORY; LIMIT for a picture that is too large; ARGUMENT for a font file that cannot be used;
     * UNSUPPORTED when the system has no font. */
    hpf_status (*write)(const hpr_chart *chart, const hpr_scene *scene, const hpr_output *output,
                        hpf_sink *sink, hpf_error *err);
    /* The same for several charts on a page, for back ends that write data. NULL: the format has
     * room for one; graphical ones write the page's scene. */
    hpf_status (*write_page)(const hpr_page *page, const hpr_output *output, hpf_sink *sink,
                             hpf_error *err);
} hpr_backend;

/* The measurer for pictures in a format: where another program sets the texts, in fonts that are
 * not known, it leaves room for wider ones. */
HPF_API hpr_measurer hpr_fonts_measurer_for(hpr_fonts *fonts, const hpr_backend *backend);

/* By name ("pdf") or by the extension of a path ("x/y.pdf"); NULL if there is none. */
HPF_API const hpr_backend *hpr_backend_by_name(const char *name);
HPF_API const hpr_backend *hpr_backend_by_path(const char *path);

/* All back ends, in the order of --help; ends with a NULL entry. */
HPF_API const hpr_backend *const *hpr_backends(void);

#ifdef __cplusplus
}
#endif
#endif
