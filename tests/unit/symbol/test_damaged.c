/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Damaged object files, and files of other kinds.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "places.h"
#include "rng.h"
#include "scratch.h"
#include "symbol/resolve.h"

/* Looks addresses of a file up; any answer is accepted. */
static void look_up(const char *path, uint64_t step)
{
    hpp_resolver *resolver = make_resolver(NULL);
    const hpp_object_file file = {.path = path};
    uint32_t object = hpp_resolver_object(resolver, &file);
    for (uint64_t address = 0; address < 0x3000; address += step) {
        hpp_functions found = hpp_resolver_find(resolver, object, address);
        cr_assert(found.n > 0 && found.list[found.n - 1].name.length > 0);
        bool is_structure;
        hpp__resolver_result_type(resolver, object, address, &is_structure);
        hpp_caller_rule rule;
        hpp__resolver_caller(resolver, object, address, &rule);
    }
    hpp_resolver_destroy(resolver);
}

TestSuite(damaged, .init = scratch_begin, .fini = scratch_end);

Test(damaged, cut_files_do_no_harm)
{
    size_t length;
    char *bytes = read_file(FIXTURE("libfixture.so"), &length);
    for (size_t n = 0; n < length; n += n < 1024 ? 13 : 211) {
        write_file(scratch_path("cut.so"), (hpf_str){bytes, n});
        look_up(scratch_path("cut.so"), 0x35);
    }
    free(bytes);
}

Test(damaged, garbled_files_do_no_harm)
{
    size_t length;
    char *whole = read_file(FIXTURE("libfixture.so"), &length);
    char *bytes = malloc(length);
    rng seed = {7};
    for (int round = 0; round < 300; round++) {
        memcpy(bytes, whole, length);
        for (int i = 0; i < 40; i++) {
            /* Half of the damage goes to the headers. */
            uint64_t at = rng_below(&seed, i % 2 ? length : 1024);
            at = i % 4 == 0 ? length - 1 - at : at;
            bytes[at] = (char)rng_next(&seed);
        }
        memcpy(bytes, whole, EI_NIDENT + 2);
        write_file(scratch_path("garbled.so"), (hpf_str){bytes, length});
        look_up(scratch_path("garbled.so"), 0x83);
    }
    free(whole);
    free(bytes);
}

Test(damaged, functions_of_other_files_are_named_by_address)
{
    write_file(scratch_path("text"), HPF_STR("#!/bin/sh\nexit 0\n"));
    write_file(scratch_path("empty"), HPF_STR(""));
    cr_assert_eq(mkfifo(scratch_path("fifo"), 0600), 0);
    const char *names[] = {"text", "empty", "fifo", "missing", ""};
    hpp_resolver *resolver = make_resolver(NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = scratch_path(names[i]);
        hpp_functions found = find_in(resolver, path, 0x1234);
        char expected[64];
        snprintf(expected, sizeof expected, "%s+0x1234", names[i]);
        cr_assert_eq(found.n, 1);
        assert_text(found.list->name, expected);
        cr_assert_not(found.list->has_symbol);
    }
    hpp_resolver_destroy(resolver);
}

/* Descriptors must not limit the number of objects. */
Test(damaged, objects_keep_no_file_open)
{
    hpp_resolver *resolver = make_resolver(NULL);
    size_t length;
    char *bytes = read_file(FIXTURE("libfixture_linked.so"), &length);
    int first = dup(0);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        write_file(scratch_path(name), (hpf_str){bytes, length});
        find_in(resolver, scratch_path(name), 0x1130);
    }
    int last = dup(0);
    cr_assert_leq(last - first, 10);
    close(first);
    close(last);
    free(bytes);
    hpp_resolver_destroy(resolver);
}
