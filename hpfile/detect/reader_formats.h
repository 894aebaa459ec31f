/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The readers behind a reader, for what only one format can do.
 */
#ifndef HPF_READER_FORMATS_H
#define HPF_READER_FORMATS_H

#include "hp/hp_reader.h"
#include "eventlog/eventlog_heap.h"

/* The reader of `.hp` text, which it becomes if the format is not known yet; NULL when it is an
 * event log or there is no memory. */
hpf__hp_reader *hpf__reader_hp(hpf_reader *reader);

/* The reader of an event log, or NULL. */
hpf__log_heap *hpf__reader_log(const hpf_reader *reader);

#endif
