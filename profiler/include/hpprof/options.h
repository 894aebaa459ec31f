/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options of a profile, in the syntax of GHC's run-time system.
 *
 * The program passes them as a text, for example the value of an environment variable; the library
 * itself does not read the environment.
 *
 *   -h -hc -hm -hd -hy -hr -hb -hT
 *                 break-down of the heap profile, at most one. -h is -hc, which is also the default
 *                 with restrictions; -hR is -hr, and -hL is -hb
 *   -hcN,N -hmN,N -hdN,N -hyN,N -hrN,N -hbN,N -hTN,N
 *                 restriction to objects whose cost centre, module, description, type, retainers,
 *                 biography or kind is one of the names
 *   --savings     break-down of objects in lag, drag or void by phase, producer and retainers at
 *                 once: what is kept without being used, for `census report --savings`
 *   -hCN,N        restriction to objects with one of the cost centres anywhere in their stack
 *   -iS           seconds between censuses (0.1; 0: as often as possible)
 *   -LN -RN       longest name of a stack in bytes (25); largest retainer set (8)
 *   --retainer-by stack|module|description|type|kind|info
 *                 what identifies a retainer; info: its info table (stack)
 *   --is-retainer flagged|all|roots|PART:NAME,NAME
 *                 which objects are retainers: objects that the runtime flags, such as thunks and
 *                 mutable objects; all; only roots; those whose stack (innermost cost centre),
 *                 module, description, type or kind is one of the names (flagged)
 *                 Both may have several choices, separated by commas (PART:NAME,NAME last). The
 *                 first of each is the profile's own; NAME.prof compares the visits, sets and
 *                 time of all combinations, on the same heaps
 *   --count       count objects, not bytes; not with -l, because event logs hold bytes
 *   --life-times  with -hb: how long the objects of each producer are lag, use, drag and void:
 *                 PROGRAM.lives.hp, for `census report --life-times` (only with runtime.h)
 *   --life NAME   record when the first object with this description is created, first and last
 *                 used, and destroyed: PROGRAM.life.hp, to be drawn (only with runtime.h)
 *   --snapshot largest|last|oom
 *                 write NAME.heapsnapshot, the objects and references of the census with most live
 *                 bytes (the file is replaced by a census that has 2 % more), or of the last one;
 *                 named by description, or with -hy by type; oom: only `census run`
 *   -xt           count threads and their stacks
 *   -xc           print the cost-centre stack when the program aborts
 *   -p -P -pa -pj time and allocation report: plain, with ticks and bytes, with everything, JSON
 *   -Bt -Bh -B    ticks by address: NAME.time.bins; allocation by address: NAME.heap.bins; both
 *   -VS           seconds between clock ticks (0.001; 0: no clock)
 *   -l            also write the heap profile as an event log, NAME.eventlog, with whole stacks
 *                 (-hc unless another break-down is given), and with -p the ticks. Letters after it
 *                 add what a runtime reports (log.h): s threads and tasks, g collections, p counts
 *                 of sparks, u messages and marks (these four are the default), f each spark, n the
 *                 heap that does not move, T ticky counters, a all; after a minus, they leave it
 *                 out: -la-g
 *   -oNAME        write NAME.hp, NAME.prof (also -poNAME)
 *   +RTS, -RTS    ignored
 *
 * Options are separated by blanks; the value of a long option by a blank or "=". A list may be in
 * braces. In names, write blanks, commas, quotes and backslashes after a backslash or inside double
 * quotes.
 */
#ifndef HPPROF_OPTIONS_H
#define HPPROF_OPTIONS_H

#include "hpprof/census_types.h"

HPF_BEGIN_DECLS

typedef struct hpf_arena hpf_arena; /* private to the library */

typedef enum hpp_report {
    HPP_REPORT_NONE,
    HPP_REPORT_PLAIN,   /* -p */
    HPP_REPORT_VERBOSE, /* -P: ticks and bytes too */
    HPP_REPORT_ALL,     /* -pa: every cost centre, used or not */
    HPP_REPORT_JSON,    /* -pj */
} hpp_report;

typedef enum hpp_snapshot_when {
    HPP_SNAPSHOT_NEVER,
    HPP_SNAPSHOT_LARGEST,
    HPP_SNAPSHOT_LAST,
    HPP_SNAPSHOT_OOM, /* when nine tenths of a limit of memory are used; only collector.h */
} hpp_snapshot_when;

/* What of a runtime's reports an event log contains. */
enum {
    HPP_LOG_SCHEDULER = 1u << 0,
    HPP_LOG_GC = 1u << 1,
    HPP_LOG_NONMOVING = 1u << 2,
    HPP_LOG_SPARK_COUNTS = 1u << 3,
    HPP_LOG_SPARKS = 1u << 4,
    HPP_LOG_USER = 1u << 5,
    HPP_LOG_TICKY = 1u << 6,
};

/* hpp_options_create creates them; their members may be set before a profile starts. */
typedef struct hpp_options {
    bool with_census;           /* an -h option was given */
    hpp_census_options *census; /* -h..., -L, -R, -xt, --...; the rest is set by the caller */
    uint64_t interval_ns;       /* -i */
    uint64_t rate_bytes;        /* of a native program: mean number of bytes between sampled blocks
                                   (hpfile/margin.h), until they cost too much; 0: all blocks are
                                   counted */
    hpp_report report;          /* -p... */
    uint64_t tick_ns;           /* -V */
    bool print_on_abort;        /* -xc */
    bool time_bins, heap_bins;  /* -Bt, -Bh; both: -B */
    bool with_eventlog;         /* -l; implies with_census */
    uint32_t log_classes;       /* HPP_LOG_ values, after -l */
    hpp_snapshot_when snapshot; /* --snapshot; implies with_census unless NEVER */
    const char *life_of;        /* --life; NULL: no object is followed */
    const char *stem;           /* -o; NULL: the program's name */
    const hpf_str *words;       /* the options as given, for the titles of profiles */
    size_t n_words;
    hpf_arena *memory;  /* owns all of this */
    bool with_resident; /* of native programs: what the resident set is made of */
} hpp_options;

/* Creates options with their defaults, which contain no profile. Returns NULL without memory, which
 * the functions below accept. */
HPF_API hpp_options *hpp_options_create(void);
HPF_API void hpp_options_destroy(hpp_options *options);

/* Parses `text` and adds its options to the existing ones, which it overrides. A failure leaves the
 * options unchanged. Errors: ARGUMENT, with line 1 and the column in the text; MEMORY. */
HPF_API HPF_MUST_USE hpf_status hpp_options_parse(hpp_options *options, hpf_str text,
                                                  hpf_error *err);

/* Adds one option with its argument, in which blanks do not end it: "-hc", "f,g". A break-down
 * joins those that were added before. Errors: as hpp_options_parse. */
HPF_API HPF_MUST_USE hpf_status hpp_options_add(hpp_options *options, const char *option,
                                                const char *argument, hpf_error *err);

HPF_END_DECLS
#endif
