/* SPDX-License-Identifier: BSD-2-Clause
 *
 * PostScript, EPS and PDF by cairo, for scenes with texts that Pango must set or with fonts that
 * backend_pdf.c and backend_ps.c do not embed. Those two serve all other scenes: cairo takes a
 * microsecond for each number that it prints, and a profile of a hundred megabytes has a million.
 */
#ifndef HPRENDER_CAIRO_VECTOR_H
#define HPRENDER_CAIRO_VECTOR_H

#include "hprender/backend.h"

HPF_MUST_USE hpf_status hpr__cairo_postscript(const hpr_scene *scene, const hpr_output *output,
                                              bool is_eps, hpf_sink *sink, hpf_error *err);

HPF_MUST_USE hpf_status hpr__cairo_pdf(const hpr_scene *scene, const hpr_output *output,
                                       hpf_sink *sink, hpf_error *err);

#endif
