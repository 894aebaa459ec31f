/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocations of the C library for its callers, and memory before and after main.
 */
#include "case.h"

#include <dirent.h>
#include <dlfcn.h>
#include <netdb.h>
#include <regex.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- strings and streams --------------------------------------------------------------------- */

OWN_FRAME static size_t keep_strings(void)
{
    char *text = NULL;
    must(asprintf(&text, "%d and %s", 7, "more") == 10, "asprintf");
    return strlen(made(strdup("eleven char"))) + 1 + strlen(made(strndup("cut off", 3))) + 1 +
           (wcslen(made(wcsdup(L"wide"))) + 1) * sizeof(wchar_t) + strlen(text) + 1;
}

/* The size of asprintf's block depends on how it grows; it is freed here. */
static void use_streams(void)
{
    char *text = NULL, *line = NULL;
    size_t length = 0, room = 0;
    FILE *stream = open_memstream(&text, &length);
    must(stream != NULL, "open_memstream");
    for (int i = 0; i < 5000; i++) {
        fprintf(stream, "line %d\n", i);
    }
    fclose(stream);
    stream = fmemopen(text, length, "r");
    must(stream != NULL, "fmemopen");
    size_t sum = 0;
    for (ssize_t n = getline(&line, &room, stream); n > 0;) {
        sum += (size_t)n;
        n = getline(&line, &room, stream);
    }
    fclose(stream);
    must(sum == length, "all lines are read");
    free(line);
    free(text);
}

static void use_tables(void)
{
    struct dirent **entries;
    regex_t pattern;
    int n = scandir("/proc/self/fdinfo", &entries, NULL, alphasort);
    while (n > 0) {
        free(entries[--n]);
    }
    free(entries);
    must(regcomp(&pattern, "(a|b)*c{2,5}[[:alpha:]]+", REG_EXTENDED) == 0, "regcomp");
    must(regexec(&pattern, "xababcccz", 0, NULL, 0) == 0, "regexec");
    regfree(&pattern);
    free(made(getcwd(NULL, 0)));
    free(made(realpath("/proc/..", NULL)));
    must(hcreate(100) != 0, "hcreate");
    hdestroy();
    clearenv(); /* setenv copies all variables, of which the counting library has more */
    setenv("CENSUS_TESTS_VARIABLE", "value", 1);
    unsetenv("CENSUS_TESTS_VARIABLE");
}

static int strings(char **arguments)
{
    (void)arguments;
    use_streams();
    use_tables();
    say("through keep_strings %zu\n", keep_strings());
    return 0;
}

/* Buffered output is written at the end of the program, from an allocated buffer. */
static int prints(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 2000; i++) {
        printf("line %d of standard output\n", i);
        fprintf(stderr, "line %d of standard error\n", i);
    }
    return 4;
}

/* ---- before and after main ------------------------------------------------------------------- */

static size_t kept_early, kept_late;
static void *from_before;

__attribute__((constructor)) OWN_FRAME static void keep_early(void)
{
    from_before = made(malloc(600));
    made(malloc(111));
    kept_early = 111;
}

OWN_FRAME static void keep_at_exit(void)
{
    free(made(malloc(50)));
    made(malloc(222));
    kept_late += 222;
}

__attribute__((destructor)) OWN_FRAME static void keep_last(void)
{
    free(from_before);
    if (kept_late > 0) {
        made(malloc(333));
        say("live keep_early %zu\nlive keep_at_exit %zu\nlive keep_last 333\n", kept_early,
            kept_late);
    }
}

static int begins_and_ends(char **arguments)
{
    (void)arguments;
    for (int i = 0; i < 3; i++) {
        must(atexit(keep_at_exit) == 0, "atexit");
    }
    return 21;
}

/* ---- C++ in a C program ---------------------------------------------------------------------- */

/* The library brings the C++ run time along: only for itself, for all, or before all. */
static int catches_late(char **arguments)
{
    int scope = strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL
                : strcmp(arguments[1], "deep") == 0 ? RTLD_DEEPBIND
                                                    : RTLD_LOCAL;
    void *library = dlopen(arguments[0], RTLD_NOW | scope);
    must(library != NULL, "the library");
    int (*count_caught)(int) = (int (*)(int))(uintptr_t)dlsym(library, "count_caught");
    must(count_caught != NULL, "its function");
    say("caught %d\n", count_caught(100));
    return 0;
}

/* Calls the C++ run time of one library, unloads both, and calls that of another in the same place.
 */
static int throws_by_turns(char **arguments)
{
    uintptr_t place = 0;
    bool is_same = false;
    for (int i = 0; i < 100 && !is_same; i++) {
        void *library = dlopen(arguments[i % 2], RTLD_NOW | RTLD_LOCAL);
        must(library != NULL, "the library");
        uintptr_t function = (uintptr_t)dlsym(library, "throw_in_plugin");
        is_same = function == place;
        place = function;
        must(((size_t(*)(void))function)() == (i % 2 == 0 ? 64 : 96), "its own run time");
        dlclose(library);
    }
    must(is_same, "two libraries at the same place");
    return 0;
}

static const native_case cases[] = {
    {"strings", strings},
    {"prints", prints},
    {"begins_and_ends", begins_and_ends},
    {"catches_late", catches_late},
    {"throws_by_turns", throws_by_turns},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    (void)argc;
    return run_case(cases, argv);
}
