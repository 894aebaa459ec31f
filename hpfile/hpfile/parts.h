/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The first pass over a large file in four parts at once, each by a thread of its own.
 */
#ifndef HPF_PARTS_H
#define HPF_PARTS_H

#include "hp_reader.h"
#include "tally.h"

typedef void hpf__progress(void *context, uint64_t read_bytes, uint64_t all_bytes);

/* A plain file of at least `least_bytes` is read so; of others nothing is read here.
 * Feeds reader and tally from the source as far as reading in parts is possible: to the end, or,
 * where the parts do not fit together (a string that holds a line END_SAMPLE, say), up to the first
 * bad joint. Afterwards the caller reads on from the source, which stands where the reader does. */
hpf_status hpf__parts_read(hpf__hp_reader *reader, hpf__tally *tally, hpf_source *source,
                           uint64_t least_bytes, hpf__progress *progress, void *progress_context,
                           hpf_error *err);

#endif
