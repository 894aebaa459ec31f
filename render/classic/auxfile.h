/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What an `.aux` file says.
 */
#ifndef HPR_CLASSIC_AUXFILE_H
#define HPR_CLASSIC_AUXFILE_H

#include "hprender/auxfile.h"

/* Return a range, 0 if absent; whether a name has an order or a shade, and which; and the number of
 * lines with orders and shades. The first entry of a name counts. A blank in `name` matches the '_'
 * that hpr_auxfile_write replaces it with. An order is the lowest 32 bits of the number, as in
 * hp2ps. */
double hpr__auxfile_x_range(const hpr_auxfile *aux);
double hpr__auxfile_y_range(const hpr_auxfile *aux);
bool hpr__auxfile_order(const hpr_auxfile *aux, hpf_str name, int32_t *order);
bool hpr__auxfile_shade(const hpr_auxfile *aux, hpf_str name, double *shade);
size_t hpr__auxfile_n_orders(const hpr_auxfile *aux);
size_t hpr__auxfile_n_shades(const hpr_auxfile *aux);

#endif
