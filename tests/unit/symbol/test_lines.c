/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What was inlined, files and lines: against the comments in the fixtures' sources, and against
 * addr2line.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"
#include "rng.h"
#include "scratch.h"
#include "symbol/resolve.h"

/* A function, and the comments at its line and, if not NULL, where it begins. */
typedef struct expected {
    const char *name;
    const char *marker;
    const char *begin;
} expected;

static const char *base_name(hpf_str path)
{
    const char *slash = strrchr(path.data, '/');
    return slash ? slash + 1 : path.data;
}

static void assert_chain(hpp_resolver *resolver, const char *path, uint64_t address,
                         const char *source, const expected *chain)
{
    hpp_functions found = find_in(resolver, path, address);
    for (size_t i = 0; i < found.n; i++) {
        const hpp_function *function = &found.list[i];
        assert_text(function->name, chain[i].name);
        cr_expect_str_eq(base_name(function->file), source);
        cr_expect_eq(function->line, places_line(source, chain[i].marker), "%s: line %u",
                     chain[i].marker, (unsigned)function->line);
        cr_expect_str_eq(base_name(function->start_file), source);
        if (chain[i].begin) {
            cr_expect_eq(function->start_line, places_line(source, chain[i].begin), "%s: line %u",
                         chain[i].begin, (unsigned)function->start_line);
        }
        cr_expect_eq(function->is_inlined, i + 1 < found.n);
        cr_expect(function->has_symbol);
    }
    cr_assert_null(chain[found.n].name);
}

static void need_elfutils(void)
{
    if (strstr(hpp__resolver_missing(), "elfutils")) {
        cr_skip("elfutils is not built in");
    }
}

static void assert_c_chains(const char *path)
{
    static const expected hidden[] = {{"hidden", "hidden_first", "begin_hidden"}, {0}};
    static const expected middle[] = {
        {"middle", "middle", "begin_middle"}, {"hidden", "hidden_calls", "begin_hidden"}, {0}};
    static const expected innermost[] = {{"innermost", "innermost", "begin_innermost"},
                                         {"middle", "middle_calls", "begin_middle"},
                                         {"hidden", "hidden_calls", "begin_hidden"},
                                         {0}};
    static const expected exported[] = {{"innermost", "innermost", "begin_innermost"},
                                        {"fixture_places", "exported_inlines", "begin_exported"},
                                        {0}};
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(NULL);
    assert_chain(resolver, path, places_address(there, "hidden_first", 0), "fixture.c", hidden);
    assert_chain(resolver, path, places_address(there, "middle", 0), "fixture.c", middle);
    assert_chain(resolver, path, places_address(there, "innermost", 0), "fixture.c", innermost);
    assert_chain(resolver, path, places_address(there, "innermost", 1), "fixture.c", exported);
    hpp_resolver_destroy(resolver);
    places_free(there);
}

Test(lines, inlined_functions_innermost_first)
{
    need_elfutils();
    assert_c_chains(FIXTURE("libfixture.so"));
}

Test(lines, from_a_separate_debug_file)
{
    need_elfutils();
    assert_c_chains(FIXTURE("libfixture_linked.so"));
    assert_c_chains(FIXTURE("libfixture_sum.so"));
}

Test(lines, from_split_units)
{
    need_elfutils();
    assert_c_chains(FIXTURE("libfixture_split.so"));
}

Test(lines, cxx)
{
    need_elfutils();
    static const expected inlined[] = {
        {"shapes::box<shapes::box<char,1>,4>::inlined", "inlined", NULL},
        {"fixture_cxx_places", "inlined_call", NULL},
        {0}};
    static const expected constructor[] = {
        {"shapes::box<shapes::box<char,1>,4>::box", "constructor", NULL}, {0}};
    const char *path = FIXTURE("libfixture_cxx.so");
    places *there = places_run(path, "fixture_cxx_places");
    hpp_resolver *resolver = make_resolver(NULL);
    assert_chain(resolver, path, places_address(there, "inlined", 0), "fixture_cxx.cpp", inlined);
    assert_chain(resolver, path, places_address(there, "constructor", 0), "fixture_cxx.cpp",
                 constructor);
    hpp_functions lambda = find_in(resolver, path, places_address(there, "lambda", 0));
    cr_expect_eq(lambda.list->line, places_line("fixture_cxx.cpp", "lambda"));
    const char *name = lambda.list->name.data; /* "{lambda()#1}" by gcc, "$_0" by clang */
    cr_expect(strstr(name, "lambda") || strstr(name, "$_"), "%s", name);
    hpp_resolver_destroy(resolver);
    places_free(there);
}

