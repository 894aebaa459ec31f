/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of a reader that only this library uses.
 */
#ifndef HPF_READER_H
#define HPF_READER_H

#include "eventlog/eventlog_heap.h"
#include "hpfile/reader.h"

/* Returns the reader of an event log, or NULL when the input is not one, or not yet known. */
hpf__eventlog_heap *hpf__reader_log(const hpf_reader *reader);

#endif
