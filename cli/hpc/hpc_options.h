/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line of hpc, as GHC's program reads it: long options that may be abbreviated, in any
 * order with operands. Of an option given twice, the first one counts, and lists are in reverse
 * order.
 */
#ifndef CENSUS_HPC_OPTIONS_H
#define CENSUS_HPC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "hpfile/str.h"

/* Texts, borrowed from argv. */
typedef struct hpc_list {
    const char **items;
    size_t n, capacity;
} hpc_list;

typedef struct hpc_options {
    hpc_list included, excluded; /* modules; operands that name modules are in `included` */
    hpc_list source_dirs;        /* never empty */
    hpc_list mix_dirs;           /* relative to the source directories */
    const char *output;          /* "-": standard output */
    const char *page_dir;        /* for the pages of markup */
    const char *function;        /* NULL: the default */
    const char *verbosity;       /* NULL: the default */
    bool per_module, declarations, xml, is_union, entry_counts, highlight_covered;
    hpc_list operands;
} hpc_options;

/* A command of hpc. */
typedef struct hpc_command {
    const char *name, *operands, *summary;
    const char *letters; /* its options, one letter for each, in the order of the help */
    int (*run)(const struct hpc_command *self, hpc_options *options);
} hpc_command;

/* Chooses the manner of `census hpc`: usage lines begin with it, and complaints are short, on
 * standard error, with the statuses of census. The default is GHC's program, whose complaints are
 * on standard output, with the usage and status 1. */
void hpc_be_census(void);
bool hpc_is_census(void);

/* Prints the usage of a command. */
void hpc_print_usage(const hpc_command *command);

/* Prints that the command line is wrong: the message and `name`. Returns an exit status. */
int hpc_misused(const hpc_command *command, const char *message, const char *name);

/* Parses the words after the name of the command. Returns false after a message. The options are to
 * be finished in either case. */
bool hpc_options_parse(hpc_options *options, const hpc_command *command, int argc, char **argv);
void hpc_options_finish(hpc_options *options);

/* Appends a text. Returns false after a message. */
bool hpc_list_add(hpc_list *list, const char *text);

/* Returns whether a module, "Main" or "package/Main", is to be included: named as "Main",
 * "package:", "package:Main" or ":Main". `options` is an hpc_options. */
bool hpc_includes(const void *options, hpf_str module);

#endif
