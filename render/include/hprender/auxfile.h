/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `.aux` file of hp2ps: ranges, order and shades of a drawing, which a later drawing can reuse
 * (docs/formats/auxfile.md).
 */
#ifndef HPRENDER_AUXFILE_H
#define HPRENDER_AUXFILE_H

#include "hpfile/sink.h"
#include "hprender/chart.h"

HPF_BEGIN_DECLS

typedef struct hpr_auxfile hpr_auxfile;

/* Parses the text of an `.aux` file, and copies the needed parts. Errors: SYNTAX with line and
 * column, MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpr_auxfile_parse(hpr_auxfile **out, hpf_str text, hpf_error *err);
HPF_API void hpr_auxfile_destroy(hpr_auxfile *aux);

/* Writes the `.aux` text of a classic chart. Blanks in names become '_', since the format cannot
 * represent them. Does not finish the sink. */
HPF_API void hpr_auxfile_write(const hpr_chart *chart, hpf_sink *sink);

HPF_END_DECLS
#endif
