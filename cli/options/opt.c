/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses argv by a table of options, and prints the table.
 */
#include "options/opt.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options/suggest.h"

enum { HELP_COLUMN = 26, PAGE_COLUMNS = 80 };

/* They belong to every table, after its own options. */
static const opt help_options[] = {
    {.letter = 'h', .name = "help", .kind = OPT_FLAG, .help = "print this help and exit"},
    {.name = "help-all", .kind = OPT_FLAG, .help = "print all options and exit"},
    {.name = NULL}};

/* State of parsing. */
typedef struct parser {
    const opt *table;
    void *values;
    int argc;
    char **argv;
    int next;            /* index of the next word */
    opt_outcome outcome; /* RUN, or which help is wanted */
    opt_complaint *complaint;
} parser;

bool opt_complain(opt_complaint *complaint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->message, sizeof complaint->message, format, arguments);
    va_end(arguments);
    return false;
}

const char *opt_first_given(const opt_given *table)
{
    while (table->name && !table->is_given) {
        table++;
    }
    return table->name;
}

static bool starts_number(const char *text)
{
    char first = text[strspn(text, "+-.")];
    return first >= '0' && first <= '9';
}

/* Reads a number at the start of `text`; sets `*rest` to the text after it. Accepts only decimal
 * notation, unlike strtod, which also accepts "inf" and "0x1p3". Returns false if there is none. */
static bool read_number(const char *text, double *out, const char **rest)
{
    char *end = NULL;
    if (!starts_number(text) || (strspn(text, "+-0") > 0 && strpbrk(text, "xX"))) {
        return false;
    }
    *out = strtod(text, &end);
    *rest = end;
    return end != text && isfinite(*out);
}

static bool read_int(parser *p, const opt *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < option->low || value > option->high) {
        return opt_complain(p->complaint, "--%s expects an integer from %.0f to %.0f, not '%s'",
                            option->name, option->low, option->high, text);
    }
    *(int *)((char *)p->values + option->offset) = (int)value;
    return true;
}

static bool read_double(parser *p, const opt *option, const char *text)
{
    const char *rest = "";
    double value = 0;
    if (!read_number(text, &value, &rest) || *rest || value < option->low || value > option->high) {
        return opt_complain(p->complaint, "--%s expects a number from %g to %g, not '%s'",
                            option->name, option->low, option->high, text);
    }
    *(double *)((char *)p->values + option->offset) = value;
    return true;
}

/* A unit after a number. */
typedef struct measure {
    const char *suffix;
    double factor;
} measure;

static const measure lengths[] = {{"", 1},           {"pt", 1},         {"in", 72},
                                  {"cm", 72 / 2.54}, {"mm", 72 / 25.4}, {NULL, 0}};
static const measure durations[] = {{"", 1},     {"s", 1},     {"ms", 1e-3}, {"m", 60},
                                    {"h", 3600}, {"d", 86400}, {NULL, 0}};

/* Stores a number with an optional unit. Returns false, without a message, if it is invalid. */
static bool read_measure(const parser *p, const opt *option, const char *text, const measure *units)
{
    const char *rest = "";
    double value = 0;
    if (!read_number(text, &value, &rest)) {
        return false;
    }
    while (units->suffix && strcmp(units->suffix, rest) != 0) {
        units++;
    }
    value *= units->factor;
    if (!units->suffix || value < option->low || value > option->high) {
        return false;
    }
    *(double *)((char *)p->values + option->offset) = value;
    return true;
}

static bool read_length(parser *p, const opt *option, const char *text)
{
    return read_measure(p, option, text, lengths) ||
           opt_complain(
               p->complaint,
               "--%s expects a length from %gpt to %gpt, such as 12cm, 4in or 300pt, not '%s'",
               option->name, option->low, option->high, text);
}

static bool read_duration(parser *p, const opt *option, const char *text)
{
    return read_measure(p, option, text, durations) ||
           opt_complain(p->complaint,
                        "--%s expects a time from %gs to %gs, such as 30s, 5m or 2h, not '%s'",
                        option->name, option->low, option->high, text);
}

static bool read_time(parser *p, const opt *option, const char *text, opt_time *out)
{
    static const char prefix[] = "mark:";
    bool has_prefix = strncmp(text, prefix, sizeof prefix - 1) == 0;
    out->mark = NULL;
    if (option->kind == OPT_WHEN && (has_prefix || !starts_number(text))) {
        out->mark = has_prefix ? text + sizeof prefix - 1 : text;
        return *out->mark ||
               opt_complain(p->complaint, "--%s expects a time or a mark", option->name);
    }
    const char *rest = "";
    const measure *unit = durations;
    if (read_number(text, &out->value, &rest)) {
        while (unit->suffix && strcmp(unit->suffix, rest) != 0) {
            unit++;
        }
        out->value *= unit->factor;
        out->is_in_seconds = *rest != '\0';
        if (unit->suffix && out->value >= option->low && out->value <= option->high) {
            return true;
        }
    }
    return opt_complain(p->complaint, "--%s expects a time such as 12.5, 30s or 5m%s, not '%s'",
                        option->name, option->kind == OPT_WHEN ? ", or mark:LABEL" : "", text);
}

