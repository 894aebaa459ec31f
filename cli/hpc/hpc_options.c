/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Syntax and messages are the same as in Haskell's System.Console.GetOpt, which hpc uses.
 */
#include "hpc_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "diag.h"

typedef enum action { SET, SET_TEXT, ADD, EMPTY } action;

/* An option. One letter names it in the lists of the commands: two commands have an option
 * --function. */
typedef struct option {
    char letter;
    const char *name;
    const char *argument; /* NULL: none */
    action action;
    size_t offset;                /* of the member of hpc_options */
    const char *help, *help_more; /* lines of the help; the second may be NULL */
} option;

#define AT(member) offsetof(hpc_options, member)

static const option all_options[] = {
    {'p', "per-module", NULL, SET, AT(per_module), "show module level detail", NULL},
    {'l', "decl-list", NULL, SET, AT(declarations), "show unused decls", NULL},
    {'e', "exclude", "[PACKAGE:][MODULE]", ADD, AT(excluded), "exclude MODULE and/or PACKAGE",
     NULL},
    {'i', "include", "[PACKAGE:][MODULE]", ADD, AT(included), "include MODULE and/or PACKAGE",
     NULL},
    {'s', "srcdir", "DIR", ADD, AT(source_dirs), "path to source directory of .hs files",
     "multi-use of srcdir possible"},
    {'h', "hpcdir", "DIR", ADD, AT(mix_dirs), "append sub-directory that contains .mix files",
     "default .hpc [rarely used]"},
    {'r', "reset-hpcdirs", NULL, EMPTY, AT(mix_dirs), "empty the list of hpcdir's",
     "[rarely used]"},
    {'x', "xml-output", NULL, SET, AT(xml), "show output in XML", NULL},
    {'n', "fun-entry-count", NULL, SET, AT(entry_counts), "show top-level function entry counts",
     NULL},
    {'c', "highlight-covered", NULL, SET, AT(highlight_covered),
     "highlight covered code, rather that code gaps", NULL},
    {'d', "destdir", "DIR", SET_TEXT, AT(page_dir), "path to write output to", NULL},
    {'o', "output", "FILE", SET_TEXT, AT(output), "output FILE", NULL},
    {'f', "function", "FUNCTION", SET_TEXT, AT(function),
     "combine .tix files with join function, default = ADD", "FUNCTION = ADD | DIFF | SUB"},
    {'m', "function", "FUNCTION", SET_TEXT, AT(function),
     "apply function to .tix files, default = ID", "FUNCTION = ID | INV | ZERO"},
    {'u', "union", NULL, SET, AT(is_union),
     "use the union of the module namespace (default is intersection)", NULL},
    {'v', "verbosity", "[0-2]", SET_TEXT, AT(verbosity), "verbosity level, 0-2", "default 1"},
};

/* ---- Help ---- */

static bool is_census;

void hpc_be_census(void)
{
    is_census = true;
}

bool hpc_is_census(void)
{
    return is_census;
}

static const option *option_of(char letter)
{
    const option *o = all_options;
    while (o->letter != letter) {
        o++;
    }
    return o;
}

/* Returns whether `name` is the start of the option's name, or all of it. */
static bool has_name(const option *o, hpf_str name, bool is_exact)
{
    return strlen(o->name) >= name.length && memcmp(o->name, name.data, name.length) == 0 &&
           (!is_exact || strlen(o->name) == name.length);
}

/* Prints the options of a command whose names begin with `prefix`. */
static void print_table(FILE *to, const hpc_command *command, hpf_str prefix, bool has_second_lines)
{
    size_t width = 0;
    for (const char *letter = command->letters; *letter; letter++) {
        const option *o = option_of(*letter);
        size_t length = strlen(o->name) + (o->argument ? strlen(o->argument) + 1 : 0) + 2;
        width = has_name(o, prefix, false) && length > width ? length : width;
    }
    for (const char *letter = command->letters; *letter; letter++) {
        const option *o = option_of(*letter);
        if (!has_name(o, prefix, false)) {
            continue;
        }
        int written =
            printf("    --%s%s%s", o->name, o->argument ? "=" : "", o->argument ? o->argument : "");
        fprintf(to, "%*s  %s\n", (int)width + 4 - written, "", o->help);
        if (o->help_more && has_second_lines) {
            fprintf(to, "%*s  %s\n", (int)width + 4, "", o->help_more);
        }
    }
}

