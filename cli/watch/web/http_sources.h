/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a program for pages of growing profiles, read when a page asks for it.
 *
 * A page asks for a file as the places of a profile name it, in hexadecimal. The text is compared
 * with those names, and never used as a path; what is read is in the folder of --source
 * (source_folder.h), and only lines near places of the profile are sent.
 */
#ifndef CENSUS_WATCH_HTTP_SOURCES_H
#define CENSUS_WATCH_HTTP_SOURCES_H

#include "hpfile/sink.h"

#include "hpfile/text_folder.h"
#include "text/text_costs.h"
#include "watch/loop/watch.h"

/* The places of one profile. All zero: none yet. */
typedef struct http_sources {
    uint32_t epoch;     /* of the profile that the names are of */
    hpf_name n_names;   /* of the profile that were read */
    hpf_name n_calls;   /* of watched_calls, too */
    hpf__intern places; /* each once */
    hpf_text_costs table;
} http_sources;

/* Writes the lines of a file near its places among the first `n_names` names of a profile, in the
 * format of pages: an empty list if there are none. `hex` is the name of the file. Returns false
 * for invalid text, and without memory. */
bool http_sources_write(http_sources *sources, const watched *profile, hpf_name n_names,
                        const hpf_text_folder *folder, const char *hex, hpf_sink *sink);
void http_sources_finish(http_sources *sources);

#endif