/* Appends a word to a list such as "a, b or c". */
static void list_word(char *list, size_t room, const char *prefix, const char *word, bool is_last)
{
    size_t n = strlen(list);
    const char *separator = n == 0 ? "" : is_last ? " or " : ", ";
    snprintf(list + n, room - n, "%s%s%s", separator, prefix, word);
}

static bool read_choice(parser *p, const opt *option, const char *text, int *out)
{
    char list[160] = "";
    for (int i = 0; option->choices[i]; i++) {
        if (strcmp(text, option->choices[i]) == 0) {
            *out = i;
            return true;
        }
        list_word(list, sizeof list, "", option->choices[i], !option->choices[i + 1]);
    }
    return opt_complain(p->complaint, "--%s expects %s, not '%s'%s", option->name, list, text,
                        suggest_of(text, option->choices).text);
}

static bool add_to_list(parser *p, const opt *option, const char *text)
{
    opt_list *list = (opt_list *)(void *)((char *)p->values + option->offset);
    if (list->n == OPT_LIST_MAX) {
        return opt_complain(p->complaint, "--%s may be given at most %d times", option->name,
                            OPT_LIST_MAX);
    }
    list->texts[list->n++] = text;
    return true;
}

static bool store(parser *p, const opt *option, const char *text)
{
    if (option == &help_options[0] || option == &help_options[1]) {
        p->outcome = option == &help_options[0] ? OPT_HELP : OPT_HELP_ALL;
        return true;
    }
    void *member = (char *)p->values + option->offset;
    switch (option->kind) {
    case OPT_FLAG:
        *(bool *)member = true;
        return true;
    case OPT_INT:
        return read_int(p, option, text);
    case OPT_NUMBER:
        return read_double(p, option, text);
    case OPT_LENGTH:
        return read_length(p, option, text);
    case OPT_DURATION:
        return read_duration(p, option, text);
    case OPT_TIME:
    case OPT_WHEN:
        return read_time(p, option, text, member);
    case OPT_TEXT:
        *(const char **)member = text;
        return true;
    case OPT_CHOICE:
        return read_choice(p, option, text, member);
    case OPT_LIST:
    case OPT_STEM:
    case OPT_SUFFIX:
        return add_to_list(p, option, text);
    case OPT_GROUP:
    case OPT_RARE_GROUP:
        break;
    }
    return false;
}

/* Stores the argument of an option: `attached`, or the next word. */
static bool store_with_argument(parser *p, const opt *option, const char *attached)
{
    if (attached || option->kind == OPT_SUFFIX) {
        return store(p, option, attached ? attached : "");
    }
    if (p->next >= p->argc) {
        return opt_complain(p->complaint, "--%s needs an argument: %s", option->name,
                            option->argument);
    }
    return store(p, option, p->argv[p->next++]);
}

/* Reads a word of bundled letters. An option with an argument takes the rest of the word. */
static bool read_letters(parser *p, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        const opt *option = p->table;
        while (option->name && option->letter != *at) {
            option++;
        }
        if (!option->name && *at == help_options[0].letter) {
            option = &help_options[0];
        }
        if (!option->name) {
            return opt_complain(p->complaint, "unknown option '-%c'%s%s", *at,
                                at == word + 1 ? "" : " in ", at == word + 1 ? "" : word);
        }
        if (option->kind == OPT_STEM && at[1] == 'l' && at[2]) {
            return opt_complain(p->complaint,
                                "GHC's -olFILE names the event log: use '-o %s', or '-o %s' for a "
                                "name that begins with l",
                                at + 2, at + 1);
        }
        if (option->kind != OPT_FLAG) {
            return store_with_argument(p, option, at[1] ? at + 1 : NULL);
        }
        if (!store(p, option, NULL)) {
            return false;
        }
    }
    return true;
}

/* Returns the option after `row` in a table, or among the options of help, which follow it. NULL
 * after the last. */
static const opt *next_option(const opt *row)
{
    do {
        row++;
    } while (row->name && !opt_is_option(row));
    return row->name ? row : row == &help_options[2] ? NULL : help_options;
}

static const opt *first_option(const opt *table)
{
    return !table->name ? help_options : opt_is_option(table) ? table : next_option(table);
}

/* Returns the option whose name is, or uniquely starts with, the `length` bytes at `name`; NULL
 * after a message. */
