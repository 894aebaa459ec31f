/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the command that the first word names, and runs it.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "hpfile/version.h"

#include "cmd.h"
#include "completion.h"
#include "diag.h"
#include "options/suggest.h"

static const char *const global_options[] = {"--help", "--version", "--completion", NULL};

static void print_usage(FILE *to)
{
    fputs("usage: census COMMAND [options] ...\n"
          "Records, draws and summarises heap profiles.\n\n",
          to);
    for (int i = 0; cmd_table[i]; i++) {
        if (cmd_table[i]->group) {
            fprintf(to, "%s%s:\n", i > 0 ? "\n" : "", cmd_table[i]->group);
        }
        fprintf(to, "  %-10s %s\n", cmd_table[i]->name, cmd_table[i]->summary);
    }
    fputs("  help       Print the help of a command, or this list\n"
          "\n"
          "census COMMAND --help prints the options of a command, --help-all all of them.\n"
          "census version prints the version, census --completion SHELL a completion script for\n"
          "bash, zsh or fish.\n",
          to);
}

/* `census help` and `census help NAME`. */
static int help(int argc, char **argv)
{
    char option[] = "--help";
    if (argc < 2) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "help") == 0) {
        puts("usage: census help [COMMAND]\nPrint the help of a command, or the list of commands.");
        return EXIT_DONE;
    }
    const cmd *which = cmd_find(argv[1]);
    char *words[] = {argv[1], option, NULL};
    return which ? which->run(which, 2, words) : cmd_unknown(argv[1]);
}

static int dispatch(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const cmd *program = argc > 0 ? cmd_find(slash ? slash + 1 : argv[0]) : NULL;
    if (program && program->run_as_program) {
        return program->run_as_program(program, argc, argv);
    }
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_MISUSED;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("census (heapcensus) %s\n", hpf_version());
        return EXIT_DONE;
    }
    if (strcmp(word, "--completion") == 0) {
        return completion_print(argv[2]);
    }
    if (strcmp(word, "help") == 0) {
        return help(argc - 1, argv + 1);
    }
    const cmd *which = cmd_find(word);
    if (which) {
        return which->run(which, argc - 1, argv + 1);
    }
    if (word[0] != '-') {
        return cmd_unknown(word);
    }
    diag_say("unknown option '%s'%s", word, suggest_of(word, global_options).text);
    fputs("Try 'census --help'.\n", stderr);
    return EXIT_MISUSED;
}

/* Flushes standard output. Returns `status`, or EXIT_FAILED after a message if output was lost, for
 * example on a full disk. */
static int close_output(int status)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        diag_say("standard output: %s", errno ? strerror(errno) : "write error");
        return status == EXIT_DONE ? EXIT_FAILED : status;
    }
    return status;
}

int main(int argc, char **argv)
{
    /* Numbers always have a decimal point, whatever the locale. */
    setlocale(LC_CTYPE, "");
    static char line[BUFSIZ];
    setvbuf(stderr, line, _IOLBF, sizeof line); /* a signal cuts no message inside a line */
    cmd_ignore_sigpipe();
    cmd_catch_deadly_signals();
    return close_output(dispatch(argc, argv));
}
