/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Event logs made up by tests, record by record.
 */
#ifndef CENSUS_TESTS_LOG_BUILD_H
#define CENSUS_TESTS_LOG_BUILD_H

#include "hpfile/sink.h"

/* Starts a log: the magic, and a declaration of each type that GHC 9.2 has among those below, with
 * the true sizes. `but` is left out (0: none). */
void log_begin(hpf_sink *log, unsigned but);

/* One more declaration, and the end of the header. */
void log_declare(hpf_sink *log, unsigned id, int n_bytes, const char *description);
void log_end_header(hpf_sink *log);

/* A record. Each letter of `layout` takes an argument: 1 2 4 8 an unsigned long long, which is
 * written in so many bytes; s a text with its NUL, t one without. The length of variable records is
 * put in. */
void log_put(hpf_sink *log, unsigned id, unsigned long long time_ns, const char *layout, ...);

/* The end marker. */
void log_end(hpf_sink *log);

/* A small log of everything: two capabilities, cost centres, two samples, markers, sizes. */
void log_put_example(hpf_sink *log);

#endif
