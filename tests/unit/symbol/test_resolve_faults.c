/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every allocation of a resolver fails in turn, alone or with all behind it. Each answer then is
 * the right one or a lesser one: fewer functions, no line, the address in place of the symbol,
 * "[unknown]". Leaks are for the sanitizer to find.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "places.h"
#include "scratch.h"
#include "symbol/resolve.h"

TestSuite(resolve_faults, .timeout = 120);

enum { N_PLACES = 4, N_NAMES_MAX = 8, GENERATED_AT = 0x1000 };

/* A place in a file, and the names of the functions there, as a resolver says that lacks nothing.
 */
typedef struct known_place {
    const char *path;
    uint64_t address;
    size_t n_names;
    char *names[N_NAMES_MAX];
} known_place;

static known_place known[N_PLACES];

static void know(known_place *out, const char *path, const char *function, const char *place)
{
    places *there = places_run(path, function);
    hpp_resolver *resolver = make_resolver(NULL);
    *out = (known_place){.path = path, .address = places_address(there, place, 0)};
    hpp_functions found = find_in(resolver, path, out->address);
    cr_assert_leq(found.n, N_NAMES_MAX);
    for (; out->n_names < found.n; out->n_names++) {
        out->names[out->n_names] = strdup(found.list[out->n_names].name.data);
    }
    hpp_resolver_destroy(resolver);
    places_free(there);
}

static void know_all(void)
{
    know(&known[0], FIXTURE("libfixture.so"), "fixture_places", "innermost");
    know(&known[1], FIXTURE("libfixture_mini.so"), "fixture_places", "hidden_last");
    know(&known[2], FIXTURE("libfixture_stripped.so"), "fixture_places", "hidden_last");
    know(&known[3], FIXTURE("libfixture_cxx.so"), "fixture_cxx_places", "template");
}

static void forget_all(void)
{
    for (size_t i = 0; i < N_PLACES; i++) {
        for (size_t j = 0; j < known[i].n_names; j++) {
            free(known[i].names[j]);
        }
    }
}

static bool is_known(const known_place *place, hpf_str name)
{
    for (size_t i = 0; i < place->n_names; i++) {
        if (strcmp(place->names[i], name.data) == 0) {
            return true;
        }
    }
    return false;
}

/* "module+0x1234", in which the number may be any. */
static bool is_by_address(const hpp_function *function)
{
    size_t n = function->module.length;
    return n > 0 && strncmp(function->name.data, function->module.data, n) == 0 &&
           strncmp(function->name.data + n, "+0x", 3) == 0;
}

static void check_texts(const hpp_function *function)
{
    const hpf_str texts[] = {function->name, function->linkage, function->module, function->file};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_not_null(texts[i].data);
        cr_assert_eq(strlen(texts[i].data), texts[i].length);
    }
}

static void check_place(hpp_resolver *resolver, const known_place *place, bool is_whole)
{
    const hpp_object_file file = {.path = place->path};
    hpp_functions found =
        hpp_resolver_find(resolver, hpp_resolver_object(resolver, &file), place->address);
    cr_assert_gt(found.n, 0);
    cr_assert(!is_whole || found.n == place->n_names);
    for (size_t i = 0; i < found.n; i++) {
        const hpp_function *function = &found.list[i];
        check_texts(function);
        bool is_right = is_known(place, function->name);
        bool is_less = is_by_address(function) || strcmp(function->name.data, "[unknown]") == 0;
        cr_assert(is_right || (is_less && !is_whole), "%s", function->name.data);
    }
}

static void check_generated(hpp_resolver *resolver, bool is_whole)
{
    hpp_functions found =
        hpp__resolver_find_generated(resolver, (uint32_t)getpid(), GENERATED_AT + 1);
    cr_assert_eq(found.n, 1);
    check_texts(found.list);
    bool is_right = strcmp(found.list->name.data, "made") == 0;
    cr_assert(is_right || (found.list->name.data[0] == '[' && !is_whole));
}

/* Whether the allocation was reached. */
static bool fail(unsigned long nth, bool all_after)
{
    hpp_resolver *resolver;
    hpf_error err = {0};
    failing_alloc_arm(nth, all_after);
    hpf_status status = hpp_resolver_create(&resolver, NULL, &err);
    for (int round = 0; status == HPF_OK && round < 2; round++) {
        for (size_t i = 0; i < N_PLACES; i++) {
            check_place(resolver, &known[i], nth == 0);
        }
        check_generated(resolver, nth == 0);
    }
    bool has_failed = failing_alloc_disarm();
    cr_assert(status == HPF_OK || (status == HPF_ERR_MEMORY && has_failed));
    cr_assert_eq(err.status, status);
    hpp_resolver_destroy(resolver);
    return has_failed;
}

static const char *map_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    return path;
}

Test(resolve_faults, every_allocation_fails_in_turn)
{
    know_all();
    write_file(map_path(), HPF_STR("1000 10 made\n"));
    fail(0, false);
    for (int all_after = 0; all_after <= 1; all_after++) {
        unsigned long nth = 1;
        while (fail(nth, all_after)) {
            nth++;
        }
        cr_assert_gt(nth, 20);
    }
    remove(map_path());
    forget_all();
}
