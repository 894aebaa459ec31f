/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Command line options as data. A command describes its options in a table, from which parsing,
 * --help and the test of the manual pages follow.
 *
 * The syntax is getopt_long's: short options may be bundled, an argument may be attached or be the
 * next word, long options take `=value` and may be abbreviated, options and operands may be mixed,
 * `--` ends the options, and a lone `-` is an operand. If the operands are the command line of
 * another program, the first operand ends the options. `--help`, and `-h` unless the table has
 * another option of that letter, and `--help-all` belong to every table. `-h` as the only word is
 * `--help` in all tables.
 */
#ifndef CENSUS_OPT_H
#define CENSUS_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "hpfile/error.h"

/* The argument of an option, and the type of the member that stores it. */
typedef enum opt_kind {
    OPT_FLAG,   /* no argument; bool, set to true */
    OPT_INT,    /* int, within [low, high] */
    OPT_NUMBER, /* double, within [low, high] */
    OPT_LENGTH, /* double, in points, within [low, high]; written as "12cm", "30mm", "4in", "300pt"
                   or "300" */
    OPT_DURATION, /* double, in seconds, within [low, high]; written as "30s", "5m", "2h", "500ms"
                     or "30" */
    OPT_TIME,     /* opt_time; written as "12.5", in the unit of the profile, or as a duration */
    OPT_WHEN,     /* opt_time; like TIME, or the label of a mark; `mark:` may precede it */
    OPT_TEXT,     /* const char *, borrowed from argv */
    OPT_STEM,     /* like LIST, for -o; refuses GHC's -olFILE */
    OPT_CHOICE,   /* int, the index into `choices` */
    OPT_LIST,     /* opt_list; each use of the option adds its argument */
    OPT_SUFFIX, /* opt_list; the argument is attached or empty: `-hm`, `-h`, `--heap=m`, `--heap` */
    OPT_GROUP,  /* not an option, but the heading of those that follow */
    OPT_RARE_GROUP /* the same, for options that only --help-all prints */
} opt_kind;

/* Arguments of an option in order. Texts are borrowed from argv. */
enum { OPT_LIST_MAX = 64 };
typedef struct opt_list {
    const char *texts[OPT_LIST_MAX];
    size_t n;
} opt_list;

/* A time of a profile. */
typedef struct opt_time {
    double value;
    bool is_in_seconds; /* it was written with a unit */
    const char *mark;   /* WHEN: the label; NULL: a time was given. Borrowed from argv */
} opt_time;

typedef struct opt {
    char letter;      /* short form, or 0 */
    const char *name; /* long form, without dashes; "": a GROUP, whose `help` is its heading */
    opt_kind kind;
    size_t offset;              /* of the member in the struct of values */
    const char *argument;       /* name of the argument in the help; NULL for a flag */
    const char *help;           /* one phrase, without capital and full stop */
    const char *const *choices; /* CHOICE, and TEXT for completion in shells: ends with NULL */
    double low, high;           /* INT, NUMBER, LENGTH, DURATION */
} opt;

/* A row of a table. The help is followed by members that are not zero: `.high = 10`. */
#define OPT(letter_, name_, kind_, offset_, argument_, ...)                                        \
    {                                                                                              \
        .letter = (letter_), .name = (name_), .kind = (kind_), .offset = (offset_),                \
        .argument = (argument_), .help = __VA_ARGS__                                               \
    }

/* Rows of a table that begin a group. Groups that all readers of --help need come first. */
#define OPT_HEADING(text)                                                                          \
    {                                                                                              \
        .name = "", .kind = OPT_GROUP, .help = (text)                                              \
    }
#define OPT_RARE_HEADING(text)                                                                     \
    {                                                                                              \
        .name = "", .kind = OPT_RARE_GROUP, .help = (text)                                         \
    }

/* Returns whether a row is an option, not a heading. */
static inline bool opt_is_option(const opt *row)
{
    return *row->name != '\0';
}

typedef enum opt_outcome {
    OPT_RUN,  /* continue */
    OPT_HELP, /* --help was among the options */
    OPT_HELP_ALL,
    OPT_WRONG /* the message is in `complaint` */
} opt_outcome;

/* A message about the command line. */
typedef struct opt_complaint {
    char message[512];
} opt_complaint;

/* Stores a message. Returns false, for `return opt_complain(...)`. */
bool opt_complain(opt_complaint *complaint, const char *format, ...) HPF_PRINTF(2, 3);

/* Options that exclude something: a name, and whether it was given. */
typedef struct opt_given {
    const char *name;
    bool is_given;
} opt_given;

/* Returns the name of the first option that was given, or NULL; the table ends with NULL. */
const char *opt_first_given(const opt_given *table);

/* Parses argv[1] to argv[argc - 1] by `table`, which ends with an entry without a name. `values`
 * holds the defaults and receives the options. Moves the operands to argv[1] and following; sets
 * `*argc` to their number plus one. */
opt_outcome opt_parse(const opt *table, void *values, int *argc, char **argv,
                      opt_complaint *complaint);

/* Like opt_parse, but the first operand ends the options. A `--` before it is dropped. */
opt_outcome opt_parse_before(const opt *table, void *values, int *argc, char **argv,
                             opt_complaint *complaint);

/* Prints the options for --help, wrapped at 80 columns; with `all`, also rare ones. Returns how
 * many are left out. */
size_t opt_print(const opt *table, bool all, FILE *to);

#endif
