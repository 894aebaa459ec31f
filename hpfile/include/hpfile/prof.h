/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `.prof` reports, as GHC's run-time system lays them out (docs/formats/prof.md): the time and
 * allocation profile by cost centre and by cost-centre stack, as text and as JSON, and the report
 * of retainer profiling.
 */
#ifndef HPFILE_PROF_H
#define HPFILE_PROF_H

#include "hpfile/sink.h"
#include "hpfile/source.h"

HPF_BEGIN_DECLS

/* A cost centre. */
typedef struct hpf_prof_centre {
    hpf_str label;
    hpf_str module;
    hpf_str srcloc;
    uint64_t id; /* shown in JSON */
    bool is_caf;
    bool is_hidden; /* kept out of totals, and shown only in full detail: GC, SYSTEM, ... */
} hpf_prof_centre;

#define HPF_PROF_NO_PARENT UINT32_MAX

/* A cost-centre stack: `centre_index` on top of the stack `parent_index`. Costs are its own. */
typedef struct hpf_prof_stack {
    uint32_t centre_index;
    uint32_t parent_index; /* less than its own index; HPF_PROF_NO_PARENT for the first, the root */
    uint64_t id;           /* "no." */
    uint64_t entries;
    uint64_t ticks;
    uint64_t allocated_bytes;
} hpf_prof_stack;

/* A time and allocation profile. Everything is borrowed. */
typedef struct hpf_prof {
    hpf_str date; /* "Sat Nov 21 02:07 2026" */
    hpf_str program;
    hpf_str command;        /* the program as it was called; shown in JSON */
    const hpf_str *options; /* of the profiler: between +RTS and -RTS */
    size_t n_options;
    const hpf_str *arguments; /* of the program, without its name */
    size_t n_arguments;
    uint64_t tick_us;      /* microseconds from tick to tick */
    bool without_entries;  /* entries were not counted: their column stays empty, in JSON they are 0
                            */
    uint32_t n_processors; /* 0: unknown, one is meant. Total time is ticks * tick_us / this */
    const hpf_prof_centre *centres; /* equal ticks are listed in this order */
    size_t n_centres;
    const hpf_prof_stack *stacks; /* a tree, parents before children */
    size_t n_stacks;
    /* Of a report that was read: the sums of all stacks that are not hidden; the totals that the
     * report gives if it has only percentages. Writers do not use them. */
    uint64_t total_ticks, total_bytes;
} hpf_prof;

typedef enum hpf_prof_detail {
    HPF_PROF_PLAIN,   /* -p: percentages; centres above 1 %, stacks that cost anything */
    HPF_PROF_VERBOSE, /* -P: ticks and bytes too */
    HPF_PROF_ALL,     /* -pa: that, with all centres and stacks, hidden ones too */
} hpf_prof_detail;

/* Writes the report. Children of a stack are sorted by entries, falling, then by label, then by
 * id, falling. Errors: MEMORY; ARGUMENT when the stacks are no tree. What the sink met it reports
 * itself. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_write(hpf_sink *sink, const hpf_prof *prof,
                                               hpf_prof_detail detail, hpf_error *err);

/* Writes the same as JSON (-pj), always in full. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_write_json(hpf_sink *sink, const hpf_prof *prof,
                                                    hpf_error *err);

/* A report that was read. */
typedef struct hpf_prof_file hpf_prof_file;

/* Reads a report of time and allocation, the whole source: the text of `-p`, `-P` and `-pa`, of GHC
 * 7.0 and later, or the JSON of `-pj`. GHC hides centres whose `is_hidden` is set; of the command
 * line only the program is read. The text of `-p` has no ticks and bytes: they are made of its
 * percentages, which have one decimal, and the totals. Errors: SYNTAX; RANGE; UNSUPPORTED, of a
 * report that has only retainer sets; LIMIT, of stacks deeper than 2000; MEMORY; from the
 * source. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_read(hpf_prof_file **out, hpf_source *source,
                                              hpf_error *err);
HPF_API const hpf_prof *hpf_prof_file_report(const hpf_prof_file *file);
HPF_API void hpf_prof_file_destroy(hpf_prof_file *file);

/* One census of retainer profiling. */
typedef struct hpf_prof_census {
    uint64_t number; /* from 0 */
    double time_s;
    uint64_t max_stack_entries; /* deepest work stack of the traversal */
    double visits_per_object;
    bool has_totals;     /* GHC 9 does not write them: */
    uint64_t total_cost; /* of all sets, in the value unit */
    uint64_t n_sets;     /* created since the start, with or without a cost */
} hpf_prof_census;

