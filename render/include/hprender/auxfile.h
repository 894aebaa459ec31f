/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.aux` file of hp2ps: ranges, order and shades of a drawing, for the next one to match
 * (docs/formats/auxfile.md).
 */
#ifndef HPRENDER_AUXFILE_H
#define HPRENDER_AUXFILE_H

#include "hpfile/sink.h"
#include "hprender/chart.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hpr_auxfile hpr_auxfile;

/* Reads the text of an `.aux` file; nothing is borrowed. Errors: SYNTAX with line and column,
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_auxfile_parse(hpr_auxfile **out, hpf_str text, hpf_error *err);
HPF_API void hpr_auxfile_destroy(hpr_auxfile *aux);

/* Lookups; the first entry of a name counts. The ranges are 0 when absent. A blank in `name` is the
 * '_' that hpr_auxfile_write puts in its place. An order is the number's lowest 32 bits, as hp2ps
 * takes it. The counts are those of the lines, repeated names included. */
HPF_API double hpr_auxfile_x_range(const hpr_auxfile *aux);
HPF_API double hpr_auxfile_y_range(const hpr_auxfile *aux);
HPF_API bool hpr_auxfile_order(const hpr_auxfile *aux, hpf_str name, int32_t *order);
HPF_API bool hpr_auxfile_shade(const hpr_auxfile *aux, hpf_str name, double *shade);
HPF_API size_t hpr_auxfile_n_orders(const hpr_auxfile *aux);
HPF_API size_t hpr_auxfile_n_shades(const hpr_auxfile *aux);

/* Writes the `.aux` text that belongs to a classic chart. Blanks in names become '_': the format
 * has no way to write them. The sink is not finished. */
HPF_API void hpr_auxfile_write(const hpr_chart *chart, hpf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
