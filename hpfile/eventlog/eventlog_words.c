/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of the GHC user's guide and of the run-time system's EventLogFormat.h; breakdowns have
 * their flags.
 */
#include "event/breakdown.h"
#include "eventlog/eventlog_words.h"

#include "eventlog/eventlog_tags.h"
#include "hpfile/str.h"

static const char *stop_status(uint64_t status)
{
    static const char *const words[] = {
        [1] = "HeapOverflow",     [2] = "StackOverflow",        [3] = "ThreadYielding",
        [4] = "ThreadBlocked",    [5] = "ThreadFinished",       [6] = "ForeignCall",
        [7] = "BlockedOnMVar",    [8] = "BlockedOnBlackHole",   [9] = "BlockedOnRead",
        [10] = "BlockedOnWrite",  [11] = "BlockedOnDelay",      [12] = "BlockedOnSTM",
        [13] = "BlockedOnDoProc", [16] = "BlockedOnMsgThrowTo",
    };
    return status < sizeof words / sizeof *words ? words[status] : NULL;
}

static const char *capset_type(uint64_t type)
{
    static const char *const words[] = {NULL, "Custom", "OsProcess", "ClockDomain"};
    return type < sizeof words / sizeof *words ? words[type] : NULL;
}

const char *hpf__event_word(uint16_t type, const hpf_event_field *field)
{
    if (type == HPF__EVENT_STOP_THREAD && hpf_str_is(field->name, "status")) {
        return stop_status(field->number);
    }
    if (type == HPF__EVENT_CAPSET_CREATE && hpf_str_is(field->name, "type")) {
        return capset_type(field->number);
    }
    if (type == HPF__EVENT_HEAP_PROF_BEGIN && hpf_str_is(field->name, "breakdown")) {
        return hpf_breakdown_flag((hpf_breakdown)field->number);
    }
    return NULL;
}
