/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Words for numbers in records.
 */
#ifndef HPF_EVENTLOG_WORDS_H
#define HPF_EVENTLOG_WORDS_H

#include "eventlog/eventlog.h"

/* GHC's word for the number of a field in a record of the type, or NULL. Static. */
const char *hpf__event_word(uint16_t type, const hpf_event_field *field);

#endif
