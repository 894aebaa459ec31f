/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of functions in files that have all symbols, some, or none.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "places.h"
#include "scratch.h"

static const hpp_resolver_options symbols_only = {.size = sizeof symbols_only,
                                                  .symbols_only = true};

/* The name of the function that holds the code of a place. */
static void assert_outermost(hpp_resolver *resolver, const char *path, const places *there,
                             const char *place, const char *expected)
{
    hpp_functions found = find_in(resolver, path, places_address(there, place, 0));
    assert_text(found.list[found.n - 1].name, expected);
}

Test(resolve, all_symbols)
{
    const char *path = FIXTURE("libfixture_symbols.so");
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(&symbols_only);
    assert_outermost(resolver, path, there, "exported", "fixture_places");
    assert_outermost(resolver, path, there, "hidden_first", "hidden");
    assert_outermost(resolver, path, there, "innermost", "hidden");
    hpp_functions found = find_in(resolver, path, places_address(there, "hidden_last", 0));
    cr_assert_eq(found.n, 1);
    cr_assert(found.list->has_symbol && !found.list->is_inlined);
    assert_text(found.list->linkage, "hidden");
    assert_text(found.list->module, "libfixture_symbols.so");
    hpp_resolver_destroy(resolver);
    places_free(there);
}

/* A C program may have names that look like those of GHC. */
Test(resolve, haskell_names_in_libraries_of_ghc, .init = scratch_begin, .fini = scratch_end)
{
    const char *path = FIXTURE("libfixture_symbols.so");
    const char *library = scratch_path("libHSkept.so");
    cr_assert_eq(symlink(path, library), 0);
    places *there = places_run(path, "fixture_places");
    uint64_t address = places_symbol(there, "Main_keptzq_info");
    hpp_resolver *resolver = make_resolver(&symbols_only);
    assert_text(find_in(resolver, path, address).list->name, "Main_keptzq_info");
    hpp_functions found = find_in(resolver, library, address);
    assert_text(found.list->name, "Main.kept'");
    assert_text(found.list->linkage, "Main_keptzq_info");
    hpp_resolver_destroy(resolver);
    places_free(there);
}

/* In these files, all segments follow each other in memory as in the file. */
Test(resolve, offsets_are_addresses)
{
    hpp_resolver *resolver = make_resolver(&symbols_only);
    const hpp_object_file here = {.path = FIXTURE("libfixture_symbols.so")};
    const hpp_object_file gone = {.path = "/gone/libfixture.so"};
    uint32_t found = hpp_resolver_object(resolver, &here);
    uint32_t lost = hpp_resolver_object(resolver, &gone);
    cr_assert(hpp_resolver_is_found(resolver, found));
    cr_assert_eq(hpp_resolver_address(resolver, found, 0x40), 0x40);
    cr_assert_eq(hpp_resolver_address(resolver, found, UINT32_MAX), UINT32_MAX);
    cr_assert_not(hpp_resolver_is_found(resolver, lost));
    cr_assert_eq(hpp_resolver_address(resolver, lost, 0x40), 0x40);
    cr_assert_not(hpp_resolver_is_found(resolver, 1000));
    hpp_resolver_destroy(resolver);
}

enum { BUILD_ID_BYTES = 20 };

