/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The back ends, one file each, for the table of backend.c.
 */
#ifndef HPR_BACKENDS_H
#define HPR_BACKENDS_H

#include "hprender/backend.h"

extern const hpr_backend hpr__backend_json;

#endif
