/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A callback notes the return addresses.
 */
#include "places.h"

#include <ctype.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

#define PLACES_MAX 32

typedef void probe(const char *place);

struct places {
    void *library;
    uint64_t base;
    size_t n;
    const char *names[PLACES_MAX];
    uint64_t addresses[PLACES_MAX];
};

static places *collecting;

static void note(const char *place)
{
    cr_assert_lt(collecting->n, PLACES_MAX);
    collecting->names[collecting->n] = place;
    collecting->addresses[collecting->n++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

places *places_run(const char *path, const char *function)
{
    places *new = calloc(1, sizeof *new);
    Dl_info info;
    void (*run)(probe * at);
    new->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(new->library, "%s", dlerror());
    void *address = dlsym(new->library, function);
    cr_assert(address && dladdr(address, &info));
    new->base = (uint64_t)(uintptr_t)info.dli_fbase;
    memcpy(&run, &address, sizeof run);
    collecting = new;
    run(note);
    return new;
}

void places_free(places *there)
{
    dlclose(there->library);
    free(there);
}

uint64_t places_address(const places *there, const char *place, unsigned nth)
{
    for (size_t i = 0; i < there->n; i++) {
        if (strcmp(there->names[i], place) == 0 && nth-- == 0) {
            return there->addresses[i] - 1 - there->base;
        }
    }
    cr_assert_fail("no place %s", place);
    return 0;
}

uint64_t places_symbol(const places *there, const char *symbol)
{
    void *address = dlsym(there->library, symbol);
    cr_assert(address, "%s", symbol);
    return (uint64_t)(uintptr_t)address - there->base;
}

uint32_t places_line(const char *source, const char *marker)
{
    char path[512], comment[64];
    snprintf(path, sizeof path, "%s/%s", FIXTURE_SOURCES, source);
    snprintf(comment, sizeof comment, " @%s", marker);
    char *text = read_file(path, NULL);
    cr_assert(text);
    char *place = strstr(text, comment);
    while (place && !isspace((unsigned char)place[strlen(comment)])) {
        place = strstr(place + 1, comment);
    }
    cr_assert(place, "no comment %s", comment);
    uint32_t line = 1;
    for (const char *at = text; at < place; at++) {
        line += *at == '\n';
    }
    free(text);
    return line;
}

hpp_resolver *make_resolver(const hpp_resolver_options *options)
{
    hpp_resolver *resolver;
    cr_assert_eq(hpp_resolver_create(&resolver, options, NULL), HPF_OK);
    return resolver;
}

hpp_functions find_in(hpp_resolver *resolver, const char *path, uint64_t address)
{
    const hpp_object_file file = {.path = path};
    return hpp_resolver_find(resolver, hpp_resolver_object(resolver, &file), address);
}

void assert_text(hpf_str text, const char *expected)
{
    cr_assert(text.length == strlen(expected) && memcmp(text.data, expected, text.length) == 0,
              "\"%.*s\" is not \"%s\"", (int)text.length, text.data, expected);
}
