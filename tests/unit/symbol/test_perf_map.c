/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Maps of generated code, as they are and as they grow.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/perf_map.h"
#include "symbol/resolve.h"
#include "scratch.h"

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "a");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

/* Asserts the name at an address after the map was refreshed. */
static void assert_name(hpp__perf_map *map, uint64_t address, const char *expected)
{
    hpp__perf_map_refresh(map);
    hpf_str name = hpp__perf_map_find(map, address);
    cr_assert(name.length == strlen(expected) && memcmp(name.data, expected, name.length) == 0,
              "%llx: \"%.*s\" is not \"%s\"", (unsigned long long)address, (int)name.length,
              name.data, expected);
}

TestSuite(perf_map, .init = scratch_begin, .fini = scratch_end);

Test(perf_map, finds_what_lies_around_an_address)
{
    const char *path = scratch_path("map");
    append(path, "1000 10 JS:*first /a/b.js:1:2\n0x1010 0x20 second\n7FFF00 1 last");
    hpp__perf_map *map = hpp__perf_map_create(path);
    assert_name(map, 0xfff, "");
    assert_name(map, 0x1000, "JS:*first /a/b.js:1:2");
    assert_name(map, 0x100f, "JS:*first /a/b.js:1:2");
    assert_name(map, 0x1010, "second");
    assert_name(map, 0x1030, "");
    assert_name(map, 0x7fff00, ""); /* the line is not complete */
    append(path, "\n");
    assert_name(map, 0x7fff00, "last");
    hpp__perf_map_destroy(map);
}

Test(perf_map, later_lines_win_and_a_new_file_replaces_all)
{
    const char *path = scratch_path("map");
    append(path, "1000 100 old\n");
    hpp__perf_map *map = hpp__perf_map_create(path);
    assert_name(map, 0x1080, "old");
    append(path, "2000 10 other\n1040 80 new\n");
    assert_name(map, 0x2000, "other");
    assert_name(map, 0x1080, "new");
    assert_name(map, 0x1010, "old");
    write_file(path, HPF_STR("3000 10 x\n"));
    assert_name(map, 0x3000, "x");
    assert_name(map, 0x1010, "");
    hpp__perf_map_destroy(map);
}

Test(perf_map, what_is_no_map_has_no_names)
{
    const char *path = scratch_path("map");
    hpp__perf_map *map = hpp__perf_map_create(path);
    assert_name(map, 1, "");
    append(path, "\nnonsense\n10 \n10 20\n10 20 \n10 0 empty\n11112222333344445 1 far\nzz 1 x\n");
    for (uint64_t address = 0; address < 64; address++) {
        assert_name(map, address, "");
    }
    hpp__perf_map_destroy(map);
    map = hpp__perf_map_create("/");
    assert_name(map, 1, "");
    hpp__perf_map_destroy(map);
    cr_assert_eq(symlink(path, scratch_path("link")), 0);
    append(path, "10 10 there\n");
    map = hpp__perf_map_create(scratch_path("link"));
    assert_name(map, 0x10, "");
    hpp__perf_map_destroy(map);
}

Test(perf_map, reads_a_file_only_if_it_has_changed)
{
    static const char text[] = "1000 10 old\n";
    const char *path = scratch_path("map"), *next = scratch_path("next");
    struct stat before;
    append(path, text);
    cr_assert_eq(stat(path, &before), 0);
    hpp__perf_map *map = hpp__perf_map_create(path);
    cr_expect(hpp__perf_map_refresh(map));
    cr_expect_not(hpp__perf_map_refresh(map));
    append(path, "2000 10 more\n");
    cr_expect(hpp__perf_map_refresh(map));
    cr_expect_not(hpp__perf_map_refresh(map));
    /* Other files of the same length: one written in place, one that replaces it. */
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    write_file(path, HPF_STR("1000 10 new\n2000 10 most\n"));
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    cr_expect(hpp__perf_map_refresh(map));
    assert_name(map, 0x1000, "new");
    append(next, "1000 10 two\n2000 10 last\n3000 10 end\n");
    cr_assert_eq(rename(next, path), 0);
    cr_expect(hpp__perf_map_refresh(map));
    assert_name(map, 0x1000, "two");
    hpp__perf_map_destroy(map);
}

Test(perf_map, does_not_wait_for_a_pipe)
{
    const char *path = scratch_path("map");
    cr_assert_eq(mkfifo(path, 0600), 0);
    hpp__perf_map *map = hpp__perf_map_create(path);
    cr_expect_not(hpp__perf_map_refresh(map));
    hpp__perf_map_destroy(map);
}

Test(perf_map, a_resolver_reads_the_file_once_when_code_is_expected)
{
    char path[64];
    hpp_resolver *resolver;
    const uint32_t process = (uint32_t)getpid();
    snprintf(path, sizeof path, "/tmp/perf-%u.map", (unsigned)process);
    cr_assert_eq(hpp_resolver_create(&resolver, NULL, NULL), HPF_OK);
    cr_expect_not(hpp__resolver_find_generated(resolver, process, 0x1008).list->has_symbol);
    write_file(path, HPF_STR("1000 10 late\n"));
    cr_expect_not(hpp__resolver_find_generated(resolver, process, 0x1008).list->has_symbol);
    hpp__resolver_expect_code(resolver);
    cr_expect(hpp__resolver_find_generated(resolver, process, 0x1008).list->has_symbol);
    unlink(path);
    hpp_resolver_destroy(resolver);
}

Test(perf_map, a_resolver_reads_that_of_the_process)
{
    char path[64];
    hpp_resolver *resolver;
    const uint32_t process = (uint32_t)getpid();
    snprintf(path, sizeof path, "/tmp/perf-%u.map", (unsigned)process);
    write_file(path, HPF_STR("1000 10 _Z3fooi\n"));
    cr_assert_eq(hpp_resolver_create(&resolver, NULL, NULL), HPF_OK);
    hpp_functions found = hpp__resolver_find_generated(resolver, process, 0x1008);
    hpp_functions missing = hpp__resolver_find_generated(resolver, process, 0x2000);
    hpp_functions other = hpp__resolver_find_generated(resolver, process + 1, 0x1008);
    unlink(path);
    cr_assert_eq(found.n, 1);
    cr_assert(found.list->has_symbol);
    cr_assert_eq(memcmp(found.list->linkage.data, "_Z3fooi", 8), 0);
    cr_assert_eq(memcmp(missing.list->name.data, "[generated]", 12), 0);
    cr_assert_not(missing.list->has_symbol);
    cr_assert_not(other.list->has_symbol);
    cr_assert_eq(hpp__resolver_find_generated(resolver, process, 0x1008).list, found.list);
    hpp_resolver_destroy(resolver);
}
