/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.aux` file of hp2ps: ranges, order and shades of a drawing, which a later drawing can reuse
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

/* Parses the text of an `.aux` file, and copies what it needs. Errors: SYNTAX with line and column,
 * MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_auxfile_parse(hpr_auxfile **out, hpf_str text, hpf_error *err);
HPF_API void hpr_auxfile_destroy(hpr_auxfile *aux);

/* Return a range, 0 if absent; whether a name has an order or a shade, and which; and the number of
 * lines with orders and shades. The first entry of a name counts. A blank in `name` matches the '_'
 * that hpr_auxfile_write replaces it with. An order is the lowest 32 bits of the number, as in
 * hp2ps. */
HPF_API double hpr_auxfile_x_range(const hpr_auxfile *aux);
HPF_API double hpr_auxfile_y_range(const hpr_auxfile *aux);
HPF_API bool hpr_auxfile_order(const hpr_auxfile *aux, hpf_str name, int32_t *order);
HPF_API bool hpr_auxfile_shade(const hpr_auxfile *aux, hpf_str name, double *shade);
HPF_API size_t hpr_auxfile_n_orders(const hpr_auxfile *aux);
HPF_API size_t hpr_auxfile_n_shades(const hpr_auxfile *aux);

/* Writes the `.aux` text of a classic chart. Blanks in names become '_', since the format cannot
 * represent them. Does not finish the sink. */
HPF_API void hpr_auxfile_write(const hpr_chart *chart, hpf_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