/* Templates over local types have no linkage name: where they are declared tells the rest. */
Test(lines, inlined_functions_without_linkage_name_are_qualified)
{
    need_elfutils();
    const char *path = FIXTURE("libfixture_cxx.so");
    places *there = places_run(path, "fixture_cxx_places");
    hpp_resolver *resolver = make_resolver(NULL);
    hpp_functions found = find_in(resolver, path, places_address(there, "called", 0));
    const char *name = found.list->name.data;
    cr_assert_eq(found.n, 2);
    cr_expect_eq(strncmp(name, "shapes::call<", 13), 0, "%s", name);
    static const char *const unnamed[][2] = {
        {"run_by_unnamed", "fixture_cxx_places::{unnamed}::run"},
        {"inlined_lambda", "fixture_cxx_places::{lambda}::operator()"}};
    for (int i = 0; i < 2; i++) { /* clang gives them linkage names, with "$_2" */
        found = find_in(resolver, path, places_address(there, unnamed[i][0], 0));
        name = found.list->name.data;
        cr_expect(strcmp(name, unnamed[i][1]) == 0 || strstr(name, "$_"), "%s", name);
    }
    hpp_resolver_destroy(resolver);
    places_free(there);
}

Test(lines, not_where_they_are_not_asked_for)
{
    const hpp_resolver_options options = {.size = sizeof options, .symbols_only = true};
    const char *path = FIXTURE("libfixture.so");
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(&options);
    hpp_functions found = find_in(resolver, path, places_address(there, "innermost", 0));
    cr_assert_eq(found.n, 1);
    assert_text(found.list->name, "hidden");
    cr_assert_eq(found.list->line, 0);
    cr_assert_eq(found.list->file.length, 0);
    hpp_resolver_destroy(resolver);
    places_free(there);
}

/* A file that is written over while it is in use. */
Test(lines, a_file_that_changes_is_not_read_on, .init = scratch_begin, .fini = scratch_end)
{
    need_elfutils();
    size_t length;
    const char *path = scratch_path("changing.so");
    char *bytes = read_file(FIXTURE("libfixture.so"), &length);
    write_file(path, (hpf_str){bytes, length});
    places *there = places_run(FIXTURE("libfixture.so"), "fixture_places");
    hpp_resolver *resolver = make_resolver(NULL);
    const hpp_object_file file = {.path = path};
    uint32_t number = hpp_resolver_object(resolver, &file);
    uint64_t first = places_address(there, "hidden_first", 0);
    uint64_t innermost = places_address(there, "innermost", 0);
    hpp_caller_rule rule;
    cr_assert_gt(hpp_resolver_find(resolver, number, first).list->line, 0);
    cr_assert(hpp__resolver_caller(resolver, number, first, &rule));
    write_file(path, (hpf_str){bytes, 100});
    hpp_functions found = hpp_resolver_find(resolver, number, innermost);
    cr_assert_eq(found.n, 1);
    cr_assert_eq(found.list->line, 0);
    cr_assert_not(hpp__resolver_caller(resolver, number, innermost, &rule));
    cr_assert_gt(hpp_resolver_find(resolver, number, first).list->line, 0);
    cr_assert(hpp__resolver_caller(resolver, number, first, &rule));
    hpp_resolver_destroy(resolver);
    places_free(there);
    free(bytes);
}

/* ---- Against addr2line ---- */

enum { N_COMPARED = 1000, N_SYMBOLS_MAX = 100000 };

typedef struct range {
    uint64_t start, n_bytes;
} range;

/* Picks addresses in functions at random. Returns false if the file has no symbols. */
static bool pick_addresses(const char *path, uint64_t *addresses)
{
    static range ranges[N_SYMBOLS_MAX];
    char command[1024], line[8192], type;
    size_t n = 0;
    rng random = {42};
    snprintf(command, sizeof command, "(%s -S %s; %s -SD %s) 2>/dev/null", NM, path, NM, path);
    FILE *list = popen(command, "r");
    cr_assert(list);
    while (n < N_SYMBOLS_MAX && fgets(line, sizeof line, list)) {
        unsigned long long start, n_bytes;
        if (sscanf(line, "%llx %llx %c", &start, &n_bytes, &type) == 3 && strchr("tTwW", type)) {
            ranges[n++] = (range){start, n_bytes};
        }
    }
    pclose(list);
    for (size_t i = 0; n > 0 && i < N_COMPARED; i++) {
        const range *in = &ranges[rng_below(&random, n)];
        addresses[i] = in->start + rng_below(&random, in->n_bytes);
    }
    return n > 0;
}

