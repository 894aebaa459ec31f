/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Places in the text of a program, and finding its files.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/text_costs.h"

static hpf_text_costs t;

static void begin(void)
{
    t = (hpf_text_costs){.n_columns = 1};
}

static void end(void)
{
    hpf_text_costs_finish(&t);
}

TestSuite(hpf_text_costs, .init = begin, .fini = end);

static void add(const char *place, double amount)
{
    cr_assert(hpf_text_costs_add(&t, (hpf_str){place, strlen(place)}, &amount));
}

typedef struct place_case {
    const char *place, *file; /* NULL: no place */
    uint32_t first_line, last_line;
} place_case;

Test(hpf_text_costs, reads_places_of_all_profilers)
{
    static const place_case cases[] = {
        {"main.c:12", "main.c", 12, 12},
        {"src/Main.hs:29:1-67", "src/Main.hs", 29, 29},
        {"Main.hs:(14,1)-(26,19)", "Main.hs", 14, 26},
        {"a:b.c:7", "a:b.c", 7, 7},
        {"main.c", NULL, 0, 0},
        {"main.c:", NULL, 0, 0},
        {"main.c:0", NULL, 0, 0},
        {":12", NULL, 0, 0},
        {"<built-in>", NULL, 0, 0},
        {"Main.hs:(14,1)", NULL, 0, 0},
        {"Main.hs:(14,1)-(13,2)", NULL, 0, 0},
        {"", NULL, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const place_case *c = &cases[i];
        end();
        begin();
        add(c->place, 8);
        cr_expect_eq(t.totals[0], 8);
        cr_expect_eq(t.placed[0], c->file ? 8 : 0, "%s", c->place);
        cr_assert_eq(t.n_files, c->file ? 1 : 0, "%s", c->place);
        if (c->file) {
            cr_expect(hpf_str_is(t.files[0].name, c->file), "%s", c->place);
            cr_expect_eq(t.files[0].spans[0].first_line, c->first_line, "%s", c->place);
            cr_expect_eq(t.files[0].spans[0].last_line, c->last_line, "%s", c->place);
        }
    }
}

Test(hpf_text_costs, adds_up_equal_places)
{
    add("a.c:1", 1);
    add("b.c:1", 2);
    add("a.c:1", 4);
    add("a.c:2", 8);
    cr_assert_eq(t.n_files, 2);
    cr_assert_eq(t.files[0].n_spans, 2);
    cr_expect_eq(t.files[0].spans[0].amounts[0], 5);
    cr_expect_eq(t.files[0].spans[1].amounts[0], 8);
    cr_expect_eq(t.files[0].totals[0], 13);
    cr_expect_eq(t.files[1].totals[0], 2);
    cr_expect_eq(t.totals[0], 15);
}

/* Creates an empty file below a folder, with its folders. */
static void make_file(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fclose(file);
}

static const hpf_text_file *file_named(const char *name)
{
    for (size_t i = 0; i < t.n_files; i++) {
        if (hpf_str_is(t.files[i].name, name)) {
            return &t.files[i];
        }
    }
    return NULL;
}

Test(hpf_text_costs, finds_files_by_the_end_of_their_paths)
{
    char folder[] = "/tmp/census-test-XXXXXX", wanted[512], remove[600];
    hpf_error err;
    cr_assert(mkdtemp(folder));
    make_file(folder, "lib/util.c");
    make_file(folder, "app/util.c");
    make_file(folder, "app/main.c");
    make_file(folder, "app/xmain.c");
    make_file(folder, ".git/hidden.c");
    add("/build/lib/util.c:1", 1); /* the folder decides */
    add("util.c:1", 2);            /* two candidates */
    add("main.c:1", 4);            /* not xmain.c */
    add("hidden.c:1", 8);
    add("ain.c:1", 16);
    hpf_text_folder *below;
    cr_assert_eq(hpf_text_folder_create(&below, folder, &err), HPF_OK);
    cr_assert_eq(hpf_text_costs_find(&t, below, &err), HPF_OK);
    snprintf(wanted, sizeof wanted, "%s/lib/util.c", folder);
    cr_expect_str_eq(file_named("/build/lib/util.c")->path, wanted);
    cr_expect_null(file_named("util.c")->path);
    cr_expect(file_named("util.c")->is_ambiguous);
    snprintf(wanted, sizeof wanted, "%s/app/main.c", folder);
    cr_expect_str_eq(file_named("main.c")->path, wanted);
    cr_expect_null(file_named("hidden.c")->path);
    cr_expect_not(file_named("hidden.c")->is_ambiguous);
    cr_expect_null(file_named("ain.c")->path);
    cr_expect(hpf_str_is(t.files[0].name, "ain.c"), "the most expensive file is first");
    hpf_text_folder_destroy(below);
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    cr_expect_eq(system(remove), 0);
}

/* Returns the path below a folder that is found for a name, or NULL. */
static const char *found(const hpf_text_folder *below, const char *root, const char *name)
{
    bool is_ambiguous;
    const char *path = hpf_text_folder_find(below, (hpf_str){name, strlen(name)}, &is_ambiguous);
    return path ? path + strlen(root) + 1 : NULL;
}

Test(hpf_text_costs, never_leaves_the_folder)
{
    char folder[] = "/tmp/census-test-XXXXXX", path[600], other[600], remove[600];
    hpf_text_folder *below;
    hpf_error err;
    cr_assert(mkdtemp(folder));
    make_file(folder, "in/a.c");
    make_file(folder, "in/sub/b.c");
    make_file(folder, "in/.secret");
    make_file(folder, "out/passwd");
    make_file(folder, "out/b.c");
    snprintf(path, sizeof path, "%s/in/passwd", folder);
    snprintf(other, sizeof other, "%s/out/passwd", folder);
    cr_assert_eq(symlink(other, path), 0);
    snprintf(path, sizeof path, "%s/in", folder);
    cr_assert_eq(hpf_text_folder_create(&below, path, &err), HPF_OK);
    static const char *const hostile[] = {"../out/passwd",
                                          "/out/passwd",
                                          "passwd",
                                          "out/../../out/passwd",
                                          ".secret",
                                          "/etc/passwd",
                                          "..",
                                          "",
                                          "/",
                                          "in",
                                          "sub",
                                          "a.c/",
                                          "./../a.c/..",
                                          "in/passwd",
                                          "a.c\nb.c"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        cr_expect_null(found(below, path, hostile[i]), "\"%s\"", hostile[i]);
    }
    cr_expect_str_eq(found(below, path, "../../../a.c"), "a.c", "compared from its end");
    cr_expect_str_eq(found(below, path, "./a.c"), "a.c");

    /* What is replaced after the list was made is not followed. */
    bool is_ambiguous;
    const char *a = hpf_text_folder_find(below, HPF_STR("a.c"), &is_ambiguous);
    const char *b = hpf_text_folder_find(below, HPF_STR("sub/b.c"), &is_ambiguous);
    FILE *text = hpf_text_folder_open(below, a);
    cr_assert(text);
    fclose(text);
    snprintf(remove, sizeof remove, "cd %s/in && rm -r a.c sub && ln -s ../out sub && mkfifo a.c",
             folder);
    cr_assert_eq(system(remove), 0);
    cr_expect_null(hpf_text_folder_open(below, b), "through a link to a folder");
    cr_expect_null(hpf_text_folder_open(below, a), "a pipe");
    snprintf(remove, sizeof remove, "cd %s/in && rm a.c && ln -s ../out/passwd a.c", folder);
    cr_assert_eq(system(remove), 0);
    cr_expect_null(hpf_text_folder_open(below, a), "a link");
    snprintf(remove, sizeof remove, "cd %s/in && rm a.c && truncate -s 17M a.c", folder);
    cr_assert_eq(system(remove), 0);
    cr_expect_null(hpf_text_folder_open(below, a), "a large file");
    hpf_text_folder_destroy(below);
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    cr_expect_eq(system(remove), 0);
}

Test(hpf_text_costs, allocation_colours_lines_if_there_is_no_time)
{
    hpf_error err;
    const double amounts[] = {0, 5};
    t.n_columns = 2;
    cr_assert(hpf_text_costs_add(&t, HPF_STR("none.c:3"), amounts));
    hpf_text_folder *below;
    cr_expect_eq(hpf_text_folder_create(&below, "/dev/null/none", &err), HPF_ERR_IO);
    cr_assert_eq(hpf_text_folder_create(&below, "/dev/fd", &err), HPF_OK);
    cr_assert_eq(hpf_text_costs_find(&t, below, &err), HPF_OK);
    hpf_text_folder_destroy(below);
    cr_expect_eq(t.heat, 1);
}
