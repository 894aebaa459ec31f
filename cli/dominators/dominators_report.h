/* SPDX-License-Identifier: BSD-2-Clause
 *
 * census report --dominators: the dominator tree of a heap snapshot as a table, the way of
 * references that holds an object, and answers to questions about its objects. census diff: what
 * changed between two.
 */
#ifndef CENSUS_DOMINATORS_REPORT_H
#define CENSUS_DOMINATORS_REPORT_H

#include "hpfile/heapsnapshot.h"
#include "hpfile/question.h"
#include "hpfile/snapshot_diff.h"

#include "snapshot_file.h"
#include "table.h"

typedef struct dominators_options {
    const char *output; /* NULL: standard output */
    table_format format;
    size_t n_children;   /* most of each group; 0: all */
    uint32_t depth;      /* most levels below the root */
    bool exact;          /* print exact numbers */
    const char *holders; /* report what holds objects of this name, or "@ID", instead; or NULL */
    const char *where;   /* report the objects that this question matches, or the object "@ID",
                            instead; or NULL */
    bool paths;          /* report the ways to them instead */
} dominators_options;

/* Cuts a text of a snapshot, which may be a whole file, to what a table for people shows of it. */
hpf_str dominators_shown(hpf_str text, bool is_for_people);

/* Returns an exit status; failures print a message. */
int dominators_report(const char *path, const dominators_options *options);

/* Parses a question. Returns false after a message that shows the place. */
bool dominators_parse_question(hpf_question **out, const char *text);

/* Reports the waste in a snapshot: most rows, output, format and `exact` are options. Returns an
 * exit status; failures print a message. */
int dominators_report_waste(const char *path, const dominators_options *options);

/* Compares two heap snapshots, options are the output,
 * format, most rows and `exact`. Returns an exit status; failures print a message. */
int dominators_report_diff(const char *const *paths, hpf_snapshot_part part,
                           const dominators_options *options);

/* The further columns of a snapshot whose objects are asked for; for one object also names of
 * references. */
#define DOMINATORS_ASKED                                                                           \
    (HPF_HEAPSNAPSHOT_IDS | HPF_HEAPSNAPSHOT_OWN_NAMES | HPF_HEAPSNAPSHOT_SITES)

/* Writes the answer to a question as JSON for a page: its largest matches, or `message` and
 * `column` (from 1, in bytes; 0: none) of an error. Returns false without memory. */
bool dominators_answer(snapshot_file *file, const uint32_t *holders, const char *question,
                       hpf_sink *sink);

/* Writes the matches of a question, largest first. Returns false without memory. */
bool dominators_report_matches(const snapshot_file *file, const hpf_matches *matches,
                               const uint32_t *holders, const dominators_options *options,
                               hpf_sink *sink);

/* Writes an object, what it refers to and what refers to it, as text or JSON. Returns false without
 * memory. */
bool dominators_report_object(const snapshot_file *file, uint32_t node, const uint32_t *holders,
                              const dominators_options *options, hpf_sink *sink);

#endif