HPF_API void hpf_prof_write_census(hpf_sink *sink, const hpf_prof_census *census);

/* Retainer sets follow the censuses: the title once, then "SET id = {text}" for each. */
HPF_API void hpf_prof_write_sets_title(hpf_sink *sink);
HPF_API void hpf_prof_write_set(hpf_sink *sink, uint64_t id, hpf_str text);

/* Retainer schemes that were compared, before the sets: the title once, then a line for each, that
 * of the profile first. Figures are of all censuses. GHC does not write these lines. */
typedef struct hpf_prof_scheme {
    hpf_str identity;    /* R(): "stack", "type", ... */
    hpf_str is_retainer; /* "flagged", "all", "roots", "type:Map,Set", ... */
    double visits;       /* per object */
    double mean_set;     /* retainers of an object */
    uint64_t largest_set, n_sets;
    double ms; /* for a census */
} hpf_prof_scheme;

HPF_API void hpf_prof_write_schemes_title(hpf_sink *sink);
HPF_API void hpf_prof_write_scheme(hpf_sink *sink, const hpf_prof_scheme *scheme);

/* What held the retainers of one identity, after the sets: the title once, then "ROOT <retainer>",
 * or "HELD 48 bytes, 2 objects: <retainer> by {members}", or "... by MANY", for each. GHC does not
 * write these lines. */
typedef struct hpf_prof_holding {
    hpf_str retainer;               /* a member of sets, without angle brackets */
    hpf_str by;                     /* the members of its set, or MANY, UNREACHED, OUT_OF_MEMORY */
    bool is_root;                   /* the other members are not known then */
    uint64_t size_bytes, n_objects; /* in the census in which they were largest */
} hpf_prof_holding;

HPF_API void hpf_prof_write_holdings_title(hpf_sink *sink);
HPF_API void hpf_prof_write_holding(hpf_sink *sink, const hpf_prof_holding *holding);

/* Reads one line: HPF_OK and its contents, borrowed from the line; HPF_END when it is another line.
 */
HPF_API hpf_status hpf_prof_read_holding(hpf_prof_holding *holding, hpf_str line);

/* Reads one line: HPF_OK and the members of `SET id = {text}`, borrowed from the line; HPF_END when
 * it is another line. */
HPF_API hpf_status hpf_prof_read_set(uint64_t *id, hpf_str *text, hpf_str line);

/* The costs of a `.prof` report by cost centre, and of its stacks with all stacks that extend them.
 * Costs of GHC's own centres (GC, SYSTEM, ...) are no part of the totals, as in GHC's reports. */

/* A cost centre with the costs of all its stacks, or a stack with its own costs. */
typedef struct hpf_prof_row {
    const hpf_prof_centre *centre;
    uint32_t index;
    uint32_t parent; /* of a stack */
    uint32_t depth;
    uint64_t entries, ticks, bytes;
    uint64_t inherited_ticks, inherited_bytes; /* of a stack: with all stacks that extend it */
    uint32_t first_child;                      /* index into `by_parent` */
    hpf_str name;                              /* not of a row of the tree */
} hpf_prof_row;

typedef struct hpf_prof_costs {
    hpf_prof_file *file;
    const hpf_prof *prof;
    hpf_prof_row *centres; /* by ticks, then bytes, decreasing */
    size_t n_centres;
    hpf_prof_row *stacks;     /* by number */
    hpf_prof_row **by_parent; /* children of a stack are adjacent, the most expensive first */
    hpf_prof_row **tree;      /* the stacks that are shown, parents before children */
    size_t n_tree;
    size_t n_used_stacks;
    char *indented; /* room for the name of a stack in a table */
    double s_per_tick;
} hpf_prof_costs;

/* Reads a report, and adds up its costs: of the `n_rows` most expensive centres, and of stacks with
 * 1 % of time or allocation; 0: of all. Errors: from hpf_prof_read; MEMORY. Call
 * hpf_prof_costs_finish in any case. */
HPF_API HPF_MUST_USE hpf_status hpf_prof_costs_read(hpf_prof_costs *out, hpf_source *source,
                                                    size_t n_rows, hpf_error *err);
HPF_API void hpf_prof_costs_finish(hpf_prof_costs *v);

/* Moves the rows that have costs to the front, the most expensive first, without rows of hidden
 * centres. Returns their number. */
HPF_API size_t hpf_prof_rows_sort(hpf_prof_row *rows, size_t n);

HPF_END_DECLS
#endif
