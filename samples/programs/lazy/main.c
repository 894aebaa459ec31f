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

hpp_cc lz_main_caf = HPP_CC_INIT("CAF", "Main", "<entire-module>", HPP_CC_CAF);

static void print_help(const char *program)
{
    printf(
        "usage: %s [--nursery BYTES] [--live FILE] [N] [+RTS OPTIONS [-RTS]]\n\n"
        "  N                size of the problem\n"
        "  --nursery BYTES  allocate at least this much between collections\n"
        "  --live FILE      write the live bytes at each census\n\n"
        "OPTIONS of the runtime:\n"
        "  -s[FILE]         print where time was spent at the end, to FILE or standard error\n"
        "  -S[FILE]         the same, and a line for each collection\n"
        "  -FFACTOR         size of the heap at a collection, in live bytes (2)\n\n"
        "OPTIONS of the profiler, also in HPP_OPTIONS:\n"
        "  -h -hc -hm -hd -hy -hr -hb -hT\n"
        "                   heap profile by cost-centre stack (-h, -hc), module, description,\n"
        "                   type, retainer set, biography (also -hL), kind\n"
        "  -hcNAME,... -hCNAME,... -hmNAME,... -hdNAME,... -hyNAME,... -hrNAME,... -hbNAME,...\n"
        "                   only objects with these\n"
        "  -iSECONDS        time between censuses (0.1)\n"
        "  -LBYTES -RSIZE   longest name of a stack; largest retainer set\n"
        "  -xt -xc          include threads; print the stack of cost centres at exceptions\n"
        "  -p -P -pa -pj    time and allocation report\n"
        "  -VSECONDS        time between ticks of the report (0.001)\n"
        "  -l[LETTERS]      event log, of s g n p f u T a\n"
        "  --retainer-by --is-retainer --savings --count --snapshot --life-times --life -B -oNAME\n"
        "                   see hpprof/options.h\n",
        program);
    exit(0);
}

/* The parsed command line. */
typedef struct command {
    int64_t n;
    size_t nursery_bytes;
    double growth;
    lz_stats stats;
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
    } else if (word[0] == '-' && (word[1] == 's' || word[1] == 'S')) {
        c->stats.prints_each = word[1] == 'S';
        c->stats.out = word[2] ? fopen(word + 2, "w") : stderr;
        if (!c->stats.out) {
            lz_fail("cannot write the statistics of -s or -S");
        }
        return true;
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
        if (strcmp(argv[i], "--help") == 0 || (is_option && strcmp(argv[i], "-?") == 0)) {
            print_help(argv[0]);
        } else if (strcmp(argv[i], "+RTS") == 0 || strcmp(argv[i], "-RTS") == 0) {
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
    rt.stats = c.stats;
    lz_stats_start(&rt);
    lz_threads_start(&rt);
    lz_profile_start(&rt, argv[0], c.arguments, c.n_arguments, c.options);
    lz_static main_function = {.object = {.info = program}};
    /* Profiler: main is a top-level thunk of the program. */
    HPP_UNDER(hpp_ccs_of_caf(&lz_main_caf))
    {
        lz_call(&rt, &main_function.object, lz_int(&rt, c.n), NULL);
    }
    lz_collect(&rt);
    lz_profile_stop(&rt);
    lz_stats_print(&rt);
    lz_heap_finish(&rt);
    if (rt.live_log) {
        fclose(rt.live_log);
    }
    return 0;
}
