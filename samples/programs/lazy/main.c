/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The main function of all programs: parses options, starts the profile, runs, stops.
 *
 *   PROGRAM [--nursery BYTES] [--live FILE] [N] [+RTS OPTIONS [-RTS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime.h"

/* Raises the limit of the C stack: deep evaluation takes about 500 bytes of it per frame of the
 * runtime. On Linux the stack of the first thread grows up to a limit that a program can raise. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted_bytes = 100u << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < wanted_bytes) {
        limit.rlim_cur = limit.rlim_max < wanted_bytes ? limit.rlim_max : wanted_bytes;
        (void)setrlimit(RLIMIT_STACK, &limit);
    }
}

/* The parsed command line. */
typedef struct command {
    int64_t n;
    size_t nursery_bytes;
    double growth;
    const char *live_path;
    const char *arguments[8]; /* of the program */
    size_t n_arguments;
    char options[1024]; /* of the profiler, as one text */
} command;

/* Appends a word to the profiler's options, with blanks in the word escaped. */
static void add_option(command *c, const char *word)
{
    size_t at = strlen(c->options);
    for (; *word && at + 4 < sizeof c->options; word++) {
        if (*word == ' ') {
            c->options[at++] = '\\';
        }
        c->options[at++] = *word;
    }
    c->options[at] = ' ';
}

/* Options of GHC's run-time system that belong to the runtime, not to the profiler. Returns whether
 * `word` is one. */
static bool read_runtime_option(command *c, const char *word)
{
    if (strncmp(word, "-F", 2) == 0) {
        char *end;
        c->growth = strtod(word + 2, &end);
        if (*end || !(c->growth > 1 && c->growth <= 1000)) {
            lz_fail("-F expects a factor above 1, such as -F2");
        }
    } else if (strcmp(word, "-c") == 0) {
        lz_fail("-c is not possible: the collector of this runtime copies, it cannot compact");
    } else if (strncmp(word, "-N", 2) == 0 && strcmp(word, "-N1") != 0) {
        lz_fail("-N is not possible: this runtime uses one processor");
    }
    return strncmp(word, "-F", 2) == 0 || strcmp(word, "-N1") == 0;
}

static void parse(command *c, int argc, char **argv)
{
    bool is_option = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "+RTS") == 0 || strcmp(argv[i], "-RTS") == 0) {
            is_option = argv[i][0] == '+';
        } else if (is_option) {
            if (!read_runtime_option(c, argv[i])) {
                add_option(c, argv[i]);
            }
        } else if (strcmp(argv[i], "--nursery") == 0 && i + 1 < argc) {
            c->nursery_bytes = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--live") == 0 && i + 1 < argc) {
            c->live_path = argv[++i];
        } else if (c->n_arguments < sizeof c->arguments / sizeof *c->arguments) {
            c->arguments[c->n_arguments++] = argv[i];
            c->n = strtoll(argv[i], NULL, 10);
        }
    }
}

int lz_main(int argc, char **argv, const lz_info *program, int64_t default_n)
{
    static lz_runtime rt;
    static command c;
    raise_stack_limit();
    c.n = default_n;
    c.nursery_bytes = 256 * 1024;
    c.growth = 2;
    parse(&c, argc, argv);
    rt.nursery_bytes = rt.limit_bytes = c.nursery_bytes;
    rt.growth = c.growth;
    rt.live_log = c.live_path ? fopen(c.live_path, "w") : NULL;
    lz_threads_start(&rt);
    lz_profile_start(&rt, argv[0], c.arguments, c.n_arguments, c.options);
    lz_static main_function = {.object = {.info = program}};
    lz_call(&rt, &main_function.object, lz_int(&rt, c.n), NULL);
    lz_collect(&rt);
    lz_profile_stop(&rt);
    lz_heap_finish(&rt);
    if (rt.live_log) {
        fclose(rt.live_log);
    }
    return 0;
}
