/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Knows interpreters by their names, and options of them that have an argument.
 */
#include "hpprof/command_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_one_of(const char *word, size_t length, const char *const *list)
{
    while (*list && (strlen(*list) != length || strncmp(*list, word, length) != 0)) {
        list++;
    }
    return *list != NULL;
}

/* Returns whether a word is the path of an interpreter, with a version or without. */
static bool is_interpreter(const char *word)
{
    static const char *const names[] = {
        "python", "pypy", "perl", "ruby", "node", "nodejs", "lua",     "php",   "luajit", "sh",
        "bash",   "dash", "zsh",  "ksh",  "mksh", "tclsh",  "Rscript", "guile", NULL};
    const char *name = base_of(word);
    size_t length = strlen(name);
    while (length > 0 && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.')) {
        length--;
    }
    return is_one_of(name, length, names);
}

/* A program that runs another one. */
typedef struct launcher {
    const char *name;
    const char *with_argument; /* letters of options */
    int n_operands;            /* before the program */
} launcher;

static const launcher *find_launcher(const char *name)
{
    static const launcher launchers[] = {
        {"env", "uC", 0},  {"nice", "n", 0},     {"timeout", "ks", 1}, {"nohup", "", 0},
        {"setsid", "", 0}, {"stdbuf", "ioe", 0}, {"ionice", "cn", 0},  {"time", "fo", 0}};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strcmp(name, launchers[i].name) == 0) {
            return &launchers[i];
        }
    }
    return NULL;
}

/* Returns the words after a launcher, its options, and variables for the environment. */
static const char *const *after_launcher(const launcher *l, const char *const *next)
{
    while (*next && (**next == '-' || (strcmp(l->name, "env") == 0 && strchr(*next, '=')))) {
        const char *word = *next;
        bool has_argument =
            word[0] == '-' && word[1] && !word[2] && strchr(l->with_argument, word[1]);
        next += has_argument && next[1] ? 2 : 1;
    }
    for (int i = 0; i < l->n_operands && *next; i++) {
        next++;
    }
    return next;
}

/* Returns the words after launchers, such as `nice -n 5` and `env A=b`, and after `pyenv exec`. */
static const char *const *without_launchers(const char *const *words)
{
    while (words[0] && words[1]) {
        const char *name = base_of(words[0]);
        const char *const *next = words + 1;
        const launcher *l = find_launcher(name);
        if (l) {
            next = after_launcher(l, next);
        } else if (strcmp(name, "pyenv") == 0 && strcmp(words[1], "exec") == 0) {
            next = words + 2;
        } else {
            break;
        }
        if (!*next) {
            break;
        }
        words = next;
    }
    return words;
}

/* Returns the script that an interpreter runs, or the module of Python's -m; NULL if the program is
 * in an option, or comes from standard input. */
static const char *const *find_script(const char *const *words)
{
    static const char *const with_argument[] = {"-W", "-X", "-r", "-o", "-O", NULL};
    const char *name = base_of(words[0]);
    bool is_python = strncmp(name, "py", 2) == 0;
    char inline_letter = is_python || strstr(name, "sh") ? 'c' : 'e';
    for (const char *const *word = words + 1; *word; word++) {
        size_t length = strlen(*word);
        bool is_long = strncmp(*word, "--", 2) == 0;
        if (**word != '-') {
            return word;
        }
        if (is_python && strcmp(*word, "-m") == 0) {
            return word[1] ? word + 1 : NULL;
        }
        if (length == 1 || (!is_long && (*word)[length - 1] == inline_letter)) {
            return NULL;
        }
        bool has_argument =
            is_one_of(*word, length, with_argument) || (!is_python && strcmp(*word, "-I") == 0);
        word += has_argument && word[1];
    }
    return NULL;
}

/* Returns the argument that tells a command apart: what a linker or an assembler writes; else the
 * first one that looks like a file; else the first one that does not belong to an option; NULL if
 * there is none. */
static const char *find_argument(const char *const *words)
{
    static const char *const writers[] = {"as",     "ld",   "ld.bfd",   "ld.gold",
                                          "ld.lld", "mold", "collect2", NULL};
    const char *first = NULL, *program = base_of(words[0]);
    bool is_writer = is_one_of(program, strlen(program), writers);
    for (size_t i = 1; words[i] && is_writer; i++) {
        if (strcmp(words[i], "-o") == 0 && words[i + 1]) {
            return base_of(words[i + 1]);
        }
    }
    for (size_t i = 1; words[i]; i++) {
        const char *name = base_of(words[i]);
        const char *dot = strrchr(name, '.');
        bool is_option = words[i][0] == '-';
        if (!is_option && dot && dot > name && isalpha((unsigned char)dot[1])) {
            return name;
        }
        first = first || is_option || words[i - 1][0] == '-' ? first : name;
    }
    return first;
}

void hpp_command_name(char *out, size_t n_bytes, const char *const *words, bool with_argument)
{
    static const char *const suffixes[] = {"py",  "pyw", "pl", "rb",  "js",  "mjs", "lua",
                                           "php", "sh",  "R",  "tcl", "scm", NULL};
    enum { MOST_ARGUMENT = 40 };
    words = without_launchers(words);
    if (!words[0]) {
        snprintf(out, n_bytes, "program");
        return;
    }
    bool is_script = is_interpreter(words[0]);
    const char *const *script = is_script ? find_script(words) : NULL;
    const char *const *named = script && *base_of(*script) ? script : words;
    const char *name = base_of(*named);
    const char *dot = strrchr(name, '.');
    bool is_cut = dot && dot > name && is_one_of(dot + 1, strlen(dot + 1), suffixes);
    const char *argument = with_argument && (script || !is_script) ? find_argument(named) : NULL;
    snprintf(out, n_bytes, "%.*s%s%.*s", (int)(is_cut ? (size_t)(dot - name) : strlen(name)), name,
             argument ? " " : "", MOST_ARGUMENT, argument ? argument : "");
}