static const opt *find_long(parser *p, const char *name, size_t length)
{
    const opt *found = NULL;
    size_t n_found = 0, n_listed = 0;
    int n_shown = length < 100 ? (int)length : 100;
    suggestion similar = {.given = name, .length = length};
    for (const opt *option = first_option(p->table); option; option = next_option(option)) {
        suggest_compare(&similar, option->name);
        bool is_short = option == &help_options[1] && length <= strlen(help_options[0].name);
        if (strncmp(option->name, name, length) == 0 && !is_short) {
            found = option;
            n_found++;
            if (strlen(option->name) == length) {
                return option;
            }
        }
    }
    if (n_found == 0) {
        opt_complain(p->complaint, "unknown option '--%.*s'%s", n_shown, name,
                     suggest_text(&similar, "--").text);
    } else if (n_found > 1) {
        char list[320] = "";
        for (const opt *option = first_option(p->table); option; option = next_option(option)) {
            if (strncmp(option->name, name, length) == 0) {
                list_word(list, sizeof list, "--", option->name, ++n_listed == n_found);
            }
        }
        opt_complain(p->complaint, "ambiguous option '--%.*s': %s?", n_shown, name, list);
    }
    return n_found == 1 ? found : NULL;
}

static bool read_long(parser *p, const char *word)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    const opt *option = find_long(p, name, equals ? (size_t)(equals - name) : strlen(name));
    if (!option) {
        return false;
    }
    if (option->kind != OPT_FLAG) {
        return store_with_argument(p, option, equals ? equals + 1 : NULL);
    }
    if (equals) {
        return opt_complain(p->complaint, "--%s takes no argument", option->name);
    }
    return store(p, option, NULL);
}

static opt_outcome parse(const opt *table, void *values, int *argc, char **argv,
                         opt_complaint *complaint, bool operand_ends)
{
    parser p = {table, values, *argc, argv, 1, OPT_RUN, complaint};
    int n_operands = 0;
    bool only_operands = false;
    if (*argc == 2 && strcmp(argv[1], "-h") == 0) {
        return OPT_HELP;
    }
    while (p.next < p.argc && p.outcome == OPT_RUN) {
        char *word = argv[p.next++];
        bool good = true;
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            argv[1 + n_operands++] = word;
            only_operands |= operand_ends;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            good = read_long(&p, word);
        } else {
            good = read_letters(&p, word);
        }
        if (!good) {
            return OPT_WRONG;
        }
    }
    *argc = 1 + n_operands;
    return p.outcome;
}

opt_outcome opt_parse(const opt *table, void *values, int *argc, char **argv,
                      opt_complaint *complaint)
{
    return parse(table, values, argc, argv, complaint, false);
}

opt_outcome opt_parse_before(const opt *table, void *values, int *argc, char **argv,
                             opt_complaint *complaint)
{
    return parse(table, values, argc, argv, complaint, true);
}

/* Prints `text` in the help column, wrapped between words. */
static void print_wrapped(const char *text, int column, FILE *to)
{
    const int width = PAGE_COLUMNS - HELP_COLUMN;
    if (column >= HELP_COLUMN) {
        putc('\n', to);
        column = 0;
    }
    for (;;) {
        fprintf(to, "%*s", HELP_COLUMN - column, "");
        int length = (int)strlen(text);
        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ') {
                length--;
            }
        }
        fprintf(to, "%.*s\n", length, text);
        text += length + (text[length] == ' ');
        if (*text == '\0') {
            return;
        }
        column = 0;
    }
}

static void print_row(const opt *option, FILE *to)
{
    char dash[] = {'-', option->letter, ',', '\0'};
    bool is_suffix = option->kind == OPT_SUFFIX;
    int column = fprintf(to, "  %3s --%s%s%s%s", option->letter ? dash : "", option->name,
                         is_suffix          ? "[="
                         : option->argument ? " "
                                            : "",
                         option->argument ? option->argument : "", is_suffix ? "]" : "");
    print_wrapped(option->help, column + 2 > HELP_COLUMN ? HELP_COLUMN : column, to);
}

/* Prints the options of help; with its letter unless the table uses that. */
static void print_help_options(const opt *table, bool has_more, FILE *to)
{
    opt help = help_options[0];
    for (const opt *option = table; option->name; option++) {
        help.letter = option->letter == help.letter ? 0 : help.letter;
    }
    print_row(&help, to);
    if (has_more) {
        print_row(&help_options[1], to);
    }
}

size_t opt_print(const opt *table, bool all, FILE *to)
{
    bool is_rare = false, has_more = false;
    size_t n_left_out = 0;
    const char *heading = NULL;
    for (const opt *option = table; option->name; option++) {
        if (!opt_is_option(option)) {
            heading = option->help;
            is_rare = option->kind == OPT_RARE_GROUP;
            continue;
        }
        has_more |= is_rare;
        if (is_rare && !all) {
            n_left_out++;
            continue;
        }
        if (heading) {
            fprintf(to, "%s%s:\n", option > table + 1 ? "\n" : "", heading);
            heading = NULL;
        }
        print_row(option, to);
    }
    fputs(!opt_is_option(table) ? "\n" : "", to);
    print_help_options(table, has_more, to);
    return n_left_out;
}