void hpc_print_usage(const hpc_command *command)
{
    printf("Usage: %shpc %s %s\n%s\n", is_census ? "census " : "", command->name, command->operands,
           command->summary);
    if (*command->letters) {
        puts("\n\nOptions:\n");
        print_table(stdout, command, HPF_STR(""), true);
    }
    puts("");
}

int hpc_misused(const hpc_command *command, const char *message, const char *name)
{
    if (is_census) {
        diag_print(stderr, "census hpc %s: %s%s", command->name, message, name);
        diag_print(stderr, "Try 'census hpc %s --help'.", command->name);
        return EXIT_MISUSED;
    }
    diag_print(stdout, "Error: %s%s", message, name);
    hpc_print_usage(command);
    return EXIT_FAILED;
}

/* ---- Parsing ---- */

bool hpc_list_add(hpc_list *list, const char *text)
{
    bool is_added = HPF__ARRAY_PUSH(list->items, list->n, list->capacity, text);
    if (!is_added) {
        diag_say("out of memory");
    }
    return is_added;
}

/* What is found in the command line. */
typedef struct parser {
    const hpc_command *command;
    hpc_list given;     /* arguments of options, "" for none, */
    const option **ids; /* and the options */
    size_t n_ids, ids_capacity;
    char **unknown; /* owned */
    size_t n_unknown, unknown_capacity;
    bool has_errors;
} parser;

/* Begins a message. Returns where it is to be printed. */
static FILE *begin_error(parser *p)
{
    if (is_census) {
        fprintf(stderr, "census hpc %s: ", p->command->name);
    } else {
        fputs(p->has_errors ? "  " : "hpc failed:\n  ", stdout);
    }
    p->has_errors = true;
    return is_census ? stderr : stdout;
}

static bool add_unknown(parser *p, const char *dashes, const char *word, size_t length)
{
    char *copy = malloc(strlen(dashes) + length + 1);
    if (copy) {
        sprintf(copy, "%s%.*s", dashes, (int)length, word);
    }
    bool is_added = copy && HPF__ARRAY_PUSH(p->unknown, p->n_unknown, p->unknown_capacity, copy);
    if (!is_added) {
        free(copy);
    }
    return is_added;
}

/* Handles "--name" or "--name=argument"; `next` is the word after it, or NULL. Sets `*takes_next`
 * if that is its argument. Returns false without memory. */
static bool parse_long(parser *p, const char *word, const char *next, bool *takes_next)
{
    size_t length = strcspn(word, "=");
    hpf_str name = {word, length};
    const option *found = NULL;
    int n_found = 0;
    for (int is_exact = 1; is_exact >= 0 && n_found == 0; is_exact--) {
        for (const char *letter = p->command->letters; *letter; letter++) {
            if (has_name(option_of(*letter), name, is_exact)) {
                found = option_of(*letter);
                n_found++;
            }
        }
    }
    bool has_argument = word[length] == '=';
    if (n_found == 0) {
        return add_unknown(p, "--", word, strlen(word));
    }
    if (n_found > 1) {
        FILE *to = begin_error(p);
        diag_print(to, "option `--%.*s' is ambiguous; could be one of:", (int)length, word);
        print_table(to, p->command, name, false);
        return true;
    }
    if (has_argument && !found->argument) {
        diag_print(begin_error(p), "option `--%.*s' doesn't allow an argument", (int)length, word);
        return true;
    }
    if (!has_argument && found->argument && !next) {
        diag_print(begin_error(p), "option `--%.*s' requires an argument %s", (int)length, word,
                   found->argument);
        return true;
    }
    *takes_next = found->argument && !has_argument;
    const char *argument = *takes_next ? next : has_argument ? word + length + 1 : "";
    return hpc_list_add(&p->given, argument) &&
           HPF__ARRAY_PUSH(p->ids, p->n_ids, p->ids_capacity, found);
}

static size_t length_of_character(const char *text)
{
    size_t length = hpf_utf8_next(hpf_str_of(text), NULL);
    return length > 0 ? length : 1;
}

/* Handles one word; its argument may be the next one. Returns the number of words used, or 0
 * without memory. */