static FILE *ask_addr2line(const char *path, const uint64_t *addresses)
{
    char command[1024];
    FILE *list = fopen(scratch_path("addresses"), "w");
    cr_assert(list);
    for (size_t i = 0; i < N_COMPARED; i++) {
        fprintf(list, "0x%llx\n", (unsigned long long)addresses[i]);
    }
    fclose(list);
    snprintf(command, sizeof command, "%s -afie %s < %s", ADDR2LINE, path,
             scratch_path("addresses"));
    FILE *answer = popen(command, "r");
    cr_assert(answer);
    return answer;
}

/* Reads a line without its end; an address, which begins the next answer, is left. */
static bool read_line(FILE *in, char *line, int n_line)
{
    int c = fgetc(in);
    ungetc(c, in);
    if (c == '0' || !fgets(line, n_line, in)) {
        return false;
    }
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* Returns whether addr2line gives the same place. Only names of C functions without aliases are
 * compared. */
static bool is_same_place(const hpp_function *function, const char *name, char *place)
{
    char *colon = strrchr(place, ':');
    cr_assert(colon);
    *colon = 0;
    const char *slash = strrchr(place, '/');
    const char *file = slash ? slash + 1 : place;
    bool is_in_c = strlen(file) > 2 && strcmp(file + strlen(file) - 2, ".c") == 0;
    bool has_alias = !function->is_inlined && name[0] == '_'; /* "__GI_getaddrinfo" */
    return (!is_in_c || has_alias || strcmp(function->name.data, name) == 0) &&
           (uint32_t)strtoul(colon + 1, NULL, 10) == function->line &&
           strcmp(file[0] == '?' ? "" : file, base_name(function->file)) == 0;
}

/* Some names of C++ are told without what they are in. */
static bool is_whole_name(const char *name, const char *place)
{
    return strncmp(name, "_Z", 2) == 0 || strstr(place, ".c:");
}

static unsigned count_differences(const char *path)
{
    static uint64_t addresses[N_COMPARED];
    static char name[65536], before[65536], place[4096];
    hpp_resolver *resolver = make_resolver(NULL);
    if (access(path, R_OK) != 0 || !pick_addresses(path, addresses)) {
        hpp_resolver_destroy(resolver);
        return 0;
    }
    FILE *answer = ask_addr2line(path, addresses);
    unsigned n_different = 0;
    for (size_t i = 0; i < N_COMPARED; i++) {
        hpp_functions found = find_in(resolver, path, addresses[i]);
        bool is_same = true;
        size_t n = 0;
        cr_assert(fgets(name, sizeof name, answer));
        cr_assert_eq(strtoull(name, NULL, 16), addresses[i]);
        for (before[0] = 0; read_line(answer, name, sizeof name); strcpy(before, name)) {
            cr_assert(fgets(place, sizeof place, answer));
            if (strcmp(name, before) == 0 && is_whole_name(name, place)) {
                continue; /* inlined into itself: we name it once */
            }
            is_same = is_same && n < found.n && is_same_place(&found.list[n++], name, place);
        }
        n_different += !is_same || n != found.n;
    }
    pclose(answer);
    hpp_resolver_destroy(resolver);
    return n_different;
}

/* Up to 1 in 100 may differ: addr2line and we choose differently between aliases, and at start-up
 * code. */
Test(lines, addr2line_says_the_same, .init = scratch_begin, .fini = scratch_end, .timeout = 120)
{
    need_elfutils();
    if (system(ADDR2LINE " --version >/dev/null 2>&1") != 0) {
        cr_skip("no addr2line");
    }
    static const struct {
        const char *path;
        unsigned n_allowed;
    } files[] = {
        {FIXTURE("libfixture_own.so"), 10},
        {FIXTURE("libfixture_std.so"), 10},
        {SAMPLE_PROGRAM, 10},
        {"/usr/bin/sqlite3", 10},
        {"/usr/bin/git", 10},
        /* Where a .c file is included by another, addr2line names the outer file, and it chooses
         * other aliases ("__monstartup"). */
        {"/lib/x86_64-linux-gnu/libc.so.6", 150},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        unsigned n = count_differences(files[i].path);
        cr_log_info("%s: %u of %d differ", files[i].path, n, N_COMPARED);
        cr_expect_leq(n, files[i].n_allowed, "%s: %u of %d differ", files[i].path, n, N_COMPARED);
    }
}
