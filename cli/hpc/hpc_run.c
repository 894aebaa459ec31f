/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of commands, and the help.
 */
#include "hpc.h"

#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "options/suggest.h"

static int run_help(const hpc_command *self, hpc_options *options);

static int run_version(const hpc_command *self, hpc_options *options)
{
    (void)self;
    (void)options;
    puts("hpc tools, version 0.68");
    return EXIT_DONE;
}

/* A command, and before the first of a group its title. */
typedef struct entry {
    const char *title;
    hpc_command command;
} entry;

static const entry entries[] = {
    {"Commands",
     {"help", "[<HPC_COMMAND>]", "Display help for hpc or a single command", "", run_help}},
    {"Reporting Coverage",
     {"report", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Output textual report about program coverage", "pleishrxv", hpc_run_report}},
    {NULL,
     {"markup", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Markup Haskell source with program coverage", "eishrncdv", hpc_run_markup}},
    {"Processing Coverage files",
     {"sum", "[OPTION] .. <TIX_FILE> [<TIX_FILE> [<TIX_FILE> ..]]",
      "Sum multiple .tix files in a single .tix file", "eiouv", hpc_run_sum}},
    {NULL,
     {"combine", "[OPTION] .. <TIX_FILE> <TIX_FILE>",
      "Combine two .tix files in a single .tix file", "eiofuv", hpc_run_combine}},
    {NULL,
     {"map", "[OPTION] .. <TIX_FILE> ", "Map a function over a single .tix file", "eiomuv",
      hpc_run_map}},
    {"Coverage Overlays",
     {"overlay", "[OPTION] .. <OVERLAY_FILE> [<OVERLAY_FILE> [...]]",
      "Generate a .tix file from an overlay file", "shrov", hpc_run_overlay}},
    {NULL,
     {"draft", "[OPTION] .. <TIX_FILE>", "Generate draft overlay that provides 100% coverage",
      "eishrov", hpc_run_draft}},
    {"Others",
     {"show", "[OPTION] .. <TIX_FILE> [<MODULE> [<MODULE> ..]]",
      "Show .tix file in readable, verbose format", "eishrov", hpc_run_show}},
    {NULL, {"version", "", "Display version for hpc", "", run_version}},
};

static const hpc_command *find(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].command.name, name) == 0) {
            return &entries[i].command;
        }
    }
    return NULL;
}

static int print_commands(void)
{
    printf("Usage: %shpc COMMAND ...\n\n", hpc_is_census() ? "census " : "");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (entries[i].title) {
            printf("%s:\n", entries[i].title);
        }
        printf("  %-11s %s\n", entries[i].command.name, entries[i].command.summary);
    }
    puts("");
    return EXIT_DONE;
}

/* Prints that there is no such command. Returns EXIT_MISUSED. */
static int complain_unknown(const char *name)
{
    suggestion similar = {.given = name, .length = strlen(name)};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        suggest_compare(&similar, entries[i].command.name);
    }
    diag_print(stderr, "census hpc: unknown command '%s'%s", name, suggest_text(&similar, "").text);
    fputs("Try 'census hpc --help'.\n", stderr);
    return EXIT_MISUSED;
}

static int run_help(const hpc_command *self, hpc_options *options)
{
    (void)self;
    if (options->operands.n == 0) {
        return print_commands();
    }
    const hpc_command *command = find(options->operands.items[0]);
    if (!command && hpc_is_census()) {
        return complain_unknown(options->operands.items[0]);
    }
    if (!command) {
        diag_print(stdout, "no such hpc command : %s", options->operands.items[0]);
        return EXIT_FAILED;
    }
    hpc_print_usage(command);
    return EXIT_DONE;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int hpc_run(int argc, char **argv)
{
    if (argc < 2 || (hpc_is_census() && is_help(argv[1]))) {
        return print_commands();
    }
    /* A first word that is no command is an operand of help. */
    const hpc_command *command = find(argv[1]);
    int first = command ? 2 : 1;
    command = command ? command : find("help");
    if (hpc_is_census() && first < argc && is_help(argv[first])) {
        hpc_print_usage(command);
        return EXIT_DONE;
    }
    hpc_options options;
    int status = hpc_options_parse(&options, command, argc - first, argv + first)
                     ? command->run(command, &options)
                 : hpc_is_census() ? EXIT_MISUSED
                                   : EXIT_FAILED;
    hpc_options_finish(&options);
    return status;
}
