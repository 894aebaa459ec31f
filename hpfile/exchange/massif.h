/* SPDX-License-Identifier: BSD-2-Clause
 *
 * massif.out, the file of Valgrind's heap profiler.
 */
#ifndef HPF_MASSIF_H
#define HPF_MASSIF_H

#include "event/format_row.h"

bool hpf__massif_is_format(hpf_str head);
hpf_status hpf__massif_read(hpf_source *source, const hpf_events *events, void *context,
                            const hpf_reader_options *options, hpf_error *err);

#endif
