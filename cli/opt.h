/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Options as data. A command describes its options once, in a table; parsing, the text of --help
 * and the test of the manual pages all follow from it.
 *
 * Habits are those of getopt_long: short options may be bundled, an argument may be attached or be
 * the next word, long options take `=value` and may be shortened while they stay unambiguous,
 * options and operands may be mixed, `--` ends the options, and a lone `-` is an operand. Where the
 * operands are another program's command line, the first of them ends the options.
 */
#ifndef CENSUS_OPT_H
#define CENSUS_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What an option's argument is, and the type of the member that it is stored in. */
typedef enum opt_kind {
    OPT_FLAG,   /* no argument; bool, set to true */
    OPT_INT,    /* int, within [low, high] */
    OPT_NUMBER, /* double, within [low, high] */
    OPT_LENGTH, /* double, in points, within [low, high]; read as "12cm", "30mm", "4in", "300pt" or
                   "300" (points) */
    OPT_DURATION, /* double, in seconds, within [low, high]; read as "30s", "5m", "2h", "500ms" or
                     "30" (seconds) */
    OPT_TEXT,     /* const char *, borrowed from argv */
    OPT_CHOICE,   /* int, the index into `choices` */
    OPT_LIST,     /* opt_list; each time the option is given adds its argument */
    OPT_SUFFIX,   /* opt_list; the same, with an argument that is attached or empty: `-hm`, `-h`,
                     `--heap=m`, `--heap` */
} opt_kind;

/* What was given for an option, in order. Texts are borrowed from argv. */
enum { OPT_LIST_MAX = 64 };
typedef struct opt_list {
    const char *texts[OPT_LIST_MAX];
    size_t n;
} opt_list;

typedef struct opt {
    char letter;      /* of the short form, or 0 */
    const char *name; /* of the long form, without dashes */
    opt_kind kind;
    size_t offset;              /* of the member in the command's struct of values */
    const char *argument;       /* its name in the help; NULL for a flag */
    const char *help;           /* one sentence, without capital and full stop */
    const char *const *choices; /* CHOICE: ends with NULL */
    double low, high;           /* INT, NUMBER, LENGTH, DURATION */
} opt;

typedef enum opt_outcome {
    OPT_RUN,  /* go on */
    OPT_HELP, /* --help was among the options */
    OPT_WRONG /* a message is in `complaint` */
} opt_outcome;

/* One line on what is wrong with the command line. */
typedef struct opt_complaint {
    char message[256];
} opt_complaint;

/* Reads argv[1] to argv[argc - 1] by `table`, whose last entry has no name. `values` holds the
 * defaults and receives what was given. The operands are moved to the front, to argv[1] and on;
 * `*argc` becomes their number plus one. */
opt_outcome opt_parse(const opt *table, void *values, int *argc, char **argv,
                      opt_complaint *complaint);

/* The same, but the first operand ends the options. A `--` before it is dropped. */
opt_outcome opt_parse_before(const opt *table, void *values, int *argc, char **argv,
                             opt_complaint *complaint);

/* The rows of --help, wrapped at 80 columns, with one for --help itself. */
void opt_print(const opt *table, FILE *to);

#endif
