/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the heap profile of a log needs from its records' reader beside the public interface.
 */
#ifndef HPF_EVENTLOG_READER_H
#define HPF_EVENTLOG_READER_H

#include "hpfile/eventlog.h"

/* Forgets an unfinished record, the place and any error, keeps the types, and sends records to
 * another consumer. The bytes fed next begin a record or the whole log. What the reader tells of
 * the log is what the first reading found, to the end. */
void hpf__eventlog_revisit(hpf_eventlog *log);

typedef struct hpf__eventlog_taken {
    uint64_t n_records;
    const char *last; /* the begin of the last of them, if there are any */
} hpf__eventlog_taken;

/* A consumer that takes records in a row faster than one by one. [p, end) begins with a record of a
 * wanted type, maybe not all there, at `offset` of the input. Takes as many of that type as it
 * likes, tells which, and returns the end of the last; the next one goes the usual way, to the
 * visitor. Of their times the reader knows the last, which is the latest. */
typedef const char *hpf__eventlog_run(void *context, const char *p, const char *end,
                                      uint64_t offset, hpf__eventlog_taken *taken);

/* Records of these types, if wanted and if they tell their own length, go to `run` first. `ids` is
 * borrowed for the reader's life. */
void hpf__eventlog_set_run(hpf_eventlog *log, hpf__eventlog_run *run, const uint16_t *ids,
                           size_t n_ids);

/* Blocks that were read to their end and have something in them. */
uint64_t hpf__eventlog_n_blocks(const hpf_eventlog *log);

/* Whether the header declares this type. */
bool hpf__eventlog_declares(const hpf_eventlog *log, uint16_t id);

#endif
