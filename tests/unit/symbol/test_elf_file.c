/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Object files that are damaged, and what is no object file.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf_file.h"
#include "places.h"
#include "rng.h"
#include "scratch.h"

/* Asks all that can be asked of a file; any answer will do. */
static void ask(const char *path, uint64_t step)
{
    hpp_resolver *resolver = make_resolver(NULL);
    const hpp_object_file file = {.path = path};
    uint32_t object = hpp_resolver_object(resolver, &file);
    for (uint64_t address = 0; address < 0x3000; address += step) {
        hpp_functions found = hpp_resolver_find(resolver, object, address);
        cr_assert(found.n > 0 && found.list[found.n - 1].name.length > 0);
    }
    hpp_resolver_destroy(resolver);
}

TestSuite(elf_file, .init = scratch_begin, .fini = scratch_end);

Test(elf_file, cut_files_do_no_harm)
{
    size_t length;
    char *bytes = read_file(FIXTURE("libfixture.so"), &length);
    for (size_t n = 0; n < length; n += n < 1024 ? 13 : 211) {
        write_file(scratch_path("cut.so"), (hpf_str){bytes, n});
        ask(scratch_path("cut.so"), 0x35);
    }
    free(bytes);
}

Test(elf_file, garbled_files_do_no_harm)
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
        ask(scratch_path("garbled.so"), 0x83);
    }
    free(whole);
    free(bytes);
}

Test(elf_file, what_is_no_object_file_has_addresses_for_names)
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

Test(elf_file, more_files_than_may_be_open)
{
    hpp__files files = {0};
    hpp__file *open[HPP__FILES_OPEN_MAX * 2];
    char byte;
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        const char *path = scratch_path(name);
        write_file(path, (hpf_str){(char[]){(char)i}, 1});
        open[i] = hpp__file_open(&files, path);
        cr_assert(open[i]);
    }
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
            cr_assert(hpp__file_read(open[i], 0, &byte, 1));
            cr_assert_eq(byte, (char)i);
            cr_assert_leq(files.n_open, HPP__FILES_OPEN_MAX);
        }
    }
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        hpp__file_close(open[i]);
    }
    cr_assert_eq(files.n_open, 0);
}

Test(elf_file, a_file_that_was_replaced_while_closed_is_not_read)
{
    hpp__files files = {0};
    hpp__file *others[HPP__FILES_OPEN_MAX];
    char byte;
    write_file(scratch_path("it"), HPF_STR("a"));
    write_file(scratch_path("other"), HPF_STR("b"));
    hpp__file *file = hpp__file_open(&files, scratch_path("it"));
    for (size_t i = 0; i < HPP__FILES_OPEN_MAX; i++) {
        others[i] = hpp__file_open(&files, scratch_path("other"));
    }
    cr_assert_eq(rename(scratch_path("other"), scratch_path("it")), 0);
    cr_assert_not(hpp__file_is_same(file));
    cr_assert_not(hpp__file_read(file, 0, &byte, 1));
    for (size_t i = 0; i < HPP__FILES_OPEN_MAX; i++) {
        hpp__file_close(others[i]);
    }
    hpp__file_close(file);
}