/* Stores the build id of libfixture.so. */
static void read_build_id(uint8_t out[BUILD_ID_BYTES])
{
    for (size_t i = 0; i < BUILD_ID_BYTES; i++) {
        unsigned byte;
        cr_assert_eq(sscanf(&BUILD_ID[2 * i], "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

/* A program in a container maps files below a root of its own. */
Test(resolve, files_below_another_root)
{
    hpp_resolver *resolver = make_resolver(&symbols_only);
    const hpp_object_file ended = {.path = "/libfixture_symbols.so", .root = "/gone"};
    const hpp_object_file inside = {.path = "/libfixture_symbols.so", .root = FIXTURE("")};
    const hpp_object_file here = {.path = "/libfixture_symbols.so"};
    uint32_t first = hpp_resolver_object(resolver, &ended);
    cr_assert_not(hpp_resolver_is_found(resolver, first));
    uint32_t second = hpp_resolver_object(resolver, &inside);
    cr_assert_neq(second, first); /* without a build id, files of two roots may differ */
    cr_assert(hpp_resolver_is_found(resolver, second));
    cr_assert_neq(hpp_resolver_object(resolver, &here), second);
    cr_assert_eq(hpp_resolver_object(resolver, &inside), second);
    hpp_resolver_destroy(resolver);
}

/* With a build id, all roots have the same file: it is read where it is found first. */
Test(resolve, a_file_of_a_program_that_has_ended)
{
    uint8_t build_id[BUILD_ID_BYTES];
    hpp_resolver *resolver = make_resolver(&symbols_only);
    read_build_id(build_id);
    const hpp_object_file ended = {.path = "/libfixture.so",
                                   .build_id = build_id,
                                   .n_build_id = sizeof build_id,
                                   .root = "/gone"};
    hpp_object_file inside = ended;
    inside.root = FIXTURE("");
    uint32_t number = hpp_resolver_object(resolver, &ended);
    cr_assert_not(hpp_resolver_is_found(resolver, number));
    cr_assert_eq(hpp_resolver_object(resolver, &inside), number);
    cr_assert(hpp_resolver_is_found(resolver, number));
    cr_assert_eq(hpp_resolver_object(resolver, &ended), number);
    cr_assert(hpp_resolver_is_found(resolver, number));
    hpp_resolver_destroy(resolver);
}

Test(resolve, aliases_and_bare_labels)
{
    const char *path = FIXTURE("libfixture_stripped.so");
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(&symbols_only);
    uint64_t product = places_symbol(there, "__fixture_product");
    assert_text(find_in(resolver, path, product).list->name, "fixture_product");
    uint64_t bare = places_symbol(there, "fixture_bare");
    assert_text(find_in(resolver, path, bare + 15).list->name, "fixture_bare");
    uint64_t sum = places_symbol(there, "fixture_sum");
    assert_text(find_in(resolver, path, sum).list->name, "fixture_sum");
    hpp_resolver_destroy(resolver);
    places_free(there);
}

static int count_unnamed(hpf_str path, uint64_t n_addresses, void *context)
{
    assert_text(path, FIXTURE("libfixture_stripped.so"));
    *(uint64_t *)context += n_addresses;
    return 3;
}

Test(resolve, places_of_one_function_without_symbols_have_one_name)
{
    const char *path = FIXTURE("libfixture_stripped.so");
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(NULL);
    uint64_t n = 0;
    cr_assert_eq(hpp_resolver_each_unnamed(resolver, count_unnamed, &n), 0);
    hpp_functions first = find_in(resolver, path, places_address(there, "hidden_first", 0));
    hpp_functions last = find_in(resolver, path, places_address(there, "hidden_last", 0));
    cr_assert_not(first.list->has_symbol);
    cr_assert_eq(first.list->name.data, last.list->name.data);
    cr_assert_eq(first.list->linkage.length, 0);

    char expected[64];
    /* The whole file knows where that function begins. */
    hpp_resolver *whole = make_resolver(&symbols_only);
    uint64_t start = places_address(there, "hidden_first", 0);
    const char *symbols = FIXTURE("libfixture_symbols.so");
    const char *hidden = find_in(whole, symbols, start).list->name.data;
    while (find_in(whole, symbols, start - 1).list->name.data == hidden) {
        start--;
    }
    snprintf(expected, sizeof expected, "libfixture_stripped.so+0x%llx", (unsigned long long)start);
    assert_text(first.list->name, expected);

    assert_outermost(resolver, path, there, "exported", "fixture_places");
    cr_assert_eq(hpp_resolver_each_unnamed(resolver, count_unnamed, &n), 3);
    cr_assert_eq(n, 2);
    hpp_resolver_destroy(resolver);
    hpp_resolver_destroy(whole);
    places_free(there);
}

static void assert_hidden_is_named(const char *path, const char *debug_folder)
{
    const hpp_resolver_options options = {
        .size = sizeof options, .symbols_only = true, .debug_folder = debug_folder};
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(&options);
    assert_outermost(resolver, path, there, "hidden_last", "hidden");
    assert_outermost(resolver, path, there, "exported", "fixture_places");
    hpp_resolver_destroy(resolver);
    places_free(there);
}

Test(resolve, separate_debug_files)
{
    assert_hidden_is_named(FIXTURE("libfixture_linked.so"), NULL);
    assert_hidden_is_named(FIXTURE("libfixture_sum.so"), NULL);
    assert_hidden_is_named(FIXTURE("libfixture_mini.so"), NULL);
}

/* Makes the folder for the debug file of libfixture.so, and stores the file's path. */
static void make_debug_folder(char *path, size_t n_path)
{
    cr_assert_eq(mkdir(scratch_path(".build-id"), 0700), 0);
    int n = snprintf(path, n_path, "%s/%.2s", scratch_path(".build-id"), BUILD_ID);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path + n, n_path - (size_t)n, "/%s.debug", &BUILD_ID[2]);
}

Test(resolve, debug_files_by_build_id, .init = scratch_begin, .fini = scratch_end)
{
    char path[512], folder[256];
    make_debug_folder(path, sizeof path);
    snprintf(folder, sizeof folder, "%s", scratch_path("."));
    cr_assert_eq(symlink(FIXTURE("libfixture.debug"), path), 0);
    assert_hidden_is_named(FIXTURE("libfixture_stripped.so"), folder);

    /* A debug file of another build is ignored. */
    unlink(path);
    cr_assert_eq(symlink(FIXTURE("libfixture_other.so"), path), 0);
    const hpp_resolver_options options = {.size = sizeof options, .debug_folder = folder};
    places *there = places_run(FIXTURE("libfixture_stripped.so"), "fixture_places");
    hpp_resolver *resolver = make_resolver(&options);
    hpp_functions found = find_in(resolver, FIXTURE("libfixture_stripped.so"),
                                  places_address(there, "hidden_last", 0));
    cr_assert_not(found.list->has_symbol);
    hpp_resolver_destroy(resolver);
    places_free(there);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(scratch_path(".build-id"));
}

Test(resolve, a_file_of_another_build_is_not_used)
{
    const uint8_t other[20] = {1, 2, 3};
    const hpp_object_file file = {
        .path = FIXTURE("libfixture.so"), .build_id = other, .n_build_id = sizeof other};
    const hpp_object_file any = {.path = FIXTURE("libfixture.so")};
    places *there = places_run(file.path, "fixture_places");
    hpp_resolver *resolver = make_resolver(NULL);
    uint32_t number = hpp_resolver_object(resolver, &file);
    uint64_t address = places_address(there, "exported", 0);
    char expected[64];
    snprintf(expected, sizeof expected, "libfixture.so+0x%llx", (unsigned long long)address);
    assert_text(hpp_resolver_find(resolver, number, address).list->name, expected);
    cr_assert_eq(hpp_resolver_object(resolver, &file), number);
    cr_assert_neq(hpp_resolver_object(resolver, &any), number);
    hpp_functions found = hpp_resolver_find(resolver, hpp_resolver_object(resolver, &any), address);
    assert_text(found.list[found.n - 1].name, "fixture_places");
    hpp_resolver_destroy(resolver);
    places_free(there);
}

Test(resolve, an_address_is_looked_up_once)
{
    const char *path = FIXTURE("libfixture_symbols.so");
    places *there = places_run(path, "fixture_places");
    hpp_resolver *resolver = make_resolver(NULL);
    uint64_t address = places_address(there, "exported", 0);
    const hpp_function *first = find_in(resolver, path, address).list;
    cr_assert_eq(find_in(resolver, path, address).list, first);
    const hpp_function *other =
        find_in(resolver, path, places_address(there, "exported_last", 0)).list;
    cr_assert_eq(first->name.data, other->name.data);
    hpp_resolver_destroy(resolver);
    places_free(there);
}

/* A program that was removed while it ran. */
Test(resolve, a_missing_file_is_replaced_by_its_debug_file, .init = scratch_begin,
     .fini = scratch_end)
{
    char path[512], folder[256];
    uint8_t build_id[BUILD_ID_BYTES];
    make_debug_folder(path, sizeof path);
    snprintf(folder, sizeof folder, "%s", scratch_path("."));
    cr_assert_eq(symlink(FIXTURE("libfixture.debug"), path), 0);
    read_build_id(build_id);
    const hpp_resolver_options options = {.size = sizeof options, .debug_folder = folder};
    const hpp_object_file file = {
        .path = "/no/such/libfixture.so", .build_id = build_id, .n_build_id = sizeof build_id};
    places *there = places_run(FIXTURE("libfixture.so"), "fixture_places");
    hpp_resolver *resolver = make_resolver(&options);
    hpp_functions found = hpp_resolver_find(resolver, hpp_resolver_object(resolver, &file),
                                            places_address(there, "innermost", 0));
    cr_assert_eq(found.n, 3);
    assert_text(found.list[2].name, "hidden");
    hpp_resolver_destroy(resolver);
    places_free(there);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(scratch_path(".build-id"));
}

typedef struct paths {
    char text[100];
} paths;

static int collect_paths(hpf_str path, uint64_t n_addresses, void *context)
{
    paths *visited = context;
    size_t n = strlen(visited->text);
    cr_assert_eq(n_addresses, 1);
    snprintf(visited->text + n, sizeof visited->text - n, "%s;", path.data);
    return 0;
}

Test(resolve, modules_of_all_kinds)
{
    static const struct {
        const char *path, *module, *name;
    } cases[] = {{"", "[generated]", "[generated]+0x10"},
                 {"[vdso]", "[vdso]", "[vdso]+0x10"},
                 {"/a/b/lib x 1.so (deleted)", "lib x1.so", "lib x1.so+0x10"},
                 {"/a/prog.1", "prog.1", "prog.1+0x10"}};
    hpp_resolver *resolver = make_resolver(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hpp_object_file file = {.path = cases[i].path};
        hpp_functions found =
            hpp_resolver_find(resolver, hpp_resolver_object(resolver, &file), 0x10);
        cr_assert_eq(found.n, 1);
        assert_text(found.list->module, cases[i].module);
        assert_text(found.list->name, cases[i].name);
    }
    paths visited = {0};
    cr_assert_eq(hpp_resolver_each_unnamed(resolver, collect_paths, &visited), 0);
    cr_assert_str_eq(visited.text, "/a/b/lib x 1.so (deleted);/a/prog.1;");
    cr_assert_eq(hpp_resolver_find(resolver, 1000, 0x10).n, 1);
    cr_assert_eq(hpp_resolver_find(resolver, 0, UINT64_MAX).n, 1);
    hpp_resolver_destroy(resolver);
}

Test(resolve, cxx_names)
{
    if (!hpp__demangle_is_built_in()) {
        cr_skip("libiberty is not built in");
    }
    const char *path = FIXTURE("libfixture_cxx.so");
    places *there = places_run(path, "fixture_cxx_places");
    hpp_resolver *resolver = make_resolver(&symbols_only);
    assert_outermost(resolver, path, there, "template", "shapes::box<shapes::box<char,1>,4>::open");
    assert_outermost(resolver, path, there, "operator",
                     "shapes::box<shapes::box<char,1>,4>::operator[]");
    assert_outermost(resolver, path, there, "constructor",
                     "shapes::box<shapes::box<char,1>,4>::box");
    assert_outermost(resolver, path, there, "nameless", "(anonymous namespace)::nameless");
    assert_outermost(resolver, path, there, "exported", "fixture_cxx_places");
    hpp_resolver_destroy(resolver);
    places_free(there);
}
