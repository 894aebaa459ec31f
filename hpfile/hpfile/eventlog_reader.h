/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the heap profile of a log needs from its records' reader beside the public interface.
 */
#ifndef HPF_EVENTLOG_READER_H
#define HPF_EVENTLOG_READER_H

#include "hpfile/eventlog.h"

/* Forgets an unfinished record, the place and any error, keeps the types, and sends records to
 * another consumer. The bytes fed next begin a record or the whole log; nothing is counted. */
void hpf__eventlog_revisit(hpf_eventlog *log);

/* Whether the header declares this type. */
bool hpf__eventlog_declares(const hpf_eventlog *log, uint16_t id);

#endif
