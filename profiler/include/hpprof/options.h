/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What to profile and how, as options that read like those of GHC's run-time system.
 *
 * One parser serves a program that embeds the profiler (a text) and a host that hands over what its
 * user put into HPP_OPTIONS. The library itself reads no environment.
 *
 *   -h -hc -hm -hd -hy -hr -hb -hT   breakdown of the heap profile; at most one (-h is -hc, which
 *                 is also meant when there are only restrictions)
 *   -hcN,N -hmN,N -hdN,N -hyN,N -hrN,N -hbN,N -hTN,N   restriction: only objects whose cost centre,
 *                 module, description, type, retainers, biography, kind is one of the names
 *   -hCN,N        only objects with one of the cost centres anywhere in their stack
 *   -iS           seconds between censuses (0.1; 0: whenever the host can take one)
 *   -LN -RN       longest name of a stack in bytes (25); largest retainer set (8)
 *   -xt           count the memory of threads and their stacks
 *   -xc           print the cost-centre stack when the program aborts
 *   -p -P -pa -pj time and allocation report: plain, with ticks and bytes, with everything, JSON
 *   -B            count ticks and allocation by address too: NAME.time.bins, NAME.heap.bins
 *   -VS           seconds between clock ticks (0.001; 0: no clock)
 *   -l            the heap profile as an event log too, NAME.eventlog, with whole stacks; without
 *                 another option, that of -hc
 *   -oNAME        output goes to NAME.hp, NAME.prof (also -poNAME)
 *   +RTS, -RTS    ignored
 *
 * Options are separated by blanks. A list may stand in braces. Blanks, commas, quotes and
 * backslashes in names are written with a backslash before them, or inside double quotes.
 */
#ifndef HPPROF_OPTIONS_H
#define HPPROF_OPTIONS_H

#include "hpfile/arena.h"
#include "hpprof/census_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hpp_report {
    HPP_REPORT_NONE,
    HPP_REPORT_PLAIN,   /* -p */
    HPP_REPORT_VERBOSE, /* -P: ticks and bytes too */
    HPP_REPORT_ALL,     /* -pa: every cost centre, used or not */
    HPP_REPORT_JSON,    /* -pj */
} hpp_report;

typedef struct hpp_options {
    bool with_census;          /* there is a heap profile: an -h option was given */
    hpp_census_options census; /* -h..., -L, -R, -xt; the rest is the host's */
    uint64_t interval_ns;      /* -i */
    hpp_report report;         /* -p... */
    uint64_t tick_ns;          /* -V */
    bool print_on_abort;       /* -xc */
    bool with_bins;            /* -B */
    bool with_eventlog;        /* -l; with_census is set, too */
    const char *stem;          /* -o; NULL: the program's name */
    const hpf_str *words;      /* the options as given, for the titles of profiles */
    size_t n_words;
    hpf_arena *memory; /* owns all of the above */
} hpp_options;

/* Defaults: no profile at all. `finish` accepts zeroed options. */
HPF_API void hpp_options_init(hpp_options *options);
HPF_API void hpp_options_finish(hpp_options *options);

/* Adds the options of `text` to those there; of two that exclude each other the later text wins.
 * After a failure the options are as before. Errors: ARGUMENT, with the place in the text as line 1
 * and a column; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpp_options_parse(hpp_options *options, hpf_str text,
                                                  hpf_error *err);

#ifdef __cplusplus
}
#endif
#endif
