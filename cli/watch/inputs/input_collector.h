/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiles that a collector is writing, one for each name of files: a process that becomes
 * another program by exec keeps its name, and its profile begins anew.
 *
 * The collector says when it has written; nothing is looked for meanwhile.
 */
#ifndef CENSUS_WATCH_INPUT_COLLECTOR_H
#define CENSUS_WATCH_INPUT_COLLECTOR_H

#include "hpprof/collector.h"

#include "watch/loop/watch.h"

typedef struct input_collector input_collector;

/* NULL when there is no memory or no descriptor. */
input_collector *input_collector_create(loop *l, watch *w);
/* Watches nothing any more, while a collector may go on telling: before the watch is destroyed. */
void input_collector_close(input_collector *in);
/* When no collector tells it any more. NULL is no mistake. */
void input_collector_destroy(input_collector *in);

/* For hpp_collector_options.written, on any thread; the context is the input. */
void input_collector_written(void *context);

/* Whose files are watched. Before this, nothing is. */
void input_collector_attach(input_collector *in, const hpp_collector *collector);

/* The collector has stopped: all that it has written is taken, and the profiles end. */
void input_collector_end(input_collector *in);

#endif
