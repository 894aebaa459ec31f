/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What all commands share: options, --help, usage errors, and signals.
 */
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hpfile/sink.h"

#include "diag.h"
#include "options/suggest.h"

const opt *cmd_option_table(const cmd *self)
{
    return self->options || !self->make_options ? self->options : self->make_options();
}

static void print_help(const cmd *self, bool all, FILE *to)
{
    fprintf(to, "usage: census %s [options]%s%s\n%s.\n\n", self->name, *self->operands ? " " : "",
            self->operands, self->summary);
    size_t n_left_out = opt_print(cmd_option_table(self), all, to);
    if (n_left_out > 0) {
        fprintf(to, "\n%zu more options: census %s --help-all, or census-%s(1)\n", n_left_out,
                self->name, self->name);
    }
    if (self->notes) {
        putc('\n', to);
        self->notes(to);
    }
}

bool cmd_options(const cmd *self, void *values, int *argc, char **argv, int *status)
{
    const opt *table = cmd_option_table(self);
    opt_complaint complaint;
    opt_outcome outcome = self->operand_ends_options
                              ? opt_parse_before(table, values, argc, argv, &complaint)
                              : opt_parse(table, values, argc, argv, &complaint);
    switch (outcome) {
    case OPT_RUN:
        return true;
    case OPT_HELP:
    case OPT_HELP_ALL:
        print_help(self, outcome == OPT_HELP_ALL, stdout);
        *status = EXIT_DONE;
        return false;
    case OPT_WRONG:
        break;
    }
    *status = cmd_misused(self, "%s", complaint.message);
    return false;
}

int cmd_misused(const cmd *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "census %s: ", self->name);
    diag_vprint(stderr, format, arguments);
    fprintf(stderr, "Try 'census %s --help'.\n", self->name);
    va_end(arguments);
    return EXIT_MISUSED;
}

long cmd_process_id(const char *word)
{
    char *end;
    errno = 0;
    long id = strtol(word, &end, 10);
    bool is_id = isdigit((unsigned char)*word) && *end == '\0' && errno == 0 && id <= INT_MAX;
    return is_id ? id : 0;
}

/* Removes temporary files, and dies of the signal: SA_RESETHAND has restored its default action. */
static void on_deadly(int number)
{
    hpf_sink_remove_temporaries();
    raise(number);
}

void cmd_catch_deadly_signals(void)
{
    static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,   SIGALRM, SIGXCPU,
                                 SIGXFSZ, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction before, ours = {.sa_handler = on_deadly, .sa_flags = (int)SA_RESETHAND};
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(deadly[i], &ours, NULL);
        }
    }
}

int cmd_unknown(const char *name)
{
    suggestion similar = {.given = name, .length = strlen(name)};
    for (int i = 0; cmd_table[i]; i++) {
        suggest_compare(&similar, cmd_table[i]->name);
    }
    suggest_compare(&similar, "help");
    diag_say("unknown command '%s'%s", name, suggest_text(&similar, "").text);
    fputs("Try 'census --help'.\n", stderr);
    return EXIT_MISUSED;
}

static struct sigaction sigpipe_before;

void cmd_ignore_sigpipe(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignored, &sigpipe_before);
}

void cmd_restore_sigpipe(void)
{
    sigaction(SIGPIPE, &sigpipe_before, NULL);
}
