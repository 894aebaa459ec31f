/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A command of the program, and what all commands share. The table is in commands/cmd_find.c.
 */
#ifndef CENSUS_CMD_H
#define CENSUS_CMD_H

#include <stdbool.h>

#include "hpfile/error.h"

#include "options/opt.h"

typedef struct cmd cmd;
struct cmd {
    const char *name;
    const char *summary;  /* line of `census --help`: imperative, no full stop */
    const char *group;    /* heading of `census --help` above it; NULL: the one before */
    const char *operands; /* operands in the usage line, or "" */
    const opt *options;   /* ends with an entry without a name; NULL: see `make_options` */
    const opt *(*make_options)(void); /* returns the options; NULL: the command parses argv itself,
                                         including --help */
    bool operand_ends_options;        /* the operands are the command line of another program */
    void (*notes)(FILE *to);          /* prints more help below the options; may be NULL */
    /* Runs the command; argv[0] is its name, argv[argc] is NULL. Returns an exit status. */
    int (*run)(const cmd *self, int argc, char **argv);
    /* Runs the command when the program is called by its name (a link "hp2ps"); argv is the one of
     * the program. NULL: the name of the program is ignored. */
    int (*run_as_program)(const cmd *self, int argc, char **argv);
};

/* All commands, in the order of --help; ends with NULL. */
extern const cmd *const cmd_table[];

/* Returns the command of that name, or NULL. */
const cmd *cmd_find(const char *name);

/* Returns the options of a command, or NULL if it parses argv itself. */
const opt *cmd_option_table(const cmd *self);

/* Prints that there is no command `name`, and the most similar one. Returns EXIT_MISUSED. */
int cmd_unknown(const char *name);

/* Parses the options of `self` into `values` (see opt_parse). Returns true to continue; false after
 * --help or a message, with the exit status in `*status`. */
bool cmd_options(const cmd *self, void *values, int *argc, char **argv, int *status);

/* Prints `census NAME: message` and a hint to --help. Returns EXIT_MISUSED. */
int cmd_misused(const cmd *self, const char *format, ...) HPF_PRINTF(2, 3);

/* Returns the process ID that a word of the command line is; 0 if it is none. */
long cmd_process_id(const char *word);

/* Makes signals that end the process remove its temporary files first. Ignored ones stay ignored.
 */
void cmd_catch_deadly_signals(void);

/* Ignores SIGPIPE, so that writing to a closed pipe is an error like any other and temporary files
 * are removed. */
void cmd_ignore_sigpipe(void);

/* Restores the disposition that SIGPIPE had, for a program that is started. */
void cmd_restore_sigpipe(void);

#endif