static int parse_word(parser *p, hpc_options *options, char **words, int n)
{
    const char *word = words[0];
    bool takes_next = false;
    if (word[0] != '-' || word[1] == '\0') {
        return hpc_list_add(&options->operands, word);
    }
    /* No option has a short form. After an unknown letter, the rest is read as a word of its own:
     * "-a-b" is "-a" and "--b". */
    for (word++; *word != '\0' && *word != '-'; word += length_of_character(word)) {
        if (!add_unknown(p, "-", word, length_of_character(word))) {
            return 0;
        }
    }
    if (word[0] != '-') {
        return 1;
    }
    if (word[1] == '\0') { /* "--" */
        for (int i = 1; i < n; i++) {
            if (!hpc_list_add(&options->operands, words[i])) {
                return 0;
            }
        }
        return n;
    }
    bool is_done = parse_long(p, word + 1, n > 1 ? words[1] : NULL, &takes_next);
    return is_done ? 1 + takes_next : 0;
}

/* Sets the members of `options`, from the last option to the first. */
static bool apply(hpc_options *options, const parser *p)
{
    for (size_t i = p->n_ids; i > 0; i--) {
        const option *o = p->ids[i - 1];
        void *member = (char *)options + o->offset;
        switch (o->action) {
        case SET:
            *(bool *)member = true;
            break;
        case SET_TEXT:
            *(const char **)member = p->given.items[i - 1];
            break;
        case ADD:
            if (!hpc_list_add(member, p->given.items[i - 1])) {
                return false;
            }
            break;
        case EMPTY:
            ((hpc_list *)member)->n = 0;
            break;
        }
    }
    return options->source_dirs.n > 0 || hpc_list_add(&options->source_dirs, ".");
}

bool hpc_options_parse(hpc_options *options, const hpc_command *command, int argc, char **argv)
{
    parser p = {.command = command};
    *options = (hpc_options){.output = "-", .page_dir = "."};
    bool is_done = hpc_list_add(&options->mix_dirs, ".hpc");
    for (int i = 0, n; i < argc && is_done; i += n) {
        n = parse_word(&p, options, argv + i, argc - i);
        is_done = n > 0;
    }
    for (size_t i = 0; i < p.n_unknown && is_done; i++) {
        diag_print(begin_error(&p), "unrecognized option `%s'", p.unknown[i]);
    }
    if (p.has_errors && is_census) {
        diag_print(stderr, "Try 'census hpc %s --help'.", command->name);
    } else if (p.has_errors) {
        puts("\n");
        hpc_print_usage(command);
    }
    is_done = is_done && !p.has_errors && apply(options, &p);
    for (size_t i = 0; i < p.n_unknown; i++) {
        free(p.unknown[i]);
    }
    free(p.unknown);
    free(p.given.items);
    free(p.ids);
    return is_done;
}

void hpc_options_finish(hpc_options *options)
{
    hpc_list *const lists[] = {&options->included, &options->excluded, &options->source_dirs,
                               &options->mix_dirs, &options->operands};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->items);
    }
}

/* ---- Modules ---- */

/* Returns whether a list names a module. */
static bool names(const hpc_list *list, hpf_str package, hpf_str module)
{
    for (size_t i = 0; i < list->n; i++) {
        hpf_str item = hpf_str_of(list->items[i]);
        bool has_package =
            item.length > package.length && item.data[package.length] == ':' &&
            (package.length == 0 || memcmp(item.data, package.data, package.length) == 0);
        hpf_str rest = has_package ? hpf_str_from(item, package.length + 1) : item;
        if (hpf_str_equal(item, module) ||
            (has_package && (rest.length == 0 || hpf_str_equal(rest, module)))) {
            return true;
        }
    }
    return false;
}

bool hpc_includes(const void *context, hpf_str module)
{
    const hpc_options *options = context;
    const char *slash = module.length > 0 ? memchr(module.data, '/', module.length) : NULL;
    hpf_str package = {module.data, slash ? (size_t)(slash - module.data) : 0};
    hpf_str rest = slash ? hpf_str_from(module, package.length + 1) : module;
    return !names(&options->excluded, package, rest) &&
           (options->included.n == 0 || names(&options->included, package, rest));
}
