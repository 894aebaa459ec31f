/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What follows an option or a command is known from the names of arguments: FILE, DIR, PID,
 * PROGRAM.
 */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "diag.h"

static bool takes_process(const cmd *c)
{
    return strncmp(c->operands, "PID", 3) == 0;
}

/* Returns whether the next word is the argument of the option. */
static bool takes_word(const opt *option)
{
    return option->kind != OPT_FLAG && option->kind != OPT_SUFFIX;
}

/* Calls `print` for each option of a command, --help and --help-all last. */
static void each_option(const cmd *c, void (*print)(const cmd *c, const opt *option))
{
    opt help = {.letter = 'h', .name = "help", .kind = OPT_FLAG, .help = "print the help and exit"};
    const opt all = {.name = "help-all", .kind = OPT_FLAG, .help = "print all options and exit"};
    bool has_more = false;
    for (const opt *o = cmd_option_table(c); o && o->name; o++) {
        has_more |= o->kind == OPT_RARE_GROUP;
        help.letter = o->letter == help.letter ? 0 : help.letter;
        if (opt_is_option(o)) {
            print(c, o);
        }
    }
    print(c, &help);
    if (has_more) {
        print(c, &all);
    }
}

/* What a shell completes as the argument of an option; the choices are in between. */
typedef struct shell_words {
    const char *file, *folder, *before_choices, *after_choices, *other;
} shell_words;

static void print_argument(const opt *option, const shell_words *words)
{
    const char *name = option->argument;
    if (!option->choices) {
        fputs(strcmp(name, "FILE") == 0 || strcmp(name, "BASE") == 0 ? words->file
              : strcmp(name, "DIR") == 0                             ? words->folder
                                                                     : words->other,
              stdout);
        return;
    }
    fputs(words->before_choices, stdout);
    for (size_t i = 0; option->choices[i]; i++) {
        printf("%s%s", i > 0 ? " " : "", option->choices[i]);
    }
    fputs(words->after_choices, stdout);
}

/* Prints the names of all commands. */
static void print_commands(void)
{
    for (int i = 0; cmd_table[i]; i++) {
        printf("%s ", cmd_table[i]->name);
    }
    fputs("help", stdout);
}

/* Prints text inside single quotes of a shell, with a backslash before the characters in `special`,
 * and quotes written as `quote`. */
static void print_quoted(const char *text, const char *special, const char *quote)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            fputs(quote, stdout);
        } else {
            printf("%s%c", strchr(special, *c) ? "\\" : "", *c);
        }
    }
}

/* ---- bash ---- */

static void bash_word(const cmd *c, const opt *option)
{
    (void)c;
    if (option->letter) {
        printf("-%c ", option->letter);
    }
    printf("--%s%s ", option->name, option->kind == OPT_SUFFIX ? "=" : "");
}

static void bash_argument(const cmd *c, const opt *option)
{
    static const shell_words words = {"_filedir ;;\n", "_filedir -d ;;\n",
                                      "COMPREPLY=($(compgen -W '", "' -- \"$cur\")) ;;\n",
                                      ": ;;\n"};
    (void)c;
    if (!takes_word(option)) {
        return;
    }
    fputs("        ", stdout);
    if (option->letter) {
        printf("-%c | ", option->letter);
    }
    printf("--%s) ", option->name);
    print_argument(option, &words);
}

static void bash_command(const cmd *c)
{
    printf("    %s)\n        options='", c->name);
    each_option(c, bash_word);
    puts("'\n        case $1 in");
    each_option(c, bash_argument);
    puts("        *) return 1 ;;\n        esac\n        ;;");
}

