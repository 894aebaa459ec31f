/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells of tables, for other tables than profiles.
 */
#ifndef HPF_CSV_H
#define HPF_CSV_H

#include "hpfile/csv.h"

/* Writes one text as a cell: quoted, with quotes inside doubled, the other bytes as they are. */
HPF_API void hpf_csv_text(hpf_sink *sink, hpf_str text);

#endif
