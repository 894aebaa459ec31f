/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A command of the program, and what all commands share. The table is in commands/commands.c.
 */
#ifndef CENSUS_CMD_H
#define CENSUS_CMD_H

#include <stdbool.h>

#include "hpfile/error.h"

#include "opt.h"

typedef struct cmd cmd;
struct cmd {
    const char *name;
    const char *summary;       /* the line of `census --help`: imperative, no full stop */
    const char *operands;      /* what follows the options in the usage line, or "" */
    const opt *options;        /* ends with an entry without a name; NULL: the command reads argv by
                                  itself, "--help" included */
    bool operand_ends_options; /* the operands are another program's command line */
    void (*notes)(FILE *to);   /* more for --help, below the options; may be NULL */
    /* Does the command; argv[0] is its name, argv[argc] is NULL. Returns an exit status. */
    int (*run)(const cmd *self, int argc, char **argv);
    /* The same when the program itself was started under the command's name (a link "hp2ps");
     * argv is then the program's. NULL: the program's name does not matter. */
    int (*run_as_program)(const cmd *self, int argc, char **argv);
};

/* All commands, in the order of --help; ends with NULL. */
extern const cmd *const cmd_table[];

/* Returns the command of that name, or NULL. */
const cmd *cmd_find(const char *name);

/* Reads the options of `self` into `values` (see opt_parse). True: run. False: return `*status`
 * from the command, --help or a message has been printed. */
bool cmd_options(const cmd *self, void *values, int *argc, char **argv, int *status);

/* Prints `census NAME: message` and where the help is. Returns EXIT_MISUSED. */
int cmd_misused(const cmd *self, const char *format, ...) HPF_PRINTF(2, 3);

/* Ignores SIGPIPE, so that writing to a closed pipe is an error like any other and temporary files
 * are removed. */
void cmd_ignore_sigpipe(void);

/* Restores the disposition that SIGPIPE had, for a program that is started. */
void cmd_restore_sigpipe(void);

#endif
