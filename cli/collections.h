/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census plot --gc: the collections of an event log.
 */
#ifndef CENSUS_COLLECTIONS_H
#define CENSUS_COLLECTIONS_H

#include "hpfile/eventlog_gc.h"

#include "input.h"

/* Reads the log once more for its collections, in the order of time; `out` is zeroed, and to be
 * finished in any case. False: a message was printed. */
bool collections_read(const input *in, hpf_eventlog_gc *out);

#endif
