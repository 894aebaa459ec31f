/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiles that a collector writes, one for each file name. A process that calls exec keeps its
 * file name, and its profile is restarted.
 *
 * The collector notifies the input when it has written; there is no polling.
 */
#ifndef CENSUS_WATCH_INPUT_COLLECTOR_H
#define CENSUS_WATCH_INPUT_COLLECTOR_H

#include "hpprof/collector.h"

#include "watch/loop/watch.h"

typedef struct input_collector input_collector;

/* `with_logs`: reads the event logs, which have whole stacks, instead of the .hp files. Returns
 * NULL without memory or descriptors. */
input_collector *input_collector_create(loop *l, watch *w, bool with_logs);
/* Closes all profiles, while a collector may still notify the input. Call it before the watch is
 * destroyed. */
void input_collector_close(input_collector *in);
/* Destroys the input. No collector may use it any more. Accepts NULL. */
void input_collector_destroy(input_collector *in);

/* For hpp_collector_options.written; may be called on any thread. The context is the input. */
void input_collector_written(void *context);

/* Sets the collector whose files are read; with `recording`, the logs of processes in that file,
 * borrowed. */
void input_collector_attach(input_collector *in, const hpp_collector *collector,
                            const char *recording);

/* Reads all files of the stopped collector, and ends the profiles. */
void input_collector_end(input_collector *in);

#endif
