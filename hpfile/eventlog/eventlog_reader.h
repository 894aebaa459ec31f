/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What only the readers of heap profiles and of totals need: functions of the reader of records,
 * and the numbers of records with changes.
 */
#ifndef HPF_EVENTLOG_READER_H
#define HPF_EVENTLOG_READER_H

#include "hpfile/eventlog.h"

/* Prepares the second pass: discards an incomplete record, the offset and any error, and keeps the
 * types. The next bytes begin a record or the whole log. The counts of the first pass remain.
 */
void hpf__eventlog_revisit(hpf_eventlog *log);

typedef struct hpf__eventlog_taken {
    uint64_t n_records;
    const char *last; /* the begin of the last of them, if there are any */
} hpf__eventlog_taken;

/* A consumer of a run of records at once. [p, end) begins with a record of a wanted type, perhaps
 * incomplete, at `offset` of the input. Consumes any number of records of that type, stores which,
 * and returns the end of the last; the reader handles the next one. */
typedef const char *hpf__eventlog_run(void *context, const char *p, const char *end,
                                      uint64_t offset, hpf__eventlog_taken *taken);

/* Sends records of these types, if they are wanted and of variable length, to `run` first. `ids` is
 * borrowed for the reader's life. */
void hpf__eventlog_set_run(hpf_eventlog *log, hpf__eventlog_run *run, const uint16_t *ids,
                           size_t n_ids);

/* Returns the number of complete blocks that are not empty. */
uint64_t hpf__eventlog_n_blocks(const hpf_eventlog *log);

/* Returns whether the header declares this type. */
bool hpf__eventlog_declares(const hpf_eventlog *log, uint16_t id);

/* Cut a number, or a difference modulo 2^64, from the begin of a text, as hpf__log_put_groups and
 * hpf__log_put_change write them. Return false if the text ends before. */
bool hpf__eventlog_cut_groups(hpf_str *from, uint64_t *number);
bool hpf__eventlog_cut_change(hpf_str *from, uint64_t *change);

#endif