static void print_bash(void)
{
    puts(
        "# bash completion for census, made by: census --completion bash\n\n"
        "# Completes the argument of option $1 of command $2; fails if it has none. Sets options.\n"
        "_census_argument() {\n"
        "    case $2 in");
    for (int i = 0; cmd_table[i]; i++) {
        bash_command(cmd_table[i]);
    }
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "}\n\n"
         "_census() {\n"
         "    local cur prev words cword split options=\n"
         "    _init_completion -s || return\n"
         "    local command=${words[1]-} i");
    fputs("    if ((cword == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          stdout);
    print_commands();
    puts(" --help --version' -- \"$cur\"))\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
    fputs("    help)\n        COMPREPLY=($(compgen -W '", stdout);
    print_commands();
    puts("' -- \"$cur\"))\n"
         "        return\n"
         "        ;;");
    for (int i = 0; cmd_table[i]; i++) {
        if (cmd_table[i]->operand_ends_options) {
            printf("    %s)\n"
                   "        # The first operand begins the command line of another program.\n"
                   "        for ((i = 2; i < cword; i++)); do\n"
                   "            case ${words[i]} in\n"
                   "            --) ((i++)); break ;;\n"
                   "            -*) _census_argument \"${words[i]}\" $command && ((i++)) ;;\n"
                   "            *) break ;;\n"
                   "            esac\n"
                   "        done\n"
                   "        COMPREPLY=()\n"
                   "        if ((i < cword)) || { ((i == cword)) && [[ $cur != -* ]]; }; then\n"
                   "            _command_offset $i\n"
                   "            return\n"
                   "        fi\n"
                   "        ;;\n",
                   cmd_table[i]->name);
        }
    }
    puts("    esac\n"
         "    _census_argument \"$prev\" $command && return\n"
         "    $split && return\n"
         "    if [[ $cur == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
         "        return\n"
         "    fi\n"
         "    case $command in");
    for (int i = 0; cmd_table[i]; i++) {
        if (takes_process(cmd_table[i])) {
            printf("    %s) _pids ;;\n", cmd_table[i]->name);
        }
    }
    puts("    *) _filedir ;;\n"
         "    esac\n"
         "} &&\n"
         "    complete -F _census census");
}

/* ---- zsh ---- */

static void zsh_option(const cmd *c, const opt *option)
{
    static const shell_words words = {"_files", "_files -/", "(", ")", ""};
    (void)c;
    const bool is_list = option->kind == OPT_LIST || option->kind == OPT_SUFFIX;
    const char *word = option->kind == OPT_SUFFIX ? "-" : takes_word(option) ? "+" : "";
    const char *long_word = option->kind == OPT_SUFFIX ? "=-" : takes_word(option) ? "=" : "";
    fputs("        ", stdout);
    if (is_list) {
        fputs("'*'", stdout);
    } else if (option->letter) {
        printf("'(-%c --%s)'", option->letter, option->name);
    }
    if (option->letter) {
        printf("{-%c%s,--%s%s}", option->letter, word, option->name, long_word);
    } else {
        printf("--%s%s", option->name, long_word);
    }
    fputs("'[", stdout);
    print_quoted(option->help, "[]\\", "'\\''");
    fputs("]", stdout);
    if (option->kind != OPT_FLAG) {
        printf("%s:%s:", option->kind == OPT_SUFFIX ? ":" : "", option->argument);
        print_argument(option, &words);
    }
    fputs("' \\\n", stdout);
}

static void zsh_command(const cmd *c)
{
    printf("    %s)\n        _arguments -s -S%s \\\n", c->name,
           c->operand_ends_options ? " -A '-*'" : "");
    each_option(c, zsh_option);
    puts(c->operand_ends_options ? "        '(-)1:program: _command_names -e' '*:: : _normal'"
         : takes_process(c)      ? "        '1:process:_pids' '*:: :'"
                                 : "        '*:file:_files'");
    puts("        ;;");
}

static void print_zsh(void)
{
    puts("#compdef census\n"
         "# zsh completion for census, made by: census --completion zsh\n\n"
         "_census() {\n"
         "    local curcontext=$curcontext state line\n"
         "    local -a names\n"
         "    names=(");
    for (int i = 0; cmd_table[i]; i++) {
        printf("        '%s:", cmd_table[i]->name);
        print_quoted(cmd_table[i]->summary, "\\", "'\\''");
        puts("'");
    }
    puts("        'help:Print the help of a command, or this list'\n"
         "    )\n"
         "    _arguments -C '(- *)'{-h,--help}'[print the help and exit]' \\\n"
         "        '(- *)--version[print the version and exit]' \\\n"
         "        '1: :->command' '*:: :->words' && return\n"
         "    if [[ $state == command ]]; then\n"
         "        _describe -t commands 'command' names\n"
         "        return\n"
         "    fi\n"
         "    case $line[1] in\n"
         "    help) _describe -t commands 'command' names ;;");
    for (int i = 0; cmd_table[i]; i++) {
        zsh_command(cmd_table[i]);
    }
    puts("    esac\n"
         "}\n\n"
         "if [[ $funcstack[1] == _census ]]; then\n"
         "    _census \"$@\"\n"
         "else\n"
         "    compdef _census census\n"
         "fi");
}

/* ---- fish ---- */

static void fish_option(const cmd *c, const opt *option)
{
    static const shell_words words = {" -r -F", " -x -a '(__fish_complete_directories)'",
                                      " -x -a '", "'", " -x"};
    printf("complete -c census -n '__census_in %s'", c->name);
    if (option->letter) {
        printf(" -s %c", option->letter);
    }
    printf(" -l %s", option->name);
    if (takes_word(option)) {
        print_argument(option, &words);
    }
    fputs(" -d '", stdout);
    print_quoted(option->help, "\\", "\\'");
    puts("'");
}

/* Lists the options whose argument is a word of its own. */
static void fish_taker(const cmd *c, const opt *option)
{
    (void)c;
    if (takes_word(option) && option->letter) {
        printf(" -%c", option->letter);
    }
    if (takes_word(option)) {
        printf(" --%s", option->name);
    }
}

static void fish_command(const cmd *c)
{
    printf("complete -c census -n __fish_use_subcommand -a %s -d '", c->name);
    print_quoted(c->summary, "\\", "\\'");
    puts("'");
    printf("complete -c census -n '%s %s' ",
           c->operand_ends_options ? "__fish_seen_subcommand_from" : "__census_in", c->name);
    if (c->operand_ends_options) {
        fputs("-x -a '(__fish_complete_subcommand --fcs-skip=2", stdout);
        each_option(c, fish_taker);
        puts(")'");
    } else {
        puts(takes_process(c) ? "-x -a '(__fish_complete_pids)'" : "-F");
    }
    each_option(c, fish_option);
}

static void print_fish(void)
{
    puts("# fish completion for census, made by: census --completion fish\n\n"
         "# Succeeds if the command is $argv[1] and no other program has begun.\n"
         "function __census_in\n"
         "    set -l words (commandline -opc)\n"
         "    test \"$words[2]\" = $argv[1]; or return 1\n"
         "    set -e words[1..2]\n"
         "    switch $argv[1]");
    for (int i = 0; cmd_table[i]; i++) {
        if (cmd_table[i]->operand_ends_options) {
            printf("    case %s\n        set -f takers", cmd_table[i]->name);
            each_option(cmd_table[i], fish_taker);
            puts("");
        }
    }
    puts("    case '*'\n"
         "        return 0\n"
         "    end\n"
         "    while set -q words[1]\n"
         "        contains -- $words[1] $takers; and set -e words[1]\n"
         "        string match -qr -- '^-.' $words[1]; and test $words[1] != --; or return 1\n"
         "        set -e words[1]\n"
         "    end\n"
         "end\n\n"
         "complete -c census -f\n"
         "complete -c census -n __fish_use_subcommand -s h -l help -d 'print the help and exit'\n"
         "complete -c census -n __fish_use_subcommand -l version -d 'print the version and exit'\n"
         "complete -c census -n __fish_use_subcommand -a help -d 'Print the help of a command'");
    fputs("complete -c census -n '__census_in help' -a '", stdout);
    print_commands();
    puts("'");
    for (int i = 0; cmd_table[i]; i++) {
        fish_command(cmd_table[i]);
    }
}

int completion_print(const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (shell && strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    }
    diag_say("--completion expects bash, zsh or fish%s%s%s", shell ? ", not '" : "",
             shell ? shell : "", shell ? "'" : "");
    return EXIT_MISUSED;
}
