/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of profiles, made from the names of their files.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "path.h"

enum { MOST = 4 };

/* Checks the names for the paths; both lists end with NULL. */
static void expect_names(const char *const *paths, const char *const *wanted)
{
    char copies[MOST][64];
    char *list[MOST] = {NULL};
    size_t n = 0;
    for (; paths[n]; n++) {
        list[n] = strcpy(copies[n], paths[n]);
    }
    char **names = path_short_names(list, n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_str_eq(names[i], wanted[i]);
    }
    path_free_names(names, n);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(path, uses_base_name_if_unique)
{
    expect_names(LIST("run/a.hp", "b.hp.gz", "/x/c.eventlog"), LIST("a", "b", "c.eventlog"));
    expect_names(LIST(".hp", "-", "a.hp.xz"), LIST(".hp", "stdin", "a"));
}

Test(path, adds_directories_to_equal_names)
{
    expect_names(LIST("runs/old/a.hp", "runs/new/a.hp"), LIST("old/a", "new/a"));
    expect_names(LIST("x/1/a.hp", "y/1/a.hp", "b.hp"), LIST("x/1/a", "y/1/a", "b"));
    expect_names(LIST("a.hp", "old/a.hp"), LIST("a", "old/a"));
    expect_names(LIST("/a.hp", "a.hp.gz"), LIST("/a", "a"));
}

Test(path, numbers_equal_paths)
{
    expect_names(LIST("old/a.hp", "old/a.hp", "old/a.hp"), LIST("a", "a (2)", "a (3)"));
    expect_names(LIST("a.hp", "a.hp.gz"), LIST("a", "a (2)"));
}

Test(path, keeps_suffix_without_name)
{
    hpf_str name = HPF_STR(".hp");
    cr_expect(!path_drop_suffix(&name, ".hp"));
    cr_expect_eq(path_uncompressed("dir/run.hp.zst").length, strlen("dir/run.hp"));
    cr_expect_str_eq(path_base("dir/run.hp"), "run.hp");
}
